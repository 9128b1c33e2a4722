//! The requests about a session or a context that clients send and state machines decide.

use serde::{Deserialize, Serialize};

use super::{
    app::{AppStart, ProxyOptions},
    folder::{FolderRequest, NewFolder},
    forward::{ForwardId, ForwardOptions, ForwardTarget},
    id::SessionKey,
    idle::Keep,
    own_image::ImageRequest,
    status::Tab,
};

/// A request about one session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verb", rename_all = "kebab-case")]
pub enum SessionRequest {
    Rename {
        name: String,
    },
    /// The priority of a pending session, 0 to 100.
    Priority {
        priority: i32,
    },
    /// `force` kills the session immediately. Succeeds as soon as the request is recorded.
    Terminate {
        force: bool,
    },
    /// Deletes the record of an ended session, its home directory and its log. Succeeds when all of them are
    /// deleted.
    Delete,
    /// Creates an image from a running session. The session's `pending_request` shows the progress.
    Commit {
        image_name: String,
        /// Whether the session's programs wait meanwhile, where the engine can choose.
        #[serde(default)]
        pause: bool,
    },
    /// Cancels the creation of an image. Succeeds when nothing is being created any more.
    CancelCommit,
    /// Extends or exempts a session from idle checks. The answer is the session with this change.
    Keep {
        keep: Keep,
    },
    /// The launch settings of a session that may have ended, without secrets.
    Again,
    /// Everything about the session, read again from the engine.
    Detail,
    /// The scheduling history, newest first.
    History,
    /// What the session used over its last minutes, and how it ended.
    Figures,
}

impl SessionRequest {
    /// Whether the request changes something, which a read-only context refuses.
    pub const fn is_change(&self) -> bool {
        match self {
            Self::Rename { .. }
            | Self::Priority { .. }
            | Self::Terminate { .. }
            | Self::Delete
            | Self::Commit { .. }
            | Self::CancelCommit
            | Self::Keep { .. } => true,
            Self::Again | Self::Detail | Self::History | Self::Figures => false,
        }
    }
}

/// A request about a context and its engine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verb", rename_all = "kebab-case")]
pub enum ContextRequest {
    /// Reads one full list from the engine now.
    Refresh,
    /// Environments, read again from the engine.
    Environments,
    /// The available resources for a launch, cached for a minute unless `refresh` is set.
    Catalogue {
        /// A project's name; `None` = the project of the context.
        project: Option<String>,
        refresh: bool,
    },
    /// Fetches an image, by its reference or its name in the catalog. Succeeds when the image exists. The pull
    /// is cancelled when the client that asked disconnects.
    Pull { image: String },
    /// A request about folders that outlive sessions.
    Folder { request: FolderRequest },
    /// Lists or removes images.
    Image { request: ImageRequest },
    /// The keys and projects of the user that a session is launched for.
    FindOwner { email: String },
    /// Loads up to `count` sessions of a tab (only those whose name contains `text`). The answer is how many
    /// there are.
    Reach {
        tab: Tab,
        text: Option<String>,
        count: u32,
    },
}

impl ContextRequest {
    /// Whether the request changes something, which a read-only context refuses.
    pub const fn is_change(&self) -> bool {
        match self {
            Self::Pull { .. }
            | Self::Image {
                request: ImageRequest::Remove { .. },
            } => true,
            Self::Folder { request } => request.is_change(),
            Self::Refresh
            | Self::Image {
                request: ImageRequest::List,
            }
            | Self::Environments
            | Self::Catalogue { .. }
            | Self::FindOwner { .. }
            | Self::Reach { .. } => false,
        }
    }
}

impl From<FolderRequest> for ContextRequest {
    fn from(request: FolderRequest) -> Self {
        Self::Folder { request }
    }
}

impl ContextRequest {
    /// Creates a folder with this name, and the defaults for the rest.
    pub fn create_folder(name: impl Into<String>) -> Self {
        let new = NewFolder::named(name);
        FolderRequest::Create { new }.into()
    }
}

/// A request about the apps of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verb", rename_all = "kebab-case")]
pub enum AppRequest {
    /// The apps, as the session has them now.
    List,
    /// Starts the app if it doesn't run. Succeeds when it answers on its port.
    Start { start: AppStart },
    /// Ends the app and closes its forwards.
    Stop { app: String },
    /// The last lines that the app printed.
    Log { app: String },
    /// Starts the app if it doesn't run, and opens a forward to it.
    Open {
        start: AppStart,
        options: ForwardOptions,
    },
    /// Starts the app if it doesn't run, and opens it at the app proxy of the cluster.
    Proxy {
        start: AppStart,
        options: ProxyOptions,
    },
}

/// A request about forwards.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verb", rename_all = "kebab-case")]
pub enum ForwardRequest {
    List,
    /// Opens a forward. An equal one that is open already is the answer.
    Open {
        session: SessionKey,
        target: ForwardTarget,
        options: ForwardOptions,
    },
    /// Creates a URL with a new token.
    Url {
        id: ForwardId,
    },
    Close {
        id: ForwardId,
    },
}
