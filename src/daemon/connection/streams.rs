//! Connections that carry one terminal, log, command or connection to a port each: bytes between a client and
//! the engine, which the daemon doesn't inspect. A side that doesn't read slows down the other one through
//! the socket's buffer.

use std::{sync::Arc, time::Duration};

use bytes::{Bytes, BytesMut};
use futures_util::{
    FutureExt as _, StreamExt as _,
    future::ready,
    stream::{BoxStream, once, poll_fn},
};
use tokio::{
    io::Interest,
    net::UnixStream,
    sync::{mpsc, oneshot},
    time::timeout,
};

use super::{
    activity::{ActivityReporter, Typing},
    admission::Admitted,
    greeting::{ClientReader, Writer},
    inbound::Inbound,
    server_state::ServerState,
};
use crate::{
    daemon::{
        apps,
        files::{self, FileStream},
        images,
    },
    engine::{
        api::{AttachRequest, Attached, DialTarget, Engine, ExecCommand, Input, LogChunk, Output},
        port_stream,
    },
    model::{failure::Failure, id::SessionKey, log::LogSource, text::Clean},
    protocol::{
        frame::{Frame, FrameError, MAX_DATA},
        message::{FromClient, FromDaemon, StreamData, StreamEnd, StreamOpen},
    },
};

/// Opening may need the engine to start tmux.
const OPENING: Duration = Duration::from_secs(60);
/// The max bytes of one write.
const TOGETHER: usize = 2 * MAX_DATA;

/// The output of a program or log, then its end.
type OutputPieces = BoxStream<'static, Result<(LogSource, Bytes), StreamEnd>>;

/// A stream that an engine opened.
struct Opened {
    pieces: OutputPieces,
    /// The input; `None` for a log.
    input: Option<mpsc::Sender<Input>>,
}

/// Carries the stream until it ends, the client closes the connection or the daemon ends. Returns an error if
/// the client must be disconnected.
pub(in crate::daemon) async fn serve(
    open: StreamOpen,
    mut reader: ClientReader,
    writer: &mut Writer,
    admitted: &Admitted,
    server_state: &ServerState,
) -> Result<(), Clean> {
    let carried = async {
        let mut typing = Typing::new(&open);
        let begun = tokio::select! {
            begun = begin(open, admitted, server_state) => begun,
            () = closed(reader.io().as_ref()) => return Ok(()),
        };
        let end = match begun {
            Ok((Opened { pieces, input }, _present)) => tokio::select! {
                end = print(pieces, writer) => match end {
                    Ok(end) => end,
                    // The client has disconnected.
                    Err(_) => return Ok(()),
                },
                ended = feed(input, &mut reader, &mut typing, server_state) => return ended,
            },
            Err(failure) => StreamEnd::Failed { failure },
        };
        // The client may have disconnected.
        let _ = writer.send(Frame::Control(FromDaemon::Ended { end })).await;
        Ok(())
    };
    tokio::select! {
        ended = carried => ended,
        () = server_state.inbound.closed() => Ok(()),
    }
}

/// Returns when the client has closed the connection, even if some of its bytes haven't been read.
async fn closed(socket: &UnixStream) {
    // Unix sockets have no urgent data, so this interest only reports the end of the connection.
    if socket.ready(Interest::PRIORITY).await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// Opens the stream on its engine, if that is allowed.
async fn begin(
    open: StreamOpen,
    admitted: &Admitted,
    server_state: &ServerState,
) -> Result<(Opened, Option<ActivityReporter>), Failure> {
    admitted.carry_stream()?;
    if open.is_of_files() {
        let opened = timeout(OPENING, files::open(&server_state.inbound, open));
        let opened = opened.await.map_err(|_| silent())??;
        return Ok((of_files(opened), None));
    }
    let engine = engine_for(&server_state.inbound, &open).await?;
    let present = ActivityReporter::begin(&open, &server_state.inbound).await;
    let opened = match timeout(OPENING, open_on(&*engine, open, server_state)).await {
        Ok(Ok(opened)) => opened,
        Ok(Err(error)) => return Err(error),
        Err(_) => return Err(silent()),
    };
    Ok((opened, present))
}

fn silent() -> Failure {
    let text = tr_sent!(
        "the engine didn't answer within {seconds}s",
        seconds = OPENING.as_secs()
    );
    Failure::lost(text)
}

fn of_files(opened: FileStream) -> Opened {
    let pieces = opened.output.map(|piece| match piece {
        Ok(bytes) => Ok((LogSource::Stdout, bytes)),
        Err(failure) => Err(StreamEnd::Failed { failure }),
    });
    let end = StreamEnd::Exited { exit_code: Some(0) };
    Opened {
        pieces: pieces.chain(once(ready(Err(end)))).boxed(),
        input: opened.input,
    }
}

/// Asks the loop whether the session's state allows the stream, and which engine has the session.
pub(in crate::daemon) async fn engine_for(
    inbound: &mpsc::Sender<Inbound>,
    open: &StreamOpen,
) -> Result<Arc<dyn Engine>, Failure> {
    let (answer, answered) = oneshot::channel();
    let look = Inbound::MayOpen {
        open: open.clone(),
        answer,
    };
    let ending = || Failure::lost(tr_sent!("the daemon is stopping"));
    inbound.send(look).await.map_err(|_| ending())?;
    answered.await.unwrap_or_else(|_| Err(ending()))
}

async fn open_on(
    engine: &dyn Engine,
    open: StreamOpen,
    server_state: &ServerState,
) -> Result<Opened, Failure> {
    let Attached { output, input } = match open {
        StreamOpen::Terminal {
            session,
            tag,
            columns,
            rows,
            start,
        } => {
            let request = AttachRequest {
                tag,
                columns,
                rows,
                start,
            };
            engine.attach(session.id, request).await?
        }
        StreamOpen::Control { session, kernel } => engine.control(session.id, kernel).await?,
        StreamOpen::Exec {
            session,
            argv,
            tty,
            kernel,
        } => {
            let command = ExecCommand { argv, tty, kernel };
            engine.exec(session.id, command).await?
        }
        StreamOpen::Dial {
            session,
            service,
            port,
        } => {
            let target = DialTarget { service, port };
            engine.dial(session.id, &target).await?
        }
        StreamOpen::Helper { session, task } => engine.helper(session.id, task).await?,
        StreamOpen::Ssh { session } => open_ssh(session, server_state),
        StreamOpen::ReadFile { .. }
        | StreamOpen::WriteFile { .. }
        | StreamOpen::ReadFiles { .. }
        | StreamOpen::WriteFiles { .. }
        | StreamOpen::FileWork { .. }
        | StreamOpen::Rescue { .. } => {
            return Err(Failure::internal(tr_sent!(
                "files are opened elsewhere. Report this error"
            )));
        }
        StreamOpen::ExportImage { reference, .. } => {
            let pieces = images::export(engine, &reference).await?;
            return Ok(reported(pieces, None));
        }
        StreamOpen::ImportImage { context } => {
            let inbound = server_state.inbound.clone();
            let (pieces, input) = images::import(engine, context, inbound).await?;
            return Ok(reported(pieces, Some(input)));
        }
        StreamOpen::PushImage {
            reference, target, ..
        } => {
            let pieces = images::push(engine, &reference, &target).await?;
            return Ok(reported(pieces, None));
        }
        StreamOpen::Log { session, options } => {
            let chunks = engine.logs(session.id, options).await?;
            return Ok(Opened {
                pieces: of_log(chunks),
                input: None,
            });
        }
    };
    Ok(Opened {
        pieces: of_program(output),
        input: Some(input),
    })
}

fn reported(
    pieces: BoxStream<'static, Result<LogChunk, Failure>>,
    input: Option<mpsc::Sender<Input>>,
) -> Opened {
    Opened {
        pieces: of_log(pieces),
        input,
    }
}

/// Serves SSH on the stream. A server that can't start closes it, and its error is in the daemon's log.
fn open_ssh(session: SessionKey, server_state: &ServerState) -> Attached {
    let (ours, theirs) = tokio::io::duplex(TOGETHER);
    let (keys, settings) = (server_state.keys.clone(), server_state.apps.clone());
    let inbound = server_state.inbound.clone();
    tokio::spawn(Box::pin(async move {
        let served = apps::serve_stream(theirs, session, keys, settings, inbound).await;
        if let Err(error) = served {
            tracing::info!(%error, "an SSH connection ended");
        }
    }));
    port_stream::attached(ours)
}

fn of_program(mut output: mpsc::Receiver<Output>) -> OutputPieces {
    let printed = poll_fn(move |context| output.poll_recv(context)).map(|output| match output {
        Output::Stdout(bytes) => Ok((LogSource::Stdout, bytes)),
        Output::Stderr(bytes) => Ok((LogSource::Stderr, bytes)),
        Output::End { exit_code } => Err(StreamEnd::Exited { exit_code }),
        Output::Lost { why } => Err(StreamEnd::Lost { why }),
    });
    let why = Clean::new(tr_sent!("the connection to the session broke"));
    let broken = ready(Err(StreamEnd::Lost { why }));
    printed.chain(once(broken)).boxed()
}

fn of_log(chunks: BoxStream<'static, Result<LogChunk, Failure>>) -> OutputPieces {
    let printed = chunks.map(|chunk| match chunk {
        Ok(chunk) => Ok((chunk.source, chunk.bytes)),
        Err(error) => Err(lost_or_failed(error)),
    });
    let end = ready(Err(StreamEnd::Exited { exit_code: None }));
    printed.chain(once(end)).boxed()
}

fn lost_or_failed(failure: Failure) -> StreamEnd {
    if failure.is_lost() {
        return StreamEnd::Lost {
            why: failure.message(),
        };
    }
    StreamEnd::Failed { failure }
}

/// Writes output to the client, joining everything that is ready.
async fn print(mut pieces: OutputPieces, writer: &mut Writer) -> Result<StreamEnd, FrameError> {
    writer.feed(Frame::Control(FromDaemon::Opened))?;
    let mut joined = Joined::default();
    loop {
        let next = match pieces.next().now_or_never() {
            Some(next) => next,
            None => {
                joined.end(writer)?;
                writer.flush().await?;
                pieces.next().await
            }
        };
        match next {
            Some(Ok((source, bytes))) => joined.add(source, &bytes, writer)?,
            Some(Err(end)) => {
                joined.end(writer)?;
                return Ok(end);
            }
            None => return Ok(StreamEnd::Exited { exit_code: None }),
        }
        if writer.pending() >= TOGETHER {
            writer.flush().await?;
        }
    }
}

/// Joins bytes of one source into one frame: logs arrive in single lines, and each frame has a cost.
#[derive(Default)]
struct Joined {
    source: Option<LogSource>,
    bytes: BytesMut,
}

impl Joined {
    fn add(
        &mut self,
        source: LogSource,
        bytes: &[u8],
        writer: &mut Writer,
    ) -> Result<(), FrameError> {
        for piece in bytes.chunks(MAX_DATA) {
            if self.source != Some(source) || self.bytes.len() + piece.len() > MAX_DATA {
                self.end(writer)?;
                self.source = Some(source);
            }
            self.bytes.extend_from_slice(piece);
        }
        Ok(())
    }

    fn end(&mut self, writer: &mut Writer) -> Result<(), FrameError> {
        let bytes = self.bytes.split().freeze();
        match self.source.take() {
            Some(source) if !bytes.is_empty() => writer.feed(Frame::Data(StreamData {
                origin: source.into(),
                bytes,
            })),
            _ => Ok(()),
        }
    }
}

/// Passes input on until the client closes the connection. While the program doesn't read, neither does the
/// daemon.
async fn feed(
    input: Option<mpsc::Sender<Input>>,
    reader: &mut ClientReader,
    typing: &mut Typing,
    server_state: &ServerState,
) -> Result<(), Clean> {
    while let Some(frame) = reader.next().await {
        let item = match frame {
            Ok(Frame::Data(data)) => {
                if let Some(used) = typing.report(data.origin) {
                    // If the loop has ended, the daemon is ending.
                    let _ = server_state.inbound.send(used).await;
                }
                Input::Bytes(data.bytes)
            }
            Ok(Frame::Control(FromClient::Resize { columns, rows })) => {
                Input::Resize { columns, rows }
            }
            Ok(Frame::Control(FromClient::EndInput)) => Input::Eof,
            Ok(Frame::Control(FromClient::Ask { .. } | FromClient::Open { .. })) => {
                return Err(Clean::new(tr_sent!(
                    "this connection carries a stream already"
                )));
            }
            Err(FrameError::Io(_)) => return Ok(()),
            Err(error) => return Err(Clean::new(&error.to_string())),
        };
        let Some(input) = &input else { continue };
        tokio::select! {
            sent = input.send(item) => if sent.is_err() {
                // The program accepts no more input. Its output reports how it ended.
                closed(reader.io().as_ref()).await;
                return Ok(());
            },
            () = closed(reader.io().as_ref()) => return Ok(()),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use futures_util::stream::iter;
    use tokio::io::AsyncWriteExt as _;

    use super::*;
    use crate::protocol::{
        frame::FrameWriter,
        reader::{Budget, FrameReader},
    };

    #[tokio::test]
    async fn the_end_of_a_connection_is_noticed_while_bytes_wait() {
        let (mut client, socket) = UnixStream::pair().unwrap();
        client.write_all(b"not read").await.unwrap();
        socket.readable().await.unwrap();
        assert!(closed(&socket).now_or_never().is_none());
        drop(client);
        closed(&socket).await;
    }

    #[tokio::test]
    async fn lines_that_are_ready_come_in_one_frame() {
        let (client, socket) = UnixStream::pair().unwrap();
        let mut writer = FrameWriter::new(socket.into_split().1);
        let mut reader = FrameReader::<_, FromDaemon>::new(client, Budget::new(1 << 20));
        let line = |source| Ok((source, Bytes::from_static(b"a line\n")));
        let lines = (0..1000).map(move |_| line(LogSource::Stdout));
        let lines = lines.chain([line(LogSource::Stderr)]);
        let end = StreamEnd::Exited { exit_code: None };
        let pieces = iter(lines.chain([Err(end.clone())])).boxed();
        let printing = async {
            assert_eq!(print(pieces, &mut writer).await.unwrap(), end);
            writer.flush().await.unwrap();
            drop(writer);
        };
        let reading = async {
            let mut seen = Vec::new();
            while let Some(frame) = reader.next().await {
                match frame.unwrap() {
                    Frame::Data(data) => seen.push((data.origin.output(), data.bytes.len())),
                    Frame::Control(message) => assert_eq!(message, FromDaemon::Opened),
                }
            }
            seen
        };
        let ((), seen) = tokio::join!(printing, reading);
        assert_eq!(seen, [(LogSource::Stdout, 7000), (LogSource::Stderr, 7)]);
    }
}
