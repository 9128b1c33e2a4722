//! The place where a shell runs.

use crate::model::id::{KernelId, SessionKey};

/// Where the shell runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ShellPlace {
    Session(SessionKey),
    /// A container of a cluster session other than its main one.
    Container(SessionKey, KernelId),
    Host,
}

impl ShellPlace {
    /// The container, if it isn't the main one.
    pub fn kernel(self) -> Option<KernelId> {
        match self {
            Self::Container(_, kernel) => Some(kernel),
            Self::Session(_) | Self::Host => None,
        }
    }

    /// The session of the place, for any of its containers.
    pub fn session(self) -> Option<SessionKey> {
        match self {
            Self::Session(session) | Self::Container(session, _) => Some(session),
            Self::Host => None,
        }
    }
}
