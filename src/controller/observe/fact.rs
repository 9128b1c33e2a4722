//! What the observer hears.

use super::order::{ErrandNumber, LineNumber};
use crate::{
    controller::fact::{Fault, Ticket},
    engine::scheduler::{Page, Progress, Totals},
    model::{
        capability::EngineInfo,
        catalogue::{Catalogue, Folder, OwnerChoices},
        environment::Environment,
        history::HistoryEntry,
        id::SessionId,
        launch::again::Recalled,
        session::Session,
        spec::LaunchRequest,
        statistics::Statistics,
        status::Tab,
    },
};

/// One thing that happened.
#[derive(Clone, Debug, PartialEq)]
pub enum Fact {
    Asked {
        ticket: Ticket,
        ask: Ask,
    },
    /// The engine answers and knows us.
    LineUp {
        line: LineNumber,
        info: EngineInfo,
    },
    /// It could not be reached, or does not accept us.
    LineDown {
        line: LineNumber,
        fault: Fault,
    },
    /// Events come from now on.
    Listening {
        line: LineNumber,
    },
    /// No events come any more; `None` = this engine has none.
    Deaf {
        line: LineNumber,
        fault: Option<Fault>,
    },
    /// Something happened to a session: a hint to read it again.
    Event {
        line: LineNumber,
        session: SessionId,
    },
    /// An errand was run, or failed.
    Answered {
        errand: ErrandNumber,
        result: Result<Got, Fault>,
    },
    /// An image is being made; more comes for the same errand.
    Progressed {
        errand: ErrandNumber,
        progress: Progress,
    },
    /// Whether any face looks.
    Watched(bool),
    /// A deadline came.
    Tick,
}

/// What an errand brought.
#[derive(Clone, Debug, PartialEq)]
pub enum Got {
    /// It is done; there is nothing to tell.
    Done,
    Page(Page),
    Totals(Totals),
    Rows(Vec<Session>),
    /// Everything about one session; `None` = it is not there.
    Session(Option<Box<Session>>),
    Launched(SessionId),
    /// `None` = it is not there.
    Recalled(Option<Box<Recalled>>),
    History(Vec<HistoryEntry>),
    Environments(Vec<Environment>),
    Statistics(Box<Statistics>),
    Catalogue(Box<Catalogue>),
    Folder(Folder),
    Owner(OwnerChoices),
}

/// What a face asks.
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
    History {
        session: SessionId,
    },
    /// How it was launched, as far as the engine tells.
    Recall {
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
    /// The list read anew; `wait` = not answered before an engine that is away has been tried.
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
    /// The keys and projects of a user.
    FindOwner {
        email: String,
    },
}
