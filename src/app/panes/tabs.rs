//! The tabs of the open terminals: which fit, and where each stands.

use ratatui::layout::Rect;
use unicode_width::UnicodeWidthStr as _;

use super::{Panes, Place, State};

/// Longest name on a tab, in cells.
const TAB_NAME: usize = 24;

/// A tab that is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tab {
    pub position: usize,
    /// From the left edge of the tabs.
    pub column: u16,
    pub width: u16,
    pub label: String,
}

impl Tab {
    /// Its place inside the place of all tabs.
    pub fn area(&self, tabs: Rect) -> Rect {
        Rect {
            x: tabs.x.saturating_add(self.column),
            width: self.width,
            ..tabs
        }
        .intersection(tabs)
    }
}

impl Panes {
    /// The tabs as they fit into `width` cells; those around the active one win.
    pub fn tabs(&self, width: u16) -> Vec<Tab> {
        let labels: Vec<String> = (0..self.list.len()).map(|at| self.label(at)).collect();
        let cells = |at: usize| labels.get(at).map_or(0, |label| label.width() + 1);
        let (mut first, mut last) = (self.active, self.active + 1);
        let mut used = cells(self.active);
        loop {
            let right = last < labels.len() && used + cells(last) <= usize::from(width);
            if right {
                used += cells(last);
                last += 1;
            }
            let left = first > 0 && used + cells(first - 1) <= usize::from(width);
            if left {
                first -= 1;
                used += cells(first);
            }
            if !left && !right {
                break;
            }
        }
        let mut column = 0;
        let shown = labels.into_iter().enumerate().take(last).skip(first);
        shown
            .map(|(position, label)| {
                let tab = Tab {
                    position,
                    column,
                    width: u16::try_from(label.width()).unwrap_or(u16::MAX),
                    label,
                };
                column = column.saturating_add(tab.width + 1);
                tab
            })
            .collect()
    }

    pub(super) fn label(&self, at: usize) -> String {
        let Some(pane) = self.list.get(at) else {
            return String::new();
        };
        let mut name = String::new();
        for c in pane.name.as_str().chars() {
            let mut longer = name.clone();
            longer.push(c);
            if longer.width() > TAB_NAME {
                name.push('…');
                break;
            }
            name = longer;
        }
        let mark = match pane.state {
            State::Lost { .. } => " lost",
            State::Ended { .. } => " ended",
            State::Paused => " paused",
            _ if pane.has_news && at != self.active => " +",
            _ => "",
        };
        let host = if pane.place == Place::Host {
            "host "
        } else {
            ""
        };
        format!(" {} {host}{name}{mark} ", at + 1)
    }
}
