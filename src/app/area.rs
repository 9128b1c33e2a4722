//! Where everything is on the screen. Computed by `view::layout` before drawing; drawing and mouse
//! both read it.

use ratatui::layout::Rect;

use super::{
    launcher::Row,
    panes::{Border, PaneArea},
    sort::Column,
};

/// The smallest screen anything is drawn on.
pub const MIN_COLUMNS: u16 = 60;
pub const MIN_ROWS: u16 = 16;
/// From here on there is room for bars above the list.
pub const STATISTICS_ROWS: u16 = 24;
/// From here on the detail stands beside the list.
pub const BESIDE_COLUMNS: u16 = 120;

/// Places by meaning. What is not shown is `Rect::ZERO` or `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Areas {
    pub screen: Rect,
    /// Below 60x16: only a sentence is shown, in `screen`.
    pub too_small: bool,

    pub header: Rect,
    /// The bars of what the person holds.
    pub statistics: Option<Rect>,
    pub tabs: Rect,
    /// The three tab titles, for clicks.
    pub tab_titles: [Rect; 3],
    pub rule: Rect,
    pub banner: Option<Rect>,
    pub table_head: Rect,
    /// The title of each column, for clicks.
    pub column_titles: Vec<(Column, Rect)>,
    /// The rows of the list, one line each.
    pub rows: Rect,
    /// The filter line or the rename line, above the hints.
    pub prompt: Option<Rect>,
    pub detail: Option<Rect>,
    /// The detail stands beside the list (else below or instead of it).
    pub detail_beside: bool,
    /// How many lines the detail has, seen or not.
    pub detail_lines: usize,
    pub hints: Rect,

    /// The part of the screen for the terminals: tabs, heads and cells.
    pub pane_page: Rect,
    /// The tabs of their desks.
    pub pane_tabs: Rect,
    /// Those that are seen.
    pub panes: Vec<PaneArea>,
    /// The lines between them.
    pub pane_borders: Vec<Border>,
    pub pane_status: Rect,

    /// The title line, the lines and the status line of the log view.
    pub log_title: Rect,
    pub log: Rect,
    pub log_status: Rect,

    /// The form or dialog on top of everything, with its border.
    pub dialog: Option<Rect>,
    /// The rows of the list of contexts, inside its border.
    pub picker_rows: Option<Rect>,
    /// The rows of the list of shells, inside its border.
    pub shell_rows: Option<Rect>,
    /// The lines of the form of a new shell, inside its border.
    pub new_shell_rows: Option<Rect>,
    /// What can be done against idle checks, a row each, inside the border.
    pub keep_rows: Option<Rect>,
    /// The rows of the launches of before, inside their border.
    pub recent_rows: Option<Rect>,
    /// The rows of the list of notices, inside its border.
    pub notice_rows: Option<Rect>,
    /// What could start now in place of a session that waits.
    pub why_not_rows: Option<Rect>,
    /// The lines of the scheduling history, inside its border.
    pub scheduling_rows: Option<Rect>,
    /// The reason why the selected session does not run yet, above the prompt.
    pub reason: Option<Rect>,
    /// The lines of the help, inside its border.
    pub help_rows: Option<Rect>,
    /// The buttons No and Yes of the question, for clicks.
    pub buttons: [Rect; 2],
    pub wizard: Option<Wizard>,
    pub toasts: Vec<Rect>,
}

/// The places of the launcher.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wizard {
    /// The titles of the steps, for clicks.
    pub steps: [Rect; 5],
    /// The lines of the page.
    pub body: Rect,
    /// Below them: what is wrong, what goes on.
    pub foot: Rect,
    /// The first line of the page that is shown.
    pub first: usize,
    /// How many lines the page has.
    pub lines: usize,
    /// Whose each line shown is, for clicks.
    pub rows: Vec<Option<Spot>>,
}

/// Where clicks on a line go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot {
    pub row: Row,
    /// From a column on they go to another row.
    pub half: Option<(u16, Row)>,
}

impl Spot {
    /// The row of a column of the page.
    #[must_use]
    pub fn at(self, column: u16) -> Row {
        let half = self.half.filter(|(from, _)| column >= *from);
        half.map_or(self.row, |(_, row)| row)
    }
}
