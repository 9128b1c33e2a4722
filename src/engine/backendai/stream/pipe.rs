//! The byte stream that the manager's tcpproxy carries in the binary messages of a WebSocket, as a
//! stream like any other, so that HTTP and a second WebSocket can be spoken over it.

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

/// How often the manager is asked whether it is still there; one that said nothing between two
/// questions is gone.
const ASK_EVERY: Duration = Duration::from_secs(20);

/// The longest slice that goes into one message.
const SLICE: usize = 64 * 1024;

/// How a pipe ends other than by the far end's closing it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(super) enum Cut {
    /// The port refuses: what should listen there has not come up, or has gone.
    #[error("no program listens on the port of the service")]
    Refused,
    /// The manager gave it up, by its own words.
    #[error("the manager closed the connection to the session ({0})")]
    GivenUp(String),
    /// No farewell: the manager has gone, or something on the way.
    #[error("the connection to the manager broke: {0}")]
    Line(String),
    /// Nothing comes any more, not even an answer to a ping.
    #[error("the manager isn't responding: no answer for {}s", ASK_EVERY.as_secs())]
    Silent,
}

impl Cut {
    /// The cut behind an error of something that is spoken over a pipe.
    pub(super) fn behind(error: &tungstenite::Error) -> Option<Self> {
        let tungstenite::Error::Io(error) = error else {
            return None;
        };
        error.get_ref()?.downcast_ref::<Self>().cloned()
    }
}

impl From<Cut> for io::Error {
    fn from(cut: Cut) -> Self {
        Self::other(cut)
    }
}

/// One connection to a port in a session, over `S`, the line to the manager.
pub(super) struct Pipe<S> {
    line: WebSocketStream<S>,
    pulse: Pulse,
    /// The rest of a message that the reader had no room for.
    rest: Bytes,
    /// Something sent may not have left this machine yet.
    unflushed: bool,
    /// Nothing comes any more.
    ended: bool,
}

/// Notices a line on which nothing moves any more.
struct Pulse {
    ask: Interval,
    /// Something came since the last question.
    heard: bool,
    /// A question is out.
    asked: bool,
}

/// What a [`Pipe::turn`] brought.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// What was to go out is on its way.
    Sent,
    Came(Bytes),
    /// The far end has closed, or the line is gone.
    Ended(Option<Cut>),
}

impl<S: AsyncRead + AsyncWrite + Unpin> Pipe<S> {
    /// To be made in a runtime: it keeps time.
    pub(super) fn new(line: WebSocketStream<S>) -> Self {
        let mut ask = tokio::time::interval(ASK_EVERY);
        ask.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        ask.reset();
        Self {
            line,
            pulse: Pulse {
                ask,
                heard: true,
                asked: false,
            },
            rest: Bytes::new(),
            unflushed: false,
            ended: false,
        }
    }

    /// Does what can be done next: sends `outgoing`, which is empty then, or reads a slice if one is
    /// wanted. Neither waits for the other; nothing is lost when the future is dropped.
    pub(super) async fn turn(&mut self, outgoing: &mut Option<Bytes>, read: bool) -> Turn {
        std::future::poll_fn(|cx| {
            if let Some(bytes) = outgoing.take() {
                match self.poll_send(cx, &bytes) {
                    Poll::Ready(Ok(())) => return Poll::Ready(Turn::Sent),
                    // What still comes, and why nothing does any more, is told by reading.
                    Poll::Ready(Err(_)) if read => {}
                    Poll::Ready(Err(cut)) => return Poll::Ready(Turn::Ended(Some(cut))),
                    Poll::Pending => *outgoing = Some(bytes),
                }
            }
            if !read {
                return self.poll_out(cx).map(|cut| Turn::Ended(Some(cut)));
            }
            self.poll_slice(cx).map(|next| match next {
                Some(Ok(slice)) => Turn::Came(slice),
                Some(Err(cut)) => Turn::Ended(Some(cut)),
                None => Turn::Ended(None),
            })
        })
        .await
    }

    /// Says goodbye; to be bounded by the caller.
    pub(super) async fn close(&mut self) {
        let farewell = CloseFrame {
            code: CloseCode::Normal,
            reason: "".into(),
        };
        // A line that is cut already needs no farewell.
        let _ = self.line.close(Some(farewell)).await;
    }

    fn poll_slice(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, Cut>>> {
        if self.ended {
            return Poll::Ready(None);
        }
        // What has come is looked at before the pulse: a reader that was away for long has not made the
        // line silent.
        while let Poll::Ready(next) = Pin::new(&mut self.line).poll_next(cx) {
            self.pulse.heard = true;
            match next {
                Some(Ok(Message::Binary(slice))) if !slice.is_empty() => {
                    return Poll::Ready(Some(Ok(slice)));
                }
                Some(Ok(Message::Close(farewell))) => {
                    // The answer to it goes out as far as it can.
                    let _ = Pin::new(&mut self.line).poll_flush(cx);
                    return self.end(ending(farewell));
                }
                Some(Ok(_)) => {}
                Some(Err(error)) => return self.end(Some(cut(&error))),
                None => return self.end(Some(without_farewell())),
            }
        }
        self.poll_pulse(cx)
    }

    fn end(&mut self, why: Option<Cut>) -> Poll<Option<Result<Bytes, Cut>>> {
        self.ended = true;
        Poll::Ready(why.map(Err))
    }

    fn poll_pulse(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, Cut>>> {
        while self.pulse.ask.poll_tick(cx).is_ready() {
            if self.pulse.asked && !self.pulse.heard {
                return self.end(Some(Cut::Silent));
            }
            self.pulse.asked = true;
            self.pulse.heard = false;
            // Not waited for: on a line that is full something else is on its way and is flushed.
            if let Err(error) = Pin::new(&mut self.line).start_send(Message::Ping(Bytes::new())) {
                return self.end(Some(cut(&error)));
            }
            self.unflushed = true;
        }
        let cut = ready!(self.poll_out(cx));
        self.end(Some(cut))
    }

    fn poll_send(&mut self, cx: &mut Context<'_>, bytes: &Bytes) -> Poll<Result<(), Cut>> {
        let mut line = Pin::new(&mut self.line);
        let sent = match ready!(line.as_mut().poll_ready(cx)) {
            Ok(()) => line.start_send(Message::Binary(bytes.clone())),
            Err(error) => Err(error),
        };
        self.unflushed = true;
        Poll::Ready(sent.map_err(|error| cut(&error)))
    }

    /// Pushes out what has not left yet; ready only when the line fails.
    fn poll_out(&mut self, cx: &mut Context<'_>) -> Poll<Cut> {
        if self.unflushed {
            match ready!(Pin::new(&mut self.line).poll_flush(cx)) {
                Ok(()) => self.unflushed = false,
                Err(error) => return Poll::Ready(cut(&error)),
            }
        }
        Poll::Pending
    }
}

/// How the manager ends a connection (`None` = the far end closed it).
fn ending(farewell: Option<CloseFrame>) -> Option<Cut> {
    let farewell = farewell?;
    match farewell.code {
        CloseCode::Normal | CloseCode::Away | CloseCode::Status => None,
        CloseCode::Again => Some(Cut::Refused),
        code => {
            let reason = farewell.reason.as_str();
            let said = if reason.is_empty() {
                format!("code {}", u16::from(code))
            } else {
                format!("code {}: {reason}", u16::from(code))
            };
            Some(Cut::GivenUp(said))
        }
    }
}

fn cut(error: &tungstenite::Error) -> Cut {
    use tungstenite::error::{Error, ProtocolError};
    match error {
        Error::ConnectionClosed
        | Error::AlreadyClosed
        | Error::Protocol(ProtocolError::ResetWithoutClosingHandshake) => without_farewell(),
        Error::Io(error) => Cut::Line(error.to_string()),
        error => Cut::Line(error.to_string()),
    }
}

fn without_farewell() -> Cut {
    Cut::Line("the connection was closed without a message".to_owned())
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Pipe<S> {
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

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Pipe<S> {
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
        let flushed = ready!(Pin::new(&mut self.line).poll_flush(cx));
        Poll::Ready(flushed.map_err(|error| cut(&error).into()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let closed = ready!(Pin::new(&mut self.line).poll_close(cx));
        Poll::Ready(closed.map_err(|error| cut(&error).into()))
    }
}
