//! What happens to a session when the engine fails.

use jiff::{SignedDuration, Timestamp};

use super::{core::Scheduler, order::OrderKind, turn::Turn};
use crate::model::{
    failure::Failure, id::SessionId, notice::Level, record::Step, status::Status, text::Clean,
};

/// How many attempts to end a session are made before the user is notified.
const TRIES: u32 = 4;

impl Scheduler {
    /// A launch failed: sets ERROR with the reason at once, and removes what was created.
    pub(super) fn fail(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        id: SessionId,
        step: OrderKind,
        failure: &Failure,
    ) {
        let info = if step == OrderKind::Create {
            "creation-failed"
        } else {
            "failed-to-start"
        };
        let why = if failure.is_lost() {
            tr_sent!(
                "the engine stopped answering while it created the session ({message}). Relaunch it when \
                 the engine is connected",
                message = failure.message()
            )
        } else {
            failure.sentence()
        };
        self.fail_because(turn, now, id, info, &why);
    }

    pub(super) fn fail_because(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        id: SessionId,
        info: &str,
        why: &str,
    ) {
        self.fail_in(turn, now, id, "start-sessions", info, why);
    }

    /// `phase` is the step that failed, for the history.
    pub(super) fn fail_in(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        id: SessionId,
        phase: &str,
        info: &str,
        why: &str,
    ) {
        let why = Clean::new(why);
        self.advance(turn, now, id, phase, &Status::Error, Some(&why));
        let Some(tracked) = self.change(turn, id) else {
            return;
        };
        tracked.record.step = Step::Remove;
        tracked.secrets.clear();
        let session = &mut tracked.record.session;
        session.status_info = Some(Clean::new(info));
        session.status_message = Some(why);
        session.terminated_at = Some(now);
        session.pending_request = None;
        session.pull = None;
        self.issue(turn, id);
    }

    /// Stopping or removing failed although the engine responds: retries soon, then reports it to
    /// the user.
    pub(super) fn try_later(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        id: SessionId,
        failure: &Failure,
    ) {
        let Some(tracked) = self.change(turn, id) else {
            return;
        };
        tracked.failures += 1;
        if tracked.failures >= TRIES {
            return self.give_up(turn, now, id, failure);
        }
        let pause = SignedDuration::from_secs(1 << tracked.failures);
        if let Ok(at) = now.checked_add(pause) {
            tracked.retry_at = Some(at);
            self.deadlines.insert((at, id));
        }
    }

    fn give_up(&mut self, turn: &mut Turn, now: Timestamp, id: SessionId, failure: &Failure) {
        let why = Clean::new(&tr_sent!(
            "its container couldn't be stopped ({sentence}). Terminate the session again, with --force if \
             necessary",
            sentence = failure.sentence()
        ));
        let ending = self.session(id).map(|session| session.status.clone());
        let ending = ending == Some(Status::Terminating);
        if ending {
            self.advance(
                turn,
                now,
                id,
                "terminate-sessions",
                &Status::Error,
                Some(&why),
            );
        }
        let Some(tracked) = self.change(turn, id) else {
            return;
        };
        tracked.settle();
        tracked.record.ending = None;
        let session = &mut tracked.record.session;
        session.status_info = Some(Clean::new("failed-to-terminate"));
        // Its container is left, so a failed launch hasn't ended after all.
        session.terminated_at = None;
        session.status_message = Some(why.clone());
        if !ending {
            // The status doesn't change, so only a message can report it.
            let text = format!("{}: {why}", session.name);
            turn.message(Level::Error, Some(id), text);
        }
    }
}
