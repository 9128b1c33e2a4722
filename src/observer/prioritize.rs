//! Changes the priority of a session that waits in the engine's queue.

use jiff::Timestamp;

use super::{
    core::Observer,
    deed::{Deed, Kind},
    order::Errand,
    turn::Turn,
};
use crate::{
    model::{capability::Capability, failure::Failure, id::SessionId, priority, status::Status},
    state_machine::{Answer, Ticket},
};

impl Observer {
    pub(super) fn prioritize(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        ticket: Ticket,
        id: SessionId,
        wanted: i32,
    ) {
        match self.check_priority(id, wanted) {
            Err(failure) => turn.answer(ticket, Err(failure)),
            Ok(false) => turn.answer(ticket, Ok(Answer::Done)),
            Ok(true) => {
                self.audit(turn, now, "priority", Some(id), &wanted.to_string());
                let kind = Kind::Prioritize { priority: wanted };
                let what = Errand::Prioritize {
                    session: id,
                    priority: wanted,
                };
                self.begin(turn, id, ticket, kind, what);
            }
        }
    }

    /// Whether the priority would change.
    fn check_priority(&self, id: SessionId, wanted: i32) -> Result<bool, Failure> {
        if let Some(failure) = self.lacks(Capability::Priority) {
            return Err(failure);
        }
        priority::check(wanted).map_err(Failure::usage)?;
        let changing = |deed: &Deed| matches!(deed.kind, Kind::Prioritize { .. });
        if self.of(id).any(|deed| changing(deed) && !deed.is_taken()) {
            let text = format!(
                "the priority of {} is already being changed",
                self.name_of(id)
            );
            return Err(Failure::refused(text));
        }
        match self.session(id) {
            Some(session) if session.status != Status::Pending => Err(Failure::refused(format!(
                "{} is {}: only the priority of a waiting session can be changed",
                session.name, session.status
            ))),
            Some(session) => Ok(session.placement.priority != Some(wanted)),
            None => Ok(true),
        }
    }
}
