//! A session as the controller holds it.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::{fact::Ticket, queue::Tries};
use crate::model::{
    id::SessionId,
    record::{SessionRecord, Step},
    secret::Secret,
};

#[derive(Clone, Debug)]
pub(super) struct Held {
    pub record: SessionRecord,
    /// Grows with every order of its life; an answer of an older one is stale.
    pub epoch: u32,
    /// An order of its life is under way.
    pub busy: bool,
    /// It is being looked at.
    pub inspecting: bool,
    /// The engine told of something while an order or a look was under way.
    pub missed: bool,
    /// The turn in which an order was last given or answered: a list asked for before is stale.
    pub touched: u64,
    /// How often the present step failed.
    pub failures: u32,
    /// When the present step is tried again.
    pub retry_at: Option<Timestamp>,
    /// Its scratch and log are deleted then.
    pub forget_at: Option<Timestamp>,
    /// How often deleting them failed since the daemon was started.
    pub forget_failures: u32,
    /// Who waits for the record to be deleted.
    pub delete_tickets: Vec<Ticket>,
    /// The exit code the engine last told of.
    pub last_exit: Option<i64>,
    /// Clients of an earlier daemon are being detached.
    pub detaching: bool,
    /// Who waits for the renaming.
    pub rename_tickets: Vec<Ticket>,
    /// Values of its secret variables, until its containers are made.
    pub secrets: BTreeMap<String, Secret>,
    /// How the queue has tried it.
    pub tries: Option<Tries>,
    /// The turn in which its place in the queue was last told.
    pub told_in: u64,
}

impl Held {
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
            secrets: BTreeMap::new(),
            tries: None,
            told_in: 0,
        }
    }

    /// Nothing is under way any more, nor asked of it.
    pub fn settle(&mut self) {
        self.record.step = Step::Settled;
        self.record.force = false;
        self.record.session.pending_request = None;
        self.failures = 0;
    }

    /// Whether its containers cannot be made as asked: values that only a person knows are gone.
    pub fn lacks_secrets(&self) -> bool {
        let mut names = self.record.spec.secret_names.iter();
        names.any(|name| !self.secrets.contains_key(name))
    }

    /// Whether it runs, and nothing is decided against it.
    pub fn is_judged(&self) -> bool {
        self.record.step == Step::Settled && self.record.session.status.is_live()
    }

    pub fn id(&self) -> SessionId {
        self.record.session.id
    }
}
