//! A session in the scheduler's memory.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::{order::CommitNumber, queue::Tries};
use crate::{
    model::{
        id::SessionId,
        record::{SessionRecord, Step},
        secret::Secret,
    },
    state_machine::Ticket,
};

#[derive(Clone, Debug)]
pub(super) struct TrackedSession {
    pub record: SessionRecord,
    /// Increases with every order. An answer to an older order is stale.
    pub epoch: u32,
    /// An order is in progress.
    pub busy: bool,
    /// An inspection is in progress.
    pub inspecting: bool,
    /// The engine reported an event during an order or an inspection.
    pub missed: bool,
    /// The turn in which an order was last given or answered. A list that was requested before it
    /// is stale.
    pub touched: u64,
    /// How often the current step has failed.
    pub failures: u32,
    /// When the current step is retried.
    pub retry_at: Option<Timestamp>,
    /// When its home directory and log are deleted.
    pub forget_at: Option<Timestamp>,
    /// How often deleting them has failed since the daemon started.
    pub forget_failures: u32,
    /// The requests that wait until the record is deleted.
    pub delete_tickets: Vec<Ticket>,
    /// The last exit code that the engine reported.
    pub last_exit: Option<i64>,
    /// Clients of an earlier daemon are being detached.
    pub detaching: bool,
    /// The requests that wait for the new name.
    pub rename_tickets: Vec<Ticket>,
    /// The number of the order that creates an image from it.
    pub commit: Option<CommitNumber>,
    /// The values of its secret variables, until its containers are created.
    pub secrets: BTreeMap<String, Secret>,
    /// The queue's attempts to start it.
    pub tries: Option<Tries>,
    /// The turn in which its queue position was last reported.
    pub reported_in: u64,
}

impl TrackedSession {
    pub fn new(record: SessionRecord) -> Self {
        Self {
            record,
            epoch: 0,
            busy: false,
            inspecting: false,
            missed: false,
            touched: 0,
            failures: 0,
            retry_at: None,
            forget_at: None,
            forget_failures: 0,
            delete_tickets: Vec::new(),
            last_exit: None,
            detaching: false,
            rename_tickets: Vec::new(),
            commit: None,
            secrets: BTreeMap::new(),
            tries: None,
            reported_in: 0,
        }
    }

    /// Ends the current step. Nothing is in progress or requested any more.
    pub fn settle(&mut self) {
        self.record.step = Step::Settled;
        self.record.force = false;
        self.record.session.pending_request = None;
        self.failures = 0;
    }

    /// Whether its containers can't be created as requested, because secret values that only the
    /// user knows are lost.
    pub fn lacks_secrets(&self) -> bool {
        let mut names = self.record.spec.secret_names.iter();
        names.any(|name| !self.secrets.contains_key(name))
    }

    /// Whether it runs and isn't about to end.
    pub fn is_checked(&self) -> bool {
        self.record.step == Step::Settled && self.record.session.status.is_live()
    }

    pub fn id(&self) -> SessionId {
        self.record.session.id
    }
}
