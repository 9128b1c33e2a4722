//! The state that the TUI saves for the next one.

use super::App;
use crate::{
    app::{effect::Effect, msg::Msg, msg::StreamEvent, panes::SavedPane, saved::SavedState},
    model::capability::Capability,
};

impl App {
    /// Restores the state of an earlier TUI and saves that of this one. Only one TUI at a time does so,
    /// because the panes of two would be the same terminals.
    #[must_use]
    pub fn saving_state(mut self, saved: SavedState) -> Self {
        self.sessions.restore_orders(&saved.orders);
        self.sessions.restore_columns(saved.columns.clone());
        self.sessions.restore_folds(saved.folds.clone());
        self.views.clone_from(&saved.views);
        self.frecency.clone_from(&saved.palette);
        self.saves = true;
        self.restored = Some(saved);
        self
    }

    /// Restores the panes of sessions that haven't ended, when the sessions are known.
    pub(super) fn restore_panes(&mut self) {
        let Some(saved) = self.restored.take() else {
            return;
        };
        let mirror = &self.mirror;
        let wanted = |pane: &SavedPane| match pane.session {
            None => true,
            Some(key) => match mirror.session(key) {
                Some(session) => !session.status.is_final(),
                // A manager sends its sessions later.
                None => mirror.context(key.context).is_some_and(|state| {
                    state.context.kind.schedules() || mirror.can(key.context, Capability::Schedules)
                }),
            },
        };
        self.panes
            .restore(saved.pane_tabs, saved.active, wanted, &mut self.ids);
        self.panes
            .restore_floating(saved.floating, wanted, &mut self.ids);
        self.panes
            .know_contexts(|context| mirror.streams_keep_alive(context));
    }

    fn to_save(&self) -> SavedState {
        let (pane_tabs, active) = self.panes.saved();
        SavedState {
            orders: self.sessions.orders().to_vec(),
            columns: self.sessions.all_columns().to_vec(),
            views: self.views.clone(),
            folds: self.sessions.folds().clone(),
            pane_tabs,
            floating: self.panes.saved_floating(),
            active,
            palette: self.frecency.clone(),
        }
    }

    /// Whether a message can change the saved state.
    pub(super) fn may_change_saved(&self, msg: &Msg) -> bool {
        let ended = matches!(
            msg,
            Msg::Stream {
                event: StreamEvent::Ended(_),
                ..
            }
        );
        self.saves && (ended || matches!(msg, Msg::Key(_) | Msg::Mouse(_)))
    }

    /// Saves the state if it has changed.
    pub(super) fn save(&mut self) -> Option<Effect> {
        // Until the panes are restored, the saved state is more complete.
        if !self.saves || self.restored.is_some() {
            return None;
        }
        let saved = self.to_save();
        let changed = self.saved_last.as_ref() != Some(&saved);
        changed.then(|| {
            self.saved_last = Some(saved.clone());
            Effect::SaveState(Box::new(saved))
        })
    }
}
