//! The steps of a pull: begin, progress, end, retry.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};

use super::{
    super::{
        core::Scheduler,
        order::{Order, PullNumber},
        purpose::OrderPurpose,
        turn::Turn,
    },
    ActivePull,
    needs::PHASE,
    rate::Rate,
};
use crate::{
    model::{
        change::Change,
        failure::Failure,
        id::SessionId,
        pull::{Pull, PullFigures},
    },
    state_machine::{Answer, Ticket},
};

impl Scheduler {
    /// Begins a pull, or joins the one in progress. Its sessions must then get its progress.
    pub(super) fn pull(&mut self, turn: &mut Turn, reference: &str) {
        if self.is_connected() && !self.pulls.all.contains_key(reference) {
            let under = ActivePull::new(reference);
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

    /// Handles the progress of a pull.
    pub(in crate::scheduler) fn pulling(
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
        under.rate.add(now, figures.bytes_done);
        under.pull.figures = figures;
        under.pull.rate = under.rate.per_second();
        under.pull.seconds_left = under.rate.seconds_left(&figures);
        self.report_pull(turn, &reference);
    }

    /// Handles the end of a pull, successful or not.
    pub(in crate::scheduler) fn pulled(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        number: PullNumber,
        result: Result<(), Failure>,
    ) {
        let Some(reference) = self.pulls.reference_of(number) else {
            return;
        };
        match result {
            Ok(()) => self.is_pulled(turn, now, &reference),
            Err(failure) if failure.is_lost() => self.note_failure(turn, now, &failure),
            Err(failure) => self.pull_failed(turn, now, &reference, &failure),
        }
    }

    fn is_pulled(&mut self, turn: &mut Turn, now: Timestamp, reference: &str) {
        for ticket in self.end_pull(reference) {
            turn.answer(ticket, Ok(Answer::Done));
        }
        for id in self.waiting_for(reference) {
            self.image_ready(turn, now, id);
        }
        // The image is in the list of environments now.
        self.survey(turn, OrderPurpose::Reconcile, true);
    }

    fn pull_failed(&mut self, turn: &mut Turn, now: Timestamp, reference: &str, failure: &Failure) {
        let Some(under) = self.pulls.all.get_mut(reference) else {
            return;
        };
        if under.is_worth_it(failure) {
            let pause = SignedDuration::from_secs(1 << under.pull.attempt.min(5));
            under.retry_at = now.checked_add(pause).ok();
            under.pull.broken = Some(failure.message());
            under.pull.rate = None;
            under.pull.seconds_left = None;
            return self.report_pull(turn, reference);
        }
        let attempts = under.pull.attempt;
        for ticket in self.end_pull(reference) {
            turn.answer(ticket, Err(failure.clone()));
        }
        let mut why = failure.sentence();
        if attempts > 1 {
            why = tr_sent!("{why} (tried {attempts} times)", why, attempts);
        }
        for id in self.waiting_for(reference) {
            self.fail_in(turn, now, id, PHASE, "pull-failed", &why);
        }
    }

    /// Begins the retries that are due.
    pub(in crate::scheduler) fn pulls_due(&mut self, turn: &mut Turn, now: Timestamp) {
        let due = |under: &ActivePull| under.retry_at.is_some_and(|at| at <= now);
        let due = self.pulls.all.iter().filter(|(_, under)| due(under));
        let due: Vec<String> = due.map(|(reference, _)| reference.clone()).collect();
        for reference in due {
            self.order_pull(turn, &reference);
            self.report_pull(turn, &reference);
        }
    }

    /// Drops all pulls after the connection to the engine is lost. Sessions wait for the next
    /// connection.
    pub(in crate::scheduler) fn drop_pulls(&mut self, turn: &mut Turn, failure: &Failure) {
        for under in std::mem::take(&mut self.pulls.all).into_values() {
            turn.orders.push(Order::CancelPull {
                number: under.number,
            });
            for ticket in under.tickets {
                turn.answer(ticket, Err(failure.clone()));
            }
        }
    }

    /// Removes a finished pull and returns the requests that wait for it.
    fn end_pull(&mut self, reference: &str) -> BTreeSet<Ticket> {
        let under = self.pulls.all.remove(reference);
        under.map(|under| under.tickets).unwrap_or_default()
    }

    /// Reports the progress in every session that waits for the image. It isn't written, because a
    /// restarted daemon begins the pull again.
    pub(super) fn report_pull(&mut self, turn: &mut Turn, reference: &str) {
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
            self.report_session(turn, id, &pull);
        }
    }

    fn report_session(&mut self, turn: &mut Turn, id: SessionId, pull: &Pull) {
        let Some(tracked) = self.tracked.get_mut(&id) else {
            return;
        };
        let session = &mut tracked.record.session;
        session.pull = Some(Box::new(pull.clone()));
        // A session with other changes is reported at the end of the turn.
        if !turn.before.contains_key(&id) {
            turn.changes.push(Change::Session {
                session: Box::new(session.clone()),
            });
        }
    }
}
