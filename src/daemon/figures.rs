//! What sessions used: every sample is recorded, and told to who asks.

use super::{core::Core, heart::Step, looks, station::Station};
use crate::{
    model::{
        change::Change,
        id::{SessionId, SessionKey},
        usage::Usage,
    },
    protocol::message::{Failure, Reply},
};

impl Station {
    /// A sweep may have been under way when a session ended: what comes late is not heard.
    pub(super) fn record(&mut self, usages: &[(SessionId, Usage)]) {
        for (id, usage) in usages {
            let session = self.heart.session(*id);
            if session.is_some_and(|session| session.status.is_live()) {
                self.recorder.heard(*id, usage);
            }
        }
    }
}

impl Core {
    pub(super) fn figures(&self, number: usize, session: SessionKey) -> Result<Reply, Failure> {
        let station = &self.stations[number];
        let session = looks::find(&station.heart, session)?;
        let figures = Box::new(station.recorder.figures(session));
        Ok(Reply::Figures { figures })
    }

    /// What is kept of sessions that are gone is not needed any more.
    pub(super) fn drop_figures(&mut self, number: usize, step: &Step) {
        for change in &step.changes {
            if let Change::Gone { session } = change {
                self.stations[number].recorder.forget(session.id);
            }
        }
    }
}
