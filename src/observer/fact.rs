//! The events that the observer handles.

use super::order::{ConnectionNumber, ErrandNumber};
use crate::{
    engine::manager::{SessionPage, TaskProgress, Totals},
    model::{
        capability::{Capability, EngineInfo},
        catalogue::{Catalogue, Folder},
        environment::Environment,
        failure::Failure,
        id::SessionId,
        session::Session,
        spec::LaunchRequest,
        statistics::Statistics,
        status::Tab,
    },
    state_machine::Ticket,
};

/// One event.
#[derive(Clone, Debug, PartialEq)]
pub enum Fact {
    Asked {
        ticket: Ticket,
        ask: Ask,
    },
    /// The engine responds and accepts our credentials.
    Connected {
        line: ConnectionNumber,
        info: EngineInfo,
    },
    /// The engine isn't reachable, or doesn't accept our credentials.
    Disconnected {
        line: ConnectionNumber,
        failure: Failure,
    },
    /// Events arrive from now on.
    Listening {
        line: ConnectionNumber,
    },
    /// Events don't arrive any more; `None` if this engine has none.
    EventsEnded {
        line: ConnectionNumber,
        failure: Option<Failure>,
    },
    /// Something happened to a session. It is a hint to read the session again.
    Event {
        line: ConnectionNumber,
        session: SessionId,
    },
    /// A request to the engine succeeded or failed.
    Answered {
        errand: ErrandNumber,
        result: Result<Got, Failure>,
    },
    /// A query that was admitted failed.
    QueryFailed {
        line: ConnectionNumber,
        failure: Failure,
    },
    /// Progress of creating an image. More follows for the same request.
    Progressed {
        errand: ErrandNumber,
        progress: TaskProgress,
    },
    /// Whether a client watches.
    Watched(bool),
    /// A deadline has come.
    Tick,
}

/// The result of a request to the engine.
#[derive(Clone, Debug, PartialEq)]
pub enum Got {
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
    Folder(Folder),
}

impl Got {
    /// Why a request fails whose answer is of another kind than it asked for.
    pub fn mismatch(&self) -> Failure {
        Failure::internal("the answer of the engine doesn't fit the request. Try again")
    }
}

/// A request of a client.
#[derive(Clone, Debug, PartialEq)]
pub enum Ask {
    Launch(Box<LaunchRequest>),
    Rename {
        session: SessionId,
        name: String,
    },
    Priority {
        session: SessionId,
        priority: i32,
    },
    Terminate {
        session: SessionId,
        force: bool,
    },
    Detail {
        session: SessionId,
    },
    Commit {
        session: SessionId,
        image_name: String,
    },
    Reach {
        tab: Tab,
        text: Option<String>,
        count: u32,
    },
    /// Reads the list again. With `wait`, a disconnected engine is tried before the answer.
    Refresh {
        wait: bool,
    },
    Environments,
    Catalogue {
        project: Option<String>,
        anew: bool,
    },
    CreateFolder {
        name: String,
    },
    /// Whether a query may go to the engine directly, which needs this capability.
    Admit {
        needs: Option<Capability>,
    },
}
