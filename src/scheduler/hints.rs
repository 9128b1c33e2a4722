//! Events of containers from the engine. They are hints to inspect the containers.

use super::{
    core::Scheduler, fact::ContainerEvent, order::Order, purpose::OrderPurpose, turn::Turn,
};
use crate::model::{id::SessionId, record::Step};

impl Scheduler {
    /// Handles an event of a container.
    pub(super) fn happened(&mut self, turn: &mut Turn, id: SessionId, event: ContainerEvent) {
        if !self.tracked.contains_key(&id) {
            if event == ContainerEvent::Started && self.is_connected() {
                self.survey(turn, OrderPurpose::Reconcile, false);
            }
            return;
        }
        if let Some(tracked) = self.change(turn, id) {
            if let ContainerEvent::Died { exit_code } = event {
                tracked.last_exit = Some(exit_code);
            }
            // The order in progress will report the start itself.
            tracked.missed |= !(tracked.busy && event == ContainerEvent::Started);
        }
        self.inspect(turn, id);
    }

    /// Inspects a container after an event, when no order about it is in progress.
    pub(super) fn inspect(&mut self, turn: &mut Turn, id: SessionId) {
        let connected = self.is_connected();
        let Some(tracked) = self.change(turn, id) else {
            return;
        };
        if !connected || !tracked.missed || tracked.busy || tracked.inspecting {
            return;
        }
        tracked.missed = false;
        if tracked.record.step != Step::Settled || !tracked.record.session.status.is_live() {
            return;
        }
        tracked.inspecting = true;
        let epoch = tracked.epoch;
        turn.orders.push(Order::Inspect { session: id, epoch });
    }
}
