//! The positions of desks and panes in the terminal view.

use ratatui::layout::Rect;

use super::{Border, Desk, PaneArea, Panes};
use crate::app::step::Step;

impl Panes {
    /// Takes a new area for tabs, heads and cells, or a new pane. Each pane gets the size that it has on its
    /// desk.
    pub fn set_page(&mut self, page: Rect) -> Vec<Step> {
        self.page = Some(page);
        let sizes = self.recorded_sizes();
        let mut steps = Vec::new();
        for desk in &self.desks {
            let area = self.area_of(desk, page);
            for place in desk.place(area).0 {
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

    /// The area of a desk. If panes share it, the tabs have a row of their own. A single pane has its head
    /// next to the tabs, and a pane that fills the view has neither.
    pub(super) fn area_of(&self, desk: &Desk, page: Rect) -> Rect {
        let own_row = self.desks.len() > 1 && desk.is_shared() && !desk.zoomed;
        let top = u16::from(own_row).min(page.height);
        Rect {
            y: page.y + top,
            height: page.height - top,
            ..page
        }
    }

    /// The position of the tabs, and the visible parts of the shown desk.
    pub fn place(&self, page: Rect) -> (Rect, Vec<PaneArea>, Vec<Border>) {
        let Some(desk) = self.desk() else {
            return (Rect::default(), Vec::new(), Vec::new());
        };
        let (mut panes, borders) = desk.place(self.area_of(desk, page));
        if desk.zoomed || self.desks.len() == 1 {
            return (Rect::default(), panes, borders);
        }
        let mut tabs = Rect { height: 1, ..page };
        if !desk.is_shared()
            && let Some(head) = panes.first_mut().and_then(|pane| pane.head.as_mut())
        {
            tabs.width = self.tabs_end(page.width / 3 * 2);
            head.x += tabs.width;
            head.width -= tabs.width;
        }
        (tabs, panes, borders)
    }
}
