//! Sessions that leave the queue without having begun.

use jiff::Timestamp;

use super::tries::PHASE;
use crate::{
    model::{
        history::{HistoryEntry, Outcome},
        id::SessionId,
        record::{Step, Write},
        status::Status,
        text::Clean,
    },
    scheduler::{core::Scheduler, tracked_session::TrackedSession, turn::Turn},
};

/// Why a session is cancelled.
pub(in crate::scheduler) struct Leaving<'a> {
    pub phase: &'a str,
    pub result: Outcome,
    /// The code of the reason.
    pub info: &'a str,
    pub why: Option<String>,
}

impl Scheduler {
    /// PENDING becomes CANCELLED, because there is no container to terminate.
    pub(in crate::scheduler) fn leave_queue(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        id: SessionId,
        leaving: Leaving<'_>,
    ) {
        self.write_tries(turn, id);
        let Some(tracked) = self.change(turn, id) else {
            return;
        };
        tracked.tries = None;
        tracked.secrets.clear();
        tracked.record.step = Step::Settled;
        let message = leaving.why.as_deref().map(Clean::new);
        let session = &mut tracked.record.session;
        session.status = Status::Cancelled;
        session.status_info = Some(Clean::new(leaving.info));
        session.status_message.clone_from(&message);
        session.placement.queue_position = None;
        session.placement.starts_by = None;
        session.terminated_at = Some(now);
        for kernel in &mut session.kernels {
            kernel.status = Status::Cancelled;
            kernel.terminated_at = Some(now);
        }
        turn.writes.push(Write::History(HistoryEntry {
            error_code: (leaving.result != Outcome::Success)
                .then(|| Clean::new(&format!("session_schedule_{}", leaving.info))),
            result: leaving.result,
            message,
            ..HistoryEntry::new(
                id,
                now,
                leaving.phase,
                Some(Status::Pending),
                Status::Cancelled,
            )
        }));
        if let Some(mut tracked) = self.tracked.remove(&id) {
            self.plan_forgetting(&mut tracked);
            self.tracked.insert(id, tracked);
        }
    }

    /// The user cancels the session.
    pub(in crate::scheduler) fn leave_as_requested(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        id: SessionId,
    ) {
        Self::audit(turn, now, "terminate", Some(id), "");
        let leaving = Leaving {
            phase: "terminate-sessions",
            result: Outcome::Success,
            info: "user-requested",
            why: None,
        };
        self.leave_queue(turn, now, id, leaving);
    }

    /// Values of secret variables are in memory only, so a restarted daemon doesn't have them.
    pub(super) fn cancel_without_secrets(&mut self, turn: &mut Turn, now: Timestamp) {
        let lost: Vec<SessionId> = self
            .waiting()
            .filter(|tracked| tracked.lacks_secrets())
            .map(TrackedSession::id)
            .collect();
        for id in lost {
            self.leave_with(turn, now, id, Outcome::GiveUp, "secret-lost", SECRET_LOST);
        }
    }

    pub(super) fn leave_with(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        id: SessionId,
        result: Outcome,
        info: &str,
        why: &str,
    ) {
        let leaving = Leaving {
            phase: PHASE,
            result,
            info,
            why: Some(why.to_owned()),
        };
        self.leave_queue(turn, now, id, leaving);
    }
}

const SECRET_LOST: &str = tr_sent!(
    "workbay's daemon restarted before the session started, and secret \
                           variables are in its memory only. Relaunch the session"
);
