//! How many sessions are loaded. They are counted when they change, not each time that a number is shown.

use std::collections::HashMap;

use crate::{
    app::shown_contexts::ShownContexts,
    model::{id::ContextName, session::Session, status::Tab},
};

/// The loaded sessions that run now, of all contexts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LiveSessions {
    pub all: usize,
    /// Those whose use is known.
    pub sampled: usize,
}

#[derive(Clone, Debug, Default)]
pub(super) struct SessionCounts {
    /// The sessions of each context, by tab.
    tabs: HashMap<ContextName, [usize; 3]>,
    /// The sessions that wait in a queue.
    waiting: HashMap<ContextName, usize>,
    pub live: LiveSessions,
}

impl SessionCounts {
    /// Counts the sessions of a snapshot, but not those whose use is known.
    pub fn of(sessions: &[Session]) -> Self {
        let mut counts = Self::default();
        for session in sessions {
            counts.add(session);
        }
        counts
    }

    pub fn add(&mut self, new: &Session) {
        let context = new.context;
        self.tabs.entry(context).or_default()[new.tab() as usize] += 1;
        *self.waiting.entry(context).or_default() += usize::from(new.status.is_waiting());
        self.live.all += usize::from(new.status.is_live());
    }

    pub fn remove(&mut self, old: &Session) {
        let live = usize::from(old.status.is_live());
        self.live.all = self.live.all.saturating_sub(live);
        if let Some(count) = self.waiting.get_mut(&old.context) {
            *count = count.saturating_sub(usize::from(old.status.is_waiting()));
        }
        if let Some(tabs) = self.tabs.get_mut(&old.context) {
            let count = &mut tabs[old.tab() as usize];
            *count = count.saturating_sub(1);
        }
    }

    pub fn in_tab(&self, context: ContextName, tab: Tab) -> u64 {
        let tabs = self.tabs.get(&context);
        tabs.map_or(0, |tabs| tabs[tab as usize] as u64)
    }

    pub fn waiting(&self, shown: ShownContexts) -> u64 {
        let waiting = |(context, _): &(&ContextName, &usize)| shown.has(**context);
        let all = self.waiting.iter().filter(waiting);
        all.map(|(_, count)| *count as u64).sum()
    }
}
