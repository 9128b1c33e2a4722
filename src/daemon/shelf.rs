//! Ended sessions that lie only in the store.

use crate::{
    model::{
        id::{ContextName, SessionId},
        session::Session,
    },
    store::{Mark, Shelved},
};

/// Sessions that come back at once.
pub(super) const PAGE: u32 = 1_000;

/// What of a context lies only in the store.
#[derive(Debug, Default)]
pub(super) struct Shelf {
    left: u64,
    /// Where what was loaded at the beginning ends, and what is in memory now.
    begin: Option<Mark>,
    before: Option<Mark>,
    /// Who was asked for, the last one at the end.
    recalled: Vec<SessionId>,
    /// As told last.
    totals: Option<[u64; 3]>,
}

impl Shelf {
    pub fn new(shelved: &Shelved, context: ContextName) -> Self {
        Self {
            left: shelved.counts.get(&context).copied().unwrap_or_default(),
            begin: shelved.before.clone(),
            before: shelved.before.clone(),
            ..Self::default()
        }
    }

    pub fn left(&self) -> u64 {
        self.left
    }

    /// Who was asked for of late: a command that takes a snapshot next wants to see these.
    pub fn recalled(&self) -> impl Iterator<Item = SessionId> + '_ {
        self.recalled.iter().rev().take(PAGE as usize).copied()
    }

    pub fn note_recalled(&mut self, sessions: &[Session]) {
        self.left = self.left.saturating_sub(sessions.len() as u64);
        self.recalled.extend(sessions.iter().map(|it| it.id));
    }

    /// Who was asked for, when nobody is there any more for whom they came back.
    pub fn take_recalled(&mut self) -> Vec<SessionId> {
        std::mem::take(&mut self.recalled)
    }

    /// So many are in memory no more.
    pub fn put_back(&mut self, count: usize) {
        self.left += count as u64;
        self.before = self.begin.clone();
    }

    /// Where those end that are in memory; `None` = nothing was left in the store.
    pub fn before(&self) -> Option<&Mark> {
        self.before.as_ref()
    }

    pub fn read_up_to(&mut self, oldest: &Session) {
        self.before = Some(Mark::of(oldest));
    }

    /// Nothing is left.
    pub fn mark_empty(&mut self) {
        self.left = 0;
    }

    /// Whether this differs from what was told last; it is told now.
    pub fn tells_anew(&mut self, totals: Option<[u64; 3]>) -> bool {
        let differ = totals != self.totals;
        self.totals = totals;
        differ
    }
}
