//! A tab of the terminal view: one pane, or several side by side. One of them has the focus.

use ratatui::layout::Rect;

use super::{
    PaneId,
    tree::{Border, Tree},
};

#[derive(Clone, Debug)]
pub struct PaneTab {
    pub(super) tree: Tree,
    pub(super) focus: PaneId,
    /// The focused pane fills the view, without head and tabs.
    pub(super) zoomed: bool,
}

/// The position of a pane in the view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PaneArea {
    pub pane: PaneId,
    /// Its head line, `None` while it fills the view.
    pub head: Option<Rect>,
    /// Its cells. They set the size of its terminal.
    pub cells: Rect,
}

impl PaneTab {
    pub fn new(pane: PaneId) -> Self {
        Self {
            tree: Tree::Pane(pane),
            focus: pane,
            zoomed: false,
        }
    }

    /// Its panes in reading order.
    pub fn panes(&self) -> Vec<PaneId> {
        self.tree.panes()
    }

    /// Whether several panes share the tab.
    pub fn is_shared(&self) -> bool {
        matches!(self.tree, Tree::Split(_))
    }

    /// The panes that are visible when the tab is shown.
    pub fn seen(&self) -> Vec<PaneId> {
        if self.zoomed {
            return vec![self.focus];
        }
        self.panes()
    }

    pub fn focus(&self) -> PaneId {
        self.focus
    }

    /// The visible panes in `area`, and the borders that can be dragged.
    pub fn place(&self, area: Rect) -> (Vec<PaneArea>, Vec<Border>) {
        if self.zoomed {
            let whole = PaneArea {
                pane: self.focus,
                head: None,
                cells: area,
            };
            return (vec![whole], Vec::new());
        }
        let (placed, borders) = self.tree.place(area);
        let panes = placed.into_iter().map(|it| {
            let head = Rect {
                height: it.area.height.min(1),
                ..it.area
            };
            let cells = Rect {
                y: head.bottom(),
                height: it.area.height - head.height,
                ..it.area
            };
            PaneArea {
                pane: it.pane,
                head: Some(head),
                cells,
            }
        });
        (panes.collect(), borders)
    }

    /// Removes a pane. Returns `None` if it was the last one.
    pub fn without(mut self, pane: PaneId) -> Option<Self> {
        let before = self.panes();
        self.tree = self.tree.without(pane)?;
        if self.focus == pane {
            // The pane before it in reading order gets the focus.
            let at = before.iter().position(|it| *it == pane).unwrap_or(0);
            let left = self.panes();
            self.focus = left[at.saturating_sub(1).min(left.len() - 1)];
            self.zoomed = false;
        }
        Some(self)
    }
}
