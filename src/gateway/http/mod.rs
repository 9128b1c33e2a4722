//! HTTP between a client and the application.

pub(super) mod access;
mod body;
mod forward;
mod headers;
pub(super) mod pages;
pub(super) mod pool;
mod upgrade;

use std::{
    convert::Infallible,
    pin::pin,
    sync::{Arc, OnceLock},
    time::Duration,
};

use hyper::{Request, body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::sync::OwnedSemaphorePermit;

use self::body::Answer;
use super::{
    client_stream::{Abort, ClientStream},
    listening::{Ends, Shared, Visitor},
    traffic::Counting,
};

/// How long a client may take to send the head of a request, and how long it may stay idle before the next one.
const HEAD_TIME: Duration = Duration::from_secs(30);

/// The max size of the head of a request, in bytes. Larger ones get status 431.
const HEAD_SIZE: usize = 32 * 1024;

/// The max number of headers. More get status 431.
const HEADERS: usize = 128;

/// The max size of a buffer for bodies, in bytes. Small ones grow while they are filled.
const BUFFER: usize = 256 * 1024;

/// A connection of a client.
pub(super) struct Connection {
    shared: Arc<Shared>,
    ends: Ends,
    visitor: Visitor,
    abort: Abort,
    /// Set by the first request with access.
    counting: OnceLock<Counting>,
    /// Also held by an upgraded connection.
    _permit: OwnedSemaphorePermit,
}

/// Serves the requests of one connection.
pub(super) async fn serve(
    shared: Arc<Shared>,
    stream: ClientStream,
    ends: Ends,
    visitor: Visitor,
    permit: OwnedSemaphorePermit,
) {
    let connection = Arc::new(Connection {
        shared,
        ends,
        visitor,
        abort: stream.abort(),
        counting: OnceLock::new(),
        _permit: permit,
    });
    let service = service_fn(|request| {
        let connection = connection.clone();
        async move { Ok::<_, Infallible>(answer(&connection, request).await) }
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_header_size(HEAD_SIZE)
        .max_headers(HEADERS)
        .max_buf_size(BUFFER)
        .keep_alive(visitor == Visitor::Welcome)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    // Errors are the client's: it is gone, was too slow, or sent what isn't HTTP and got an answer.
    let _ = pin!(served).await;
}

async fn answer(
    connection: &Arc<Connection>,
    request: Request<Incoming>,
) -> hyper::Response<Answer> {
    let shared = &connection.shared;
    let pass = match access::check(&shared.route, connection.ends, connection.visitor, &request) {
        Ok(pass) => pass,
        Err(refused) => return (*refused).map(Answer::page),
    };
    connection
        .counting
        .get_or_init(|| Counting::new(&shared.route.traffic));
    forward::forward(connection, request, pass).await
}
