//! Broadcast: keys and pasted text go to several panes at once.

use super::{Pane, PaneId, PaneState, PaneTab, Panes};
use crate::{
    app::step::Step,
    model::{id::ContextName, notice::Level},
};

/// The panes that you marked, and those that get the keys.
#[derive(Debug, Default)]
pub(super) struct Broadcast {
    marked: Vec<PaneId>,
    /// In the order of marking. Empty while broadcast is off.
    targets: Vec<PaneId>,
}

impl Panes {
    /// Whether you marked the pane for broadcast.
    pub fn is_marked(&self, id: PaneId) -> bool {
        self.broadcast.marked.contains(&id)
    }

    /// Whether keys of another pane reach this one.
    pub fn is_broadcast(&self, id: PaneId) -> bool {
        self.broadcast.targets.contains(&id)
    }

    /// How many panes get the keys, `None` while broadcast is off.
    pub fn broadcast_count(&self) -> Option<usize> {
        let count = self.broadcast.targets.len();
        (count > 0).then_some(count)
    }

    /// How many of these panes aren't on the screen.
    pub fn broadcast_hidden(&self) -> usize {
        let hidden = |id: &&PaneId| !self.is_seen(**id);
        self.broadcast.targets.iter().filter(hidden).count()
    }

    /// The panes that get a key or a pasted text.
    pub(super) fn typed_into(&self) -> Vec<PaneId> {
        if self.broadcast.targets.is_empty() {
            return self.active().map(|pane| pane.id).into_iter().collect();
        }
        self.broadcast.targets.clone()
    }

    /// Marks the focused pane, or removes its mark.
    pub(super) fn toggle_pane_mark(&mut self) -> Vec<Step> {
        let Some(id) = self.active().map(|pane| pane.id) else {
            return Vec::new();
        };
        let marked = &mut self.broadcast.marked;
        match marked.iter().position(|it| *it == id) {
            Some(at) => {
                marked.remove(at);
            }
            None => marked.push(id),
        }
        let count = marked.len();
        // The marks decide who gets the keys, also while broadcast is on.
        if self.is_broadcast(id) {
            return self.end_broadcast(None);
        }
        let text = tr_plural!(count, "{count} pane marked", "{count} panes marked", count);
        vec![Step::toast(Level::Info, text)]
    }

    /// Switches broadcast on for the marked panes and the focused one, or for all panes of the screen if none is
    /// marked. Otherwise switches it off. Panes without a running shell and those of `read_only` contexts are left
    /// out.
    pub fn toggle_broadcast(&mut self, read_only: impl Fn(ContextName) -> bool) -> Vec<Step> {
        if self.broadcast_count().is_some() {
            return self.end_broadcast(Some(tr!("broadcast off").to_owned()));
        }
        let Some(focus) = self.active().map(|pane| pane.id) else {
            return Vec::new();
        };
        let mut wanted = self.broadcast.marked.clone();
        if wanted.is_empty() {
            wanted = self.tab().map(PaneTab::panes).unwrap_or_default();
        } else if !wanted.contains(&focus) {
            wanted.push(focus);
        }
        let mut left_out = Vec::new();
        let mut targets = Vec::new();
        for pane in wanted.iter().filter_map(|id| self.pane(*id)) {
            let context = pane.place.session().map(|session| session.context);
            if context.is_some_and(&read_only) {
                left_out.push(tr!("{name} is read-only", name = pane.name));
            } else if pane.state != PaneState::Live {
                left_out.push(tr!("the shell of {name} isn't connected", name = pane.name));
            } else {
                targets.push(pane.id);
            }
        }
        let mut lines = Vec::new();
        if targets.len() < 2 || !targets.contains(&focus) {
            lines.push(
                tr!("broadcast needs this pane and another one: split it, or mark panes").into(),
            );
        } else {
            lines.push(tr!(
                "keys and pastes go to {targets} panes",
                targets = targets.len()
            ));
            self.broadcast.targets = targets;
        }
        let level = if left_out.is_empty() {
            Level::Info
        } else {
            Level::Warning
        };
        if !left_out.is_empty() {
            lines.push(tr!("left out: {left_out}", left_out = left_out.join(", ")));
        }
        vec![Step::toast(level, lines.join("\n"))]
    }

    fn end_broadcast(&mut self, why: Option<String>) -> Vec<Step> {
        self.broadcast.targets.clear();
        let why = why.unwrap_or_else(|| tr!("broadcast off: the marks have changed").to_owned());
        vec![Step::toast(Level::Info, why)]
    }

    /// Switches broadcast off when the view or a marked pane is left, or when a shell ends. Keys for a pane that
    /// you don't look at must never reach others.
    pub(super) fn follow_broadcast(&mut self, on_page: bool) -> Vec<Step> {
        let open: Vec<PaneId> = self.list.iter().map(|pane| pane.id).collect();
        self.broadcast.marked.retain(|id| open.contains(id));
        if self.broadcast.targets.is_empty() {
            return Vec::new();
        }
        if !on_page {
            return self.end_broadcast(Some(tr!("broadcast off").to_owned()));
        }
        let focus = self.active().map(|pane| pane.id);
        if !focus.is_some_and(|id| self.is_broadcast(id)) {
            let why = tr!("broadcast off: this pane isn't part of it").to_owned();
            return self.end_broadcast(Some(why));
        }
        let targets = self.broadcast.targets.iter();
        let panes: Vec<Option<&Pane>> = targets.map(|id| self.pane(*id)).collect();
        if panes.iter().any(Option::is_none) {
            return self.end_broadcast(Some(tr!("broadcast off: a pane was closed").to_owned()));
        }
        let gone = panes
            .into_iter()
            .flatten()
            .find(|pane| pane.state != PaneState::Live);
        match gone.map(|pane| pane.name.clone()) {
            Some(name) => {
                let why = tr!("broadcast off: the shell of {name} isn't connected", name);
                self.end_broadcast(Some(why))
            }
            None => Vec::new(),
        }
    }
}
