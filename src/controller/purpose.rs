//! What a survey of the engine was asked for.

use super::fact::{Launch, Ticket};

/// A survey under way.
#[derive(Clone, Debug)]
pub(super) struct Waiting {
    pub asked_in: u64,
    pub purpose: Purpose,
}

#[derive(Clone, Debug)]
pub(super) enum Purpose {
    Launch(Ticket, Box<Launch>),
    Refresh(Ticket),
    Environments(Ticket),
    Catalogue(Ticket),
    /// Somebody waits for room.
    Queue,
    Reconcile,
}
