//! The numbers of sessions in the tabs of the list.

use super::{ContextState, DaemonConnection, Mirror};
use crate::{
    app::shown_contexts::ShownContexts,
    model::{capability::EngineState, id::ContextName, status::Tab},
};

impl Mirror {
    /// The number of sessions in a tab. Uses the engines' own count if they have one.
    pub fn count(&self, shown: ShownContexts, tab: Tab) -> u64 {
        self.shown(shown)
            .map(|state| total(state, tab).max(self.total_in(state, tab)))
            .sum()
    }

    /// Whether the numbers of sessions are known: an engine is connected, or sessions were listed before it was lost.
    pub fn is_counted(&self, shown: ShownContexts) -> bool {
        let is_connected =
            |state: &ContextState| matches!(state.engine, EngineState::Connected { .. });
        let is_current = !matches!(self.connection, DaemonConnection::Down { .. });
        is_current && self.shown(shown).any(is_connected)
            || Tab::ALL.iter().any(|tab| self.count(shown, *tab) > 0)
    }

    /// The number of loaded sessions in a tab. The engines can have more.
    pub fn total(&self, shown: ShownContexts, tab: Tab) -> u64 {
        self.shown(shown)
            .map(|state| self.total_in(state, tab))
            .sum()
    }

    /// How many of the loaded sessions are pending.
    pub fn waiting(&self, shown: ShownContexts) -> u64 {
        self.counts.waiting(shown)
    }

    fn total_in(&self, state: &ContextState, tab: Tab) -> u64 {
        self.counts.in_tab(state.context.name, tab)
    }

    /// Returns the number of loaded sessions in this tab if the context has more.
    pub fn reported_total(&self, context: ContextName, tab: Tab) -> Option<u64> {
        let state = self.context(context)?;
        let reachable = self.total_in(state, tab);
        (total(state, tab) > reachable).then_some(reachable)
    }
}

/// The engine's own count, 0 if it doesn't count.
fn total(state: &ContextState, tab: Tab) -> u64 {
    state.totals.map_or(0, |totals| totals[tab as usize])
}
