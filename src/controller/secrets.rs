//! Values of secret variables: in the memory only, and no longer than they are needed.

use std::collections::BTreeMap;

use super::{core::Controller, turn::Turn};
use crate::model::{id::SessionId, record::Step, secret::Secret};

impl Controller {
    /// Those that sessions wait with which are not made yet.
    pub fn secrets(&self) -> impl Iterator<Item = (SessionId, &BTreeMap<String, Secret>)> {
        let all = self.held.values().map(|held| (held.id(), &held.secrets));
        all.filter(|(_, values)| !values.is_empty())
    }

    /// What an earlier life of this daemon held for a session that still waits.
    pub fn give_secrets(&mut self, session: SessionId, values: BTreeMap<String, Secret>) {
        if let Some(held) = self.held.get_mut(&session)
            && matches!(held.record.step, Step::Wait | Step::Pull | Step::Create)
        {
            held.secrets = values;
        }
    }

    pub(super) fn forget_secrets(&mut self, turn: &Turn) {
        for id in turn.before.keys() {
            if let Some(held) = self.held.get_mut(id)
                && !matches!(held.record.step, Step::Wait | Step::Pull | Step::Create)
            {
                held.secrets.clear();
            }
        }
    }
}
