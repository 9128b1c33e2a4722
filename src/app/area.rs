//! The positions of everything on the screen. `view::layout` computes them before drawing. Drawing and mouse
//! handling read them.

use ratatui::layout::Rect;

use super::{
    launcher::Row,
    panes::{Border, PaneArea},
    sort::Column,
};

/// Minimum size of the screen. A smaller one shows only a sentence.
pub const MIN_COLUMNS: u16 = 60;
pub const MIN_ROWS: u16 = 16;
/// From this height, there is room for bars above the list.
pub const STATISTICS_ROWS: u16 = 24;
/// From this width, the detail is next to the list.
pub const BESIDE_COLUMNS: u16 = 120;

/// The areas by their meaning. Hidden areas are `Rect::ZERO` or `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Areas {
    pub screen: Rect,
    /// The screen is smaller than 60x16. Only a sentence is shown, in `screen`.
    pub too_small: bool,

    pub header: Rect,
    /// The bars of your resource use.
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
    /// The prompt for the filter or a new name, above the hints.
    pub prompt: Option<Rect>,
    pub detail: Option<Rect>,
    /// The detail is next to the list, otherwise below it or in place of it.
    pub detail_beside: bool,
    /// All lines of the detail, including those that aren't visible.
    pub detail_lines: usize,
    pub hints: Rect,

    /// The part of the screen for the terminals: tabs, heads and cells.
    pub pane_page: Rect,
    /// The tabs of the desks.
    pub pane_tabs: Rect,
    /// The visible panes.
    pub panes: Vec<PaneArea>,
    /// The lines between panes.
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
    /// The rows of the dialog that extends or exempts a session, inside its border.
    pub keep_rows: Option<Rect>,
    /// The rows of the recent launches, inside their border.
    pub recent_rows: Option<Rect>,
    /// The rows of the list of notifications, inside its border.
    pub notice_rows: Option<Rect>,
    /// The sessions that could start now in place of a waiting one.
    pub why_not_rows: Option<Rect>,
    /// The lines of the scheduling history, inside its border.
    pub scheduling_rows: Option<Rect>,
    /// The reason why the selected session doesn't run yet, above the prompt.
    pub reason: Option<Rect>,
    /// The lines of the help, inside its border.
    pub help_rows: Option<Rect>,
    /// The buttons No and Yes of a dialog, for clicks.
    pub buttons: [Rect; 2],
    pub wizard: Option<Wizard>,
    pub toasts: Vec<Rect>,
}

/// The areas of the launcher.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wizard {
    /// The titles of the steps, for clicks.
    pub steps: [Rect; 5],
    /// The lines of the page.
    pub body: Rect,
    /// The foot below the lines: problems and progress.
    pub foot: Rect,
    /// The first visible line of the page.
    pub first: usize,
    /// How many lines the page has.
    pub lines: usize,
    /// The rows of the visible lines, for clicks.
    pub rows: Vec<Option<Spot>>,
}

/// The rows that clicks on a line select.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot {
    pub row: Row,
    /// Clicks from this column on select another row.
    pub half: Option<(u16, Row)>,
}

impl Spot {
    /// The row that a click on a column of the page selects.
    #[must_use]
    pub fn at(self, column: u16) -> Row {
        let half = self.half.filter(|(from, _)| column >= *from);
        half.map_or(self.row, |(_, row)| row)
    }
}
