//! The floating shell: a pane of a session over any view. It is on no tab, and keeps running while it is hidden.

use ratatui::layout::Rect;

use super::{Pane, PaneArea, PaneId, Panes, SavedPane, ShellPlace};
use crate::{
    action::Action,
    app::step::{Go, Ids, Step},
    model::{notice::Level, text::Clean},
};

/// The floating shell on the screen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Floating {
    pane: PaneId,
    /// It is over the terminal view, whose panes stay visible.
    over_panes: bool,
}

impl Panes {
    /// The floating shell on the screen.
    pub fn floating(&self) -> Option<&Pane> {
        self.pane(self.floating?.pane)
    }

    pub fn is_floating(&self) -> bool {
        self.floating.is_some()
    }

    /// Whether the pane is a floating shell, on the screen or hidden.
    pub(super) fn floats(&self, id: PaneId) -> bool {
        self.pane(id).is_some_and(|pane| pane.floats)
    }

    /// The panes that are visible while the terminal view or the floating shell is shown.
    pub(super) fn seen(&self) -> Vec<PaneId> {
        let tab = || self.tab().map(super::PaneTab::seen).unwrap_or_default();
        match self.floating {
            None => tab(),
            Some(floating) => {
                let below = floating.over_panes.then(tab).unwrap_or_default();
                std::iter::once(floating.pane).chain(below).collect()
            }
        }
    }

    /// Shows the floating shell of a place, or opens one. It has a window of its own.
    pub fn float(
        &mut self,
        place: ShellPlace,
        name: &Clean,
        keeps_alive: bool,
        over_panes: bool,
        ids: &mut Ids,
    ) -> Vec<Step> {
        let known = self
            .list
            .iter()
            .find(|pane| pane.floats && pane.place == place);
        let id = match known.map(|pane| pane.id) {
            Some(id) => id,
            None => {
                let id = self.add(place, name, ids);
                if let Some(pane) = self.list.last_mut() {
                    pane.floats = true;
                    pane.keeps_alive = keeps_alive;
                    pane.start.fresh = true;
                }
                id
            }
        };
        let mut steps: Vec<Step> = self.report_focus(false).into_iter().collect();
        self.leader = false;
        self.floating = Some(Floating {
            pane: id,
            over_panes,
        });
        steps.extend(self.report_focus(true));
        self.mark_seen();
        if let Some(pane) = self.active_mut().filter(|pane| pane.can_reopen()) {
            steps.push(pane.reopen(ids.stream()));
        }
        steps
    }

    /// Hides the floating shell. What is below gets the keys.
    pub fn sink(&mut self) -> Vec<Step> {
        if self.floating.is_none() {
            return Vec::new();
        }
        let mut steps: Vec<Step> = self.report_focus(false).into_iter().collect();
        self.leader = false;
        self.floating = None;
        steps.extend(self.report_focus(true));
        steps
    }

    /// Takes the area of its cells, which sets the size of its terminal.
    pub fn set_floating(&mut self, cells: Rect) -> Vec<Step> {
        let id = self.floating.map(|it| it.pane);
        let sizes = self.recorded_sizes();
        let pane = self.list.iter_mut().find(|pane| Some(pane.id) == id);
        let has_room = cells.width > 0 && cells.height > 0;
        let step = pane
            .filter(|_| has_room)
            .and_then(|pane| pane.set_size(cells.width, cells.height));
        let mut steps: Vec<Step> = step.into_iter().collect();
        steps.extend(self.record_sizes(&sizes));
        steps
    }

    /// The floating shell in this area.
    pub fn place_floating(&self, cells: Rect) -> Option<PaneArea> {
        let pane = self.floating()?.id;
        Some(PaneArea {
            pane,
            head: None,
            cells,
        })
    }

    /// Handles what an action does while the floating shell has the keys, `None` if it does the same as elsewhere.
    pub(super) fn floating_action(&mut self, action: Action) -> Option<Vec<Step>> {
        let id = self.floating()?.id;
        Some(match action {
            Action::PaneDetach => vec![Step::Go(Go::Below)],
            Action::PaneClose => self.close_pane(id),
            Action::PaneNext
            | Action::PanePrevious
            | Action::PaneZoom
            | Action::PaneSplitRight
            | Action::PaneSplitBelow
            | Action::PaneLeft
            | Action::PaneRight
            | Action::PaneUp
            | Action::PaneDown
            | Action::PaneGrowLeft
            | Action::PaneGrowRight
            | Action::PaneGrowUp
            | Action::PaneGrowDown => {
                let text = tr!("the floating shell covers the panes. Hide it first");
                vec![Step::toast(Level::Info, text)]
            }
            _ => return None,
        })
    }

    /// Removes a floating shell from the screen, before its pane is closed.
    pub(super) fn forget_floating(&mut self, id: PaneId) -> Vec<Step> {
        let is_shown = self.floating.is_some_and(|it| it.pane == id);
        is_shown
            .then_some(Step::Go(Go::Below))
            .into_iter()
            .collect()
    }

    /// The floating shells, for the next TUI.
    pub fn saved_floating(&self) -> Vec<SavedPane> {
        let kept = |pane: &&Pane| pane.floats && pane.takes_keys();
        self.list.iter().filter(kept).map(Pane::saved).collect()
    }

    /// Restores hidden floating shells that are `wanted`. They open when they are shown.
    pub fn restore_floating(
        &mut self,
        saved: Vec<SavedPane>,
        wanted: impl Fn(&SavedPane) -> bool,
        ids: &mut Ids,
    ) {
        for pane in saved.into_iter().filter(wanted) {
            let id = self.put_back(pane, ids);
            if let Some(pane) = self.list.iter_mut().find(|pane| pane.id == id) {
                pane.floats = true;
            }
        }
    }
}
