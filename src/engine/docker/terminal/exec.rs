//! Programs started beside a session's main process, with a terminal or with pipes.

use std::{sync::Arc, time::Duration};

use bollard::{
    errors::Error,
    exec::{CreateExecOptions, ResizeExecOptions},
};
use tokio::{
    io::AsyncWriteExt as _,
    net::unix::OwnedWriteHalf,
    sync::{mpsc, watch},
    task::JoinHandle,
};

use super::hijack::{self, Hijacked, Reader};
use crate::engine::docker::{
    connect::connection::Line,
    kill::{self, Ending},
};
use crate::{
    engine::{
        api::{Attached, Input, Output, Result},
        error::EngineError,
    },
    model::{inside, text::Clean},
};

/// Pieces of at most 16 KiB on their way to a slow reader.
const OUTPUT_QUEUE: usize = 16;
const INPUT_QUEUE: usize = 64;

/// How long one resize may take; some engines hang on it before the program has started.
const RESIZE_TIME: Duration = Duration::from_secs(2);
const RESIZE_ATTEMPTS: u32 = 5;

/// How long typed bytes may take into a program that is about to be ended.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// How often and how fast the engine is asked for the exit code once the stream has ended.
const EXIT_ATTEMPTS: u32 = 50;
const EXIT_PAUSE: Duration = Duration::from_millis(20);

/// A program in a container, under way.
#[derive(Clone)]
struct Running {
    line: Arc<Line>,
    container: String,
    exec: String,
    ending: Ending,
}

/// Starts `argv` in `container`. The receiver's end decides: when it is dropped the program is ended.
pub(in crate::engine::docker) async fn start(
    line: Arc<Line>,
    container: String,
    argv: Vec<String>,
    tty: bool,
    ending: Ending,
) -> Result<Attached> {
    start_as(line, container, argv, tty, ending, None).await
}

/// The same as another user of the container, by name or number. The session's home may be closed to
/// them, so they begin at the root.
pub(in crate::engine::docker) async fn start_as(
    line: Arc<Line>,
    container: String,
    argv: Vec<String>,
    tty: bool,
    ending: Ending,
    user: Option<&str>,
) -> Result<Attached> {
    let options = CreateExecOptions {
        attach_stdin: Some(true),
        attach_stdout: Some(true),
        attach_stderr: Some(true),
        tty: Some(tty),
        cmd: Some(argv),
        working_dir: Some(user.map_or(inside::HOME, |_| "/").to_owned()),
        user: user.map(str::to_owned),
        ..CreateExecOptions::default()
    };
    let made = line.docker.create_exec(&container, options).await;
    let exec = made.map_err(|error| not_running(error, &line))?.id;
    let running = Running {
        line,
        container,
        exec,
        ending,
    };
    let Hijacked { reader, writer } = hijack::start(
        running.line.socket(),
        running.line.url(),
        &running.exec,
        tty,
    )
    .await?;
    let (output_in, output) = mpsc::channel(OUTPUT_QUEUE);
    let (input, input_out) = mpsc::channel(INPUT_QUEUE);
    let (size_in, size_out) = watch::channel(None);
    tokio::spawn(resize(running.clone(), size_out));
    let typist = Typist {
        writer,
        size: size_in,
        tty,
    };
    let writing = tokio::spawn(typist.write(input_out));
    tokio::spawn(read(running, reader, output_in, writing));
    Ok(Attached { output, input })
}

fn not_running(error: Error, line: &Line) -> EngineError {
    match line.fault(error) {
        EngineError::Refused(said) if said.contains("is not running") => {
            EngineError::Refused("the session isn't running".to_owned())
        }
        EngineError::Refused(said) if said.contains("is paused") => {
            EngineError::Refused("the session is paused".to_owned())
        }
        other => other,
    }
}

/// Hands on what the program prints. A reader that stopped reading holds the program back; one that is
/// gone ends it.
async fn read(
    running: Running,
    mut reader: Reader,
    output: mpsc::Sender<Output>,
    mut writing: JoinHandle<OwnedWriteHalf>,
) {
    let last = loop {
        let next = tokio::select! {
            biased;
            () = output.closed() => break None,
            next = reader.next() => next,
        };
        match next {
            Ok(Some(piece)) => {
                if output.send(piece).await.is_err() {
                    break None;
                }
            }
            Ok(None) => break Some(running.exit().await),
            Err(error) => {
                break Some(Output::Lost {
                    why: Clean::new(&format!("the connection to the engine broke: {error}")),
                });
            }
        }
    };
    if let Some(last) = last {
        // Nobody may be there to hear it.
        let _ = output.send(last).await;
    } else {
        // What was typed last still goes in.
        let _ = tokio::time::timeout(LAST_WORDS, &mut writing).await;
        let Running {
            line,
            container,
            exec,
            ending,
        } = &running;
        kill::end(line, exec, container, ending).await;
    }
    writing.abort();
}

/// The typing side.
struct Typist {
    writer: OwnedWriteHalf,
    size: watch::Sender<Option<(u16, u16)>>,
    tty: bool,
}

impl Typist {
    /// Types what comes in, until nobody types any more. The connection is given back rather than
    /// closed: closing our half of a terminal makes the engine close the other one too.
    async fn write(mut self, mut input: mpsc::Receiver<Input>) -> OwnedWriteHalf {
        while let Some(one) = input.recv().await {
            // A failure means that the program is gone; the reading side tells why.
            let _ = match one {
                Input::Bytes(bytes) => self.writer.write_all(&bytes).await,
                Input::Resize { columns, rows } => {
                    self.size.send_replace(Some((columns, rows)));
                    Ok(())
                }
                Input::Eof => self.end().await,
            };
        }
        let _ = self.end().await;
        self.writer
    }

    /// Pipes are read to their end. A terminal has none: a person types Ctrl-D.
    async fn end(&mut self) -> std::io::Result<()> {
        if self.tty {
            return Ok(());
        }
        self.writer.shutdown().await
    }
}

/// Sets the newest size, apart from the typing: an engine may take its time.
async fn resize(running: Running, mut size: watch::Receiver<Option<(u16, u16)>>) {
    while size.changed().await.is_ok() {
        for _ in 0..RESIZE_ATTEMPTS {
            let Some((width, height)) = *size.borrow_and_update() else {
                break;
            };
            let options = ResizeExecOptions { height, width };
            let asked = running.line.docker.resize_exec(&running.exec, options);
            match tokio::time::timeout(RESIZE_TIME, asked).await {
                Ok(Ok(())) => break,
                Ok(Err(_)) => tokio::time::sleep(EXIT_PAUSE).await,
                Err(_) => {}
            }
        }
    }
}

impl Running {
    /// How the program ended, once its stream has.
    async fn exit(&self) -> Output {
        for _ in 0..EXIT_ATTEMPTS {
            match self.line.docker.inspect_exec(&self.exec).await {
                Ok(known) if known.running == Some(false) => {
                    return Output::End {
                        exit_code: known.exit_code,
                    };
                }
                Ok(_) => tokio::time::sleep(EXIT_PAUSE).await,
                // The container is gone, and with it the record of what ran in it.
                Err(Error::DockerResponseServerError { .. }) => {
                    return Output::End { exit_code: None };
                }
                Err(error) => {
                    return Output::Lost {
                        why: Clean::new(&self.line.fault(error).to_string()),
                    };
                }
            }
        }
        Output::Lost {
            why: Clean::new("the engine closed the stream while the program still runs"),
        }
    }
}
