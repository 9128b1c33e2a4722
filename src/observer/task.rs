//! Requests in progress, and the times of the next ones.

use jiff::Timestamp;

use super::{order::ConnectionNumber, window::SweepNumber};
use crate::{
    model::{id::SessionId, spec::LaunchRequest},
    state_machine::Ticket,
};

/// When each action is due.
#[derive(Debug, Default)]
pub(super) struct Times {
    /// The next list.
    pub poll: Option<Timestamp>,
    /// The next rows.
    pub hints: Option<Timestamp>,
    pub last_hints: Option<Timestamp>,
    /// The next reading of changing sessions.
    pub moving: Option<Timestamp>,
    /// The next reading of why queued sessions wait.
    pub reasons: Option<Timestamp>,
    pub totals: Option<Timestamp>,
    /// The next count of what the user's sessions use.
    pub statistics: Option<Timestamp>,
    pub counted_at: Option<Timestamp>,
    /// When all unfinished sessions were last read; `None` = they must be read with the next list.
    pub wide_reading: Option<Timestamp>,
    /// When the last list began, and when a list was last complete.
    pub read_begun: Option<Timestamp>,
    pub read_done: Option<Timestamp>,
}

/// A request in progress.
#[derive(Clone, Debug)]
pub(super) struct Task {
    pub connection: ConnectionNumber,
    pub purpose: Purpose,
}

/// What a request is for, and which clients wait for it.
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
        /// The session was just launched, so it has no row yet.
        launched: Option<Box<LaunchRequest>>,
        /// A launch failed, and its reason is needed.
        explain: bool,
    },
    Launch {
        ticket: Ticket,
        request: Box<LaunchRequest>,
    },
    /// See `Observer::pending`.
    Change,
    Environments {
        tickets: Vec<Ticket>,
    },
    Statistics,
    Catalogue {
        project: Option<String>,
        tickets: Vec<Ticket>,
    },
    /// Launches that don't fit what is known of the context, or whose context isn't known yet. The
    /// context is read first.
    Recheck {
        project: Option<String>,
        waiting: Vec<(Ticket, Box<LaunchRequest>)>,
    },
}

impl Purpose {
    /// Whether the request changes something, so that its answer counts even if the connection was
    /// lost.
    pub(super) fn is_change(&self) -> bool {
        matches!(self, Self::Launch { .. } | Self::Change)
    }
}
