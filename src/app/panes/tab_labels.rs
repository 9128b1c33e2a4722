//! The labels of the tabs: which ones fit, and their positions.

use ratatui::layout::Rect;
use unicode_width::UnicodeWidthStr as _;

use super::{Pane, PaneState, Panes, ShellPlace};

/// Maximum cells of a name on a tab.
const TAB_NAME: usize = 24;

/// The label of a tab.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TabLabel {
    pub position: usize,
    /// Distance from the left edge of the labels.
    pub column: u16,
    pub width: u16,
    pub text: String,
}

impl TabLabel {
    /// Its area within the area of all labels.
    pub fn area(&self, labels: Rect) -> Rect {
        Rect {
            x: labels.x.saturating_add(self.column),
            width: self.width,
            ..labels
        }
        .intersection(labels)
    }
}

impl Panes {
    /// The labels that fit into `width` cells. Those around the active tab have precedence.
    pub fn tab_labels(&self, width: u16) -> Vec<TabLabel> {
        let texts: Vec<String> = (0..self.tabs.len()).map(|at| self.label(at)).collect();
        let cells = |at: usize| texts.get(at).map_or(0, |text| text.width() + 1);
        let (mut first, mut last) = (self.active, self.active + 1);
        let mut used = cells(self.active);
        loop {
            let right = last < texts.len() && used + cells(last) <= usize::from(width);
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
        let shown = texts.into_iter().enumerate().take(last).skip(first);
        shown
            .map(|(position, text)| {
                let label = TabLabel {
                    position,
                    column,
                    width: u16::try_from(text.width()).unwrap_or(u16::MAX),
                    text,
                };
                column = column.saturating_add(label.width + 1);
                label
            })
            .collect()
    }

    /// The cells that the labels take, up to `width`.
    pub(super) fn labels_end(&self, width: u16) -> u16 {
        let labels = self.tab_labels(width);
        labels
            .last()
            .map_or(0, |label| label.column + label.width + 1)
            .min(width)
    }

    /// The name of the tab's focused pane, the number of other panes, and their state.
    pub(super) fn label(&self, at: usize) -> String {
        let Some(tab) = self.tabs.get(at) else {
            return String::new();
        };
        let panes: Vec<&Pane> = tab.panes().iter().filter_map(|id| self.pane(*id)).collect();
        let Some(pane) = self.pane(tab.focus()) else {
            return String::new();
        };
        let name = short(pane.name.as_str());
        let host = if pane.place == ShellPlace::Host {
            tr!("host ")
        } else {
            ""
        };
        let more = match panes.len() {
            0 | 1 => String::new(),
            count => format!(" +{}", count - 1),
        };
        let mark = panes.iter().find_map(|pane| mark(pane)).unwrap_or_default();
        let unseen = at != self.active && panes.iter().any(|pane| pane.has_unseen_output);
        let mark = if mark.is_empty() && unseen {
            " +"
        } else {
            mark
        };
        format!(" {host}{name}{more}{mark} ")
    }
}

/// The problem with the connection to a pane's shell.
fn mark(pane: &Pane) -> Option<&'static str> {
    match pane.state {
        PaneState::Lost { .. } => Some(tr!(" lost")),
        PaneState::Ended { .. } => Some(tr!(" ended")),
        PaneState::Paused => Some(tr!(" paused")),
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
