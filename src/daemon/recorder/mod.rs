//! What is kept of the use of sessions: of each a tape of samples, with average and peak of all there
//! ever were. It is the daemon's, so it outlives the faces that look at it.

mod column;
mod measure;
mod tape;
mod thin;

use std::collections::BTreeMap;

use self::tape::Tape;
use crate::model::{figures::Figures, id::SessionId, session::Session, usage::Usage};

/// Bytes a second: read, written, received, sent.
pub(super) type Rates = [Option<u64>; 4];

/// One context's.
#[derive(Debug, Default)]
pub(super) struct Recorder {
    tapes: BTreeMap<SessionId, Tape>,
}

impl Recorder {
    /// A sample of a session was taken.
    pub fn heard(&mut self, session: SessionId, usage: &Usage) {
        self.tapes.entry(session).or_default().push(usage);
    }

    /// What is kept of a session; nothing of one that was never sampled.
    pub fn figures(&self, session: &Session) -> Figures {
        let tape = self.tapes.get(&session.id);
        tape.map_or_else(Figures::default, |tape| {
            tape.figures(&session.requested_slots)
        })
    }

    /// How fast it moves now what is counted.
    pub fn rates(&self, session: SessionId) -> Rates {
        let tape = self.tapes.get(&session);
        tape.map_or_else(Rates::default, Tape::rates)
    }

    pub fn forget(&mut self, session: SessionId) {
        self.tapes.remove(&session);
    }
}
