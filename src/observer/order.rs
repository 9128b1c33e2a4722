//! Orders of the observer.

use crate::{
    engine::manager::PageQuery,
    model::{
        id::SessionId, one_time_code::OneTimeCode, request::SessionChange, spec::LaunchRequest,
    },
};

/// The number of an attempt to connect. It distinguishes events of an old connection from those of the
/// current one.
pub type ConnectionNumber = u32;

/// The number of a request to the manager. An answer to a request that isn't in progress any more is
/// ignored.
pub type RequestNumber = u64;

#[derive(Clone, Debug, PartialEq)]
pub enum Order {
    /// Test whether the engine responds and accepts our credentials.
    Connect {
        connection: ConnectionNumber,
        /// Create a new engine first, because the keys may have changed.
        new_login: bool,
        /// A one-time password for this login.
        code: Option<OneTimeCode>,
    },
    /// Listen to events. An older listener ends.
    Listen { connection: ConnectionNumber },
    /// Stop listening.
    Rest,
    Run {
        number: RequestNumber,
        request: ManagerRequest,
    },
}

/// One request to the manager.
#[derive(Clone, Debug, PartialEq)]
pub enum ManagerRequest {
    Page(PageQuery),
    Totals,
    Rows(Vec<SessionId>),
    Detail(SessionId),
    Launch(Box<LaunchRequest>),
    Change {
        session: SessionId,
        change: SessionChange,
    },
    Environments,
    Statistics,
    Catalogue {
        project: Option<String>,
    },
}

impl ManagerRequest {
    /// The name in logs.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Page(_) => "page",
            Self::Totals => "totals",
            Self::Rows(_) => "rows",
            Self::Detail(_) => "detail",
            Self::Launch(_) => "launch",
            Self::Change { change, .. } => change.name(),
            Self::Environments => "environments",
            Self::Statistics => "statistics",
            Self::Catalogue { .. } => "catalogue",
        }
    }

    /// Whether the request changes something, so that it is logged.
    pub const fn is_change(&self) -> bool {
        matches!(self, Self::Launch(_) | Self::Change { .. })
    }
}
