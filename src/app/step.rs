//! What a panel wants after a message: effects outside, and moves inside the face.

use std::path::PathBuf;

use jiff::tz::TimeZone;

use super::{effect::Effect, msg::Ticket, panels::command::Command, toast::Launched};
use crate::{
    model::{
        id::{ContextName, SessionKey},
        idle::Keep,
        launch::{LaunchField, grown::Grown},
        notice::Level,
        recent::Recent,
        spec::LaunchRequest,
        status::Tab,
        text::Clean,
    },
    protocol::message::{Request, StreamId},
};

/// One wish of a panel; `App` carries it out in order.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Passed on as it is.
    Do(Effect),
    /// Asked of the daemon; the answer goes where `purpose` says.
    Ask {
        request: Request,
        purpose: Purpose,
    },
    /// To the person's clipboard; a toast tells how it went.
    Copy(String),
    /// To a new file; a toast tells where it lies.
    Save {
        path: PathBuf,
        contents: Vec<u8>,
    },
    /// All lines of an open log to a new file.
    SaveLog {
        log: StreamId,
        path: PathBuf,
        /// With their times, in this zone.
        times: Option<TimeZone>,
    },
    /// To a new file that only the user may read, in a directory that is made for it.
    SavePrivate {
        path: PathBuf,
        contents: Vec<u8>,
    },
    /// In the person's editor.
    Edit {
        field: LaunchField,
        text: String,
    },
    /// A launch to a new file, as a recipe.
    SaveRecipe {
        path: PathBuf,
        launch: Box<LaunchRequest>,
    },
    ReadRecipe {
        path: PathBuf,
    },
    /// A short message in the corner.
    Toast {
        level: Level,
        text: Clean,
    },
    /// Sessions were launched: a toast follows the first.
    Launched(Launched),
    /// A launch of before, in a launcher of its own.
    Open(Box<Recent>),
    /// To another place of the face.
    Go(Go),
}

impl Step {
    /// Closes the panel that answers with it.
    pub const CLOSE: Self = Self::Go(Go::CloseTop);

    /// A toast from a text of ours or one that is already clean.
    #[must_use]
    pub fn toast(level: Level, text: impl AsRef<str>) -> Self {
        Self::Toast {
            level,
            text: Clean::multiline(text.as_ref()),
        }
    }
}

/// A move inside the face.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Go {
    /// To the sessions page; logs are closed, terminals go on in the background.
    Sessions,
    /// To the open terminals.
    Panes,
    /// A shell of this session: its pane, or a new one.
    Shell(SessionKey),
    /// Closes the panel on top.
    CloseTop,
    /// Closes the launcher.
    CloseLauncher,
    /// What a command line asks for.
    Command(Command),
    /// The help of the place where one is.
    Help,
}

/// Where a launch was asked for, and what becomes of that when it is answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaunchedFrom {
    /// The launcher to close, or to show the refusal in; `None` = the launch came from none.
    pub launcher: Option<u64>,
    /// The waiting session that leaves the queue once the new one is in it.
    pub replaces: Option<SessionKey>,
}

/// Why the daemon was asked; decides where the answer goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Purpose {
    Launch(LaunchedFrom),
    /// What a session was launched with; its name, when somebody gave it one.
    Again {
        context: ContextName,
        name: Option<Clean>,
        /// Memory killed it: it is offered more.
        grown: Option<Grown>,
    },
    /// The launches of before, told or changed.
    Recents,
    /// What was told before.
    Notices,
    /// A text is in the person's editor.
    Edit(LaunchField),
    /// A recipe is read.
    Recipe,
    /// The session's old name, for the message.
    Rename {
        session: SessionKey,
        name: Clean,
        /// What was typed.
        new: String,
    },
    Terminate {
        name: Clean,
    },
    Priority {
        name: Clean,
        priority: i32,
    },
    History(SessionKey),
    Figures(SessionKey),
    /// What could start in its place.
    WhyNot(SessionKey),
    /// For the table of the whole history.
    Scheduling(SessionKey),
    /// Idle checks are put off or on again.
    Keep(Keep),
    /// What may be done against them.
    Reprieves(ContextName),
    /// All about one session; what could not be read again is not told.
    Detail(SessionKey),
    Catalogue {
        context: ContextName,
        project: Option<String>,
    },
    /// Somebody a session is to be made for.
    Owner {
        context: ContextName,
        email: String,
    },
    CreateFolder {
        context: ContextName,
        name: String,
    },
    Commit {
        name: Clean,
        image: String,
    },
    /// More rows of a list; `told` is how many there were, `word` what was looked for.
    Reach {
        context: ContextName,
        tab: Tab,
        word: Option<String>,
        told: u64,
    },
    Refresh,
    /// The environments anew, for the launcher.
    Environments(ContextName),
    /// Failures are of no interest to a person: the next layout asks again.
    Watch,
    /// An effect that answers with `Msg::Done`.
    Effect,
}

/// Numbers for questions and streams, unique in this face.
#[derive(Clone, Debug, Default)]
pub struct Ids {
    ticket: Ticket,
    stream: StreamId,
}

impl Ids {
    pub fn ticket(&mut self) -> Ticket {
        self.ticket += 1;
        self.ticket
    }

    pub fn stream(&mut self) -> StreamId {
        self.stream += 1;
        self.stream
    }
}
