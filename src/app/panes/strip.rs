//! The windows of a pane as tabs in its head: which ones fit, and their positions.

use ratatui::layout::{Position, Rect};
use unicode_width::UnicodeWidthStr as _;

use super::{Pane, PaneTab, Panes, ShellPlace};
use crate::terminal::control::{Group, Window};

/// Maximum cells of a window's name on a tab.
const NAME: usize = 20;

/// The tab of a window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WindowTab {
    pub index: u32,
    pub active: bool,
    /// The window has output that hasn't been visible.
    pub unseen: bool,
    /// The bell of the window rang.
    pub rang: bool,
    /// Distance from the left edge of the line.
    pub column: u16,
    pub width: u16,
    pub label: String,
}

impl WindowTab {
    /// Its area within the area of the whole line.
    pub fn area(&self, line: Rect) -> Rect {
        Rect {
            x: line.x.saturating_add(self.column),
            width: self.width,
            ..line
        }
        .intersection(line)
    }
}

/// The positions of the parts of a pane's head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeadPlaces {
    /// Empty if a tab shows the name of the pane.
    pub name: Rect,
    /// Room for the tabs of windows. The rest stays empty.
    pub windows: Rect,
}

impl Panes {
    /// The parts of the pane's head in this line.
    pub fn head(&self, pane: &Pane, line: Rect) -> HeadPlaces {
        let shared = self.tab().is_some_and(PaneTab::is_shared);
        let room = Rect {
            x: line.x + u16::from(shared),
            width: line.width.saturating_sub(2 * u16::from(shared)),
            ..line
        };
        // The tab of a single pane shows its name, if there are tabs.
        let named = shared || self.tabs().len() == 1;
        let wanted = if named {
            u16::try_from(head_name(pane).width() + 2).unwrap_or(u16::MAX)
        } else {
            0
        };
        let most = match self.windows(pane) {
            Some(_) => room.width / 2,
            None => room.width,
        };
        let taken = wanted.min(most);
        HeadPlaces {
            name: Rect {
                width: taken,
                ..room
            },
            windows: Rect {
                x: room.x + taken,
                width: room.width - taken,
                ..room
            },
        }
    }

    /// The windows in a pane's head. A split shows only its own window, because every other window is in a
    /// pane of its own or in none.
    pub fn head_windows(&self, pane: &Pane) -> Option<Group> {
        let group = self.windows(pane)?;
        let mut shown = group.clone();
        if self.tab().is_some_and(PaneTab::is_shared) {
            shown.windows.retain(|window| window.active);
        }
        Some(shown)
    }

    /// The window whose tab is at this position.
    pub(super) fn window_at(&self, pane: &Pane, line: Rect, at: Position) -> Option<u32> {
        let windows = self.head(pane, line).windows;
        let tabs = window_tabs(&self.head_windows(pane)?, windows.width);
        let hit = tabs.iter().find(|tab| tab.area(windows).contains(at))?;
        Some(hit.index)
    }
}

/// The name of a pane in its head.
pub fn head_name(pane: &Pane) -> String {
    let host = if pane.place == ShellPlace::Host {
        tr!("host ")
    } else {
        ""
    };
    format!("{host}{}", pane.name)
}

/// The tabs of windows that fit into `width` cells. Those around the active one have precedence.
#[must_use]
pub fn window_tabs(group: &Group, width: u16) -> Vec<WindowTab> {
    let labels: Vec<String> = group.windows.iter().map(label).collect();
    let active = group.windows.iter().position(|window| window.active);
    let mut column = 0;
    let windows = group.windows.iter().zip(&labels);
    windows
        .enumerate()
        .filter(|(at, _)| shown(&labels, active.unwrap_or(0), width).contains(at))
        .map(|(_, (window, label))| {
            let tab = WindowTab {
                index: window.index,
                active: window.active,
                unseen: !window.active && (window.activity || window.bell),
                rang: !window.active && window.bell,
                column,
                width: u16::try_from(label.width()).unwrap_or(u16::MAX),
                label: label.clone(),
            };
            column = column.saturating_add(tab.width);
            tab
        })
        .collect()
}

/// The labels that fit, from the active one outwards.
fn shown(labels: &[String], active: usize, width: u16) -> std::ops::Range<usize> {
    let cells = |at: usize| labels.get(at).map_or(0, |label| label.width());
    let mut range = active..active + 1;
    let mut used = cells(active);
    if used > usize::from(width) {
        return 0..0;
    }
    loop {
        let right = range.end < labels.len() && used + cells(range.end) <= usize::from(width);
        if right {
            used += cells(range.end);
            range.end += 1;
        }
        let left = range.start > 0 && used + cells(range.start - 1) <= usize::from(width);
        if left {
            range.start -= 1;
            used += cells(range.start);
        }
        if !left && !right {
            return range;
        }
    }
}

/// Number, name and tmux's own marks: `*` is the current window, `!` rang its bell, `#` has new output.
fn label(window: &Window) -> String {
    let mut name = String::new();
    for c in window.name.as_str().chars() {
        let mut longer = name.clone();
        longer.push(c);
        if longer.width() > NAME {
            name.push('…');
            break;
        }
        name = longer;
    }
    let mark = match window {
        Window { active: true, .. } => "*",
        Window { bell: true, .. } => "!",
        Window { activity: true, .. } => "#",
        _ => "",
    };
    format!(" {} {name}{mark} ", window.index)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terminal::control::Listing;

    fn group(rows: &[(u32, &str, &str)]) -> Group {
        let lines: Vec<String> = rows
            .iter()
            .map(|(index, marks, name)| {
                let marks: Vec<String> = marks.chars().map(String::from).collect();
                let marks = marks.join("\t");
                format!("wb-a\t{index}\t{marks}\t1\t0\t\t\t\t0\t24\t0\temacs\t{name}\tsh\n")
            })
            .collect();
        let listing = Listing::read(lines.concat().as_bytes());
        listing.seen_by("wb-a").unwrap().clone()
    }

    #[test]
    fn marks_are_those_of_tmux() {
        let group = group(&[(1, "010", "make"), (2, "100", "학습"), (3, "011", "sh")]);
        let tabs = window_tabs(&group, 60);
        let labels: Vec<&str> = tabs.iter().map(|tab| tab.label.as_str()).collect();
        assert_eq!(labels, [" 1 make# ", " 2 학습* ", " 3 sh! "]);
        assert_eq!((tabs[1].column, tabs[2].column), (9, 18));
        let unseen: Vec<bool> = tabs.iter().map(|tab| tab.unseen).collect();
        assert_eq!(unseen, [true, false, true]);
    }

    #[test]
    fn the_active_window_and_its_neighbours_stay_when_there_is_little_room() {
        let rows: Vec<(u32, &str, &str)> = (1..=9)
            .map(|n| (n, if n == 6 { "100" } else { "000" }, "window"))
            .collect();
        let group = group(&rows);
        let seen = |width| -> Vec<u32> {
            let tabs = window_tabs(&group, width);
            let used: u16 = tabs.iter().map(|tab| tab.width).sum();
            assert!(used <= width);
            tabs.iter().map(|tab| tab.index).collect()
        };
        assert_eq!(seen(33), [5, 6, 7]);
        assert_eq!(seen(11), [6]);
        assert_eq!(seen(5), [] as [u32; 0]);
        assert_eq!(seen(200), (1..=9).collect::<Vec<_>>());
    }
}
