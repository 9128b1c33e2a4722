//! Changes the priority of a waiting session.

use jiff::Timestamp;

use crate::{
    model::{failure::Failure, id::SessionId, priority, record::Step},
    scheduler::{core::Scheduler, turn::Turn},
};

impl Scheduler {
    /// The new position follows in the round after this turn.
    pub(super) fn set_priority(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        id: SessionId,
        wanted: i32,
    ) -> Result<(), Failure> {
        priority::check(wanted).map_err(Failure::usage)?;
        let held = self.find(id)?;
        let session = &held.record.session;
        if held.record.step != Step::Wait {
            return Err(Failure::refused(tr_sent!(
                "{name} is {status}: only the priority of a waiting session can be changed",
                name = session.name,
                status = session.status
            )));
        }
        if held.record.spec.priority == wanted {
            return Ok(());
        }
        Self::audit(turn, now, "priority", Some(id), &wanted.to_string());
        if let Some(held) = self.change(turn, id) {
            held.record.spec.priority = wanted;
            held.record.session.placement.priority = Some(wanted);
            if let Some(request) = &mut held.record.request {
                request.priority = Some(wanted);
            }
        }
        turn.stirred = true;
        Ok(())
    }
}
