//! Terminals, logs and commands: bytes carried between a client and the engine, never looked at.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use bytes::{Bytes, BytesMut};
use futures_util::{StreamExt, stream::BoxStream};
use tokio::{
    sync::{Notify, Semaphore, mpsc},
    time::timeout,
};

use super::translate;
use crate::{
    engine::{
        api::{AttachRequest, Attached, DialTarget, Engine, ExecCommand, Input, LogChunk, Output},
        error::EngineError,
    },
    model::{log::LogSource, text::Clean},
    protocol::{
        frame::Frame,
        message::{
            Failure, FailureKind, FromDaemon, STREAM_WINDOW, StreamData, StreamEnd, StreamId,
            StreamOpen,
        },
    },
};

/// Input and output are cut into pieces of this size, so that one flood does not hold up another pane's echo.
const PIECE: usize = 32 * 1024;
/// Opening may need the engine to start tmux.
const OPENING: Duration = Duration::from_secs(60);

pub(super) type Outgoing = mpsc::Sender<Frame<FromDaemon>>;

/// The connection's hold on one open stream.
#[derive(Debug)]
pub(super) struct Seat {
    pub input: InputQueue,
    /// Bytes the client still takes.
    pub credit: Semaphore,
}

impl Default for Seat {
    fn default() -> Self {
        Self {
            input: InputQueue::default(),
            credit: Semaphore::new(STREAM_WINDOW as usize),
        }
    }
}

impl Seat {
    /// A client that grants nonsense must not overflow the semaphore.
    pub fn grant(&self, bytes: u32) {
        if self.credit.available_permits() < STREAM_WINDOW as usize {
            self.credit.add_permits(bytes.min(STREAM_WINDOW) as usize);
        }
    }
}

/// Input that waits for the program; bounded by the window.
#[derive(Debug, Default)]
pub(super) struct InputQueue {
    inner: Mutex<Waiting>,
    filled: Notify,
}

#[derive(Debug, Default)]
struct Waiting {
    pieces: VecDeque<Piece>,
    bytes: usize,
}

#[derive(Debug, PartialEq)]
enum Piece {
    Bytes(BytesMut),
    Resize(u16, u16),
    Eof,
}

/// The client sent more than it was granted.
#[derive(Debug)]
pub(super) struct TooMuch;

impl InputQueue {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn bytes(&self, bytes: &[u8]) -> Result<(), TooMuch> {
        let mut waiting = self.lock();
        waiting.bytes += bytes.len();
        if waiting.bytes > STREAM_WINDOW as usize {
            return Err(TooMuch);
        }
        match waiting.pieces.back_mut() {
            Some(Piece::Bytes(last)) => last.extend_from_slice(bytes),
            _ => waiting.pieces.push_back(Piece::Bytes(bytes.into())),
        }
        drop(waiting);
        self.filled.notify_one();
        Ok(())
    }

    /// Only the last of several sizes counts.
    pub fn resize(&self, columns: u16, rows: u16) {
        let mut waiting = self.lock();
        if let Some(Piece::Resize(..)) = waiting.pieces.back() {
            waiting.pieces.pop_back();
        }
        waiting.pieces.push_back(Piece::Resize(columns, rows));
        drop(waiting);
        self.filled.notify_one();
    }

    pub fn end(&self) {
        let mut waiting = self.lock();
        if waiting.pieces.back() != Some(&Piece::Eof) {
            waiting.pieces.push_back(Piece::Eof);
        }
        drop(waiting);
        self.filled.notify_one();
    }

    async fn next(&self) -> Piece {
        loop {
            {
                let mut waiting = self.lock();
                if let Some(piece) = waiting.take() {
                    return piece;
                }
            }
            self.filled.notified().await;
        }
    }
}

impl Waiting {
    fn take(&mut self) -> Option<Piece> {
        let mut piece = self.pieces.pop_front()?;
        if let Piece::Bytes(bytes) = &mut piece {
            if bytes.len() > PIECE {
                let rest = bytes.split_off(PIECE);
                self.pieces.push_front(Piece::Bytes(rest));
            }
            self.bytes -= bytes.len();
        }
        Some(piece)
    }
}

/// Opens a stream and carries its bytes until it ends or the task is aborted.
pub(super) async fn carry(
    engine: Arc<dyn Engine>,
    stream: StreamId,
    open: StreamOpen,
    seat: Arc<Seat>,
    out: Outgoing,
) {
    let line = Line { stream, seat, out };
    let end = match open {
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
            line.program(engine.attach(session.id, request)).await
        }
        StreamOpen::Control { session, kernel } => {
            line.program(engine.control(session.id, kernel)).await
        }
        StreamOpen::Exec {
            session,
            argv,
            tty,
            kernel,
        } => {
            let command = ExecCommand { argv, tty, kernel };
            line.program(engine.exec(session.id, command)).await
        }
        StreamOpen::Dial {
            session,
            service,
            port,
        } => {
            let target = DialTarget { service, port };
            line.program(engine.dial(session.id, &target)).await
        }
        StreamOpen::Log { session, options } => line.log(engine.logs(session.id, options)).await,
    };
    let ended = FromDaemon::StreamEnded { stream, end };
    // The client may have gone.
    let _ = line.out.send(Frame::Control(ended)).await;
}

struct Line {
    stream: StreamId,
    seat: Arc<Seat>,
    out: Outgoing,
}

/// The client has gone.
struct Gone;

type Opening<'a, T> = std::pin::Pin<Box<dyn Future<Output = Result<T, EngineError>> + Send + 'a>>;

impl Line {
    async fn program(&self, opening: Opening<'_, Attached>) -> StreamEnd {
        let attached = match self.opened(opening).await {
            Ok(attached) => attached,
            Err(end) => return end,
        };
        let Attached { output, input } = attached;
        tokio::select! {
            end = self.output(output) => end,
            () = self.input(input) => std::future::pending().await,
        }
    }

    async fn log(
        &self,
        opening: Opening<'_, BoxStream<'static, Result<LogChunk, EngineError>>>,
    ) -> StreamEnd {
        let mut chunks = match self.opened(opening).await {
            Ok(chunks) => chunks,
            Err(end) => return end,
        };
        while let Some(chunk) = chunks.next().await {
            match chunk {
                Ok(chunk) => {
                    if self.send(chunk.source, chunk.bytes).await.is_err() {
                        break;
                    }
                }
                Err(error) => return lost_or_failed(&error),
            }
        }
        StreamEnd::Exited { exit_code: None }
    }

    async fn opened<T>(&self, opening: Opening<'_, T>) -> Result<T, StreamEnd> {
        let opened = match timeout(OPENING, opening).await {
            Ok(Ok(opened)) => opened,
            Ok(Err(error)) => {
                let failure = translate::engine_failure(&error);
                return Err(StreamEnd::Failed { failure });
            }
            Err(_) => {
                let text = format!("the engine didn't answer within {}s", OPENING.as_secs());
                let failure = Failure::new(FailureKind::Unreachable, text);
                return Err(StreamEnd::Failed { failure });
            }
        };
        let stream = self.stream;
        // Whether the client is still there shows at the first bytes.
        let _ = self.say(FromDaemon::StreamOpened { stream }).await;
        Ok(opened)
    }

    async fn output(&self, mut output: mpsc::Receiver<Output>) -> StreamEnd {
        loop {
            let (source, bytes) = match output.recv().await {
                Some(Output::Stdout(bytes)) => (LogSource::Stdout, bytes),
                Some(Output::Stderr(bytes)) => (LogSource::Stderr, bytes),
                Some(Output::End { exit_code }) => return StreamEnd::Exited { exit_code },
                Some(Output::Lost { why }) => return StreamEnd::Lost { why },
                None => {
                    let why = Clean::new("the connection to the session broke");
                    return StreamEnd::Lost { why };
                }
            };
            if self.send(source, bytes).await.is_err() {
                return StreamEnd::Exited { exit_code: None };
            }
        }
    }

    /// Sends as much as the client takes; waits for more credit.
    async fn send(&self, source: LogSource, mut bytes: Bytes) -> Result<(), Gone> {
        while !bytes.is_empty() {
            let piece = bytes.split_to(bytes.len().min(PIECE));
            let permits = self.seat.credit.acquire_many(piece.len() as u32).await;
            permits.map_err(|_| Gone)?.forget();
            let data = StreamData {
                stream: self.stream,
                origin: source.into(),
                bytes: piece,
            };
            self.out.send(Frame::Data(data)).await.map_err(|_| Gone)?;
        }
        Ok(())
    }

    /// Hands input on and grants as much anew, by the quarter of a window: not each key is worth a
    /// message. Ends when the program takes no more.
    async fn input(&self, input: mpsc::Sender<Input>) {
        let mut owed = 0;
        loop {
            let (item, taken) = match self.seat.input.next().await {
                Piece::Bytes(bytes) => {
                    let taken = bytes.len() as u32;
                    (Input::Bytes(bytes.freeze()), taken)
                }
                Piece::Resize(columns, rows) => (Input::Resize { columns, rows }, 0),
                Piece::Eof => (Input::Eof, 0),
            };
            if input.send(item).await.is_err() {
                return;
            }
            owed += taken;
            if owed < STREAM_WINDOW / 4 {
                continue;
            }
            let credit = FromDaemon::Credit {
                stream: self.stream,
                bytes: std::mem::take(&mut owed),
            };
            if self.say(credit).await.is_err() {
                return;
            }
        }
    }

    async fn say(&self, message: FromDaemon) -> Result<(), Gone> {
        self.out
            .send(Frame::Control(message))
            .await
            .map_err(|_| Gone)
    }
}

fn lost_or_failed(error: &EngineError) -> StreamEnd {
    if error.is_lost() {
        return StreamEnd::Lost {
            why: translate::fault(error).text,
        };
    }
    StreamEnd::Failed {
        failure: translate::engine_failure(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn input_is_joined_in_order_and_bounded_by_the_window() {
        let queue = InputQueue::default();
        queue.bytes(b"ab").unwrap();
        queue.bytes(b"c").unwrap();
        queue.resize(1, 1);
        queue.resize(2, 2);
        queue.bytes(b"d").unwrap();
        queue.end();
        queue.end();
        assert_eq!(queue.next().await, Piece::Bytes(BytesMut::from("abc")));
        assert_eq!(queue.next().await, Piece::Resize(2, 2));
        assert_eq!(queue.next().await, Piece::Bytes(BytesMut::from("d")));
        assert_eq!(queue.next().await, Piece::Eof);
        assert!(queue.lock().pieces.is_empty());
        let window = vec![0; STREAM_WINDOW as usize];
        queue.bytes(&window).unwrap();
        queue.bytes(b"x").unwrap_err();
    }
}
