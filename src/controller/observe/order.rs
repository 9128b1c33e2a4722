//! What the observer wants done.

use crate::{
    engine::scheduler::PageQuery,
    model::{id::SessionId, spec::LaunchRequest},
};

/// Counts attempts to connect, so that news of an old line is told from the present one's.
pub type LineNumber = u32;

/// Counts errands; an answer to one that is not under way any more is not heard.
pub type ErrandNumber = u64;

#[derive(Clone, Debug, PartialEq)]
pub enum Order {
    /// Find out whether the engine answers and knows us.
    Connect {
        line: LineNumber,
        /// Make the engine anew first: keys may have changed.
        anew: bool,
    },
    /// Listen to events; an older listener ends.
    Listen {
        line: LineNumber,
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
    History(SessionId),
    Recall(SessionId),
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
    FindOwner {
        email: String,
    },
}

impl Errand {
    /// The word in logs.
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
            Self::History(_) => "history",
            Self::Recall(_) => "recall",
            Self::Commit { .. } => "commit",
            Self::Environments => "environments",
            Self::Statistics => "statistics",
            Self::Catalogue { .. } => "catalogue",
            Self::CreateFolder { .. } => "create-folder",
            Self::FindOwner { .. } => "find-owner",
        }
    }

    /// Whether it changes something, so that it is worth a line in the log.
    pub const fn is_deed(&self) -> bool {
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
