//! Deadlines of sessions: retries, timeouts, and deleting what ended sessions left.

use jiff::{SignedDuration, Timestamp};

use super::{core::Scheduler, order::Order, tracked_session::TrackedSession, turn::Turn};
use crate::model::{failure::Failure, id::SessionId, notice::Level, record::Step};

/// The pause before deleting is retried. It doubles after each failure.
const FORGET_AGAIN: SignedDuration = SignedDuration::from_hours(1);
/// The longest pause between retries.
const FORGET_AGAIN_AT_MOST: SignedDuration = SignedDuration::from_hours(24);

impl Scheduler {
    /// Handles a deadline of a session.
    pub(super) fn session_due(&mut self, turn: &mut Turn, now: Timestamp, id: SessionId) {
        let connected = self.is_connected();
        let wanted = self.is_home_wanted(id);
        let Some(tracked) = self.change(turn, id) else {
            return;
        };
        let retry = tracked.retry_at.is_some_and(|at| at <= now);
        let forget = tracked.forget_at.is_some_and(|at| at <= now);
        // Without an engine, it stays due until the connection is back.
        if forget && wanted {
            self.forget_again(turn, now, id);
        } else if forget && connected {
            tracked.forget_at = None;
            let epoch = tracked.epoch;
            turn.orders.push(Order::Forget { session: id, epoch });
        }
        if retry {
            self.issue(turn, id);
        }
        self.end_if_due(turn, now, id);
    }

    /// Sets when the home directory and the log of an ended session are deleted.
    pub(super) fn plan_forgetting(&mut self, tracked: &mut TrackedSession) {
        let record = &tracked.record;
        let ended = record.session.has_ended() && record.step == Step::Settled;
        if !ended || record.forgotten {
            return;
        }
        let days = i64::from(self.settings.history.keep_days);
        let Some(at) = record
            .session
            .terminated_at
            .and_then(|at| at.checked_add(SignedDuration::from_hours(24 * days)).ok())
        else {
            return;
        };
        tracked.forget_at = Some(at);
        self.deadlines.insert((at, tracked.id()));
    }

    /// Deletes the home directory and the log of an ended session now, unless another session takes it over.
    pub(super) fn forget_early(&mut self, turn: &mut Turn, id: SessionId) {
        let (connected, wanted) = (self.is_connected(), self.is_home_wanted(id));
        let ended = self.tracked.get(&id).is_some_and(|tracked| {
            let record = &tracked.record;
            let is_left = record.session.home.is_some() && !record.forgotten;
            is_left && record.session.has_ended() && record.step == Step::Settled
        });
        if !connected || wanted || !ended {
            return;
        }
        if let Some(tracked) = self.change(turn, id) {
            tracked.forget_at = None;
            let epoch = tracked.epoch;
            turn.orders.push(Order::Forget { session: id, epoch });
        }
    }

    pub(super) fn forgot(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        id: SessionId,
        failure: Option<&Failure>,
    ) {
        let asked = self.change(turn, id);
        let asked = asked.map(|tracked| std::mem::take(&mut tracked.delete_tickets));
        let asked = asked.unwrap_or_default();
        let Some(failure) = failure else {
            if let Some(tracked) = self.change(turn, id) {
                tracked.record.forgotten = true;
                tracked.record.session.home = None;
            }
            if !asked.is_empty() {
                self.delete(turn, id, asked);
            }
            return;
        };
        for ticket in asked {
            turn.answer(ticket, Err(failure.clone()));
        }
        if !failure.is_lost()
            && let Some(tracked) = self.change(turn, id)
        {
            tracked.forget_failures += 1;
            // The rest was moved aside. The message says where.
            tracked.record.session.home = None;
            if tracked.forget_failures == 1 {
                let text = format!("{}: {}", tracked.record.session.name, failure.sentence());
                turn.message(Level::Warning, Some(id), text);
            }
        }
        self.forget_again(turn, now, id);
    }

    fn forget_again(&mut self, turn: &mut Turn, now: Timestamp, id: SessionId) {
        let Some(tracked) = self.change(turn, id) else {
            return;
        };
        let doublings = tracked.forget_failures.saturating_sub(1).min(8);
        let pause = (FORGET_AGAIN * 2_i32.pow(doublings)).min(FORGET_AGAIN_AT_MOST);
        if let Ok(at) = now.checked_add(pause) {
            tracked.forget_at = Some(at);
            self.deadlines.insert((at, id));
        }
    }
}
