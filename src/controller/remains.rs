//! Deadlines of sessions: trying again, ending in time, deleting what ended sessions left.

use jiff::{SignedDuration, Timestamp};

use super::{core::Controller, held::Held, order::Order, turn::Turn};
use crate::model::{id::SessionId, record::Step};

/// Until deleting the remains of a session is tried again.
const FORGET_AGAIN: SignedDuration = SignedDuration::from_hours(1);

impl Controller {
    /// A deadline of a session came.
    pub(super) fn look_after(&mut self, turn: &mut Turn, now: Timestamp, id: SessionId) {
        let connected = self.is_connected();
        let wanted = self.is_home_wanted(id);
        let Some(held) = self.change(turn, id) else {
            return;
        };
        let retry = held.retry_at.is_some_and(|at| at <= now);
        let forget = held.forget_at.is_some_and(|at| at <= now);
        // Without an engine it stays due until the line stands.
        if forget && wanted {
            self.forget_again(turn, now, id);
        } else if forget && connected {
            held.forget_at = None;
            let epoch = held.epoch;
            turn.orders.push(Order::Forget { session: id, epoch });
        }
        if retry {
            self.issue(turn, id);
        }
        self.end_if_due(turn, now, id);
    }

    /// Notes when scratch and log of an ended session are to be deleted.
    pub(super) fn plan_forgetting(&mut self, held: &mut Held) {
        let record = &held.record;
        let ended = record.session.status.is_final() && record.step == Step::Settled;
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
        held.forget_at = Some(at);
        self.deadlines.insert((at, held.id()));
    }

    pub(super) fn forgot(&mut self, turn: &mut Turn, now: Timestamp, id: SessionId, done: bool) {
        if !done {
            return self.forget_again(turn, now, id);
        }
        if let Some(held) = self.change(turn, id) {
            held.record.forgotten = true;
            held.record.session.scratch = None;
        }
    }

    fn forget_again(&mut self, turn: &mut Turn, now: Timestamp, id: SessionId) {
        let Ok(at) = now.checked_add(FORGET_AGAIN) else {
            return;
        };
        if let Some(held) = self.change(turn, id) {
            held.forget_at = Some(at);
            self.deadlines.insert((at, id));
        }
    }
}
