//! Who waits and who holds what, as the controller knows it.

use jiff::Timestamp;

use super::{
    decide::{Decision, Waiter, decide},
    room::Room,
};
use crate::{
    controller::{core::Controller, held::Held},
    model::{
        capability::EngineState,
        record::{SessionRecord, Step},
        status::Status,
    },
};

impl Controller {
    /// The machine as it is now; `None` without an engine.
    pub(in crate::controller) fn room(&self) -> Option<Room<'_>> {
        let EngineState::Connected { info } = &self.line.state else {
            return None;
        };
        let mut room = Room::new(&self.settings.resources, info, &self.others);
        for held in self.held.values().filter(|held| holds(&held.record)) {
            let spec = &held.record.spec;
            room.take(&spec.resource_group, &spec.total_slots());
        }
        Some(room)
    }

    pub(in crate::controller) fn waiting(&self) -> impl Iterator<Item = &Held> {
        self.held
            .values()
            .filter(|held| held.record.step == Step::Wait)
    }

    /// A round without what follows from it. `more` stands in the queue as if it had been launched.
    pub(in crate::controller) fn weigh(
        &self,
        more: Option<&SessionRecord>,
        now: Timestamp,
    ) -> Option<Decision> {
        let room = self.room()?;
        let there = self.waiting().map(|held| &held.record);
        let waiters: Vec<Waiter<'_>> = there.chain(more).map(waiter).collect();
        Some(decide(&self.settings.resources, room, &waiters, now))
    }
}

/// Whether a session has, or may have, a container.
pub(in crate::controller) fn holds(record: &SessionRecord) -> bool {
    let session = &record.session;
    match record.step {
        Step::Wait => false,
        Step::Pull | Step::Create | Step::Start | Step::Will | Step::Stop | Step::Remove => true,
        Step::Settled => match &session.status {
            Status::Terminated | Status::Cancelled => false,
            // Nothing is left of it, unless it could not be ended.
            Status::Error => session
                .status_info
                .as_ref()
                .is_some_and(|info| *info == "failed-to-terminate"),
            _ => true,
        },
    }
}

fn waiter(record: &SessionRecord) -> Waiter<'_> {
    let spec = &record.spec;
    Waiter {
        id: record.session.id,
        group: &spec.resource_group,
        priority: spec.priority,
        created_at: record.session.created_at,
        starts_at: spec.starts_at,
        wants: spec.total_slots(),
        retries: record.retries,
    }
}
