//! Ends batch sessions at their timeout, and any session that is due to end.

use jiff::Timestamp;

use super::{
    core::Scheduler, ended::ending, stop_hook::first_step, tracked_session::TrackedSession,
    turn::Turn,
};
use crate::model::{
    id::SessionId,
    notice::{Level, NoticeKind},
    record::{Ending, Step},
    session::{BatchResult, SessionType},
    span::Span,
};

/// Backend.AI's exit code of a command that timed out.
const OUT_OF_TIME: i64 = -2;

impl Scheduler {
    /// When a running batch session times out, and its timeout.
    fn due(tracked: &TrackedSession) -> Option<(Timestamp, Span)> {
        let session = &tracked.record.session;
        let started = tracked.started_at()?;
        if !tracked.is_checked() {
            return None;
        }
        let timeout = tracked.record.spec.timeout;
        let timeout = timeout.filter(|_| session.session_type == SessionType::Batch)?;
        let at = started.checked_add(timeout.duration()).ok()?;
        Some((at, timeout))
    }

    /// Plans the end of a session at its timeout.
    pub(super) fn plan_due(&mut self, id: SessionId) {
        if let Some((at, _)) = self.tracked.get(&id).and_then(Self::due) {
            self.deadlines.insert((at, id));
        }
    }

    /// After a (re)connect: plans timeouts again, also those that have passed.
    pub(super) fn plan_all_due(&mut self) {
        let live = self.tracked.values().filter_map(|tracked| {
            let (at, _) = Self::due(tracked)?;
            Some((at, tracked.id()))
        });
        self.deadlines.extend(live);
    }

    /// Ends the session if its timeout has passed.
    pub(super) fn end_if_due(&mut self, turn: &mut Turn, now: Timestamp, id: SessionId) {
        let due = self.tracked.get(&id).and_then(Self::due);
        let Some((_, timeout)) = due.filter(|(at, _)| *at <= now) else {
            return;
        };
        if self.may_be_ended(id) {
            let ending = self.timeout_reached(turn, id, timeout);
            self.end_when_due(turn, now, id, ending, None);
        }
    }

    /// A session that an image is being created from isn't ended by a rule, and one that is being inspected may have ended on its own. If it hasn't, this is called
    /// again.
    pub(super) fn may_be_ended(&self, id: SessionId) -> bool {
        let known = |tracked: &TrackedSession| {
            !tracked.inspecting && !tracked.missed && tracked.commit.is_none()
        };
        self.is_connected() && self.tracked.get(&id).is_some_and(known)
    }

    fn timeout_reached(&mut self, turn: &mut Turn, id: SessionId, timeout: Span) -> Ending {
        if let Some(tracked) = self.change(turn, id) {
            let session = &mut tracked.record.session;
            session.result = BatchResult::Failure;
            if let Some(kernel) = session.kernels.first_mut() {
                kernel.exit_code = Some(OUT_OF_TIME);
            }
        }
        let text = tr_sent!(
            "its command ran longer than its timeout of {timeout} and was terminated",
            timeout
        );
        ending("task-timeout", text)
    }

    /// Asks a running session to end as decided. `notice` is reported before it ends.
    pub(super) fn end_when_due(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        id: SessionId,
        ending: Ending,
        notice: Option<NoticeKind>,
    ) {
        let message = ending.message.clone();
        let step = self
            .tracked
            .get(&id)
            .map(|tracked| first_step(tracked, false));
        self.begin_ending(turn, now, id, "terminate-sessions", ending);
        let Some(tracked) = self.change(turn, id) else {
            return;
        };
        tracked.record.step = step.unwrap_or(Step::Stop);
        if let (Some(why), Some(kind)) = (&message, notice) {
            let text = tr_sent!(
                "{name} is being terminated: {why}",
                name = tracked.record.session.name,
                why
            );
            turn.notice(kind, Level::Warning, Some(id), &text);
        }
        self.issue(turn, id);
    }
}
