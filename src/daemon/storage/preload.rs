//! Loads more ended sessions in the background, so that the first list doesn't wait for all of them.

use std::time::Duration;

use tokio::time::Instant;

use super::unloaded::PAGE;
use crate::{
    daemon::{clock, context::runner::Number, main_loop::core::Core},
    model::status::Tab,
    store::StoreError,
};

/// The pause after the start, in which clients get their first lists.
const AFTER_START: Duration = Duration::from_millis(500);
/// The pause between two pages, in which the daemon handles other events.
const NEXT_PAGE: Duration = Duration::from_millis(20);
/// The pause if a client has loaded older sessions, which must be unloaded first.
const LATER: Duration = Duration::from_secs(60);

/// The number of ended sessions of a context in memory, and when to load more.
pub(in crate::daemon) struct Preload {
    in_memory: usize,
    at: Option<Instant>,
}

impl Preload {
    /// Loads until a context has `in_memory` ended sessions.
    pub fn new(in_memory: u32) -> Self {
        Self {
            in_memory: in_memory as usize,
            at: Some(clock::instant() + AFTER_START),
        }
    }

    pub fn due(&self) -> Option<Instant> {
        self.at
    }
}

impl Core {
    /// Loads the next page of ended sessions, if a context has fewer in memory than it should.
    pub(in crate::daemon) async fn preload(&mut self) {
        let wanted = (0..self.contexts.len()).find(|number| self.needs_more(*number));
        let Some(number) = wanted else {
            self.preload.at = None;
            return;
        };
        let pause = if self.contexts[number].unloaded.has_recalled() {
            LATER
        } else if let Err(error) = self.load_page(number).await {
            tracing::warn!(%error, "ended sessions can't be read");
            LATER
        } else {
            NEXT_PAGE
        };
        self.preload.at = Some(clock::instant() + pause);
    }

    fn needs_more(&self, number: Number) -> bool {
        let left = self.contexts[number].unloaded.left();
        left > 0 && self.matching(number, Tab::Finished, None).count() < self.preload.in_memory
    }

    async fn load_page(&mut self, number: Number) -> Result<(), StoreError> {
        let Some(before) = self.contexts[number].unloaded.before().cloned() else {
            return Ok(());
        };
        let loaded = self.matching(number, Tab::Finished, None).count();
        let missing = self.preload.in_memory.saturating_sub(loaded);
        let limit = PAGE.min(u32::try_from(missing).unwrap_or(PAGE));
        let context = self.contexts[number].context.name;
        let records = self.store.older(context, before, limit).await?;
        let oldest = records.last().map(|record| record.session.clone());
        let is_last = records.len() < limit as usize;
        let added = self.add_loaded(number, records);
        let unloaded = &mut self.contexts[number].unloaded;
        unloaded.note_preloaded(added, oldest.as_ref());
        if is_last {
            unloaded.mark_empty();
        }
        self.notify_totals(number);
        Ok(())
    }
}
