//! Changes the priority of a session that waits in the engine's queue.

use jiff::Timestamp;

use super::{
    deed::{Deed, Kind},
    observer::Observer,
    order::Errand,
    turn::Turn,
};
use crate::{
    controller::{
        fact::Ticket,
        turn::{Answer, Refusal},
    },
    model::{capability::Capability, id::SessionId, launch::priority, status::Status},
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
            Err(refusal) => turn.answer(ticket, Err(refusal)),
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
    fn check_priority(&self, id: SessionId, wanted: i32) -> Result<bool, Refusal> {
        if let Some(refusal) = self.lacks(Capability::Priority) {
            return Err(refusal);
        }
        priority::check(wanted).map_err(Refusal::usage)?;
        let changing = |deed: &Deed| matches!(deed.kind, Kind::Prioritize { .. });
        if self.of(id).any(|deed| changing(deed) && !deed.is_taken()) {
            let text = format!(
                "the priority of {} is already being changed",
                self.name_of(id)
            );
            return Err(Refusal::refused(text));
        }
        match self.session(id) {
            Some(session) if session.status != Status::Pending => Err(Refusal::refused(format!(
                "{} is {}: only the priority of a waiting session can be changed",
                session.name, session.status
            ))),
            Some(session) => Ok(session.placement.priority != Some(wanted)),
            None => Ok(true),
        }
    }
}
