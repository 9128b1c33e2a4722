//! What the daemon keeps of a session beyond what faces see, and what it writes down in one go.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{
    figures::FiguresRecord,
    history::HistoryEntry,
    id::{ContextName, SessionId, SessionKey},
    session::Session,
    spec::{FolderMount, LaunchRequest, LaunchSpec},
    status::Status,
    text::Clean,
};

/// What the engine has been told to do for a session and has not answered yet. It is stored before
/// the engine hears of it, so a daemon that starts again knows what was under way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    /// Nothing is under way.
    #[default]
    Settled,
    /// It stands in the queue: nothing is under way, and there is no container.
    Wait,
    /// It waits for its image: there is no container.
    Pull,
    Create,
    Start,
    /// Its stop hook is carried out, before it is asked to end.
    #[serde(alias = "will")]
    StopHook,
    Stop,
    Remove,
}

/// How a session will have ended once its container is gone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ending {
    pub status: Status,
    /// The reason's word: `user-requested`, `self-terminated`, `failed-to-start`, …
    pub info: Clean,
    pub message: Option<Clean>,
}

/// One session as the daemon keeps it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionRecord {
    pub session: Session,
    pub spec: LaunchSpec,
    /// Limit of processes.
    pub pids: i64,
    pub step: Step,
    /// Decided already, carried out by the step.
    pub ending: Option<Ending>,
    /// It is killed at once instead of asked to end.
    pub force: bool,
    /// The name that was asked for and the engine has not taken yet.
    pub renaming: Option<String>,
    /// Its scratch and saved log were deleted.
    pub forgotten: bool,
    /// As it was asked for, secrets left out; `None` = not known any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<Box<LaunchRequest>>,
    /// How often the queue has passed it over.
    #[serde(default)]
    pub retries: u32,
    /// How often its stop hook was begun.
    #[serde(default)]
    pub will_tries: u32,
    /// The machine's start in which it was last seen running; `None` = not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boot: Option<Clean>,
    /// By so many seconds the machine's clock was set forward while it ran: its times are later by that.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub clock_set: i64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_zero(seconds: &i64) -> bool {
    *seconds == 0
}

impl SessionRecord {
    /// A session on its way to what the step leads to, with nothing else asked of it.
    #[must_use]
    pub fn new(session: Session, spec: LaunchSpec, step: Step) -> Self {
        Self {
            session,
            spec,
            pids: 0,
            step,
            ending: None,
            force: false,
            renaming: None,
            forgotten: false,
            request: None,
            retries: 0,
            will_tries: 0,
            boot: None,
            clock_set: 0,
        }
    }
}

/// A session and the folders it was launched with.
pub type Mounts = (SessionKey, Vec<FolderMount>);

/// Who asked for what, kept for later questions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditEntry {
    pub at: Timestamp,
    /// `launch`, `terminate`, `rename`, …
    pub action: Clean,
    pub session: Option<SessionId>,
    pub detail: Clean,
}

/// One thing to write; a list of them is written as a whole or not at all.
#[derive(Clone, Debug, PartialEq)]
pub enum Write {
    Session(Box<SessionRecord>),
    History(HistoryEntry),
    /// In place of the session's newest entry of the same phase: the same attempt, once more.
    HistoryAgain(HistoryEntry),
    Audit(AuditEntry),
    /// A launch to be remembered; the oldest that is not pinned goes when there are too many.
    Recent {
        at: Timestamp,
        context: ContextName,
        title: Clean,
        launch: Box<LaunchRequest>,
    },
    /// How a session of an engine that schedules was launched, without any secret.
    Launch {
        session: SessionKey,
        launch: Box<LaunchRequest>,
    },
    /// What a session used, in place of what was kept of it before.
    Figures {
        session: SessionKey,
        at: Timestamp,
        /// Nothing will be added any more.
        ended: bool,
        record: Box<FiguresRecord>,
    },
    ForgetFigures {
        session: SessionKey,
    },
    /// An ended session's record, with its history and figures.
    DeleteSession {
        session: SessionKey,
    },
    /// Of all sessions, what was kept before that time.
    ForgetFiguresBefore {
        at: Timestamp,
    },
}

impl Write {
    /// Whether it records that a session ends or has ended.
    #[must_use]
    pub fn ends_session(&self) -> bool {
        match self {
            Self::Session(record) => record.ending.is_some() || record.session.status.is_final(),
            _ => false,
        }
    }
}
