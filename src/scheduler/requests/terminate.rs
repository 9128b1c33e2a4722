//! Terminates a session at the user's request.

use jiff::Timestamp;

use crate::{
    model::{
        failure::Failure,
        history::Outcome,
        id::SessionId,
        record::{Ending, Step},
        status::Status,
        text::Clean,
    },
    scheduler::{
        core::Scheduler,
        stop_hook::{StopHookEnd, first_step},
        turn::Turn,
    },
};

impl Scheduler {
    /// Starts to terminate the session. A repeated request succeeds, too.
    pub(in crate::scheduler) fn terminate(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        id: SessionId,
        force: bool,
    ) -> Result<(), Failure> {
        let tracked = self.find(id)?;
        let session = &tracked.record.session;
        let (step, status) = (tracked.record.step, session.status.clone());
        if session.has_ended() {
            return Err(Failure::refused(tr_sent!(
                "session {name} has already ended ({status})",
                name = session.name,
                status
            )));
        }
        if step == Step::Wait {
            self.leave_as_requested(turn, now, id);
            return Ok(());
        }
        if step == Step::Pull {
            self.leave_pull(turn, now, id);
            return Ok(());
        }
        if status == Status::Error && step == Step::Settled && !self.is_connected() {
            // Whatever is left of it is removed when the engine is connected.
            self.decide(turn, id, user_ending(&Status::Terminated, force));
            self.finish(turn, now, id);
            return Ok(());
        }
        if let Some(failure) = self.unreachable() {
            return Err(failure);
        }
        Self::audit(
            turn,
            now,
            "terminate",
            Some(id),
            if force { "force" } else { "" },
        );
        if status == Status::Terminating {
            self.escalate(turn, id, force);
            return Ok(());
        }
        let first = first_step(tracked, force);
        let started = session.started_at.is_some() || status == Status::Error;
        let end = if started {
            Status::Terminated
        } else {
            Status::Cancelled
        };
        self.begin_ending(
            turn,
            now,
            id,
            "terminate-sessions",
            user_ending(&end, force),
        );
        if let Some(tracked) = self.change(turn, id) {
            tracked.record.force = force;
            tracked.record.session.pending_request = Some(Clean::new("terminating"));
            // A container that is being created is removed after the engine has answered.
            if step == Step::Settled {
                tracked.record.step = first;
            }
        }
        if step == Step::Settled {
            self.issue(turn, id);
        }
        Ok(())
    }

    fn escalate(&mut self, turn: &mut Turn, id: SessionId, force: bool) {
        let Some(tracked) = self.change(turn, id) else {
            return;
        };
        if !force || tracked.record.force {
            return;
        }
        tracked.record.force = true;
        if let Some(ending) = &mut tracked.record.ending
            && ending.info == "user-requested"
        {
            ending.info = Clean::new("force-terminated");
        }
        let step = tracked.record.step;
        if matches!(step, Step::StopHook | Step::Stop) {
            // The answer to the order without force will be stale.
            tracked.busy = false;
            if step == Step::StopHook {
                let words = Clean::new(tr_sent!("skipped, because the session was killed"));
                let outcome = Outcome::Skipped;
                self.stop_hook_is_over(turn, id, &StopHookEnd { outcome, words });
            }
            self.issue(turn, id);
        }
    }

    pub(in crate::scheduler) fn decide(&mut self, turn: &mut Turn, id: SessionId, ending: Ending) {
        if let Some(tracked) = self.change(turn, id) {
            tracked.record.ending = Some(ending);
        }
    }

    /// Decides how the session ends and sets it to TERMINATING.
    pub(in crate::scheduler) fn begin_ending(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        id: SessionId,
        phase: &str,
        ending: Ending,
    ) {
        self.drop_commit(turn, id);
        let message = ending.message.clone();
        self.decide(turn, id, ending);
        let status = Status::Terminating;
        self.advance(turn, now, id, phase, &status, message.as_ref());
    }
}

fn user_ending(status: &Status, force: bool) -> Ending {
    let info = if force {
        "force-terminated"
    } else {
        "user-requested"
    };
    Ending {
        status: status.clone(),
        info: Clean::new(info),
        message: None,
    }
}
