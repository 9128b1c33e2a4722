//! What connections say to the loop.

use std::sync::Arc;

use tokio::sync::oneshot;

use super::outbox::Outbox;
use crate::{
    controller::fact::Use,
    engine::api::Engine,
    model::{id::SessionKey, text::Clean},
    protocol::message::{Failure, Request, RequestId, StreamOpen},
};

pub(super) type ConnectionId = u64;

/// Whether a stream may be opened, and on which engine.
pub(super) type LookAnswer = oneshot::Sender<Result<Arc<dyn Engine>, Failure>>;

pub(super) enum Inbound {
    Joined {
        connection: ConnectionId,
        outbox: Arc<Outbox>,
        /// What its person is to be told: it is older than the daemon.
        older: Option<Clean>,
    },
    Left {
        connection: ConnectionId,
    },
    Asked {
        connection: ConnectionId,
        id: RequestId,
        request: Request,
    },
    /// A session is used.
    Used {
        session: SessionKey,
        usage: Use,
    },
    /// Something everybody should know.
    Remark {
        text: Clean,
    },
    /// May this stream be opened now?
    Look {
        open: StreamOpen,
        answer: LookAnswer,
    },
}
