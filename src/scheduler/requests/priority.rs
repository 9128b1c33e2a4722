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
        let tracked = self.find(id)?;
        let session = &tracked.record.session;
        if tracked.record.step != Step::Wait {
            return Err(Failure::refused(tr_sent!(
                "{name} is {status}: only the priority of a waiting session can be changed",
                name = session.name,
                status = session.status
            )));
        }
        if tracked.record.spec.priority == wanted {
            return Ok(());
        }
        Self::audit(turn, now, "priority", Some(id), &wanted.to_string());
        if let Some(tracked) = self.change(turn, id) {
            tracked.record.spec.priority = wanted;
            tracked.record.session.placement.priority = Some(wanted);
            if let Some(request) = &mut tracked.record.request {
                request.priority = Some(wanted);
            }
        }
        turn.stirred = true;
        Ok(())
    }
}
