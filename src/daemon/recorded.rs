//! Sessions that run: their use is recorded, whoever watches.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::model::{change::Change, id::SessionId, session::Session};

/// One context's, each with its start.
#[derive(Debug, Default)]
pub(super) struct Recorded {
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

    /// Until it has ended for good: what the kernel counted is read then.
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
