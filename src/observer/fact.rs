//! The events that the observer handles.

use std::collections::BTreeSet;

use super::order::{ConnectionNumber, RequestNumber};
use crate::{
    engine::manager::{SessionPage, TaskProgress, Totals},
    model::{
        capability::{Capability, EngineInfo},
        catalogue::Catalogue,
        environment::Environment,
        failure::Failure,
        folder::FolderChange,
        id::SessionId,
        request::{AtManager, ContextRequest, SessionRequest},
        session::Session,
        spec::LaunchRequest,
        statistics::Statistics,
    },
    state_machine::Ticket,
};

/// One event.
#[derive(Clone, Debug, PartialEq)]
pub enum Fact {
    Asked {
        ticket: Ticket,
        ask: ObserverRequest,
    },
    /// The engine responds and accepts our credentials.
    Connected {
        connection: ConnectionNumber,
        info: EngineInfo,
    },
    /// The engine isn't reachable, or doesn't accept our credentials.
    Disconnected {
        connection: ConnectionNumber,
        failure: Failure,
    },
    /// Events arrive from now on.
    Listening { connection: ConnectionNumber },
    /// Events don't arrive any more; `None` if this engine has none.
    EventsEnded {
        connection: ConnectionNumber,
        failure: Option<Failure>,
    },
    /// Something happened to sessions. It is a hint to read them again.
    Events {
        connection: ConnectionNumber,
        sessions: BTreeSet<SessionId>,
    },
    /// A request to the engine succeeded or failed.
    Answered {
        number: RequestNumber,
        result: Result<ManagerReply, Failure>,
    },
    /// A query that was admitted failed.
    QueryFailed {
        connection: ConnectionNumber,
        failure: Failure,
    },
    /// TaskProgress of creating an image. More follows for the same request.
    Progressed {
        number: RequestNumber,
        progress: TaskProgress,
    },
    /// A folder was created, renamed or deleted.
    FoldersChanged(FolderChange),
    /// The images of the user have changed.
    ImagesChanged,
    /// Whether a client watches.
    Watched(bool),
    /// A deadline has come.
    Tick,
}

/// The result of a request to the engine.
#[derive(Clone, Debug, PartialEq)]
pub enum ManagerReply {
    /// Success without a result.
    Done,
    Page(SessionPage),
    Totals(Totals),
    Rows(Vec<Session>),
    /// Everything about one session; `None` if it doesn't exist.
    Session(Option<Box<Session>>),
    Launched(SessionId),
    Environments(Vec<Environment>),
    Statistics(Box<Statistics>),
    Catalogue(Box<Catalogue>),
}

impl ManagerReply {
    /// Why a request fails whose answer is of another kind than it asked for.
    pub fn mismatch(&self) -> Failure {
        Failure::internal(tr_sent!(
            "the answer of the engine doesn't fit the request. Try again"
        ))
    }
}

/// A request of a client.
#[derive(Clone, Debug, PartialEq)]
pub enum ObserverRequest {
    Session {
        session: SessionId,
        request: SessionRequest,
    },
    Context(ContextRequest),
    Launch(Box<LaunchRequest>),
    /// Reads the list again. A disconnected engine is tried again, but doesn't delay the answer.
    RefreshOrRetry,
    /// Whether a query may go to the engine directly, which needs this capability.
    Admit {
        needs: Option<Capability>,
    },
}

impl ObserverRequest {
    pub const fn session(session: SessionId, request: SessionRequest) -> Self {
        Self::Session { session, request }
    }

    /// Why it is refused whatever the manager answers, so that it needs no connection.
    pub fn refused(&self) -> Option<Failure> {
        match self {
            Self::Session { request, .. } => match request.at_manager() {
                AtManager::Refused(failure) => Some(failure),
                _ => None,
            },
            Self::Context(request) => request.refused_by_managers(),
            Self::Launch(_) | Self::RefreshOrRetry | Self::Admit { .. } => None,
        }
    }
}
