//! Events of containers from the engine. They are hints to inspect the containers.

use super::{
    core::Scheduler, fact::ContainerEvent, order::Order, purpose::OrderPurpose, turn::Turn,
};
use crate::model::{id::SessionId, record::Step};

impl Scheduler {
    /// Handles an event of a container.
    pub(super) fn happened(&mut self, turn: &mut Turn, id: SessionId, event: ContainerEvent) {
        if !self.held.contains_key(&id) {
            if event == ContainerEvent::Started && self.is_connected() {
                self.survey(turn, OrderPurpose::Reconcile, false);
            }
            return;
        }
        if let Some(held) = self.change(turn, id) {
            if let ContainerEvent::Died { exit_code } = event {
                held.last_exit = Some(exit_code);
            }
            // The order in progress will report the start itself.
            held.missed |= !(held.busy && event == ContainerEvent::Started);
        }
        self.inspect(turn, id);
    }

    /// Inspects a container after an event, when no order about it is in progress.
    pub(super) fn inspect(&mut self, turn: &mut Turn, id: SessionId) {
        let connected = self.is_connected();
        let Some(held) = self.change(turn, id) else {
            return;
        };
        if !connected || !held.missed || held.busy || held.inspecting {
            return;
        }
        held.missed = false;
        if held.record.step != Step::Settled || !held.record.session.status.is_live() {
            return;
        }
        held.inspecting = true;
        let epoch = held.epoch;
        turn.orders.push(Order::Inspect { session: id, epoch });
    }
}
