//! What the user's sessions use of the limits. The engine counts it, and it is read while a client
//! watches.

use jiff::{SignedDuration, Timestamp};

use super::{
    core::Observer,
    fact::ManagerReply,
    order::ManagerRequest,
    reading::{due, move_earlier},
    task::Purpose,
    turn::Turn,
};
use crate::model::{
    capability::Capability, change::Change, failure::Failure, statistics::Statistics,
};

/// The pause before it is counted again without a reason.
const AGAIN: SignedDuration = SignedDuration::from_mins(1);
/// The pause after a session has changed. [`BETWEEN`] is the shortest pause between two counts.
const SOON: SignedDuration = SignedDuration::from_secs(3);
const BETWEEN: SignedDuration = SignedDuration::from_secs(15);

impl Observer {
    /// A session has changed its status, so it may use more or less.
    pub(super) fn count_soon(&mut self, now: Timestamp) {
        let free = self.times.counted_at.map(|at| later(at, BETWEEN));
        let at = free.map_or(later(now, SOON), |free| free.max(later(now, SOON)));
        move_earlier(&mut self.times.statistics, now, at.duration_since(now));
    }

    pub(super) fn plan_statistics(&mut self, now: Timestamp) {
        if !self.watched {
            self.times.statistics = None;
            return;
        }
        if !self.is_counting() {
            let age = self.times.counted_at.map(|at| now.duration_since(at));
            let pause = age.map_or(SignedDuration::ZERO, |age| AGAIN.saturating_sub(age));
            let pause = pause.max(SignedDuration::ZERO);
            move_earlier(&mut self.times.statistics, now, pause);
        }
    }

    pub(super) fn statistics_due(&mut self, turn: &mut Turn, now: Timestamp) {
        let is_due = due(&mut self.times.statistics, now);
        if !is_due || self.is_counting() || self.lacks(Capability::Catalogue).is_some() {
            return;
        }
        self.times.counted_at = Some(now);
        self.run(turn, ManagerRequest::Statistics, Purpose::Statistics);
    }

    fn is_counting(&self) -> bool {
        self.is_under_way(|purpose| matches!(purpose, Purpose::Statistics))
    }

    /// A failed count is repeated a minute later. The last figures stay.
    pub(super) fn was_counted(&mut self, now: Timestamp, result: Result<ManagerReply, Failure>) {
        self.times.counted_at = Some(now);
        match result {
            Ok(ManagerReply::Statistics(statistics)) => {
                self.counted = Some(*statistics);
                self.stirred = true;
            }
            Ok(_) => {}
            Err(failure) => tracing::debug!(why = %failure.message(), "nothing is counted"),
        }
    }

    pub(super) fn report_statistics(&mut self, turn: &mut Turn, statistics: Option<Statistics>) {
        if statistics != self.statistics {
            self.statistics.clone_from(&statistics);
            turn.changes.push(Change::Statistics {
                context: self.context,
                statistics: statistics.map(Box::new),
            });
        }
    }
}

fn later(at: Timestamp, by: SignedDuration) -> Timestamp {
    at.saturating_add(by).unwrap_or(Timestamp::MAX)
}
