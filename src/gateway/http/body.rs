//! The bodies of answers and of forwarded requests.

use std::{
    error::Error,
    pin::Pin,
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use http_body_util::{Either, Empty, Full};
use hyper::body::{Body, Frame, Incoming, SizeHint};
use tokio_util::sync::CancellationToken;

use crate::gateway::client_stream::Abort;

/// The body of a forwarded request. Without a body, the request can be sent twice.
pub(super) type Outgoing = Either<Incoming, Empty<Bytes>>;

/// Why a body is incomplete.
pub(super) type BodyError = Box<dyn Error + Send + Sync>;

/// The body of an answer to a client.
pub(super) enum Answer {
    Page(Full<Bytes>),
    Streamed(Streamed),
}

impl Answer {
    pub(super) fn page(text: String) -> Self {
        Self::Page(Full::new(text.into()))
    }

    pub(super) fn empty() -> Self {
        Self::Page(Full::default())
    }
}

/// A body from the application. The client's connection is reset if the body doesn't come to its end, so that a client
/// never takes a part for the whole.
pub(super) struct Streamed {
    body: Incoming,
    has_ended: bool,
    abort: Abort,
    stop: CancellationToken,
}

impl Streamed {
    pub(super) fn new(body: Incoming, abort: Abort, stop: &CancellationToken) -> Self {
        let stop = stop.clone();
        // Before the end rather than after an error, because a connection is dropped before its body.
        if !body.is_end_stream() {
            abort.set();
        }
        Self {
            body,
            has_ended: false,
            abort,
            stop,
        }
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(cx));
        // When the route ends, so does the connection to the application. That isn't the end of the body.
        if frame.is_none() && self.stop.is_cancelled() {
            return Poll::Ready(Some(Err("the forward was closed".into())));
        }
        self.has_ended = frame.is_none();
        Poll::Ready(frame.map(|frame| frame.map_err(Into::into)))
    }
}

impl Drop for Streamed {
    fn drop(&mut self) {
        if self.has_ended || self.body.is_end_stream() {
            self.abort.clear();
        }
    }
}

impl Body for Answer {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        match self.get_mut() {
            Self::Page(page) => {
                let frame = Pin::new(page).poll_frame(cx);
                frame.map(|frame| frame.map(|frame| frame.map_err(|never| match never {})))
            }
            Self::Streamed(streamed) => streamed.poll(cx),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Page(page) => page.is_end_stream(),
            Self::Streamed(streamed) => streamed.body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Page(page) => page.size_hint(),
            Self::Streamed(streamed) => streamed.body.size_hint(),
        }
    }
}
