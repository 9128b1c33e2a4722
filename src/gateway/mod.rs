//! The gateway to applications in sessions: HTTP/1.1 with WebSocket, and raw TCP, on a port of this machine.
//!
//! It knows neither sessions nor engines, only an [`Upstream`] that can be dialled. [`bind`] finds a port, [`serve`]
//! serves a [`Route`] on it.
//!
//! - `http/access.rs` decides whether a request may pass: its token or cookie, Host, Origin.
//! - `http/headers.rs` is what a request and a response keep on their way.
//! - `http/pool.rs` holds the connections to the application.
//! - `peer.rs` finds the user at the other end of a connection from this machine.
//! - `listening.rs` bounds and identifies connections. All of them end when the route ends.

mod bind;
mod client_stream;
mod http;
mod listening;
mod peer;
mod relay;
mod token;
mod traffic;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use async_trait::async_trait;
use tokio::io::{AsyncRead, AsyncWrite};

pub use self::{
    bind::{BindOutcome, bind},
    listening::{CONNECTIONS, serve},
    peer::peer_uid,
    token::{LIFETIME, MOST, TokenBook, derived_secret, new_token, url},
    traffic::{Traffic, TrafficFigures},
};
use crate::model::{cidr::Network, failure::Failure, text::Clean};

/// A stream of bytes in both directions.
pub trait Io: AsyncRead + AsyncWrite + Send + Unpin + 'static {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin + 'static> Io for T {}

/// The application of a route.
#[async_trait]
pub trait Upstream: Send + Sync + 'static {
    /// A new stream to the application's port inside its container. An implementation may wait until the application
    /// listens, for at most [`DIAL_TIME`]. `TCP_NODELAY` must be set on sockets, otherwise small messages are delayed.
    async fn dial(&self) -> Result<Box<dyn Io>, Failure>;
}

/// How long [`Upstream::dial`] may take.
pub const DIAL_TIME: std::time::Duration = std::time::Duration::from_secs(10);

/// What an application speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Http,
    Tcp,
}

/// Who may use a route.
#[derive(Clone, Debug)]
pub enum Access {
    /// HTTP: clients with a token or the cookie of the route. Clients on this machine must be processes of the daemon's
    /// user as well.
    /// TCP: processes of the daemon's user on this machine.
    Token(Arc<TokenBook>),
    /// Everyone in these networks, without a token (empty = everyone).
    Public { allowed: Vec<Network> },
}

/// What a port leads to.
pub struct Route {
    pub kind: Kind,
    pub access: Access,
    /// The application and its session, for error pages: "Jupyter Notebook of train-1".
    pub title: Clean,
    pub traffic: Arc<Traffic>,
    pub upstream: Arc<dyn Upstream>,
}
