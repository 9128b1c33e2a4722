//! The tabs of the desks: which ones fit, and their positions.

use ratatui::layout::Rect;
use unicode_width::UnicodeWidthStr as _;

use super::{Pane, PaneState, Panes, ShellPlace};

/// Maximum cells of a name on a tab.
const TAB_NAME: usize = 24;

/// The tab of a desk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tab {
    pub position: usize,
    /// Distance from the left edge of the tabs.
    pub column: u16,
    pub width: u16,
    pub label: String,
}

impl Tab {
    /// Its area within the area of all tabs.
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
    /// The tabs that fit into `width` cells. Those around the active one have precedence.
    pub fn tabs(&self, width: u16) -> Vec<Tab> {
        let labels: Vec<String> = (0..self.desks.len()).map(|at| self.label(at)).collect();
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

    /// The cells that the tabs take, up to `width`.
    pub(super) fn tabs_end(&self, width: u16) -> u16 {
        let tabs = self.tabs(width);
        tabs.last()
            .map_or(0, |tab| tab.column + tab.width + 1)
            .min(width)
    }

    /// The name of the desk's focused pane, the number of other panes, and their state.
    pub(super) fn label(&self, at: usize) -> String {
        let Some(desk) = self.desks.get(at) else {
            return String::new();
        };
        let panes: Vec<&Pane> = desk
            .panes()
            .iter()
            .filter_map(|id| self.pane(*id))
            .collect();
        let Some(pane) = self.pane(desk.focus()) else {
            return String::new();
        };
        let name = short(pane.name.as_str());
        let host = if pane.place == ShellPlace::Host {
            "host "
        } else {
            ""
        };
        let more = match panes.len() {
            0 | 1 => String::new(),
            count => format!(" +{}", count - 1),
        };
        let mark = panes.iter().find_map(|pane| mark(pane)).unwrap_or_default();
        let news = at != self.active && panes.iter().any(|pane| pane.has_news);
        let mark = if mark.is_empty() && news { " +" } else { mark };
        format!(" {host}{name}{more}{mark} ")
    }
}

/// The problem with the connection to a pane's shell.
fn mark(pane: &Pane) -> Option<&'static str> {
    match pane.state {
        PaneState::Lost { .. } => Some(" lost"),
        PaneState::Ended { .. } => Some(" ended"),
        PaneState::Paused => Some(" paused"),
        PaneState::Opening | PaneState::Live => None,
    }
}

/// The part of a name that fits on a tab.
fn short(name: &str) -> String {
    let mut shown = String::new();
    for c in name.chars() {
        let mut longer = shown.clone();
        longer.push(c);
        if longer.width() > TAB_NAME {
            shown.push('…');
            break;
        }
        shown = longer;
    }
    shown
}
