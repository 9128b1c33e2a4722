//! Programs that run beside a session's main process, with a terminal or with pipes.

use std::{sync::Arc, time::Duration};

use bollard::{
    errors::Error,
    exec::{CreateExecOptions, ResizeExecOptions},
};
use tokio::{
    io::AsyncWriteExt as _,
    net::unix::OwnedWriteHalf,
    sync::{mpsc, oneshot, watch},
    task::JoinHandle,
};

use super::hijack::{self, Hijacked, OutputReader};
use crate::{
    engine::{
        api::{Attached, Input, Output, Result},
        docker::{
            connect::connection::EngineConnection,
            kill::{self, KillMethod},
        },
    },
    model::{
        failure::{Failure, FailureKind},
        inside,
        text::Clean,
    },
};

/// Pieces of up to 16 KiB that wait for a slow reader.
const OUTPUT_QUEUE: usize = 16;
const INPUT_QUEUE: usize = 64;

/// Time limit of one resize; some engines block on it before the program has started.
const RESIZE_TIME: Duration = Duration::from_secs(2);
const RESIZE_ATTEMPTS: u32 = 5;

/// Time limit for writing the last typed bytes to a program that is about to be ended.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Time limit of a start whose caller is gone.
const UNREAD_START: Duration = Duration::from_secs(120);

/// Number and interval of requests for the exit code after the stream has ended.
const EXIT_ATTEMPTS: u32 = 50;
const EXIT_PAUSE: Duration = Duration::from_millis(20);

/// A running program in a container.
#[derive(Clone)]
struct RunningExec {
    connection: Arc<EngineConnection>,
    container: String,
    exec: String,
    ending: KillMethod,
}

/// A program that the engine has started, before its output is read. Dropping this ends the program.
struct StartedExec {
    program: RunningExec,
    hijacked: Option<Hijacked>,
}

impl Drop for StartedExec {
    fn drop(&mut self) {
        if self.hijacked.is_none() {
            return;
        }
        let program = self.program.clone();
        // At the end of the daemon nothing can be awaited. The next daemon detaches the terminals that it finds.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move { program.end().await });
        }
    }
}

/// Starts `argv` in `container`. Dropping the receiver of the output ends the program.
pub(in crate::engine::docker) async fn start(
    connection: Arc<EngineConnection>,
    container: String,
    argv: Vec<String>,
    tty: bool,
    ending: KillMethod,
) -> Result<Attached> {
    start_as(connection, container, argv, tty, ending, None).await
}

/// Like [`start`], as another user of the container, by name or number. This user may not have access to the
/// session's home directory, so the program starts in the root directory.
pub(in crate::engine::docker) async fn start_as(
    connection: Arc<EngineConnection>,
    container: String,
    argv: Vec<String>,
    tty: bool,
    ending: KillMethod,
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
    let made = connection.docker.create_exec(&container, options).await;
    let exec = made.map_err(|error| not_running(error, &connection))?.id;
    let running = RunningExec {
        connection,
        container,
        exec,
        ending,
    };
    let Hijacked { reader, writer } = start_guarded(&running, tty).await?;
    let (output_in, output) = mpsc::channel(OUTPUT_QUEUE);
    let (input, input_out) = mpsc::channel(INPUT_QUEUE);
    let (size_in, size_out) = watch::channel(None);
    tokio::spawn(resize(running.clone(), size_out));
    let typist = InputWriter {
        writer,
        size: size_in,
        tty,
    };
    let writing = tokio::spawn(typist.write(input_out));
    tokio::spawn(read(running, reader, output_in, writing));
    Ok(Attached { output, input })
}

/// Starts the program. If the caller is dropped meanwhile, or the connection breaks, the program is ended.
///
/// The request has a task of its own, which isn't dropped with the caller: after a connection that is closed before the
/// answer, engines start the program, too, but Podman may record it as ended, so that nothing could find and end it.
async fn start_guarded(program: &RunningExec, tty: bool) -> Result<Hijacked> {
    let (answer, answered) = oneshot::channel();
    tokio::spawn(start_and_answer(program.clone(), tty, answer));
    let broken = || Err(Failure::lost(tr_sent!("the daemon is stopping")));
    let mut started: StartedExec = answered.await.unwrap_or_else(|_| broken())?;
    started.hijacked.take().ok_or_else(|| {
        Failure::internal(tr_sent!("a program was started without a connection to it"))
    })
}

async fn start_and_answer(
    program: RunningExec,
    tty: bool,
    mut answer: oneshot::Sender<Result<StartedExec>>,
) {
    let connection = &program.connection;
    let starting = hijack::start(connection.socket(), connection.url(), &program.exec, tty);
    tokio::pin!(starting);
    let started = tokio::select! {
        started = &mut starting => started,
        () = answer.closed() => tokio::time::timeout(UNREAD_START, starting)
            .await
            .unwrap_or_else(|_| Err(Failure::lost(tr_sent!("the engine didn't start the program")))),
    };
    match started {
        Ok(hijacked) => {
            let started = StartedExec {
                program: program.clone(),
                hijacked: Some(hijacked),
            };
            // If the caller is gone, this is dropped, which ends the program.
            let _ = answer.send(Ok(started));
        }
        Err(failure) => {
            // After a refusal there is no program to end. Otherwise the engine may have received the request.
            let is_lost = failure.is_lost();
            let _ = answer.send(Err(failure));
            if is_lost {
                program.end().await;
            }
        }
    }
}

fn not_running(error: Error, connection: &EngineConnection) -> Failure {
    let failure = connection.fault(error);
    let says = |words| failure.to_string().contains(words);
    if failure.kind != FailureKind::Refused {
        return failure;
    }
    if says("is not running") {
        return Failure::engine_refused(tr_sent!("the session isn't running"));
    }
    if says("is paused") {
        return Failure::engine_refused(tr_sent!("the session is paused"));
    }
    failure
}

/// Passes on what the program prints. A reader that stops reading blocks the program; dropping the reader
/// ends it.
async fn read(
    running: RunningExec,
    mut reader: OutputReader,
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
                    why: Clean::new(&tr_sent!(
                        "the connection to the engine broke: {error}",
                        error
                    )),
                });
            }
        }
    };
    if let Some(last) = last {
        // The receiver may be gone.
        let _ = output.send(last).await;
    } else {
        // The last typed bytes are still written.
        let _ = tokio::time::timeout(LAST_WORDS, &mut writing).await;
        running.end().await;
    }
    writing.abort();
}

/// Writes the input of the program.
struct InputWriter {
    writer: OwnedWriteHalf,
    size: watch::Sender<Option<(u16, u16)>>,
    tty: bool,
}

impl InputWriter {
    /// Writes the input until its sender is dropped. Returns the connection instead of closing it: after one
    /// half of a terminal's connection is closed, the engine closes the other half too.
    async fn write(mut self, mut input: mpsc::Receiver<Input>) -> OwnedWriteHalf {
        while let Some(one) = input.recv().await {
            // A failure means that the program is gone; the reading side reports why.
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

    /// Closes a pipe. A terminal has no end of input: users type Ctrl-D.
    async fn end(&mut self) -> std::io::Result<()> {
        if self.tty {
            return Ok(());
        }
        self.writer.shutdown().await
    }
}

/// Sets the newest size in a task of its own: the engine may be slow.
async fn resize(running: RunningExec, mut size: watch::Receiver<Option<(u16, u16)>>) {
    while size.changed().await.is_ok() {
        for _ in 0..RESIZE_ATTEMPTS {
            let Some((width, height)) = *size.borrow_and_update() else {
                break;
            };
            let options = ResizeExecOptions { height, width };
            let asked = running
                .connection
                .docker
                .resize_exec(&running.exec, options);
            match tokio::time::timeout(RESIZE_TIME, asked).await {
                Ok(Ok(())) => break,
                Ok(Err(_)) => tokio::time::sleep(EXIT_PAUSE).await,
                Err(_) => {}
            }
        }
    }
}

impl RunningExec {
    /// Ends the program.
    async fn end(&self) {
        kill::end(&self.connection, &self.exec, &self.container, &self.ending).await;
    }

    /// How the program ended, after the end of its stream.
    async fn exit(&self) -> Output {
        for _ in 0..EXIT_ATTEMPTS {
            match self.connection.docker.inspect_exec(&self.exec).await {
                Ok(known) if known.running == Some(false) => {
                    return Output::End {
                        exit_code: known.exit_code,
                    };
                }
                Ok(_) => tokio::time::sleep(EXIT_PAUSE).await,
                // The container is gone, and the record of the exec with it.
                Err(Error::DockerResponseServerError { .. }) => {
                    return Output::End { exit_code: None };
                }
                Err(error) => {
                    return Output::Lost {
                        why: Clean::new(&self.connection.fault(error).to_string()),
                    };
                }
            }
        }
        Output::Lost {
            why: Clean::new(tr_sent!(
                "the engine closed the stream while the program still runs"
            )),
        }
    }
}
