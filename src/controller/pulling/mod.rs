//! Images on their way: who wants which, what is tried again, what becomes of who waits for one.
//!
//! Sessions that want the same image share a pull, and so does whoever asks for it by hand. A session
//! says in its step that it waits for an image; everything else here is in memory only, so a daemon
//! that starts anew begins the pulls of its sessions again, and the engine goes on with the layers it
//! has.

mod course;
mod rate;
mod wants;

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use self::rate::Rate;
use super::{
    fact::{Fault, FaultKind, Ticket},
    order::PullNumber,
};
use crate::model::{pull::Pull, reference, text::Clean};

/// How often an image is tried to be had before those who wait are told.
const TRIES: u32 = 5;

/// Pulls by the reference of the image.
#[derive(Debug, Default)]
pub(super) struct Pulls {
    next: PullNumber,
    all: BTreeMap<String, Under>,
}

/// A pull under way, or about to be tried again.
#[derive(Debug)]
struct Under {
    number: PullNumber,
    /// Who asked for it by hand.
    tickets: BTreeSet<Ticket>,
    pull: Pull,
    rate: Rate,
    /// Something of it has come: it is worth to be tried again.
    moved: bool,
    retry_at: Option<Timestamp>,
}

impl Under {
    fn new(reference: &str) -> Self {
        Self {
            number: 0,
            tickets: BTreeSet::new(),
            pull: Pull {
                registry: Clean::new(reference::registry(reference)),
                reference: Clean::new(reference),
                ..Pull::default()
            },
            rate: Rate::default(),
            moved: false,
            retry_at: None,
        }
    }

    /// Whether another attempt may bring what this one did not.
    fn is_worth_it(&self, fault: &Fault) -> bool {
        let may_mend = match fault.kind {
            FaultKind::Broken => true,
            // A network that is down before anything has come is told at once.
            FaultKind::Away => self.moved,
            _ => false,
        };
        may_mend && self.pull.attempt < TRIES
    }
}

impl Pulls {
    pub(super) fn next_deadline(&self) -> Option<Timestamp> {
        self.all.values().filter_map(|under| under.retry_at).min()
    }

    /// Until pulls that broke off are tried again.
    pub(super) fn pauses(&mut self) -> impl Iterator<Item = &mut Timestamp> {
        let all = self.all.values_mut();
        all.filter_map(|under| under.retry_at.as_mut())
    }

    /// It was never begun.
    pub(super) fn forget(&mut self, reference: &str) {
        self.all.remove(reference);
    }

    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    #[cfg(test)]
    pub(super) fn is_asked_by(&self, ticket: Ticket) -> bool {
        self.all.values().any(|it| it.tickets.contains(&ticket))
    }

    fn reference_of(&self, number: PullNumber) -> Option<String> {
        let mut all = self.all.iter();
        let found = all.find(|(_, under)| under.number == number && under.retry_at.is_none());
        found.map(|(reference, _)| reference.clone())
    }
}
