//! The messages of the protocol.

use serde::{Deserialize, Serialize};

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
        files::{FileEntry, FileListing, FilePath, FilePlace, FileRequest, FileWork, WriteOptions},
        folder::{Folder, FolderHosts, FolderShare, Invitation},
        forward::{Forward, OpenedForward, SshAccess},
        helper::HelperTask,
        history::HistoryEntry,
        id::{ContextName, InstanceId, KernelId, SessionKey},
        log::{LogOptions, LogSource},
        loss::{LossRequest, Rescued, Unsaved},
        notice::{Notice, NoticesEdit},
        own_image::StoredImage,
        recent::{Recent, RecentEdit, RecentId},
        request::{AppRequest, ContextRequest, ForwardRequest, SessionRequest},
        session::Session,
        shell_start::ShellStart,
        spec::LaunchRequest,
        statistics::Statistics,
        status::Tab,
        text::Clean,
    },
    rules::launch::relaunch::Missing,
};

/// Raised when a message changes its meaning. A client and a daemon with different numbers refuse each other
/// with an error.
pub const PROTOCOL: u32 = 13;

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
    /// Ends with `Reply::Unsaved` or `Reply::Rescued`.
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
    Rescued {
        rescued: Rescued,
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

/// What a stream carries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "open", rename_all = "kebab-case")]
pub enum StreamOpen {
    /// The session's tmux. `tag` names the pane: attaching again with the same tag replaces the older client.
    Terminal {
        session: SessionKey,
        tag: String,
        columns: u16,
        rows: u16,
        /// How to start the shell if it doesn't exist yet.
        #[serde(default, skip_serializing_if = "ShellStart::is_usual")]
        start: ShellStart,
    },
    /// The control connection to a container's tmux (`tmux -C`): its output is sent unchanged, and its input
    /// is commands. It shows no terminal and doesn't count as use of the session.
    Control {
        session: SessionKey,
        /// The container of a cluster session; `None` = the main container.
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
    /// The SSH protocol, served by the daemon.
    Ssh { session: SessionKey },
    /// A helper program of workbay in the main container.
    Helper {
        session: SessionKey,
        task: HelperTask,
    },
    /// The bytes of a file, from an offset to its end.
    ReadFile {
        place: FilePlace,
        path: FilePath,
        #[serde(default)]
        offset: u64,
    },
    /// Writes the input into a file. The stream ends with exit code 0 after the end of the input, when the file is
    /// complete and stored.
    WriteFile {
        place: FilePlace,
        path: FilePath,
        options: WriteOptions,
    },
    /// Sends `FileProgress` as lines of JSON.
    FileWork { place: FilePlace, work: FileWork },
    /// The bytes of an image's archive.
    ExportImage {
        context: ContextName,
        reference: String,
    },
    /// Stores the images of an archive, which is the input. Sends `ImageProgress` as lines of JSON. A connection that is
    /// closed before the end of the input cancels it.
    ImportImage { context: ContextName },
    /// Sends an image to a registry as `target`. Sends `ImageProgress` as lines of JSON.
    PushImage {
        context: ContextName,
        reference: String,
        target: String,
    },
    /// A command that runs in addition to the session's own.
    Exec {
        session: SessionKey,
        argv: Vec<String>,
        tty: Option<(u16, u16)>,
        /// The container of a cluster session; `None` = the main container.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        kernel: Option<KernelId>,
    },
}

impl StreamOpen {
    /// Whether the stream is about files.
    pub const fn is_of_files(&self) -> bool {
        matches!(
            self,
            Self::ReadFile { .. } | Self::WriteFile { .. } | Self::FileWork { .. }
        )
    }

    /// The context whose images it is about.
    pub const fn image_context(&self) -> Option<ContextName> {
        match self {
            Self::ExportImage { context, .. }
            | Self::ImportImage { context }
            | Self::PushImage { context, .. } => Some(*context),
            _ => None,
        }
    }
}

/// How a stream ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "end", rename_all = "kebab-case")]
pub enum StreamEnd {
    /// The program of the stream ended.
    Exited { exit_code: Option<i64> },
    /// The stream could not be opened.
    Failed { failure: Failure },
    /// The connection to the engine broke. Opening the stream again may lead back to the same shell.
    Lost { why: Clean },
}

/// One piece of a stream's bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamData {
    pub origin: Origin,
    pub bytes: bytes::Bytes,
}

/// Where bytes come from: which output of a program, or the source of the input. Only typed input counts as
/// use of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Origin {
    Stdout,
    Stderr,
    /// Keys and pastes of a user. For streams without a terminal: all input.
    Typed,
    /// The terminal emulator's answers to queries of a program.
    Reply,
    /// The pane got or lost the focus.
    Focus,
    /// The mouse moved, without a button.
    Motion,
}

impl From<u8> for Origin {
    /// An unknown number doesn't count as typing.
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
    /// Which output this is. Input counts as stdout.
    pub fn output(self) -> LogSource {
        match self {
            Self::Stderr => LogSource::Stderr,
            _ => LogSource::Stdout,
        }
    }
}
