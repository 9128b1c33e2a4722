//! The values of secret variables. They are in memory only, and only as long as they are needed.

use std::collections::BTreeMap;

use super::{core::Scheduler, turn::Turn};
use crate::model::{id::SessionId, record::Step, secret::Secret};

impl Scheduler {
    /// The secrets of sessions whose containers aren't created yet.
    pub fn secrets(&self) -> impl Iterator<Item = (SessionId, &BTreeMap<String, Secret>)> {
        let all = self
            .tracked
            .values()
            .map(|tracked| (tracked.id(), &tracked.secrets));
        all.filter(|(_, values)| !values.is_empty())
    }

    /// Restores the secrets of a waiting session after a restart of this daemon.
    pub fn restore_secrets(&mut self, session: SessionId, values: BTreeMap<String, Secret>) {
        if let Some(tracked) = self.tracked.get_mut(&session)
            && matches!(tracked.record.step, Step::Wait | Step::Pull | Step::Create)
        {
            tracked.secrets = values;
        }
    }

    pub(super) fn forget_secrets(&mut self, turn: &Turn) {
        for id in turn.before.keys() {
            if let Some(tracked) = self.tracked.get_mut(id)
                && !matches!(tracked.record.step, Step::Wait | Step::Pull | Step::Create)
            {
                tracked.secrets.clear();
            }
        }
    }
}
