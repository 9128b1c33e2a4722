//! `workbay shell S`: runs a shell of a session in the calling terminal, like `docker exec -it`.
//!
//! Here and in `exec`, a session's output goes to the user's terminal without an emulator in between. A
//! filter passes only the sequences that programs draw with.

use std::{io::Write as _, time::Duration};

use color_eyre::{Result, eyre::WrapErr as _};
use signal_hook::consts::SIGINT;
use tokio::{
    io::AsyncReadExt as _,
    signal::unix::{Signal, SignalKind, signal},
    sync::watch,
    task::spawn_blocking,
    time::timeout,
};

use super::{facts, start::Options};
use crate::{
    action::{Action, Scope},
    client::{Client, ConnectOptions, Stream, StreamItem, StreamSender},
    keymap::Keymap,
    model::{failure::Failure, id::SessionKey, shell_start::ShellStart},
    protocol::message::{StreamEnd, StreamOpen},
    terminal::{
        encode::{self, Modes},
        fatal,
        filter::OutputFilter,
        raw::{self, Raw},
    },
};

/// Why the shell command ended.
enum ShellEnd {
    /// The user detached, or the terminal is gone. The shell keeps running.
    Detached,
    Stream(StreamEnd),
}

/// Attaches until the shell ends or the user detaches. Returns the exit code.
pub fn shell(options: Options, session: SessionKey, start: ShellStart) -> Result<u8> {
    let ui = &options.loaded.settings.ui;
    let filter = OutputFilter::new(&options.loaded.settings.terminal);
    let (keymap, _) = Keymap::load(&ui.keymap, Some(&options.paths.keymaps_dir()));
    let escapes = Escapes::new(&keymap);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .wrap_err(tr!("the program can't start its event loop"))?;
    let options = ConnectOptions::new(options.paths);
    let ended = runtime.block_on(attach(options, session, start, escapes, filter));
    // A pending read of the keyboard must not block the exit.
    runtime.shutdown_background();
    Ok(report(ended?))
}

/// Prints how the shell ended and returns the exit code.
fn report(ended: std::result::Result<ShellEnd, Failure>) -> u8 {
    let say = |text: &str| {
        let _ = writeln!(std::io::stderr(), "{text}");
    };
    match ended {
        Ok(ShellEnd::Detached) => {
            say(tr!("[detached: the shell keeps running]"));
            0
        }
        Ok(ShellEnd::Stream(StreamEnd::Exited { exit_code })) => {
            let code = exit_code.unwrap_or(0);
            u8::try_from(code).unwrap_or(1)
        }
        Ok(ShellEnd::Stream(StreamEnd::Lost { why })) => {
            say(&tr!(
                "workbay: the connection broke: {why}\n         Run `workbay shell` again to \
                 return to the same shell",
                why
            ));
            5
        }
        Ok(ShellEnd::Stream(StreamEnd::Failed { failure })) | Err(failure) => {
            say(&tr!("workbay: {message}", message = failure.message()));
            if let Some(help) = &failure.hint {
                say(&format!("         {help}"));
            }
            failure.kind.exit_code()
        }
    }
}

async fn attach(
    options: ConnectOptions,
    session: SessionKey,
    start: ShellStart,
    escapes: Escapes,
    filter: OutputFilter,
) -> Result<std::result::Result<ShellEnd, Failure>> {
    let client = match Client::connect(&options).await {
        Ok((client, _)) => client,
        Err(error) => return Ok(Err(error.into_failure())),
    };
    let (columns, rows) = crossterm::terminal::size().unwrap_or((80, 24));
    let open = StreamOpen::Terminal {
        session,
        tag: facts::tag(),
        columns,
        rows,
        start,
    };
    let mut stream = client.open(open);
    let opened = tokio::select! {
        item = stream.recv() => item,
        failure = never_answered(&client) => return Ok(Err(failure)),
    };
    match opened {
        Some(StreamItem::Opened) => {}
        Some(StreamItem::Ended(end)) => return Ok(Ok(ShellEnd::Stream(end))),
        _ => {
            let why = tr!("the daemon closed the connection").into();
            return Ok(Ok(ShellEnd::Stream(StreamEnd::Lost { why })));
        }
    }
    let signals = [fatal::UNEXPECTED, &[SIGINT]].concat();
    let raw = Raw::enter(&signals).wrap_err(tr!("the terminal can't be switched to raw mode"))?;
    // The shell runs in tmux, which uses the alternate screen.
    raw.has_alternate_screen();
    let unresponsive = client.unresponsive();
    let end = tokio::select! {
        end = carry(&mut stream, escapes, filter) => end,
        () = report_unresponsive(unresponsive) => Ok(ShellEnd::Detached),
    };
    drop(raw);
    end.map(Ok)
}

/// How long to wait for a daemon that doesn't respond before the shell starts.
const GIVE_UP: Duration = Duration::from_secs(15);

async fn never_answered(client: &Client) -> Failure {
    let mut unresponsive = client.unresponsive();
    loop {
        if unresponsive.wait_for(|it| *it).await.is_err() {
            // The connection has ended. The stream reports it.
            return std::future::pending().await;
        }
        if timeout(GIVE_UP, unresponsive.wait_for(|it| !it))
            .await
            .is_err()
        {
            let pid = client.hello().pid;
            let text = tr!("the daemon (pid {pid}) isn't responding", pid);
            return Failure::lost(text).hint(tr!(
                "run `workbay daemon stop`, then try again. Sessions keep running"
            ));
        }
    }
}

/// Prints when the daemon stops responding, and when it responds again. The shell may come back, so the user
/// decides whether to leave. Never returns.
async fn report_unresponsive(mut unresponsive: watch::Receiver<bool>) {
    while unresponsive.changed().await.is_ok() {
        let text = if *unresponsive.borrow_and_update() {
            tr!(
                "[The daemon isn't responding. To leave, press Enter, then ~. To restart it, run `workbay daemon stop`.]"
            )
        } else {
            tr!("[The daemon responds again.]")
        };
        let text = format!("\r\n{text}\r\n");
        // The terminal may be gone. The keyboard reports that.
        let _ = raw::put(std::io::stderr(), text.as_bytes());
    }
    std::future::pending::<()>().await;
}

async fn carry(
    stream: &mut Stream,
    escapes: Escapes,
    mut filter: OutputFilter,
) -> Result<ShellEnd> {
    let sender = stream.sender();
    let mut leave = Leave::new()?;
    let typed = type_in(&sender, escapes);
    let resized = follow_size(&sender);
    tokio::pin!(typed, resized);
    loop {
        let item = tokio::select! {
            biased;
            () = leave.asked() => return Ok(ShellEnd::Detached),
            () = &mut typed => return Ok(ShellEnd::Detached),
            () = &mut resized => continue,
            item = stream.recv() => item,
        };
        match item {
            Some(StreamItem::Data { bytes, .. }) => {
                let bytes = filter.pass(&bytes);
                // If the terminal takes no bytes, everything else keeps running.
                let written = spawn_blocking(move || raw::put(std::io::stdout(), &bytes)).await;
                if !written.is_ok_and(|written| written.is_ok()) {
                    return Ok(ShellEnd::Detached);
                }
            }
            Some(StreamItem::Opened) => {}
            Some(StreamItem::Ended(end)) => return Ok(ShellEnd::Stream(end)),
            None => {
                let why = tr!("the connection to the daemon broke").into();
                return Ok(ShellEnd::Stream(StreamEnd::Lost { why }));
            }
        }
    }
}

/// Sends what the user types. Ends when the user detaches or the keyboard is gone.
async fn type_in(sender: &StreamSender, mut escapes: Escapes) {
    let mut input = tokio::io::stdin();
    let mut buffer = vec![0; 16 * 1024];
    loop {
        let length = match input.read(&mut buffer).await {
            Ok(0) | Err(_) => return,
            Ok(length) => length,
        };
        let (bytes, detach) = escapes.filter(&buffer[..length]);
        if !bytes.is_empty() && sender.send(bytes).await.is_err() {
            // The other end closed the stream. Its last item says why.
            std::future::pending::<()>().await;
        }
        if detach {
            return;
        }
    }
}

/// Sends every new size of the calling terminal.
async fn follow_size(sender: &StreamSender) {
    let Ok(mut changes) = signal(SignalKind::window_change()) else {
        return std::future::pending().await;
    };
    while changes.recv().await.is_some() {
        if let Ok((columns, rows)) = crossterm::terminal::size()
            && sender.resize(columns, rows).await.is_err()
        {
            break;
        }
    }
    std::future::pending::<()>().await;
}

/// The signals that ask the program to exit.
struct Leave {
    terminate: Signal,
    hang_up: Signal,
}

impl Leave {
    fn new() -> Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    async fn asked(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.hang_up.recv() => {}
        }
    }
}

/// Finds the detach keys in what the user types: the leader key and then `d`, or `~.` at the beginning of a
/// line.
struct Escapes {
    leaders: Vec<Vec<u8>>,
    detach: Vec<Vec<u8>>,
    state: Typed,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Typed {
    LineStart,
    Within,
    /// After Enter and `~`.
    Tilde,
    /// This leader key was pressed.
    Leader(Vec<u8>),
}

impl Escapes {
    fn new(keymap: &Keymap) -> Self {
        let bytes = |scope, action| {
            let keys = keymap.keys_for(scope, action).into_iter();
            keys.filter_map(|key| key.parse().ok())
                .map(|key| encode::key(key, Modes::default()))
                .filter(|bytes| !bytes.is_empty())
                .collect()
        };
        Self {
            leaders: bytes(Scope::Terminal, Action::TerminalLeader),
            detach: bytes(Scope::Leader, Action::PaneDetach),
            state: Typed::LineStart,
        }
    }

    /// The bytes for the shell, and whether the user detached.
    fn filter(&mut self, typed: &[u8]) -> (Vec<u8>, bool) {
        let mut out = Vec::with_capacity(typed.len());
        let mut rest = typed;
        while let Some(byte) = rest.first().copied() {
            let starts = |keys: &[Vec<u8>]| keys.iter().find(|key| rest.starts_with(key)).cloned();
            if let Typed::Leader(leader) = &self.state {
                if starts(&self.detach).is_some() {
                    return (out, true);
                }
                match starts(&self.leaders) {
                    // Pressing the leader key twice sends it to the shell.
                    Some(again) => {
                        out.extend_from_slice(&again);
                        rest = &rest[again.len()..];
                    }
                    None => out.extend_from_slice(&leader.clone()),
                }
                self.state = Typed::Within;
                continue;
            }
            if let Some(leader) = starts(&self.leaders) {
                self.release_tilde(&mut out);
                rest = &rest[leader.len()..];
                self.state = Typed::Leader(leader);
                continue;
            }
            rest = &rest[1..];
            if self.byte(byte, &mut out) {
                return (out, true);
            }
        }
        (out, false)
    }

    fn release_tilde(&mut self, out: &mut Vec<u8>) {
        if self.state == Typed::Tilde {
            out.push(b'~');
        }
    }

    /// Returns whether to detach.
    fn byte(&mut self, byte: u8, out: &mut Vec<u8>) -> bool {
        match (&self.state, byte) {
            (Typed::LineStart, b'~') => {
                self.state = Typed::Tilde;
                return false;
            }
            (Typed::Tilde, b'.') => return true,
            (Typed::Tilde, b'~') => {}
            (Typed::Tilde, _) => out.push(b'~'),
            _ => {}
        }
        out.push(byte);
        self.state = if matches!(byte, b'\r' | b'\n') {
            Typed::LineStart
        } else {
            Typed::Within
        };
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(chunks: &[&str]) -> (String, bool) {
        let mut escapes = Escapes::new(&Keymap::default());
        let mut out = Vec::new();
        for chunk in chunks {
            let (bytes, detach) = escapes.filter(chunk.as_bytes());
            out.extend(bytes);
            if detach {
                return (String::from_utf8(out).unwrap(), true);
            }
        }
        (String::from_utf8(out).unwrap(), false)
    }

    #[test]
    fn the_leader_and_d_detach() {
        assert_eq!(typed(&["ls\r\x1d", "d"]), ("ls\r".to_owned(), true));
        assert_eq!(typed(&["\x1b[24~d"]), (String::new(), true));
        assert_eq!(typed(&["\x1d\x1dx"]), ("\x1dx".to_owned(), false));
        assert_eq!(typed(&["\x1dq"]), ("\x1dq".to_owned(), false));
        assert_eq!(typed(&["\x1b"]), ("\x1b".to_owned(), false));
    }

    #[test]
    fn tilde_and_dot_detach_at_the_beginning_of_a_line() {
        assert_eq!(typed(&["~."]), (String::new(), true));
        assert_eq!(typed(&["a\r~", "."]), ("a\r".to_owned(), true));
        assert_eq!(typed(&["a~."]), ("a~.".to_owned(), false));
        assert_eq!(typed(&["~~."]), ("~.".to_owned(), false));
        assert_eq!(typed(&["~/bin\r"]), ("~/bin\r".to_owned(), false));
    }
}
