//! Messages from connections to the main loop.

use std::sync::Arc;

use tokio::sync::oneshot;

use super::outbox::Outbox;
use crate::{
    daemon::{
        apps::AppEvent, files::WaitingPlace, folders::FolderEvent, storage::kept_homes::KeptHome,
    },
    engine::api::Engine,
    model::{
        failure::Failure,
        id::{ContextName, SessionKey},
        notice::Notice,
        text::Clean,
    },
    protocol::message::{Request, RequestId, StreamOpen},
    scheduler::fact::UseEvent,
};

pub(in crate::daemon) type ConnectionId = u64;

/// Whether a stream may be opened, and on which engine.
pub(in crate::daemon) type OpenAnswer = oneshot::Sender<Result<Arc<dyn Engine>, Failure>>;

pub(in crate::daemon) enum Inbound {
    Joined {
        connection: ConnectionId,
        outbox: Arc<Outbox>,
        /// The message for a client that is older than the daemon.
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
    /// A user uses a session.
    Used {
        session: SessionKey,
        usage: UseEvent,
    },
    /// A message for all clients.
    Remark {
        text: Clean,
    },
    /// Asks whether a stream may be opened now.
    MayOpen {
        open: StreamOpen,
        answer: OpenAnswer,
    },
    /// Asks where files are, and whether they may be opened.
    FindPlace(WaitingPlace),
    /// The images of a context's engine have changed.
    ImagesChanged {
        context: ContextName,
    },
    /// An idle warning, with what is known about the session's files.
    Warning {
        notice: Notice,
    },
    /// The home directories of ended sessions, the oldest first.
    HomesMeasured {
        homes: Vec<KeptHome>,
    },
    /// A report about an app or a forward.
    App(AppEvent),
    /// The engine answered a request about folders.
    Folder(FolderEvent),
}
