//! Records the use of sessions: a tape of samples for each session, with the average and peak of all samples
//! so far. The daemon owns the records, so they outlive clients.

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

/// Bytes per second: read, written, received, sent.
pub(in crate::daemon) type Rates = [Option<u64>; 4];

/// The records of one context.
#[derive(Debug, Default)]
pub(in crate::daemon) struct Recorder {
    tapes: BTreeMap<SessionId, Tape>,
    /// The last measured size of home directories.
    homes: BTreeMap<SessionId, Bytes>,
}

impl Recorder {
    /// Adds a sample of a session.
    pub fn record(&mut self, session: SessionId, usage: &Usage) {
        if let Some(held) = usage.home {
            self.homes.insert(session, held);
        }
        self.tapes.entry(session).or_default().push(usage);
    }

    /// Adds the last sample of a session that has ended.
    pub fn record_last(&mut self, session: SessionId, usage: &Usage) {
        self.tapes.entry(session).or_default().close(usage);
    }

    /// Continues with stored records.
    pub fn resume(figures: Vec<(SessionId, FiguresRecord)>) -> Self {
        let tapes = figures.into_iter();
        Self {
            tapes: tapes
                .map(|(id, record)| (id, Tape::resume(record)))
                .collect(),
            homes: BTreeMap::new(),
        }
    }

    /// The record of a session for the state database. `ended` = no samples will follow.
    pub fn write(&self, session: &Session, ended: bool) -> Option<Write> {
        let tape = self.tapes.get(&session.id)?;
        let at = session.terminated_at.filter(|_| ended);
        Some(Write::Figures {
            session: session.key(),
            at: at.or(tape.last())?,
            ended,
            record: Box::new(tape.to_record(session)),
        })
    }

    /// The figures of a session; empty if it was never sampled.
    pub fn figures(&self, session: &Session) -> Figures {
        let tape = self.tapes.get(&session.id);
        tape.map_or_else(Figures::default, |tape| tape.figures(session))
    }

    /// The current rates of a session.
    pub fn rates(&self, session: SessionId) -> Rates {
        let tape = self.tapes.get(&session);
        tape.map_or_else(Rates::default, Tape::rates)
    }

    /// The size of a session's home directory, if it was measured.
    pub fn home(&self, session: SessionId) -> Option<Bytes> {
        self.homes.get(&session).copied()
    }

    pub fn forget(&mut self, session: SessionId) {
        self.tapes.remove(&session);
        self.homes.remove(&session);
    }
}
