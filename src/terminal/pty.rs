//! A program of this host on a local pseudo-terminal, as an asynchronous stream.
//!
//! Reading and writing block, so each has a thread. The channels are bounded, which slows down a program with
//! much output instead of filling memory.

use std::{
    io::{Read, Write},
    sync::Mutex,
};

use bytes::Bytes;
use portable_pty::{Child, ChildKiller, CommandBuilder, MasterPty, PtySize, native_pty_system};
use thiserror::Error;
use tokio::sync::mpsc;

/// Chunks on their way to the client.
const OUTPUT_CHUNKS: usize = 8;
/// Keys and pastes on their way to the program.
const INPUT_CHUNKS: usize = 64;
const CHUNK: usize = 16 * 1024;

#[derive(Debug, Error)]
pub enum PtyError {
    #[error("a pseudo-terminal can't be opened: {0}")]
    Open(String),
    #[error("'{program}' can't be started in a terminal: {why}")]
    Start { program: String, why: String },
}

/// Output of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PtyOutput {
    Bytes(Bytes),
    /// The last item. The exit code is unknown if waiting for the program failed.
    Exited {
        exit_code: Option<i64>,
    },
}

/// A running program. Dropping it hangs up, as closing a terminal window does.
pub struct Pty {
    master: Mutex<Box<dyn MasterPty + Send>>,
    killer: Box<dyn ChildKiller + Send + Sync>,
    input: mpsc::Sender<Bytes>,
}

/// The program to run and its terminal size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PtyCommand {
    /// Empty = the user's shell.
    pub argv: Vec<String>,
    /// Variables in addition to the inherited environment.
    pub env: Vec<(String, String)>,
    pub columns: u16,
    pub rows: u16,
}

impl Pty {
    /// Starts a program. The receiver gets its output.
    pub fn start(command: &PtyCommand) -> Result<(Self, mpsc::Receiver<PtyOutput>), PtyError> {
        let open = |error: &dyn std::fmt::Display| PtyError::Open(error.to_string());
        let pair = native_pty_system()
            .openpty(size(command.columns, command.rows))
            .map_err(|error| open(&error))?;
        let reader = pair.master.try_clone_reader().map_err(|e| open(&e))?;
        let writer = pair.master.take_writer().map_err(|e| open(&e))?;
        let child = pair
            .slave
            .spawn_command(builder(command))
            .map_err(|error| PtyError::Start {
                program: command.argv.first().cloned().unwrap_or_else(shell_name),
                why: format!("{error:#}"),
            })?;
        drop(pair.slave);
        let killer = child.clone_killer();
        let (output, received) = mpsc::channel(OUTPUT_CHUNKS);
        let (input, typed) = mpsc::channel(INPUT_CHUNKS);
        spawn_thread("pty-read", move || read(reader, child, &output)).map_err(|e| open(&e))?;
        spawn_thread("pty-write", move || write(writer, typed)).map_err(|e| open(&e))?;
        let pty = Self {
            master: Mutex::new(pair.master),
            killer,
            input,
        };
        Ok((pty, received))
    }

    /// The channel for bytes to the program.
    pub fn input(&self) -> mpsc::Sender<Bytes> {
        self.input.clone()
    }

    /// Reports the new size to the program. Has no effect if the program has ended.
    pub fn resize(&self, columns: u16, rows: u16) {
        if let Ok(master) = self.master.lock() {
            let _ = master.resize(size(columns, rows));
        }
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        let _ = self.killer.kill();
    }
}

fn size(columns: u16, rows: u16) -> PtySize {
    PtySize {
        rows: rows.max(1),
        cols: columns.max(1),
        pixel_width: 0,
        pixel_height: 0,
    }
}

fn builder(command: &PtyCommand) -> CommandBuilder {
    let mut builder = match command.argv.split_first() {
        // Not a login shell, because the environment of the calling terminal is inherited.
        None => CommandBuilder::new(shell_name()),
        Some((program, arguments)) => {
            let mut builder = CommandBuilder::new(program);
            builder.args(arguments);
            builder
        }
    };
    for (name, value) in &command.env {
        builder.env(name, value);
    }
    // These variables describe the terminal that the client was started from.
    for name in ["COLUMNS", "LINES", "TMUX", "TMUX_PANE", "STY", "WINDOW"] {
        builder.env_remove(name);
    }
    if let Ok(here) = std::env::current_dir() {
        builder.cwd(here);
    }
    builder
}

fn shell_name() -> String {
    CommandBuilder::new_default_prog().get_shell()
}

fn spawn_thread(name: &str, work: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    std::thread::Builder::new()
        .name(name.to_owned())
        .spawn(work)
        .map(drop)
}

/// Reads until the last process has closed the terminal, then reaps the program.
fn read(
    mut reader: Box<dyn Read + Send>,
    mut child: Box<dyn Child + Send + Sync>,
    output: &mpsc::Sender<PtyOutput>,
) {
    let mut buffer = vec![0; CHUNK];
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => break,
            Ok(length) => {
                let bytes = Bytes::copy_from_slice(&buffer[..length]);
                if output.blocking_send(PtyOutput::Bytes(bytes)).is_err() {
                    break;
                }
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => break,
        }
    }
    let exit_code = child.wait().ok().map(|status| status.exit_code().into());
    let _ = output.blocking_send(PtyOutput::Exited { exit_code });
}

fn write(mut writer: Box<dyn Write + Send>, mut typed: mpsc::Receiver<Bytes>) {
    while let Some(bytes) = typed.blocking_recv() {
        if writer.write_all(&bytes).is_err() {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(script: &str) -> PtyCommand {
        PtyCommand {
            argv: ["sh", "-c", script].map(str::to_owned).to_vec(),
            env: vec![("GREETING".to_owned(), "안녕".to_owned())],
            columns: 40,
            rows: 10,
        }
    }

    async fn until(received: &mut mpsc::Receiver<PtyOutput>, wanted: &str) -> String {
        let mut text = String::new();
        while !text.contains(wanted) {
            match received.recv().await {
                Some(PtyOutput::Bytes(bytes)) => text += &String::from_utf8_lossy(&bytes),
                other => panic!("{other:?} before {wanted:?} in {text:?}"),
            }
        }
        text
    }

    #[tokio::test]
    async fn a_program_talks_resizes_and_ends_with_its_code() {
        let script = "echo $GREETING; stty size; read x; stty size; exit 3";
        let (pty, mut received) = Pty::start(&command(script)).unwrap();
        until(&mut received, "안녕\r\n10 40").await;
        pty.resize(50, 20);
        pty.input().send(Bytes::from_static(b"\r")).await.unwrap();
        until(&mut received, "20 50").await;
        let mut last = None;
        while let Some(item) = received.recv().await {
            last = Some(item);
        }
        assert_eq!(last, Some(PtyOutput::Exited { exit_code: Some(3) }));
    }

    #[tokio::test]
    async fn dropping_it_hangs_up() {
        let (pty, mut received) = Pty::start(&command("echo up; sleep 1000")).unwrap();
        until(&mut received, "up").await;
        drop(pty);
        while received.recv().await.is_some() {}
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let mut missing = command("");
        missing.argv = vec!["/no/such/program".to_owned()];
        let error = Pty::start(&missing).map(drop).unwrap_err();
        assert!(error.to_string().contains("/no/such/program"), "{error}");
    }
}
