//! Renames a session at the user's request.

use jiff::Timestamp;

use crate::{
    model::{failure::Failure, id::SessionId, notice::Level, status::Status, text::Clean},
    scheduler::{core::Scheduler, order::Order, turn::Turn},
    state_machine::{Answer, Ticket},
};

impl Scheduler {
    /// Renames a session. The answer follows when the engine has the name.
    pub(in crate::scheduler) fn rename(
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
                if let Some(tracked) = self.change(turn, id) {
                    tracked.rename_tickets.push(ticket);
                    tracked.record.renaming = Some(name.to_owned());
                    tracked.record.session.pending_request =
                        Some(Clean::new(&tr_sent!("renaming to {name}", name)));
                }
                self.issue_rename(turn, id);
            }
        }
    }

    /// Whether the name would change.
    fn check_rename(&self, id: SessionId, name: &str) -> Result<bool, Failure> {
        let tracked = self.find(id)?;
        let session = &tracked.record.session;
        if session.name == *name {
            return Ok(false);
        }
        self.check_name(name)?;
        if !session.status.is_live() {
            return Err(Failure::refused(tr_sent!(
                "session {name} is {status}: only running sessions can be renamed",
                name = session.name,
                status = session.status
            )));
        }
        if let Some(other) = &tracked.record.renaming {
            return Err(Failure::refused(tr_sent!(
                "session {name} is being renamed to {other} already",
                name = session.name,
                other
            )));
        }
        self.unreachable().map_or(Ok(true), Err)
    }

    pub(in crate::scheduler) fn issue_rename(&mut self, turn: &mut Turn, id: SessionId) {
        let Some(tracked) = self.tracked.get(&id) else {
            return;
        };
        if let Some(name) = &tracked.record.renaming {
            turn.orders.push(Order::Rename {
                session: id,
                epoch: tracked.epoch,
                name: name.clone(),
            });
        }
    }

    /// The engine has accepted the name, or refused it.
    pub(in crate::scheduler) fn renamed(
        &mut self,
        turn: &mut Turn,
        id: SessionId,
        failure: Option<Failure>,
    ) {
        let Some(tracked) = self.change(turn, id) else {
            return;
        };
        let tickets = std::mem::take(&mut tracked.rename_tickets);
        let lost = failure.as_ref().is_some_and(Failure::is_lost);
        let asked = if lost {
            tracked.record.renaming.clone()
        } else {
            tracked.record.renaming.take()
        };
        let session = &mut tracked.record.session;
        if !lost && session.status != Status::Terminating {
            session.pending_request = None;
        }
        let old = session.name.clone();
        let answer = match (asked, failure) {
            (None, _) => Err(Failure::refused(tr_sent!(
                "session {old} ended before it was renamed",
                old
            ))),
            (Some(name), None) => {
                session.name = Clean::new(&name);
                Ok(Answer::Done)
            }
            (Some(name), Some(failure)) if lost => Err(failure.hint(tr_sent!(
                "{old} is renamed to {name} when the engine is connected again",
                old,
                name
            ))),
            (Some(name), Some(failure)) => Err(Failure::refused(tr_sent!(
                "{old} couldn't be renamed to {name}: {sentence}",
                old,
                name,
                sentence = failure.sentence()
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
