//! The positions of tabs and panes in the terminal view.

use ratatui::layout::Rect;

use super::{Border, PaneArea, PaneTab, Panes};
use crate::app::step::Step;

impl Panes {
    /// Takes a new area for tabs, heads and cells, or a new pane. Each pane gets the size that it has on its
    /// tab.
    pub fn set_page(&mut self, page: Rect) -> Vec<Step> {
        self.page = Some(page);
        let sizes = self.recorded_sizes();
        let mut steps = Vec::new();
        for tab in &self.tabs {
            let area = self.area_of(tab, page);
            for place in tab.place(area).0 {
                let (columns, rows) = (place.cells.width, place.cells.height);
                let pane = self.list.iter_mut().find(|pane| pane.id == place.pane);
                if columns > 0 && rows > 0 {
                    steps.extend(pane.and_then(|pane| pane.set_size(columns, rows)));
                }
            }
        }
        steps.extend(self.record_sizes(&sizes));
        steps
    }

    /// The area of a tab. If panes share it, the labels have a row of their own. A single pane has its head
    /// next to the labels, and a pane that fills the view has neither.
    pub(super) fn area_of(&self, tab: &PaneTab, page: Rect) -> Rect {
        let own_row = self.tabs.len() > 1 && tab.is_shared() && !tab.zoomed;
        let top = u16::from(own_row).min(page.height);
        Rect {
            y: page.y + top,
            height: page.height - top,
            ..page
        }
    }

    /// The position of the labels of tabs, and the visible parts of the shown tab.
    pub fn place(&self, page: Rect) -> (Rect, Vec<PaneArea>, Vec<Border>) {
        let Some(tab) = self.tab() else {
            return (Rect::default(), Vec::new(), Vec::new());
        };
        let (mut panes, borders) = tab.place(self.area_of(tab, page));
        if tab.zoomed || self.tabs.len() == 1 {
            return (Rect::default(), panes, borders);
        }
        let mut tabs = Rect { height: 1, ..page };
        if !tab.is_shared()
            && let Some(head) = panes.first_mut().and_then(|pane| pane.head.as_mut())
        {
            tabs.width = self.labels_end(page.width / 3 * 2);
            head.x += tabs.width;
            head.width -= tabs.width;
        }
        (tabs, panes, borders)
    }
}
