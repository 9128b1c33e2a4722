//! Ended sessions that are only in the state database.

use crate::{
    model::{
        id::{ContextName, SessionId},
        session::Session,
    },
    store::{Mark, Unloaded},
};

/// How many sessions are loaded at a time.
pub(in crate::daemon) const PAGE: u32 = 1_000;

/// The state of a context's ended sessions that are only in the state database.
#[derive(Debug, Default)]
pub(in crate::daemon) struct UnloadedSessions {
    left: u64,
    /// Where the sessions end that were loaded at the start, and below, where those in memory end now.
    begin: Option<Mark>,
    before: Option<Mark>,
    /// The requested sessions, the latest one at the end.
    recalled: Vec<SessionId>,
    /// The totals that were last sent.
    totals: Option<[u64; 3]>,
}

impl UnloadedSessions {
    pub fn new(unloaded: &Unloaded, context: ContextName) -> Self {
        Self {
            left: unloaded.counts.get(&context).copied().unwrap_or_default(),
            begin: unloaded.before.clone(),
            before: unloaded.before.clone(),
            ..Self::default()
        }
    }

    pub fn left(&self) -> u64 {
        self.left
    }

    /// The sessions that were requested last: the next snapshot must contain them.
    pub fn recalled(&self) -> impl Iterator<Item = SessionId> + '_ {
        self.recalled.iter().rev().take(PAGE as usize).copied()
    }

    pub fn note_recalled(&mut self, sessions: &[Session]) {
        self.left = self.left.saturating_sub(sessions.len() as u64);
        self.recalled.extend(sessions.iter().map(|it| it.id));
    }

    /// Whether a client has loaded sessions that aren't kept in memory.
    pub fn has_recalled(&self) -> bool {
        !self.recalled.is_empty()
    }

    /// Notes that `count` more sessions stay in memory. `oldest` is the last one that was read.
    pub fn note_preloaded(&mut self, count: usize, oldest: Option<&Session>) {
        self.left = self.left.saturating_sub(count as u64);
        if let Some(oldest) = oldest {
            self.begin = Some(Mark::of(oldest));
            self.before = self.begin.clone();
        }
    }

    /// Takes the requested sessions, once no client needs them any more.
    pub fn take_recalled(&mut self) -> Vec<SessionId> {
        std::mem::take(&mut self.recalled)
    }

    /// Notes that `count` sessions were removed from memory.
    pub fn put_back(&mut self, count: usize) {
        self.left += count as u64;
        self.before = self.begin.clone();
    }

    /// Where the sessions in memory end; `None` = all of them were loaded.
    pub fn before(&self) -> Option<&Mark> {
        self.before.as_ref()
    }

    pub fn read_up_to(&mut self, oldest: &Session) {
        self.before = Some(Mark::of(oldest));
    }

    /// Notes that the state database has no further sessions.
    pub fn mark_empty(&mut self) {
        self.left = 0;
    }

    /// Whether these totals differ from those that were last sent. They count as sent now.
    pub fn replace_totals(&mut self, totals: Option<[u64; 3]>) -> bool {
        let differ = totals != self.totals;
        self.totals = totals;
        differ
    }
}
