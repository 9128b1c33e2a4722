//! Connections to the application, used again for the next request.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use tokio::time::Instant;

use super::{BUFFER, body::Outgoing};
use crate::gateway::listening::{DialError, Shared};

/// The max number of idle connections of a route.
const MOST: usize = 64;

/// How long a connection may stay idle. Servers commonly close theirs after 5 s, and a request must not meet that.
const IDLE_TIME: Duration = Duration::from_secs(4);

/// A connection that takes one request at a time.
pub(super) type Sender = SendRequest<Outgoing>;

/// The idle connections of a route.
#[derive(Default)]
pub(in crate::gateway) struct Pool(Mutex<Idle>);

#[derive(Default)]
struct Idle {
    /// The oldest first.
    senders: Vec<(Instant, Sender)>,
    /// Whether a task closes connections that are idle for too long.
    is_watched: bool,
}

impl Pool {
    fn lock(&self) -> MutexGuard<'_, Idle> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An idle connection, the most recently used one.
    pub(super) fn take(&self) -> Option<Sender> {
        let mut idle = self.lock();
        while let Some((since, sender)) = idle.senders.pop() {
            if sender.is_ready() && since.elapsed() < IDLE_TIME {
                return Some(sender);
            }
        }
        None
    }

    /// Adds a connection. Returns whether the caller has to watch the pool.
    fn put(&self, sender: Sender) -> bool {
        let mut idle = self.lock();
        if idle.senders.len() < MOST {
            idle.senders.push((Instant::now(), sender));
        }
        !std::mem::replace(&mut idle.is_watched, true)
    }

    /// Closes connections that were idle for too long. Returns when the next one will be; `None` = there are no more.
    fn expire(&self) -> Option<Instant> {
        let mut idle = self.lock();
        let is_kept =
            |entry: &(Instant, Sender)| entry.0.elapsed() < IDLE_TIME && !entry.1.is_closed();
        idle.senders.retain(is_kept);
        let next = idle.senders.first().map(|(since, _)| *since + IDLE_TIME);
        idle.is_watched = next.is_some();
        next
    }
}

/// Why there is no connection to the application.
#[derive(Debug)]
pub(super) enum ConnectError {
    Dial(DialError),
    Http(hyper::Error),
}

/// A new connection.
pub(super) async fn connect(shared: &Arc<Shared>) -> Result<Sender, ConnectError> {
    let stream = shared.dial().await.map_err(ConnectError::Dial)?;
    let (sender, connection) = http1::Builder::new()
        .max_buf_size(BUFFER)
        .handshake(TokioIo::new(stream))
        .await
        .map_err(ConnectError::Http)?;
    shared.spawn(async move {
        // The request that waits for the answer gets the error.
        let _ = connection.with_upgrades().await;
    });
    Ok(sender)
}

/// Returns a connection to the pool as soon as its answer has passed.
pub(super) fn give_back(shared: &Arc<Shared>, mut sender: Sender) {
    let keeper = shared.clone();
    shared.spawn(async move {
        if sender.ready().await.is_ok() && keeper.pool.put(sender) {
            close_idle(&keeper.pool).await;
        }
    });
}

/// Ends when there are no idle connections, so that no timer runs without any.
async fn close_idle(pool: &Pool) {
    while let Some(next) = pool.expire() {
        tokio::time::sleep_until(next).await;
    }
}
