//! Running sessions whose use is recorded, whether or not a client watches them.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::model::{change::Change, id::SessionId, session::Session};

/// The recorded sessions of one context, each with its start.
#[derive(Debug, Default)]
pub(in crate::daemon) struct Recorded {
    started: BTreeMap<SessionId, Timestamp>,
}

impl Recorded {
    pub fn of<'a>(sessions: impl Iterator<Item = &'a Session>) -> Self {
        let mut recorded = Self::default();
        for session in sessions {
            recorded.note(session);
        }
        recorded
    }

    pub fn follow(&mut self, changes: &[Change]) {
        for change in changes {
            match change {
                Change::Session { session } => self.note(session),
                Change::Gone { session } => {
                    self.started.remove(&session.id);
                }
                _ => {}
            }
        }
    }

    /// Tracks a session until its final status, when the kernel's counters are read.
    fn note(&mut self, session: &Session) {
        match session.started_at.filter(|_| !session.status.is_final()) {
            Some(started) => self.started.insert(session.id, started),
            None => self.started.remove(&session.id),
        };
    }

    pub fn all(&self) -> &BTreeMap<SessionId, Timestamp> {
        &self.started
    }
}
