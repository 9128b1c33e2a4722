//! Handles a clock that was set, or that didn't advance while the machine slept.

use jiff::{SignedDuration, Timestamp};

use super::{core::Scheduler, tracked_session::TrackedSession, turn::Turn};
use crate::model::id::SessionId;

impl Scheduler {
    /// Pending pauses end now, because they may be over or seem to last for hours. Time limits of a
    /// session count from its start, corrected by the change of the clock.
    pub(super) fn clock_jumped(&mut self, turn: &mut Turn, now: Timestamp, set_by: SignedDuration) {
        self.set_clocks(turn, set_by.as_secs());
        let pauses = [
            &mut self.connection.retry_at,
            &mut self.queue.look_at,
            &mut self.queue.report_again_at,
        ];
        for pause in pauses.into_iter().flatten().chain(self.pulls.pauses()) {
            *pause = now;
        }
        for tracked in self.tracked.values_mut().filter(|it| it.retry_at.is_some()) {
            tracked.retry_at = Some(now);
            self.deadlines.insert((now, tracked.id()));
        }
        self.plan_all_due();
        self.jumped(turn, now);
    }

    fn set_clocks(&mut self, turn: &mut Turn, seconds: i64) {
        if seconds == 0 {
            return;
        }
        let live = self.tracked.values().filter(|tracked| tracked.is_checked());
        let ids: Vec<SessionId> = live.map(TrackedSession::id).collect();
        for id in ids {
            if let Some(tracked) = self.change(turn, id) {
                let set = &mut tracked.record.clock_set;
                *set = set.saturating_add(seconds);
            }
        }
    }
}

impl TrackedSession {
    /// The start of the session by the current clock.
    pub(super) fn started_at(&self) -> Option<Timestamp> {
        let started = self.record.session.started_at?;
        let set = SignedDuration::from_secs(self.record.clock_set);
        Some(started.checked_add(set).unwrap_or(started))
    }
}
