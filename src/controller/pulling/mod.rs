//! Images on their way: who wants which, what is tried again, what becomes of who waits for one.
//!
//! Sessions that want the same image share a pull, and so does whoever asks for it by hand. A session
//! says in its step that it waits for an image; everything else here is in memory only, so a daemon
//! that starts anew begins the pulls of its sessions again, and the engine goes on with the layers it
//! has.

mod rate;
mod wants;

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};

use self::rate::Rate;
use super::{
    core::{Controller, Purpose},
    fact::{Fault, FaultKind, Ticket},
    line::refusal_of,
    order::{Order, PullNumber},
    turn::{Answer, Turn},
};
use crate::model::{
    change::Change,
    id::SessionId,
    pull::{Pull, PullFigures},
    reference,
    text::Clean,
};

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

impl Controller {
    /// Begins a pull, or joins the one under way. Who wants it is to be told how far it is.
    fn pull(&mut self, turn: &mut Turn, reference: &str) {
        if self.is_connected() && !self.pulls.all.contains_key(reference) {
            let under = Under::new(reference);
            self.pulls.all.insert(reference.to_owned(), under);
            turn.begun.push(reference.to_owned());
            self.order_pull(turn, reference);
        }
    }

    fn order_pull(&mut self, turn: &mut Turn, reference: &str) {
        self.pulls.next += 1;
        let number = self.pulls.next;
        let Some(under) = self.pulls.all.get_mut(reference) else {
            return;
        };
        under.number = number;
        under.retry_at = None;
        under.rate = Rate::default();
        under.pull.attempt += 1;
        under.pull.broken = None;
        turn.orders.push(Order::Pull {
            number,
            reference: reference.to_owned(),
        });
    }

    /// It went on.
    pub(super) fn pulling(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        number: PullNumber,
        figures: PullFigures,
    ) {
        let Some(reference) = self.pulls.reference_of(number) else {
            return;
        };
        let Some(under) = self.pulls.all.get_mut(&reference) else {
            return;
        };
        under.moved |= figures.bytes_done.0 > 0;
        under.rate.hear(now, figures.bytes_done);
        under.pull.figures = figures;
        under.pull.rate = under.rate.per_second();
        under.pull.seconds_left = under.rate.seconds_left(&figures);
        self.tell_pull(turn, &reference);
    }

    /// It ended, well or not.
    pub(super) fn pulled(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        number: PullNumber,
        result: Result<(), Fault>,
    ) {
        let Some(reference) = self.pulls.reference_of(number) else {
            return;
        };
        match result {
            Ok(()) => self.is_pulled(turn, now, &reference),
            Err(fault) if fault.is_lost() => self.note_fault(turn, now, &fault),
            Err(fault) => self.pull_failed(turn, now, &reference, &fault),
        }
    }

    fn is_pulled(&mut self, turn: &mut Turn, now: Timestamp, reference: &str) {
        for ticket in self.end_pull(reference) {
            turn.answer(ticket, Ok(Answer::Done));
        }
        for id in self.waiting_for(reference) {
            self.go_on(turn, now, id);
        }
        // It is among the environments now.
        self.survey(turn, Purpose::Reconcile, true);
    }

    fn pull_failed(&mut self, turn: &mut Turn, now: Timestamp, reference: &str, fault: &Fault) {
        let Some(under) = self.pulls.all.get_mut(reference) else {
            return;
        };
        if under.is_worth_it(fault) {
            let pause = SignedDuration::from_secs(1 << under.pull.attempt.min(5));
            under.retry_at = now.checked_add(pause).ok();
            under.pull.broken = Some(fault.text.clone());
            under.pull.rate = None;
            under.pull.seconds_left = None;
            return self.tell_pull(turn, reference);
        }
        let attempts = under.pull.attempt;
        let refusal = refusal_of(fault);
        for ticket in self.end_pull(reference) {
            turn.answer(ticket, Err(refusal.clone()));
        }
        let mut why = fault.sentence();
        if attempts > 1 {
            why = format!("{why}; it was tried {attempts} times");
        }
        for id in self.waiting_for(reference) {
            self.fail_because(turn, now, id, "pull-failed", &why);
        }
    }

    /// Attempts that are due.
    pub(super) fn pulls_due(&mut self, turn: &mut Turn, now: Timestamp) {
        let due = |under: &Under| under.retry_at.is_some_and(|at| at <= now);
        let due = self.pulls.all.iter().filter(|(_, under)| due(under));
        let due: Vec<String> = due.map(|(reference, _)| reference.clone()).collect();
        for reference in due {
            self.order_pull(turn, &reference);
            self.tell_pull(turn, &reference);
        }
    }

    /// The line to the engine is gone, and every pull with it. Sessions wait for the next one.
    pub(super) fn drop_pulls(&mut self, turn: &mut Turn, fault: &Fault) {
        for under in std::mem::take(&mut self.pulls.all).into_values() {
            turn.orders.push(Order::CancelPull {
                number: under.number,
            });
            for ticket in under.tickets {
                turn.answer(ticket, Err(refusal_of(fault)));
            }
        }
    }

    /// Who asked for it by hand, once it is over.
    fn end_pull(&mut self, reference: &str) -> BTreeSet<Ticket> {
        let under = self.pulls.all.remove(reference);
        under.map(|under| under.tickets).unwrap_or_default()
    }

    /// How far it is, told of every session that waits for it. It is not written: a daemon that starts
    /// anew begins it anew.
    fn tell_pull(&mut self, turn: &mut Turn, reference: &str) {
        let Some(under) = self.pulls.all.get(reference) else {
            return;
        };
        let pull = under.pull.clone();
        if !under.tickets.is_empty() {
            turn.changes.push(Change::Pull {
                context: self.context,
                pull: Box::new(pull.clone()),
            });
        }
        for id in self.waiting_for(reference) {
            self.tell_session(turn, id, &pull);
        }
    }

    fn tell_session(&mut self, turn: &mut Turn, id: SessionId, pull: &Pull) {
        let Some(held) = self.held.get_mut(&id) else {
            return;
        };
        let session = &mut held.record.session;
        session.pull = Some(Box::new(pull.clone()));
        // Of one that changes besides, the whole is told at the end of the turn.
        if !turn.before.contains_key(&id) {
            turn.changes.push(Change::Session {
                session: Box::new(session.clone()),
            });
        }
    }
}
