//! What the TUI remembers for the next one.

use super::App;
use crate::{
    app::{effect::Effect, kept::Kept, msg::Msg, msg::StreamEvent, panes::KeptPane},
    model::capability::Capability,
};

impl App {
    /// Begins as another TUI was left, and remembers how this one is. Only one at a time does: the panes of
    /// two would be the same terminals.
    #[must_use]
    pub fn keeping(mut self, kept: Kept) -> Self {
        self.sessions.restore_orders(&kept.orders);
        self.keeps = true;
        self.restored = Some(kept);
        self
    }

    /// The sessions are known: panes of those that go on come back.
    pub(super) fn restore_panes(&mut self) {
        let Some(kept) = self.restored.take() else {
            return;
        };
        let mirror = &self.mirror;
        let wanted = |pane: &KeptPane| match pane.session {
            None => true,
            Some(key) => match mirror.session(key) {
                Some(session) => !session.status.is_final(),
                // A manager tells its sessions later.
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

    /// Whether a message can change what is remembered.
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

    /// What is to be remembered, where that changed.
    pub(super) fn keep(&mut self) -> Option<Effect> {
        // Before the panes are back there is nothing better than what was remembered.
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
