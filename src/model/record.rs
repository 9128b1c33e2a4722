//! What the daemon keeps of a session beyond what clients see, and what it writes in one transaction.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{
    figures::FiguresRecord,
    forward::{Forward, ForwardId},
    history::HistoryEntry,
    id::{ContextName, SessionId, SessionKey},
    session::Session,
    spec::{FolderMount, LaunchRequest, LaunchSpec},
    status::Status,
    text::Clean,
};

/// What the engine was asked to do for a session and hasn't answered yet. It is stored before the engine is
/// asked, so that a restarted daemon knows what was in progress.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    /// Nothing is in progress.
    #[default]
    Settled,
    /// It waits in the queue and has no container.
    Wait,
    /// It waits for its image and has no container.
    Pull,
    Create,
    Start,
    /// Its stop hook runs before it is asked to stop.
    #[serde(alias = "will")]
    StopHook,
    Stop,
    Remove,
}

/// How a session ends once its container is removed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ending {
    pub status: Status,
    /// The reason: `user-requested`, `self-terminated`, `failed-to-start`, …
    pub info: Clean,
    pub message: Option<Clean>,
}

/// One session as the daemon keeps it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionRecord {
    pub session: Session,
    pub spec: LaunchSpec,
    /// The limit of processes.
    pub pids: i64,
    pub step: Step,
    /// An ending that is decided and that the step carries out.
    pub ending: Option<Ending>,
    /// Whether it is killed immediately instead of asked to stop.
    pub force: bool,
    /// The requested name that the engine hasn't applied yet.
    pub renaming: Option<String>,
    /// The name of the image that is being created from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub committing: Option<String>,
    /// Whether its home directory and saved log were deleted.
    pub forgotten: bool,
    /// The launch request without secrets; `None` = no longer known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<Box<LaunchRequest>>,
    /// How many times the queue has skipped it.
    #[serde(default)]
    pub retries: u32,
    /// How many times its stop hook was started.
    #[serde(default)]
    pub will_tries: u32,
    /// The id of the machine's boot in which it was last seen running; `None` = not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boot: Option<Clean>,
    /// The number of seconds by which the machine's clock was set forward while it ran. Its times are later
    /// by that.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub clock_set: i64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_zero(seconds: &i64) -> bool {
    *seconds == 0
}

impl SessionRecord {
    /// Creates a record at a step, without an ending or other requests.
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
            committing: None,
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

/// A request and its time, kept for audits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditEntry {
    pub at: Timestamp,
    /// `launch`, `terminate`, `rename`, …
    pub action: Clean,
    pub session: Option<SessionId>,
    pub detail: Clean,
}

/// One write. A list of writes is stored completely or not at all.
#[derive(Clone, Debug, PartialEq)]
pub enum Write {
    Session(Box<SessionRecord>),
    History(HistoryEntry),
    /// Replaces the session's newest entry of the same phase, for another try of the same attempt.
    HistoryAgain(HistoryEntry),
    Audit(AuditEntry),
    /// Saves a recent launch. The oldest one that isn't pinned is deleted when there are too many.
    Recent {
        at: Timestamp,
        context: ContextName,
        title: Clean,
        launch: Box<LaunchRequest>,
    },
    /// How a session of an engine that schedules was launched, without secrets.
    Launch {
        session: SessionKey,
        launch: Box<LaunchRequest>,
    },
    /// The figures of a session, which replace the earlier ones.
    Figures {
        session: SessionKey,
        at: Timestamp,
        /// Whether the figures are final.
        ended: bool,
        record: Box<FiguresRecord>,
    },
    ForgetFigures {
        session: SessionKey,
    },
    /// Deletes the record of an ended session, with its history and figures.
    DeleteSession {
        session: SessionKey,
    },
    /// An open forward, which replaces the earlier one with its number.
    Forward(Box<Forward>),
    ForgetForward {
        id: ForwardId,
    },
    /// Deletes the figures of all sessions from before that time.
    ForgetFiguresBefore {
        at: Timestamp,
    },
}

impl Write {
    /// Whether it records that a session ends or has ended.
    #[must_use]
    pub fn ends_session(&self) -> bool {
        match self {
            Self::Session(record) => record.ending.is_some() || record.session.has_ended(),
            _ => false,
        }
    }
}
