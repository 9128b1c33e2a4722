//! A round of the queue and its consequences.

use jiff::Timestamp;

use super::{
    LOOK_AGAIN,
    decide::{QueueReason, WaitingSessions, order_of},
    tries::PHASE,
    wait_reason::steps,
};
use crate::{
    model::{history::HistoryEntry, id::SessionId, record::Write, status::Status},
    scheduler::{
        core::Scheduler,
        fact::Fact,
        purpose::{OrderPurpose, Waiting},
        turn::Turn,
    },
};

impl Scheduler {
    /// Starts the sessions that may begin, and records for the others what they wait for.
    pub(in crate::scheduler) fn round(&mut self, turn: &mut Turn, now: Timestamp) {
        self.cancel_without_secrets(turn, now);
        self.queue.wake_at = self.cancel_overdue(turn, now);
        let Some(decision) = self.weigh(None, now) else {
            self.queue.look_at = None;
            return;
        };
        for id in decision.begin {
            self.begin_creating(turn, now, id);
        }
        self.note_tries(turn, now, &decision.lines);
        let first = decision.lines.early.first().map(|(_, at)| *at);
        self.queue.wake_at = [self.queue.wake_at, first].into_iter().flatten().min();
        self.queue.lines = decision.lines;
        self.plan_survey(now);
        self.report_positions(turn, now);
    }

    fn note_tries(&mut self, turn: &mut Turn, now: Timestamp, lines: &WaitingSessions) {
        for placed in lines.groups.values().flatten() {
            if let QueueReason::Tried(wait_reason) = &placed.why {
                self.note_try(turn, now, placed.id, wait_reason);
            }
        }
    }

    /// Plans surveys of the engine only while a session waits for room.
    fn plan_survey(&mut self, now: Timestamp) {
        if self.queue.lines.groups.is_empty() {
            self.queue.look_at = None;
        } else if self.queue.look_at.is_none() {
            self.queue.look_at = now.checked_add(LOOK_AGAIN).ok();
        }
    }

    /// The session leaves PENDING: its container is created.
    fn begin_creating(&mut self, turn: &mut Turn, now: Timestamp, id: SessionId) {
        self.write_tries(turn, id);
        let Some(group) = self
            .tracked
            .get(&id)
            .map(|tracked| &tracked.record.spec.resource_group)
        else {
            return;
        };
        let order = order_of(&self.settings.resources, group);
        let Some(tracked) = self.change(turn, id) else {
            return;
        };
        tracked.tries = None;
        let session = &mut tracked.record.session;
        session.status = Status::Scheduled;
        session.status_message = None;
        session.placement.queue_position = None;
        session.placement.starts_by = None;
        turn.writes.push(Write::History(HistoryEntry {
            steps: steps(order, None, now),
            ..HistoryEntry::new(id, now, PHASE, Some(Status::Pending), Status::Scheduled)
        }));
        let preparing = Status::Preparing;
        self.advance(turn, now, id, "check-precondition", &preparing, None);
        self.begin_with_image(turn, now, id);
    }

    /// Handles deadlines of the queue.
    pub(in crate::scheduler) fn queue_due(&mut self, turn: &mut Turn, now: Timestamp) {
        let is_due = |at: Option<Timestamp>| at.is_some_and(|at| at <= now);
        if is_due(self.queue.look_at) {
            self.queue.look_at = now.checked_add(LOOK_AGAIN).ok();
            self.survey_room(turn);
        }
        if is_due(self.queue.wake_at) {
            self.queue.wake_at = None;
            // The engine may have changed since its last survey, so a session that becomes due
            // needs a new one.
            if !self.survey_room(turn) {
                turn.stirred = true;
            }
        } else if is_due(self.queue.report_again_at) {
            self.report_positions(turn, now);
        }
    }

    /// Surveys what other instances use. A round follows the answer. `false` if the engine isn't
    /// connected.
    fn survey_room(&mut self, turn: &mut Turn) -> bool {
        let looking = |it: &Waiting| matches!(it.purpose, OrderPurpose::Queue);
        if self.is_connected() && !self.surveys.values().any(looking) {
            self.survey(turn, OrderPurpose::Queue, false);
        }
        self.is_connected()
    }

    /// After each turn: plans a round if the turn may have made or needs room.
    pub(in crate::scheduler) fn follow_with_round(&mut self, turn: &mut Turn) {
        if !turn.stirred && !self.has_moved(turn) {
            return;
        }
        if self.waiting().next().is_some() {
            turn.follow.push(Fact::Round);
        } else {
            self.queue = super::Queue::default();
        }
    }

    /// Whether a session has moved to another step in this turn.
    pub(in crate::scheduler) fn has_moved(&self, turn: &Turn) -> bool {
        turn.before.iter().any(|(id, before)| {
            let after = self.tracked.get(id).map(|tracked| &tracked.record);
            let before = before.as_ref().map(|tracked| &tracked.record);
            match (before, after) {
                (Some(before), Some(after)) => {
                    before.step != after.step || before.session.status != after.session.status
                }
                _ => true,
            }
        })
    }
}
