//! Orders of the observer.

use crate::{
    engine::manager::PageQuery,
    model::{id::SessionId, spec::LaunchRequest},
};

/// The number of an attempt to connect. It tells events of an old connection from those of the
/// current one.
pub type ConnectionNumber = u32;

/// The number of a request to the engine. An answer to a request that isn't in progress any more is
/// ignored.
pub type ErrandNumber = u64;

#[derive(Clone, Debug, PartialEq)]
pub enum Order {
    /// Test whether the engine responds and accepts our credentials.
    Connect {
        line: ConnectionNumber,
        /// Create a new engine first, because the keys may have changed.
        anew: bool,
    },
    /// Listen to events. An older listener ends.
    Listen {
        line: ConnectionNumber,
    },
    /// Stop listening.
    Rest,
    Run {
        errand: ErrandNumber,
        what: Errand,
    },
}

/// One request to the engine.
#[derive(Clone, Debug, PartialEq)]
pub enum Errand {
    Page(PageQuery),
    Totals,
    Rows(Vec<SessionId>),
    Detail(SessionId),
    Launch(Box<LaunchRequest>),
    Terminate {
        session: SessionId,
        force: bool,
    },
    Rename {
        session: SessionId,
        name: String,
    },
    Prioritize {
        session: SessionId,
        priority: i32,
    },
    Commit {
        session: SessionId,
        image_name: String,
    },
    Environments,
    Statistics,
    Catalogue {
        project: Option<String>,
    },
    CreateFolder {
        name: String,
    },
}

impl Errand {
    /// The name in logs.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Page(_) => "page",
            Self::Totals => "totals",
            Self::Rows(_) => "rows",
            Self::Detail(_) => "detail",
            Self::Launch(_) => "launch",
            Self::Terminate { .. } => "terminate",
            Self::Rename { .. } => "rename",
            Self::Prioritize { .. } => "priority",
            Self::Commit { .. } => "commit",
            Self::Environments => "environments",
            Self::Statistics => "statistics",
            Self::Catalogue { .. } => "catalogue",
            Self::CreateFolder { .. } => "create-folder",
        }
    }

    /// Whether the request changes something, so that it is logged.
    pub const fn is_change(&self) -> bool {
        matches!(
            self,
            Self::Launch(_)
                | Self::Terminate { .. }
                | Self::Rename { .. }
                | Self::Prioritize { .. }
                | Self::Commit { .. }
                | Self::CreateFolder { .. }
        )
    }
}
