//! Quick select on the screen of the focused pane.

use super::{PaneId, PaneState, Panes};
use crate::{
    action::Action,
    app::{
        quick_select::{Picked, QuickSelect, lines},
        step::Step,
    },
    key::Key,
};

/// The labels on the screen of a pane.
#[derive(Debug)]
pub(super) struct PaneQuickSelect {
    pane: PaneId,
    /// The columns and rows of the pane when the labels were placed.
    size: (u16, u16),
    select: QuickSelect,
}

impl Panes {
    /// The labels that are on the screen, while their pane has the focus and its size.
    pub fn quick_select(&self) -> Option<&QuickSelect> {
        let pane = self.active()?;
        let quick = self.quick.as_ref()?;
        let fits = quick.pane == pane.id && quick.size == pane.emulator.size();
        (fits && pane.state == PaneState::Live).then_some(&quick.select)
    }

    /// Labels the screen of the focused pane.
    pub(super) fn begin_quick_select(&mut self) -> Vec<Step> {
        let Some(pane) = self.active().filter(|pane| pane.state == PaneState::Live) else {
            return Vec::new();
        };
        let session = pane.place.session();
        let select = QuickSelect::new(lines::of_terminal(&pane.emulator), session);
        let quick = select.map(|select| PaneQuickSelect {
            pane: pane.id,
            size: pane.emulator.size(),
            select,
        });
        self.quick = quick;
        if self.quick.is_none() {
            return vec![QuickSelect::nothing()];
        }
        Vec::new()
    }

    /// Removes the labels. Returns `false` if there were none.
    pub(super) fn end_quick_select(&mut self) -> bool {
        let was_shown = self.quick_select().is_some();
        self.quick = None;
        was_shown
    }

    /// Handles a key while the labels are on the screen, `None` if they aren't.
    pub(super) fn quick_key(&mut self, key: Key) -> Option<Vec<Step>> {
        self.quick_select()?;
        let quick = self.quick.as_mut()?;
        Some(match quick.select.key(key) {
            Picked::Nothing => Vec::new(),
            Picked::Done(steps) => {
                self.quick = None;
                steps
            }
        })
    }

    /// Handles Enter and Escape while the labels are on the screen, `None` if they aren't.
    pub(super) fn quick_action(&mut self, action: Action) -> Option<Vec<Step>> {
        let steps = self.quick_select()?.action(action)?;
        self.quick = None;
        Some(steps)
    }
}
