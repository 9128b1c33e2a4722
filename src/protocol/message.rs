//! The words of the protocol.

use serde::{Deserialize, Serialize};

use crate::model::{
    capability::EngineState,
    catalogue::{Catalogue, Folder, OwnerChoices},
    change::Change,
    context::Context,
    environment::Environment,
    figures::Figures,
    history::HistoryEntry,
    id::{ContextName, InstanceId, KernelId, SessionKey},
    idle::Keep,
    launch::{LaunchField, again::Missing},
    log::{LogOptions, LogSource},
    notice::{Notice, NoticesEdit},
    recent::{Recent, RecentEdit, RecentId},
    session::Session,
    shell::ShellStart,
    spec::LaunchRequest,
    statistics::Statistics,
    status::Tab,
    text::Clean,
};

/// Raised when a message changes its meaning; a face and a daemon of different numbers refuse each
/// other with a sentence.
pub const PROTOCOL: u32 = 9;

/// Numbers a client chooses for its requests; unique within one connection.
pub type RequestId = u64;
/// The number of a stream within a client. It is in no message: each stream has a connection of its own.
pub type StreamId = u32;

/// From a face to the daemon, after its greeting.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "say", rename_all = "kebab-case")]
pub enum FromClient {
    Ask {
        id: RequestId,
        request: Request,
    },
    /// The first message of a connection that carries this stream and nothing else. Closing the connection closes
    /// the stream.
    Open {
        open: StreamOpen,
    },
    Resize {
        columns: u16,
        rows: u16,
    },
    /// Closes the other side's stdin.
    EndInput,
}

/// From the daemon to a face, after its welcome.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "say", rename_all = "kebab-case")]
pub enum FromDaemon {
    /// The connection cannot go on; it is closed after this.
    Refused { message: Clean },
    Answer {
        id: RequestId,
        result: Result<Reply, Failure>,
    },
    /// To subscribers only; `seq` grows by one, a gap means a notice was lost and a new snapshot is due.
    Notice { seq: u64, change: Change },
    /// The stream of this connection is open.
    Opened,
    /// The last message of a stream.
    Ended { end: StreamEnd },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "kebab-case")]
pub enum Request {
    /// A snapshot now (`Reply::Snapshot`), notices from then on.
    Subscribe,
    /// A snapshot without notices; of the sessions of one tab alone where only they are wanted.
    Snapshot {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tab: Option<Tab>,
    },
    /// Environments read anew from the engine (`Reply::Environments`).
    Environments {
        context: ContextName,
    },
    /// Fetches an image, by its reference or its name in the catalogue; `Reply::Done` when it is
    /// there. `Change::Pull` tells how far it is. It is given up when the one who asked goes away.
    Pull {
        context: ContextName,
        image: String,
    },
    /// What can be chosen from at a launch (`Reply::Catalogue`); kept for a minute unless `anew`.
    Catalogue {
        context: ContextName,
        /// A project's name; `None` = the context's own.
        project: Option<String>,
        anew: bool,
    },
    /// Ends with `Reply::Launched` as soon as the sessions are recorded; they go on by themselves.
    Launch {
        context: ContextName,
        launch: Box<LaunchRequest>,
    },
    /// What an (ended) session was launched with, secrets left out (`Reply::Again`).
    Again {
        session: SessionKey,
    },
    /// The newest launches and the pinned ones (`Reply::Recents`).
    Recents,
    /// Ends with `Reply::Recents`, too.
    EditRecent {
        id: RecentId,
        edit: RecentEdit,
    },
    /// Makes a folder that survives sessions (`Reply::Folder`).
    CreateFolder {
        context: ContextName,
        name: String,
    },
    /// The keys and projects of somebody a session is to be made for (`Reply::Owner`).
    FindOwner {
        context: ContextName,
        email: String,
    },
    /// Has at least `count` sessions of a tab (only those whose name holds `text`) told as notices,
    /// as far as there are so many; `Reply::Reached` comes after them.
    Reach {
        context: ContextName,
        tab: Tab,
        text: Option<String>,
        count: u32,
    },
    /// Everything about one session, read anew (`Reply::Session`).
    Detail {
        session: SessionKey,
    },
    /// Makes an image of a running session; its progress shows in the session's `pending_request`.
    Commit {
        session: SessionKey,
        image_name: String,
    },
    Rename {
        session: SessionKey,
        name: String,
    },
    /// Of a session that waits, 0 to 100.
    Priority {
        session: SessionKey,
        priority: i32,
    },
    /// `force` kills at once. Ends with `Reply::Done` as soon as it is recorded.
    Terminate {
        session: SessionKey,
        force: bool,
    },
    /// Deletes the record of a session that has ended, with its home and its log. `Reply::Done` when
    /// nothing of it is left.
    Delete {
        session: SessionKey,
    },
    /// One full list from the engine, now; `None` = from every engine.
    Refresh {
        context: Option<ContextName>,
    },
    /// Sample the usage of exactly these sessions for this connection (empty = none).
    Watch {
        sessions: Vec<SessionKey>,
    },
    /// `Reply::History`, newest first.
    History {
        session: SessionKey,
    },
    /// Puts off what idle checks would do (`Reply::Session`, as it stands then).
    Keep {
        session: SessionKey,
        keep: Keep,
    },
    /// What the session used over its last minutes, and how it ended (`Reply::Figures`).
    Figures {
        session: SessionKey,
    },
    /// What a person was told of late (`Reply::Notices`, oldest first).
    Notices,
    EditNotices {
        edit: NoticesEdit,
    },
    Status,
    /// The daemon ends; sessions go on.
    Stop,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "reply", rename_all = "kebab-case")]
pub enum Reply {
    Done,
    Snapshot {
        snapshot: Box<Snapshot>,
    },
    Session {
        session: Box<Session>,
    },
    /// What a launch made; with `failure` when not all that was asked for could be.
    Launched {
        sessions: Vec<Session>,
        failure: Option<Failure>,
    },
    /// With what is not known of it.
    Again {
        launch: Box<LaunchRequest>,
        #[serde(default)]
        missing: Vec<Missing>,
    },
    /// Pinned ones first, then the newest first.
    Recents {
        entries: Vec<Recent>,
    },
    Folder {
        folder: Folder,
    },
    Owner {
        owner: OwnerChoices,
    },
    Environments {
        environments: Vec<Environment>,
    },
    Catalogue {
        catalogue: Box<Catalogue>,
    },
    /// How many sessions there are that were asked for.
    Reached {
        total: u64,
    },
    History {
        entries: Vec<HistoryEntry>,
    },
    Figures {
        figures: Box<Figures>,
    },
    Notices {
        notices: Vec<Notice>,
        /// So many of the newest nobody has looked at.
        #[serde(default)]
        unseen: usize,
    },
    Status {
        status: DaemonStatus,
    },
}

/// Everything a face shows, at notice number `seq`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    pub seq: u64,
    pub sessions: Vec<Session>,
    /// In the order of the configuration; never empty.
    pub contexts: Vec<ContextState>,
}

/// A context and what is known of its engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContextState {
    pub context: Context,
    pub engine: EngineState,
    pub environments: Vec<Environment>,
    /// Sessions per tab in the order of `Tab::ALL`, where the engine has more than were told.
    pub totals: Option<[u64; 3]>,
    /// What the person's sessions hold; `None` while it is not known.
    pub statistics: Option<Box<Statistics>>,
    /// The state database was lost or damaged, and the engine has not been read since: sessions are missing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub incomplete: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DaemonStatus {
    pub pid: u32,
    pub version: String,
    pub socket: String,
    pub started_at: jiff::Timestamp,
    pub instance: InstanceId,
    pub clients: usize,
    pub sessions: usize,
}

/// Why something was not done: a sentence and what to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    pub kind: FailureKind,
    pub message: Clean,
    /// The way out, when there is one.
    pub help: Option<Clean>,
    /// The field of a launch it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<LaunchField>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureKind {
    /// Bad input: exit code 2.
    Usage,
    /// Exit code 3.
    NotFound,
    /// Exit code 4.
    Auth,
    /// Engine or daemon does not answer: exit code 5.
    Unreachable,
    /// Refused in this state or by a limit: exit code 1.
    Refused,
    /// Our fault or the disk's: exit code 1.
    Internal,
}

impl Failure {
    #[must_use]
    pub fn new(kind: FailureKind, message: impl Into<Clean>) -> Self {
        Self {
            kind,
            message: message.into(),
            help: None,
            field: None,
        }
    }

    #[must_use]
    pub fn about(mut self, field: LaunchField) -> Self {
        self.field = Some(field);
        self
    }

    #[must_use]
    pub fn with_help(mut self, help: impl Into<Clean>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// What a stream carries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "open", rename_all = "kebab-case")]
pub enum StreamOpen {
    /// The session's tmux; `tag` names the pane, attaching again with it replaces the older client.
    Terminal {
        session: SessionKey,
        tag: String,
        columns: u16,
        rows: u16,
        /// How a shell begins that is not there yet.
        #[serde(default, skip_serializing_if = "ShellStart::is_usual")]
        start: ShellStart,
    },
    /// The control line of a container's tmux (`tmux -C`): its words as they come, its commands as
    /// input. It shows no terminal and is no use of the session.
    Control {
        session: SessionKey,
        /// In this container of a cluster session; `None` = the main one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        kernel: Option<KernelId>,
    },
    Log {
        session: SessionKey,
        options: LogOptions,
    },
    /// A TCP stream to a service in the session.
    Dial {
        session: SessionKey,
        service: String,
        port: Option<u16>,
    },
    /// A command beside the session's own.
    Exec {
        session: SessionKey,
        argv: Vec<String>,
        tty: Option<(u16, u16)>,
        /// In this container of a cluster session; `None` = the main one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        kernel: Option<KernelId>,
    },
}

/// How a stream ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "end", rename_all = "kebab-case")]
pub enum StreamEnd {
    /// The program behind it ended.
    Exited { exit_code: Option<i64> },
    /// It could not be opened.
    Failed { failure: Failure },
    /// The line to the engine broke; opening it again may come back to the same shell.
    Lost { why: Clean },
}

/// One piece of a stream's bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamData {
    pub origin: Origin,
    pub bytes: bytes::Bytes,
}

/// Where bytes come from: which output of a program, or who made the input. Only what a person typed
/// counts as use of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Origin {
    Stdout,
    Stderr,
    /// Keys and pastes of a person; of a stream that is no terminal, all input.
    Typed,
    /// The emulator's answers to what a program asked.
    Reply,
    /// The pane got or lost the focus.
    Focus,
    /// The mouse moved, without a button.
    Motion,
}

impl From<u8> for Origin {
    /// A number we do not know is nobody's typing.
    fn from(byte: u8) -> Self {
        let all = [
            Self::Stdout,
            Self::Stderr,
            Self::Typed,
            Self::Reply,
            Self::Focus,
            Self::Motion,
        ];
        let found = all.into_iter().find(|origin| *origin as u8 == byte);
        found.unwrap_or(Self::Reply)
    }
}

impl From<LogSource> for Origin {
    fn from(source: LogSource) -> Self {
        match source {
            LogSource::Stdout => Self::Stdout,
            LogSource::Stderr => Self::Stderr,
        }
    }
}

impl Origin {
    /// Which output it is; input is none.
    pub fn output(self) -> LogSource {
        match self {
            Self::Stderr => LogSource::Stderr,
            _ => LogSource::Stdout,
        }
    }
}
