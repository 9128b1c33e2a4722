//! The state that the TUI saves for the next one.

use super::App;
use crate::{
    app::{effect::Effect, kept::Kept, msg::Msg, msg::StreamEvent, panes::KeptPane},
    model::capability::Capability,
};

impl App {
    /// Restores the state of an earlier TUI and saves that of this one. Only one TUI at a time does so,
    /// because the panes of two would be the same terminals.
    #[must_use]
    pub fn keeping(mut self, kept: Kept) -> Self {
        self.sessions.restore_orders(&kept.orders);
        self.keeps = true;
        self.restored = Some(kept);
        self
    }

    /// Restores the panes of sessions that haven't ended, when the sessions are known.
    pub(super) fn restore_panes(&mut self) {
        let Some(kept) = self.restored.take() else {
            return;
        };
        let mirror = &self.mirror;
        let wanted = |pane: &KeptPane| match pane.session {
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
            .restore(kept.desks, kept.active, wanted, &mut self.ids);
        self.panes
            .know_contexts(|context| mirror.streams_keep_alive(context));
    }

    fn to_keep(&self) -> Kept {
        let (desks, active) = self.panes.kept();
        Kept {
            orders: self.sessions.orders().to_vec(),
            desks,
            active,
        }
    }

    /// Whether a message can change the saved state.
    pub(super) fn may_change_kept(&self, msg: &Msg) -> bool {
        let ended = matches!(
            msg,
            Msg::Stream {
                event: StreamEvent::Ended(_),
                ..
            }
        );
        self.keeps && (ended || matches!(msg, Msg::Key(_) | Msg::Mouse(_)))
    }

    /// Saves the state if it has changed.
    pub(super) fn keep(&mut self) -> Option<Effect> {
        // Until the panes are restored, the saved state is more complete.
        if !self.keeps || self.restored.is_some() {
            return None;
        }
        let kept = self.to_keep();
        let changed = self.kept_last.as_ref() != Some(&kept);
        changed.then(|| {
            self.kept_last = Some(kept.clone());
            Effect::Keep(Box::new(kept))
        })
    }
}
