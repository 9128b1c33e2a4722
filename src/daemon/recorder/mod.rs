//! What is kept of the use of sessions: of each a tape of samples, with average and peak of all there
//! ever were. It is the daemon's, so it outlives the faces that look at it.

mod column;
mod measure;
mod tape;
mod thin;

use std::collections::BTreeMap;

use self::tape::Tape;
use crate::model::{
    figures::{Figures, FiguresRecord},
    id::SessionId,
    record::Write,
    resources::Bytes,
    session::Session,
    usage::Usage,
};

/// Bytes a second: read, written, received, sent.
pub(super) type Rates = [Option<u64>; 4];

/// One context's.
#[derive(Debug, Default)]
pub(super) struct Recorder {
    tapes: BTreeMap<SessionId, Tape>,
    /// The size of home directories, as counted last.
    homes: BTreeMap<SessionId, Bytes>,
}

impl Recorder {
    /// A sample of a session was taken.
    pub fn heard(&mut self, session: SessionId, usage: &Usage) {
        if let Some(held) = usage.scratch {
            self.homes.insert(session, held);
        }
        self.tapes.entry(session).or_default().push(usage);
    }

    /// It has ended, and this is what was read then.
    pub fn heard_last(&mut self, session: SessionId, usage: &Usage) {
        self.tapes.entry(session).or_default().close(usage);
    }

    /// Goes on with what was put away.
    pub fn resume(figures: Vec<(SessionId, FiguresRecord)>) -> Self {
        let tapes = figures.into_iter();
        Self {
            tapes: tapes
                .map(|(id, record)| (id, Tape::resume(record)))
                .collect(),
            homes: BTreeMap::new(),
        }
    }

    /// What is kept of a session, to be written down; `ended` = nothing will be added.
    pub fn write(&self, session: &Session, ended: bool) -> Option<Write> {
        let tape = self.tapes.get(&session.id)?;
        let at = session.terminated_at.filter(|_| ended);
        Some(Write::Figures {
            session: session.key(),
            at: at.or(tape.last())?,
            ended,
            record: Box::new(tape.put_away(session)),
        })
    }

    /// What is kept of a session; nothing of one that was never sampled.
    pub fn figures(&self, session: &Session) -> Figures {
        let tape = self.tapes.get(&session.id);
        tape.map_or_else(Figures::default, |tape| tape.figures(session))
    }

    /// How fast it moves now what is counted.
    pub fn rates(&self, session: SessionId) -> Rates {
        let tape = self.tapes.get(&session);
        tape.map_or_else(Rates::default, Tape::rates)
    }

    /// The size of a session's home directory, if it was counted.
    pub fn home(&self, session: SessionId) -> Option<Bytes> {
        self.homes.get(&session).copied()
    }

    pub fn forget(&mut self, session: SessionId) {
        self.tapes.remove(&session);
        self.homes.remove(&session);
    }
}
