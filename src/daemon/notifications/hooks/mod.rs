//! Runs the user's hook command for notifications: in the background, a few at once, with a time limit.

mod group;

use std::{
    collections::VecDeque,
    process::{ExitStatus, Stdio},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use rustix::process::Signal;
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWriteExt},
    process::{Child, Command},
    sync::mpsc,
    time::timeout,
};

use self::group::ProcessGroup;
use crate::{
    daemon::connection::inbound::Inbound,
    model::{
        change::Change,
        notice::Notice,
        settings::HookSettings,
        text::{Clean, json_escaped},
    },
};

/// Max hooks that run at once.
const AT_ONCE: usize = 4;
/// Max notices that wait for a hook. When the queue is full, the oldest is dropped.
const WAITING: usize = 100;
/// Max bytes of each output that go to the log.
const LOGGED: u64 = 4 * 1024;
/// The time between `SIGTERM` and `SIGKILL`.
const GRACE: Duration = Duration::from_secs(2);
/// How long the output is read after the hook ended. A process that the hook left running may keep the
/// output open.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Cheap to clone.
#[derive(Clone)]
pub(in crate::daemon) struct Hooks {
    settings: Arc<HookSettings>,
    state: Arc<Mutex<HookQueue>>,
    core: mpsc::Sender<Inbound>,
}

#[derive(Default)]
struct HookQueue {
    waiting: VecDeque<Notice>,
    running: usize,
    /// Whether the last hook failed. Only the first of several failures in a row is reported.
    failing: bool,
}

impl Hooks {
    pub fn new(settings: &HookSettings, core: mpsc::Sender<Inbound>) -> Self {
        Self {
            settings: Arc::new(settings.clone()),
            state: Arc::default(),
            core,
        }
    }

    fn state(&self) -> MutexGuard<'_, HookQueue> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs the hook for a notice, or queues the notice.
    pub fn handle(&self, change: &Change) {
        let Change::Notice { notice } = change else {
            return;
        };
        let event = notice.kind.word();
        if self.settings.command.is_empty() || !self.settings.events.iter().any(|it| it == event) {
            return;
        }
        let mut state = self.state();
        if state.waiting.len() == WAITING {
            state.waiting.pop_front();
            tracing::warn!("hooks are too slow: the oldest waiting notification was dropped");
        }
        state.waiting.push_back((**notice).clone());
        drop(state);
        self.begin();
    }

    fn begin(&self) {
        let mut state = self.state();
        if state.running == AT_ONCE {
            return;
        }
        if let Some(notice) = state.waiting.pop_front() {
            state.running += 1;
            let this = self.clone();
            tokio::spawn(async move { this.run(notice).await });
        }
    }

    /// Records the result of a hook. Returns whether the hook before it failed.
    fn ended(&self, well: bool) -> bool {
        let mut state = self.state();
        state.running -= 1;
        std::mem::replace(&mut state.failing, !well)
    }

    async fn run(self, notice: Notice) {
        let event = notice.kind.word();
        let result = carry_out(&self.settings, &notice).await;
        let stopped = self.ended(result.is_ok());
        if let Err(why) = result {
            tracing::warn!(event, %why, "the hook failed");
            if !stopped {
                let text = tr_sent!(
                    "the hook for {event} failed: {why}. See the daemon's log",
                    event,
                    why
                );
                let text = Clean::new(&text);
                // Sending fails only while the daemon ends.
                let _ = self.core.send(Inbound::Remark { text }).await;
            }
        }
        self.begin();
    }
}

async fn carry_out(settings: &HookSettings, notice: &Notice) -> Result<(), String> {
    let [program, arguments @ ..] = settings.command.as_slice() else {
        return Ok(());
    };
    let session = notice.session.map(|key| key.id.to_string());
    let mut child = Command::new(program)
        .args(arguments)
        .env("WORKBAY_EVENT", notice.kind.word())
        .env("WORKBAY_SESSION", session.unwrap_or_default())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        // A process group of its own, so that a timeout also ends what the hook started.
        .process_group(0)
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| tr_sent!("{program} can't be run: {error}", program, error))?;
    let words = serde_json::to_string(notice).map_err(|error| error.to_string())?;
    let words = json_escaped(&words).into_bytes();
    if let Some(mut stdin) = child.stdin.take() {
        // A hook may end without reading its input.
        tokio::spawn(async move { stdin.write_all(&words).await });
    }
    let out = tokio::spawn(log("stdout", child.stdout.take()));
    let errors = tokio::spawn(log("stderr", child.stderr.take()));
    let limit = Duration::from_secs(settings.timeout.seconds());
    let ended = timeout(limit, child.wait()).await;
    if ended.is_err() {
        end(&mut child).await;
    }
    for reading in [out, errors] {
        let last = reading.abort_handle();
        if timeout(LAST_WORDS, reading).await.is_err() {
            last.abort();
        }
    }
    match ended {
        Ok(Ok(status)) => of(status),
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Err(tr_sent!(
            "it didn't end within {time}",
            time = settings.timeout.in_words()
        )),
    }
}

fn of(status: ExitStatus) -> Result<(), String> {
    if status.success() {
        return Ok(());
    }
    Err(status.to_string())
}

/// Sends `SIGTERM` to the process group, then kills it.
async fn end(child: &mut Child) {
    if let Some(group) = ProcessGroup::of(child) {
        group.signal(Signal::TERM);
        let _ = timeout(GRACE, group.leader_ended()).await;
        group.kill().await;
    }
}

/// Logs the beginning of an output and discards the rest.
async fn log(which: &'static str, output: Option<impl AsyncRead + Unpin>) {
    let Some(mut output) = output else {
        return;
    };
    let mut said = Vec::new();
    let _ = (&mut output).take(LOGGED).read_to_end(&mut said).await;
    for line in String::from_utf8_lossy(&said).lines() {
        let line = Clean::new(line);
        tracing::info!(which, %line, "output of the hook");
    }
    let _ = tokio::io::copy(&mut output, &mut tokio::io::sink()).await;
}
