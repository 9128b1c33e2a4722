//! Presents the byte stream that the manager's tcpproxy carries in the binary messages of a
//! WebSocket as an ordinary stream, so that HTTP and a second WebSocket can run over it.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use bytes::{Buf as _, Bytes};
use futures_util::{Sink as _, Stream as _};
use thiserror::Error;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::Interval,
};
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{
        self, Message,
        protocol::{CloseFrame, frame::coding::CloseCode},
    },
};

/// How often the manager is pinged. If nothing arrives between two pings, the connection is lost.
const ASK_EVERY: Duration = Duration::from_secs(20);

/// The longest slice that goes into one message.
const SLICE: usize = 64 * 1024;

/// Why a pipe ends if the far end didn't close it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(super) enum PipeEnd {
    /// The port refuses the connection: its program hasn't started yet, or has ended.
    #[error("{}", tr_sent!("no program listens on the port of the service"))]
    Refused,
    /// The manager closed the connection and sent a reason.
    #[error("{}", given_up(.0))]
    GivenUp(String),
    /// The connection ended without a close message: the manager, or something on the way, failed.
    #[error("{}", broken(.0))]
    Line(String),
    /// Nothing arrives any more, not even an answer to a ping.
    #[error("{}", silent())]
    Silent,
}

fn given_up(said: &str) -> String {
    tr_sent!(
        "the manager closed the connection to the session ({said})",
        said
    )
}

fn broken(why: &str) -> String {
    tr_sent!("the connection to the manager broke: {why}", why)
}

fn silent() -> String {
    tr_sent!(
        "the manager isn't responding: no answer for {seconds}s",
        seconds = ASK_EVERY.as_secs()
    )
}

impl PipeEnd {
    /// Finds the cut that caused an error of a protocol over the pipe.
    pub(super) fn behind(error: &tungstenite::Error) -> Option<Self> {
        let tungstenite::Error::Io(error) = error else {
            return None;
        };
        error.get_ref()?.downcast_ref::<Self>().cloned()
    }
}

impl From<PipeEnd> for io::Error {
    fn from(cut: PipeEnd) -> Self {
        Self::other(cut)
    }
}

/// One connection to a port in a session. `S` is the connection to the manager.
pub(super) struct PortPipe<S> {
    socket: WebSocketStream<S>,
    pulse: PipeHealth,
    /// The rest of a message that the reader had no room for.
    rest: Bytes,
    /// Whether sent data may still be on this machine.
    unflushed: bool,
    /// Whether the stream has ended.
    ended: bool,
}

/// Notices a connection that doesn't carry anything any more.
struct PipeHealth {
    ask: Interval,
    /// Whether something arrived since the last ping.
    received: bool,
    /// Whether a ping was sent.
    asked: bool,
}

/// The result of a [`PortPipe::turn`].
#[derive(Debug, PartialEq, Eq)]
pub(super) enum PipeEvent {
    /// The outgoing bytes were sent.
    Sent,
    Came(Bytes),
    /// The far end has closed, or the connection is lost.
    Ended(Option<PipeEnd>),
}

impl<S: AsyncRead + AsyncWrite + Unpin> PortPipe<S> {
    /// Must be called inside a runtime, because it starts a timer.
    pub(super) fn new(socket: WebSocketStream<S>) -> Self {
        let mut ask = tokio::time::interval(ASK_EVERY);
        ask.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        ask.reset();
        Self {
            socket,
            pulse: PipeHealth {
                ask,
                received: true,
                asked: false,
            },
            rest: Bytes::new(),
            unflushed: false,
            ended: false,
        }
    }

    /// Does what is possible next: sends `outgoing`, which is empty afterwards, or reads a slice if
    /// `read` is set. Neither waits for the other. Nothing is lost when the future is dropped.
    pub(super) async fn turn(&mut self, outgoing: &mut Option<Bytes>, read: bool) -> PipeEvent {
        std::future::poll_fn(|cx| {
            if let Some(bytes) = outgoing.take() {
                match self.poll_send(cx, &bytes) {
                    Poll::Ready(Ok(())) => return Poll::Ready(PipeEvent::Sent),
                    // Reading still returns what has arrived, and then the cause of the failure.
                    Poll::Ready(Err(_)) if read => {}
                    Poll::Ready(Err(cut)) => return Poll::Ready(PipeEvent::Ended(Some(cut))),
                    Poll::Pending => *outgoing = Some(bytes),
                }
            }
            if !read {
                return self.poll_out(cx).map(|cut| PipeEvent::Ended(Some(cut)));
            }
            self.poll_slice(cx).map(|next| match next {
                Some(Ok(slice)) => PipeEvent::Came(slice),
                Some(Err(cut)) => PipeEvent::Ended(Some(cut)),
                None => PipeEvent::Ended(None),
            })
        })
        .await
    }

    /// Sends a close message. The caller sets the time limit.
    pub(super) async fn close(&mut self) {
        let farewell = CloseFrame {
            code: CloseCode::Normal,
            reason: "".into(),
        };
        // A lost connection doesn't need a close message.
        let _ = self.socket.close(Some(farewell)).await;
    }

    fn poll_slice(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, PipeEnd>>> {
        if self.ended {
            return Poll::Ready(None);
        }
        // Messages are read before the pulse is checked, so that a slow reader doesn't make the
        // connection look silent.
        while let Poll::Ready(next) = Pin::new(&mut self.socket).poll_next(cx) {
            self.pulse.received = true;
            match next {
                Some(Ok(Message::Binary(slice))) if !slice.is_empty() => {
                    return Poll::Ready(Some(Ok(slice)));
                }
                Some(Ok(Message::Close(farewell))) => {
                    // Sends the answer to the close message as far as possible without waiting.
                    let _ = Pin::new(&mut self.socket).poll_flush(cx);
                    return self.end(ending(farewell));
                }
                Some(Ok(_)) => {}
                Some(Err(error)) => return self.end(Some(cut(&error))),
                None => return self.end(Some(without_farewell())),
            }
        }
        self.poll_pulse(cx)
    }

    fn end(&mut self, why: Option<PipeEnd>) -> Poll<Option<Result<Bytes, PipeEnd>>> {
        self.ended = true;
        Poll::Ready(why.map(Err))
    }

    fn poll_pulse(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, PipeEnd>>> {
        while self.pulse.ask.poll_tick(cx).is_ready() {
            if self.pulse.asked && !self.pulse.received {
                return self.end(Some(PipeEnd::Silent));
            }
            self.pulse.asked = true;
            self.pulse.received = false;
            // The ping isn't waited for: when the connection is full, other data is on its way and
            // is flushed.
            if let Err(error) = Pin::new(&mut self.socket).start_send(Message::Ping(Bytes::new())) {
                return self.end(Some(cut(&error)));
            }
            self.unflushed = true;
        }
        let cut = ready!(self.poll_out(cx));
        self.end(Some(cut))
    }

    fn poll_send(&mut self, cx: &mut Context<'_>, bytes: &Bytes) -> Poll<Result<(), PipeEnd>> {
        let mut socket = Pin::new(&mut self.socket);
        let sent = match ready!(socket.as_mut().poll_ready(cx)) {
            Ok(()) => socket.start_send(Message::Binary(bytes.clone())),
            Err(error) => Err(error),
        };
        self.unflushed = true;
        Poll::Ready(sent.map_err(|error| cut(&error)))
    }

    /// Flushes sent data. Ready only when the connection fails.
    fn poll_out(&mut self, cx: &mut Context<'_>) -> Poll<PipeEnd> {
        if self.unflushed {
            match ready!(Pin::new(&mut self.socket).poll_flush(cx)) {
                Ok(()) => self.unflushed = false,
                Err(error) => return Poll::Ready(cut(&error)),
            }
        }
        Poll::Pending
    }
}

/// Why the manager ends a connection (`None` if the far end closed it).
fn ending(farewell: Option<CloseFrame>) -> Option<PipeEnd> {
    let farewell = farewell?;
    match farewell.code {
        CloseCode::Normal | CloseCode::Away | CloseCode::Status => None,
        CloseCode::Again => Some(PipeEnd::Refused),
        code => {
            let reason = farewell.reason.as_str();
            let said = if reason.is_empty() {
                format!("code {}", u16::from(code))
            } else {
                format!("code {}: {reason}", u16::from(code))
            };
            Some(PipeEnd::GivenUp(said))
        }
    }
}

fn cut(error: &tungstenite::Error) -> PipeEnd {
    use tungstenite::error::{Error, ProtocolError};
    match error {
        Error::ConnectionClosed
        | Error::AlreadyClosed
        | Error::Protocol(ProtocolError::ResetWithoutClosingHandshake) => without_farewell(),
        Error::Io(error) => PipeEnd::Line(error.to_string()),
        error => PipeEnd::Line(error.to_string()),
    }
}

fn without_farewell() -> PipeEnd {
    PipeEnd::Line(tr_sent!("the connection was closed without a message").to_owned())
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for PortPipe<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.rest.is_empty() {
            match ready!(self.poll_slice(cx)) {
                Some(Ok(slice)) => self.rest = slice,
                Some(Err(cut)) => return Poll::Ready(Err(cut.into())),
                None => return Poll::Ready(Ok(())),
            }
        }
        let fits = buffer.remaining().min(self.rest.len());
        buffer.put_slice(&self.rest[..fits]);
        self.rest.advance(fits);
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for PortPipe<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let slice = Bytes::copy_from_slice(&bytes[..bytes.len().min(SLICE)]);
        let sent = ready!(self.poll_send(cx, &slice));
        Poll::Ready(sent.map(|()| slice.len()).map_err(io::Error::from))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = ready!(Pin::new(&mut self.socket).poll_flush(cx));
        Poll::Ready(flushed.map_err(|error| cut(&error).into()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let closed = ready!(Pin::new(&mut self.socket).poll_close(cx));
        Poll::Ready(closed.map_err(|error| cut(&error).into()))
    }
}
