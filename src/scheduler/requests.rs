//! Renames and terminates sessions at the user's request.

use jiff::Timestamp;

use super::{
    core::Scheduler,
    order::Order,
    stop_hook::{StopHookEnd, first_step},
    turn::Turn,
};
use crate::{
    model::{
        capability::{Capability, EngineState},
        failure::Failure,
        folder::FolderRequest,
        history::Outcome,
        id::SessionId,
        notice::Level,
        record::{Ending, Step},
        status::Status,
        text::Clean,
    },
    rules::launch::folders,
    state_machine::{Answer, Ticket},
};

impl Scheduler {
    /// Starts to terminate the session. A repeated request succeeds, too.
    pub(super) fn terminate(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        id: SessionId,
        force: bool,
    ) -> Result<(), Failure> {
        let held = self.find(id)?;
        let session = &held.record.session;
        let (step, status) = (held.record.step, session.status.clone());
        if session.has_ended() {
            return Err(Failure::refused(format!(
                "session {} has already ended ({status})",
                session.name
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
        let first = first_step(held, force);
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
        if let Some(held) = self.change(turn, id) {
            held.record.force = force;
            held.record.session.pending_request = Some(Clean::new("terminating"));
            // A container that is being created is removed after the engine has answered.
            if step == Step::Settled {
                held.record.step = first;
            }
        }
        if step == Step::Settled {
            self.issue(turn, id);
        }
        Ok(())
    }

    fn escalate(&mut self, turn: &mut Turn, id: SessionId, force: bool) {
        let Some(held) = self.change(turn, id) else {
            return;
        };
        if !force || held.record.force {
            return;
        }
        held.record.force = true;
        if let Some(ending) = &mut held.record.ending
            && ending.info == "user-requested"
        {
            ending.info = Clean::new("force-terminated");
        }
        let step = held.record.step;
        if matches!(step, Step::StopHook | Step::Stop) {
            // The answer to the order without force will be stale.
            held.busy = false;
            if step == Step::StopHook {
                let words = Clean::new("skipped, because the session was killed");
                let outcome = Outcome::Skipped;
                self.stop_hook_is_over(turn, id, &StopHookEnd { outcome, words });
            }
            self.issue(turn, id);
        }
    }

    /// The daemon sends an admitted request about folders to the engine.
    pub(super) fn admit_folder(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        ticket: Ticket,
        request: &FolderRequest,
    ) {
        let refused = self.unreachable().or_else(|| {
            let why = self.why_not(Capability::FolderSharing)?;
            request.is_sharing().then(|| Failure::unsupported(why))
        });
        if let Some(failure) = refused.or_else(|| folders::check_request(request).err()) {
            return turn.answer(ticket, Err(failure));
        }
        if request.is_change() {
            // On a full disk, folders can still be deleted.
            turn.refusable = !request.frees_space();
            Self::audit(turn, now, request.name(), None, request.about());
        }
        turn.admitted.push(ticket);
    }

    /// Why the connected engine lacks something.
    fn why_not(&self, capability: Capability) -> Option<Clean> {
        match self.engine() {
            EngineState::Connected { info } => info.capabilities.why_not(capability).cloned(),
            _ => None,
        }
    }

    pub(super) fn decide(&mut self, turn: &mut Turn, id: SessionId, ending: Ending) {
        if let Some(held) = self.change(turn, id) {
            held.record.ending = Some(ending);
        }
    }

    /// Decides how the session ends and sets it to TERMINATING.
    pub(super) fn begin_ending(
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

    /// Renames a session. The answer follows when the engine has the name.
    pub(super) fn rename(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        ticket: Ticket,
        id: SessionId,
        name: &str,
    ) {
        turn.refusable = true;
        match self.check_rename(id, name) {
            Err(failure) => turn.answer(ticket, Err(failure)),
            Ok(false) => turn.answer(ticket, Ok(Answer::Done)),
            Ok(true) => {
                Self::audit(turn, now, "rename", Some(id), name);
                if let Some(held) = self.change(turn, id) {
                    held.rename_tickets.push(ticket);
                    held.record.renaming = Some(name.to_owned());
                    held.record.session.pending_request =
                        Some(Clean::new(&format!("renaming to {name}")));
                }
                self.issue_rename(turn, id);
            }
        }
    }

    /// Whether the name would change.
    fn check_rename(&self, id: SessionId, name: &str) -> Result<bool, Failure> {
        let held = self.find(id)?;
        let session = &held.record.session;
        if session.name == *name {
            return Ok(false);
        }
        self.check_name(name)?;
        if !session.status.is_live() {
            return Err(Failure::refused(format!(
                "session {} is {}: only running sessions can be renamed",
                session.name, session.status
            )));
        }
        if let Some(other) = &held.record.renaming {
            return Err(Failure::refused(format!(
                "session {} is being renamed to {other} already",
                session.name
            )));
        }
        self.unreachable().map_or(Ok(true), Err)
    }

    pub(super) fn issue_rename(&mut self, turn: &mut Turn, id: SessionId) {
        let Some(held) = self.held.get(&id) else {
            return;
        };
        if let Some(name) = &held.record.renaming {
            turn.orders.push(Order::Rename {
                session: id,
                epoch: held.epoch,
                name: name.clone(),
            });
        }
    }

    /// The engine has accepted the name, or refused it.
    pub(super) fn renamed(&mut self, turn: &mut Turn, id: SessionId, failure: Option<Failure>) {
        let Some(held) = self.change(turn, id) else {
            return;
        };
        let tickets = std::mem::take(&mut held.rename_tickets);
        let lost = failure.as_ref().is_some_and(Failure::is_lost);
        let asked = if lost {
            held.record.renaming.clone()
        } else {
            held.record.renaming.take()
        };
        let session = &mut held.record.session;
        if !lost && session.status != Status::Terminating {
            session.pending_request = None;
        }
        let old = session.name.clone();
        let answer = match (asked, failure) {
            (None, _) => Err(Failure::refused(format!(
                "session {old} ended before it was renamed"
            ))),
            (Some(name), None) => {
                session.name = Clean::new(&name);
                Ok(Answer::Done)
            }
            (Some(name), Some(failure)) if lost => Err(failure.hint(format!(
                "{old} is renamed to {name} when the engine is connected again"
            ))),
            (Some(name), Some(failure)) => Err(Failure::refused(format!(
                "{old} couldn't be renamed to {name}: {}",
                failure.sentence()
            ))),
        };
        if let (Err(failure), true) = (&answer, tickets.is_empty()) {
            let text = failure.message().to_string();
            turn.message(Level::Warning, Some(id), text);
        }
        for ticket in tickets {
            turn.answer(ticket, answer.clone());
        }
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
