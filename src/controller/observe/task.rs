//! What is under way, and when what is due.

use jiff::Timestamp;

use super::{order::LineNumber, window::SweepNumber};
use crate::{
    controller::fact::Ticket,
    model::{id::SessionId, spec::LaunchRequest},
};

/// When what is due.
#[derive(Debug, Default)]
pub(super) struct Times {
    /// The next list.
    pub poll: Option<Timestamp>,
    /// The next rows.
    pub hints: Option<Timestamp>,
    pub last_hints: Option<Timestamp>,
    /// Moving sessions are looked at.
    pub moving: Option<Timestamp>,
    /// Queued sessions are asked why they wait.
    pub reasons: Option<Timestamp>,
    pub totals: Option<Timestamp>,
    /// What the person holds is counted anew.
    pub statistics: Option<Timestamp>,
    pub counted_at: Option<Timestamp>,
    /// When the last list was begun, and when one last came to its end.
    pub read_begun: Option<Timestamp>,
    pub read_done: Option<Timestamp>,
}

/// An errand under way.
#[derive(Clone, Debug)]
pub(super) struct Task {
    pub line: LineNumber,
    pub purpose: Purpose,
}

/// What an errand is for, and who waits for it.
#[derive(Clone, Debug)]
pub(super) enum Purpose {
    Page {
        sweep: SweepNumber,
        offset: u32,
        limit: u32,
    },
    Totals,
    Rows(Vec<SessionId>),
    Detail {
        session: SessionId,
        tickets: Vec<Ticket>,
        /// It was just launched: there is no row of it yet.
        launched: Option<Box<LaunchRequest>>,
        /// A launch failed; its reason is wanted.
        explain: bool,
    },
    Launch {
        ticket: Ticket,
        request: Box<LaunchRequest>,
    },
    /// See `Observer::deeds`.
    Deed,
    History {
        session: SessionId,
        tickets: Vec<Ticket>,
    },
    Environments {
        tickets: Vec<Ticket>,
    },
    Statistics,
    Catalogue {
        project: Option<String>,
        tickets: Vec<Ticket>,
    },
    /// Launches that what is known of the context speaks against, or of which nothing is known: that is
    /// read first.
    Recheck {
        project: Option<String>,
        waiting: Vec<(Ticket, Box<LaunchRequest>)>,
    },
    Folder {
        ticket: Ticket,
    },
    Recall {
        session: SessionId,
        ticket: Ticket,
    },
    Owner {
        ticket: Ticket,
    },
}

impl Purpose {
    /// Whether it changes something, so that its answer counts whatever became of the line.
    pub(super) fn is_deed(&self) -> bool {
        matches!(self, Self::Launch { .. } | Self::Deed | Self::Folder { .. })
    }
}
