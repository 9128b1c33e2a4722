//! Image pulls: which sessions need which image, what is retried, and what happens to the sessions
//! that wait.
//!
//! Sessions with the same image share a pull, also with `pull` requests. A session's step says that
//! it waits for an image. Everything else is in memory only: a restarted daemon begins the pulls of
//! its sessions again, and the engine reuses the layers that it already has.

mod needs;
mod progress;
mod rate;

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use self::rate::Rate;
use super::order::PullNumber;
use crate::{
    model::{
        failure::{Failure, FailureKind},
        pull::Pull,
        reference,
        text::Clean,
    },
    state_machine::Ticket,
};

/// How many attempts a pull has before it fails.
const TRIES: u32 = 5;

/// Pulls by the reference of the image.
#[derive(Debug, Default)]
pub(super) struct Pulls {
    next: PullNumber,
    all: BTreeMap<String, ActivePull>,
}

/// A pull in progress, or one that waits for a retry.
#[derive(Debug)]
struct ActivePull {
    number: PullNumber,
    /// The `pull` requests that wait for it.
    tickets: BTreeSet<Ticket>,
    pull: Pull,
    rate: Rate,
    /// Data has arrived, so a retry is worthwhile.
    moved: bool,
    retry_at: Option<Timestamp>,
}

impl ActivePull {
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

    /// Whether a retry may succeed.
    fn is_worth_it(&self, failure: &Failure) -> bool {
        let is_temporary = match failure.kind {
            FailureKind::RegistryBroken => true,
            // A network that is down from the start is reported at once.
            FailureKind::RegistryUnreachable => self.moved,
            _ => false,
        };
        is_temporary && self.pull.attempt < TRIES
    }
}

impl Pulls {
    pub(super) fn next_deadline(&self) -> Option<Timestamp> {
        self.all.values().filter_map(|under| under.retry_at).min()
    }

    /// The retry times of interrupted pulls.
    pub(super) fn pauses(&mut self) -> impl Iterator<Item = &mut Timestamp> {
        let all = self.all.values_mut();
        all.filter_map(|under| under.retry_at.as_mut())
    }

    /// Removes a pull that wasn't begun.
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
