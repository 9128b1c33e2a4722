//! The purposes of surveys.

use super::fact::Launch;
use crate::state_machine::Ticket;

/// A survey in progress.
#[derive(Clone, Debug)]
pub(super) struct Waiting {
    pub asked_in: u64,
    /// Whether it also reads environments and folders.
    pub environments: bool,
    pub purpose: OrderPurpose,
}

#[derive(Clone, Debug)]
pub(super) enum OrderPurpose {
    Launch(Ticket, Box<Launch>),
    Refresh(Ticket),
    Environments(Ticket),
    Catalogue(Ticket),
    /// A session waits for room.
    Queue,
    Reconcile,
}
