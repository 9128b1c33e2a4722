//! Finding the daemon, or starting one.

use std::{
    ffi::OsString,
    io,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use tokio::{
    io::AsyncReadExt,
    net::UnixStream,
    process::{Child, Command},
    time::{sleep, timeout},
};

use super::{ClientError, ConnectOptions};
use crate::{
    config::paths::Paths,
    model::text::Clean,
    protocol::presence::{self, Holder, Presence},
};

/// While a daemon starts, its socket is tried this often.
pub(super) const RETRY: Duration = Duration::from_millis(20);
/// So many times the patience, while a daemon has not said yet who it is.
const WHILE_IT_BEGINS: u32 = 12;
/// No more than this is read of what a failing daemon says.
const LAST_WORDS: u64 = 16 * 1024;

/// The command that starts a daemon. It must detach itself, say on stderr why it cannot start, and
/// close stderr when it is ready.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Starter {
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
    /// Added to this process's environment.
    pub environment: Vec<(OsString, OsString)>,
}

impl Starter {
    /// `PROGRAM daemon run --detached` of the running program.
    pub fn this_program() -> Option<Self> {
        let program = std::env::current_exe().ok()?;
        Some(Self {
            program,
            arguments: ["daemon", "run", "--detached"].map(OsString::from).into(),
            environment: Vec::new(),
        })
    }
}

/// A connected socket whose other side is this user's.
pub(super) async fn reach(options: &ConnectOptions) -> Result<UnixStream, ClientError> {
    if let Some(socket) = try_connect(&options.paths).await? {
        return Ok(socket);
    }
    let Some(starter) = &options.starter else {
        return Err(ClientError::NoDaemon(options.paths.socket()));
    };
    let failed = match presence::holder(&options.paths.lock()) {
        Ok(Holder::Daemon(presence)) => {
            wake(presence.as_ref());
            None
        }
        _ => Some(start(starter, options.patience).await?),
    };
    let tries = async {
        loop {
            if let Some(socket) = try_connect(&options.paths).await? {
                return Ok(socket);
            }
            sleep(RETRY).await;
        }
    };
    tokio::select! {
        reached = patiently(options, tries) => {
            reached.unwrap_or_else(|| Err(silent(&options.paths)))
        }
        error = failure(failed) => Err(error),
    }
}

/// Waits as long as a daemon may take; one that still begins (it brings a large store to a newer layout,
/// say) may take a few times that.
pub(super) async fn patiently<T>(
    options: &ConnectOptions,
    work: impl Future<Output = T>,
) -> Option<T> {
    let begins = || {
        matches!(
            presence::holder(&options.paths.lock()),
            Ok(Holder::Daemon(None))
        )
    };
    tokio::pin!(work);
    for _ in 0..WHILE_IT_BEGINS {
        match timeout(options.patience, &mut work).await {
            Ok(done) => return Some(done),
            Err(_) if begins() => {}
            Err(_) => return None,
        }
    }
    None
}

/// It is there, and says nothing.
pub(super) fn silent(paths: &Paths) -> ClientError {
    let pid = match presence::holder(&paths.lock()) {
        Ok(Holder::Daemon(Some(daemon))) => Some(daemon.pid),
        _ => None,
    };
    ClientError::Silent {
        pid,
        log: paths.daemon_log(),
    }
}

/// `None` when nothing listens. The lock file's word on where the socket is goes first: another
/// login may have another runtime directory.
async fn try_connect(paths: &Paths) -> Result<Option<UnixStream>, ClientError> {
    let usual = paths.socket();
    let told = match presence::holder(&paths.lock()) {
        Ok(Holder::Daemon(Some(presence))) => Some(PathBuf::from(presence.socket)),
        _ => None,
    };
    for path in told.iter().filter(|told| **told != usual).chain([&usual]) {
        match UnixStream::connect(path).await {
            Ok(socket) => return ours(socket, path).map(Some),
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                return Err(foreign(path));
            }
            Err(_) => {}
        }
    }
    Ok(None)
}

/// Somebody else's socket in our place must not hear what we say.
fn ours(socket: UnixStream, path: &Path) -> Result<UnixStream, ClientError> {
    let me = rustix::process::getuid().as_raw();
    match socket.peer_cred() {
        Ok(peer) if peer.uid() == me => Ok(socket),
        Ok(peer) => Err(ClientError::Foreign {
            socket: path.to_path_buf(),
            uid: peer.uid(),
        }),
        Err(_) => Err(foreign(path)),
    }
}

fn foreign(path: &Path) -> ClientError {
    use std::os::unix::fs::MetadataExt;
    ClientError::Foreign {
        socket: path.to_path_buf(),
        uid: path.metadata().map_or(u32::MAX, |meta| meta.uid()),
    }
}

/// A daemon lives but its socket is gone (its runtime directory was deleted): it makes it again when
/// it gets this signal. A daemon that has not told its pid yet is still starting and needs no wake.
fn wake(presence: Option<&Presence>) {
    let pid = presence
        .and_then(|presence| i32::try_from(presence.pid).ok())
        .and_then(rustix::process::Pid::from_raw);
    if let Some(pid) = pid {
        // It may end in this moment; the tries that follow find out.
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::USR1);
    }
}

/// A daemon that was started and what it said until it closed stderr: nothing when all is well.
struct Started {
    child: Child,
    said: Vec<u8>,
}

/// Returns when the daemon is ready, has failed, or another one was faster.
async fn start(starter: &Starter, patience: Duration) -> Result<Started, ClientError> {
    let failed = |why: io::Error| ClientError::Start {
        program: starter.program.clone(),
        why: why.to_string(),
    };
    let mut child = Command::new(&starter.program)
        .args(&starter.arguments)
        .envs(starter.environment.iter().cloned())
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    let said = last_words(&mut child, patience).await;
    Ok(Started { child, said })
}

/// Ends only when the started daemon ends with a failure.
async fn failure(started: Option<Started>) -> ClientError {
    if let Some(Started { mut child, said }) = started
        && let Ok(status) = child.wait().await
        && !status.success()
    {
        return ClientError::Daemon(explain(&said, status));
    }
    std::future::pending().await
}

async fn last_words(child: &mut Child, patience: Duration) -> Vec<u8> {
    let mut said = Vec::new();
    if let Some(stderr) = child.stderr.take() {
        // What was read before the patience ended is kept.
        let _ = timeout(patience, stderr.take(LAST_WORDS).read_to_end(&mut said)).await;
    }
    said
}

fn explain(said: &[u8], status: std::process::ExitStatus) -> Clean {
    let said = Clean::multiline(String::from_utf8_lossy(said).trim());
    if said.is_empty() {
        return Clean::new(&format!("it ended immediately ({status})"));
    }
    said
}
