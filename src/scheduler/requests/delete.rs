//! Deletes the record of an ended session at the user's request.

use jiff::Timestamp;

use crate::{
    model::{
        change::Change,
        failure::Failure,
        id::{SessionId, SessionKey},
        record::{Step, Write},
    },
    scheduler::{core::Scheduler, order::Order, turn::Turn},
    state_machine::{Answer, Ticket},
};

impl Scheduler {
    /// The answer follows when the home directory and the log are deleted, too.
    pub(super) fn ask_delete(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        ticket: Ticket,
        id: SessionId,
    ) {
        turn.refusable = true;
        match self.check_delete(id) {
            Err(failure) => turn.answer(ticket, Err(failure)),
            Ok(remains) => {
                Self::audit(turn, now, "delete", Some(id), "");
                if !remains {
                    self.delete(turn, id, vec![ticket]);
                } else if let Some(tracked) = self.change(turn, id) {
                    tracked.delete_tickets.push(ticket);
                    let epoch = tracked.epoch;
                    turn.orders.push(Order::Forget { session: id, epoch });
                }
            }
        }
    }

    /// Whether the session has more than its record left.
    fn check_delete(&self, id: SessionId) -> Result<bool, Failure> {
        let tracked = self.find(id)?;
        let session = &tracked.record.session;
        let name = &session.name;
        if !session.has_ended() || tracked.record.step != Step::Settled {
            let text = tr_sent!(
                "session {name} is {status}: only ended sessions can be deleted",
                name,
                status = session.status
            );
            let help = tr_sent!("run `workbay terminate {name}` first", name);
            return Err(Failure::refused(text).hint(help));
        }
        if self.is_home_wanted(id) {
            let text = tr_sent!(
                "the home directory of session {name} is needed by another session, which waits \
                 in the queue",
                name
            );
            return Err(Failure::refused(text).hint(tr_sent!("terminate that session first")));
        }
        if tracked.record.forgotten {
            return Ok(false);
        }
        self.unreachable().map_or(Ok(true), Err)
    }

    pub(in crate::scheduler) fn delete(
        &mut self,
        turn: &mut Turn,
        id: SessionId,
        tickets: Vec<Ticket>,
    ) {
        // The turn keeps the session's earlier state, because it may be undone.
        if self.change(turn, id).is_none() {
            return;
        }
        self.tracked.remove(&id);
        self.idle.forget(id);
        let session = SessionKey::new(self.context, id);
        turn.writes.push(Write::DeleteSession { session });
        turn.changes.push(Change::Gone { session });
        for ticket in tickets {
            turn.answer(ticket, Ok(Answer::Done));
        }
    }
}
