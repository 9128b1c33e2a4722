//! The messages of the protocol.

use serde::{Deserialize, Serialize};

pub use super::stream::{Origin, StreamData, StreamEnd, StreamOpen};
use crate::{
    model::{
        app::{App, ProxyUrl},
        capability::EngineState,
        catalogue::{Catalogue, OwnerChoices},
        change::Change,
        context::Context,
        environment::Environment,
        failure::Failure,
        figures::Figures,
        files::{FileEntry, FileListing, FilePlace, FileRequest},
        folder::{Folder, FolderHosts, FolderShare, Invitation},
        forward::{Forward, OpenedForward, SshAccess},
        history::HistoryEntry,
        id::{ContextName, InstanceId, SessionKey},
        loss::{LossRequest, Unsaved},
        notice::{Notice, NoticesEdit},
        own_image::StoredImage,
        recent::{Recent, RecentEdit, RecentId},
        request::{AppRequest, ContextRequest, ForwardRequest, SessionRequest},
        session::Session,
        spec::LaunchRequest,
        statistics::Statistics,
        status::Tab,
        text::Clean,
    },
    rules::launch::relaunch::Missing,
};

/// Raised when a message changes its meaning. A client and a daemon with different numbers refuse each other
/// with an error.
pub const PROTOCOL: u32 = 15;

/// Numbers a client chooses for its requests; unique within one connection.
pub type RequestId = u64;
/// The number of a stream within a client. No message contains it: each stream has a connection of its own.
pub type StreamId = u32;

/// From a client to the daemon, after its greeting.
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

/// From the daemon to a client, after its welcome.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "say", rename_all = "kebab-case")]
pub enum FromDaemon {
    /// The daemon closes the connection after this message.
    Refused { message: Clean },
    Answer {
        id: RequestId,
        result: Result<Reply, Failure>,
    },
    /// Only for subscribers. `seq` grows by one; after a gap, the client must get a new snapshot.
    Notice { seq: u64, change: Change },
    /// The stream of this connection is open.
    Opened,
    /// The last message of a stream.
    Ended { end: StreamEnd },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "kebab-case")]
pub enum Request {
    /// Ends with `Reply::Session` (for `Detail` and `Keep`), `Reply::Again`, `Reply::History`, `Reply::Figures`, or
    /// `Reply::Done` for the others.
    Session {
        session: SessionKey,
        request: SessionRequest,
    },
    /// Ends with `Reply::Environments`, `Reply::Images`, `Reply::Catalogue` or `Reply::Owner`, for folders as [`FolderRequest`] says,
    /// with `Reply::Reached` after the notices of the sessions, or with `Reply::Done` for the others.
    /// `Change::Pull` reports the progress of a pull.
    ///
    /// [`FolderRequest`]: crate::model::folder::FolderRequest
    Context {
        context: ContextName,
        request: ContextRequest,
    },
    /// Ends with `Reply::Launched` as soon as the sessions are recorded. The launch itself continues
    /// afterwards.
    Launch {
        context: ContextName,
        launch: Box<LaunchRequest>,
    },
    /// Ends with `Reply::Apps`, `Reply::AppLog`, `Reply::Opened`, `Reply::Proxied`, or `Reply::Done` for the others.
    App {
        session: SessionKey,
        request: AppRequest,
    },
    /// Ends with `Reply::Forwards`, `Reply::Opened` or `Reply::Done`.
    Forward {
        request: ForwardRequest,
    },
    /// Ends with `Reply::Files`, `Reply::File`, or `Reply::Done` for the others.
    Files {
        place: FilePlace,
        request: FileRequest,
    },
    /// Ends with `Reply::Unsaved`.
    Loss {
        session: SessionKey,
        request: LossRequest,
    },
    /// Creates the keys for SSH to a session, if they don't exist, and ends with `Reply::SshAccess`.
    SshAccess {
        session: SessionKey,
    },
    /// What an SSH client on this machine needs for every session (`Reply::SshAccess`).
    SshClient,
    /// Reads one full list from every engine now.
    RefreshAll,
    /// Sends a snapshot now (`Reply::Snapshot`), and notices from then on.
    Subscribe,
    /// Sends a snapshot without notices, optionally with the sessions of one tab only.
    Snapshot {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tab: Option<Tab>,
    },
    /// The newest launches and the pinned ones (`Reply::Recents`).
    Recents,
    /// Also ends with `Reply::Recents`.
    EditRecent {
        id: RecentId,
        edit: RecentEdit,
    },
    /// Sample the usage of exactly these sessions for this connection (empty = none).
    Watch {
        sessions: Vec<SessionKey>,
    },
    /// The latest notifications (`Reply::Notices`, oldest first).
    Notices,
    EditNotices {
        edit: NoticesEdit,
    },
    Status,
    /// The daemon ends. Sessions keep running.
    Stop,
}

impl Request {
    pub const fn session(session: SessionKey, request: SessionRequest) -> Self {
        Self::Session { session, request }
    }

    pub const fn context(context: ContextName, request: ContextRequest) -> Self {
        Self::Context { context, request }
    }

    /// The request about a session, if it is one.
    pub const fn of_session(&self) -> Option<&SessionRequest> {
        match self {
            Self::Session { request, .. } => Some(request),
            _ => None,
        }
    }

    /// The request about a context, if it is one.
    pub const fn of_context(&self) -> Option<&ContextRequest> {
        match self {
            Self::Context { request, .. } => Some(request),
            _ => None,
        }
    }

    /// Reads one full list from the engine of this context, or from every engine.
    pub fn refresh(context: Option<ContextName>) -> Self {
        context.map_or(Self::RefreshAll, |context| {
            Self::context(context, ContextRequest::Refresh)
        })
    }
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
    /// What a launch created. `failure` is set when a part of the launch failed.
    Launched {
        sessions: Vec<Session>,
        failure: Option<Failure>,
    },
    /// `missing` lists the settings that aren't known.
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
        folder: Box<Folder>,
    },
    /// In natural order.
    Folders {
        folders: Vec<Folder>,
    },
    FolderHosts {
        hosts: FolderHosts,
    },
    FolderShares {
        shares: Vec<FolderShare>,
    },
    FolderInvitations {
        invitations: Vec<Invitation>,
    },
    Owner {
        owner: OwnerChoices,
    },
    Environments {
        environments: Vec<Environment>,
    },
    Images {
        images: Vec<StoredImage>,
    },
    Catalogue {
        catalogue: Box<Catalogue>,
    },
    /// How many sessions match the request.
    Reached {
        total: u64,
    },
    History {
        entries: Vec<HistoryEntry>,
    },
    /// In the order of the app launcher.
    Apps {
        apps: Vec<App>,
    },
    /// Oldest line first.
    AppLog {
        lines: Vec<Clean>,
    },
    Forwards {
        forwards: Vec<Forward>,
    },
    Opened {
        opened: Box<OpenedForward>,
    },
    Proxied {
        proxied: ProxyUrl,
    },
    SshAccess {
        access: SshAccess,
    },
    Files {
        listing: FileListing,
    },
    File {
        entry: FileEntry,
    },
    Unsaved {
        unsaved: Box<Unsaved>,
    },
    Figures {
        figures: Box<Figures>,
    },
    Notices {
        notices: Vec<Notice>,
        /// The number of the newest notifications that nobody has seen.
        #[serde(default)]
        unseen: usize,
    },
    Status {
        status: DaemonStatus,
    },
}

/// Everything that a client shows, at notice number `seq`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    pub seq: u64,
    pub sessions: Vec<Session>,
    /// In the order of the configuration; never empty.
    pub contexts: Vec<ContextState>,
    #[serde(default)]
    pub forwards: Vec<Forward>,
}

/// A context and what is known of its engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContextState {
    pub context: Context,
    pub engine: EngineState,
    pub environments: Vec<Environment>,
    /// Sessions per tab in the order of `Tab::ALL`, where the engine has more sessions than the daemon has
    /// sent.
    pub totals: Option<[u64; 3]>,
    /// The resources that the user's sessions use; `None` while they aren't known.
    pub statistics: Option<Box<Statistics>>,
    /// The state database was lost or damaged, and the engine hasn't been read since then: sessions are
    /// missing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub incomplete: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DaemonStatus {
    pub pid: u32,
    pub version: String,
    pub socket: String,
    pub started_at: jiff::Timestamp,
    pub instance: InstanceId,
    pub clients: usize,
    pub sessions: usize,
}
