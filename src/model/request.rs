//! The requests about a session or a context that clients send and state machines decide.

use serde::{Deserialize, Serialize};

use super::{
    app::{AppStart, ProxyOptions},
    capability::Capability,
    context::EngineKind,
    failure::Failure,
    folder::{FolderRequest, NewFolder},
    forward::{ForwardId, ForwardOptions, ForwardTarget},
    id::SessionKey,
    idle::Keep,
    one_time_code::OneTimeCode,
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

    /// What the engine must be able to do. A state machine refuses the request if the engine isn't.
    pub const fn needs(&self) -> Option<Capability> {
        match self {
            Self::Rename { .. } => Some(Capability::Rename),
            Self::Priority { .. } => Some(Capability::Priority),
            Self::Commit { .. } => Some(Capability::Commit),
            Self::Keep { .. } => Some(Capability::Reprieve),
            Self::History => Some(Capability::SchedulingHistory),
            Self::Terminate { .. }
            | Self::Delete
            | Self::CancelCommit
            | Self::Again
            | Self::Detail
            | Self::Figures => None,
        }
    }

    /// The command that does the same, with its arguments; `None` if there is none.
    pub fn command(&self, session: &str) -> Option<Vec<String>> {
        fn words<const N: usize>(words: [&str; N]) -> Vec<String> {
            words.map(str::to_owned).to_vec()
        }
        Some(match self {
            Self::Rename { name } => words(["rename", session, name]),
            Self::Priority { priority } => words(["priority", session, &priority.to_string()]),
            Self::Terminate { force: false } => words(["terminate", session]),
            Self::Terminate { force: true } => words(["terminate", "--force", session]),
            Self::Delete => words(["rm", session]),
            Self::Commit { image_name, pause } => {
                let mut line = words(["commit", session, image_name]);
                line.extend(pause.then(|| "--pause".to_owned()));
                line
            }
            Self::CancelCommit => words(["commit", "--cancel", session]),
            Self::Keep { keep } => match keep {
                Keep::Extend => words(["extend", session]),
                Keep::Exempt => words(["extend", "--exempt", session]),
                Keep::Include => words(["extend", "--include", session]),
            },
            Self::Again | Self::Detail | Self::History | Self::Figures => return None,
        })
    }

    /// What becomes of the request on a manager.
    pub fn at_manager(&self) -> AtManager {
        match self {
            Self::Rename { name } => {
                AtManager::Change(SessionChange::Rename { name: name.clone() })
            }
            Self::Priority { priority } => AtManager::Change(SessionChange::Priority {
                priority: *priority,
            }),
            Self::Terminate { force } => {
                AtManager::Change(SessionChange::Terminate { force: *force })
            }
            Self::Commit { image_name, .. } => AtManager::Change(SessionChange::Commit {
                image_name: image_name.clone(),
            }),
            Self::Detail => AtManager::Detail,
            Self::Again | Self::History | Self::Figures => AtManager::Direct,
            Self::Keep { .. } => AtManager::Refused(lack_of(Capability::Reprieve)),
            Self::CancelCommit => AtManager::Refused(
                Failure::refused(tr!(
                    "a Backend.AI manager can't cancel the creation of an image"
                ))
                .hint(tr!(
                    "wait for it, then remove the image with `workbay image rm`"
                )),
            ),
            Self::Delete => AtManager::Refused(Failure::refused(tr!(
                "ended sessions of a Backend.AI context can't be deleted: the manager keeps them"
            ))),
        }
    }
}

/// What becomes of a request about a session on a manager, which decides about its sessions itself.
#[derive(Clone, Debug, PartialEq)]
pub enum AtManager {
    /// The manager makes the change.
    Change(SessionChange),
    /// The session is read again.
    Detail,
    /// The daemon answers it, or asks the manager directly.
    Direct,
    /// No manager does it, so it is refused without a connection.
    Refused(Failure),
}

/// A change of a session that a manager makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionChange {
    /// Asks the session to end, or kills it. Succeeds when the session has already ended.
    Terminate {
        force: bool,
    },
    Rename {
        name: String,
    },
    /// The priority of a pending session, 0 to 100.
    Priority {
        priority: i32,
    },
    /// Creates an image from a running session.
    Commit {
        image_name: String,
    },
}

impl SessionChange {
    /// The name in logs and in audit entries.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Terminate { .. } => "terminate",
            Self::Rename { .. } => "rename",
            Self::Priority { .. } => "priority",
            Self::Commit { .. } => "commit",
        }
    }
}

/// Why managers refuse what needs a capability that none of them has.
fn lack_of(capability: Capability) -> Failure {
    let why = capability.lack_of(EngineKind::Backendai);
    Failure::refused(why.unwrap_or(tr!("this engine doesn't support the request")))
}

/// A request about a context and its engine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verb", rename_all = "kebab-case")]
pub enum ContextRequest {
    /// Reads one full list from the engine now.
    Refresh,
    /// Connects with a one-time password. Succeeds when the manager has accepted the login.
    LogIn { code: OneTimeCode },
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
            | Self::LogIn { .. }
            | Self::Image {
                request: ImageRequest::List,
            }
            | Self::Environments
            | Self::Catalogue { .. }
            | Self::FindOwner { .. }
            | Self::Reach { .. } => false,
        }
    }

    /// Why no manager does it, so that it is refused without a connection.
    pub fn refused_by_managers(&self) -> Option<Failure> {
        match self {
            Self::Pull { .. } => Some(Failure::refused(tr!(
                "the manager of this context pulls images automatically when a session starts"
            ))),
            Self::Refresh
            | Self::LogIn { .. }
            | Self::Environments
            | Self::Catalogue { .. }
            | Self::Folder { .. }
            | Self::Image { .. }
            | Self::FindOwner { .. }
            | Self::Reach { .. } => None,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_needs_a_capability_that_no_manager_has_is_refused_there() {
        let name = || "name".to_owned();
        let all = [
            SessionRequest::Rename { name: name() },
            SessionRequest::Priority { priority: 1 },
            SessionRequest::Terminate { force: false },
            SessionRequest::Delete,
            SessionRequest::Commit {
                image_name: name(),
                pause: false,
            },
            SessionRequest::CancelCommit,
            SessionRequest::Keep { keep: Keep::Extend },
            SessionRequest::Again,
            SessionRequest::Detail,
            SessionRequest::History,
            SessionRequest::Figures,
        ];
        for request in all {
            let lack = request
                .needs()
                .and_then(|it| it.lack_of(EngineKind::Backendai));
            let AtManager::Refused(failure) = request.at_manager() else {
                assert_eq!(lack, None, "{request:?}");
                continue;
            };
            assert!(request.is_change(), "{request:?}");
            if let Some(lack) = lack {
                assert_eq!(failure.message(), lack);
            }
        }
    }
}
