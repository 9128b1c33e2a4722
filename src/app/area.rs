//! The positions of everything on the screen. `view::layout` computes them before drawing. Drawing and mouse
//! handling read them.

use ratatui::layout::{Position, Rect};

use super::{
    launcher::{FormRow, Page},
    panels::DialogButton,
    panes::{Border, PaneArea},
    sessions::sort::Column,
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
    /// The charts below a short list.
    pub overview: Option<Rect>,
    /// The prompt for the filter or a new name, above the hints.
    pub prompt: Option<Rect>,
    pub detail: Option<Rect>,
    /// The detail is next to the list, otherwise below it or in place of it.
    pub detail_beside: bool,
    pub detail_lines: DetailLines,
    pub hints: Rect,

    /// The part of the screen for the terminals: tabs, heads and cells.
    pub pane_page: Rect,
    /// The labels of the tabs of panes.
    pub pane_tabs: Rect,
    /// The visible panes.
    pub panes: Vec<PaneArea>,
    /// The lines between panes.
    pub pane_borders: Vec<Border>,
    pub pane_status: Rect,
    /// The frame of the floating shell.
    pub floating: Rect,
    /// The cells of the floating shell.
    pub floating_pane: Option<PaneArea>,

    /// The title line, the lines and the status line of the log view.
    pub log_title: Rect,
    pub log: Rect,
    pub log_status: Rect,

    /// The dialog on top of everything.
    pub dialog: Option<DialogAreas>,
    /// The reason why the selected session doesn't run yet, above the prompt.
    pub reason: Option<Rect>,
    pub toasts: Vec<Rect>,
    /// The guide of the tour, below `screen`.
    pub guide: Option<Rect>,
}

/// The numbers of lines of the detail, visible or not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DetailLines {
    pub all: usize,
    /// The history is the last section.
    pub before_history: usize,
}

/// The areas of a dialog.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DialogAreas {
    pub screen: Rect,
    /// The dialog with its border.
    pub area: Rect,
    /// The rows of its list, inside the border.
    pub rows: Rect,
    /// The buttons No and Yes, for clicks.
    pub buttons: [Rect; 2],
    pub wizard: Option<Wizard>,
    /// The preview next to the list.
    pub side: Option<Rect>,
}

/// The part of a dialog that was clicked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DialogPart {
    Button(DialogButton),
    /// A row of its list, counted from the first visible one.
    Row(usize),
    /// A step of the launcher.
    Step(Page),
    /// A line of the launcher's page.
    Field(FormRow),
    /// Its border, or a line that isn't a row.
    Frame,
    Outside,
}

impl DialogAreas {
    /// The part at a position.
    #[must_use]
    pub fn part(&self, at: Position) -> DialogPart {
        let [no, yes] = self.buttons;
        if no.contains(at) || yes.contains(at) {
            let is_yes = yes.contains(at);
            return DialogPart::Button(if is_yes {
                DialogButton::Yes
            } else {
                DialogButton::No
            });
        }
        if self.rows.contains(at) {
            return DialogPart::Row(usize::from(at.y - self.rows.y));
        }
        if let Some(part) = self.wizard.as_ref().and_then(|it| it.part(at)) {
            return part;
        }
        if self.area.contains(at) {
            DialogPart::Frame
        } else {
            DialogPart::Outside
        }
    }
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

impl Wizard {
    fn part(&self, at: Position) -> Option<DialogPart> {
        let mut steps = Page::ALL.into_iter().zip(self.steps);
        if let Some((page, _)) = steps.find(|(_, area)| area.contains(at)) {
            return Some(DialogPart::Step(page));
        }
        if !self.body.contains(at) {
            return None;
        }
        let spot = (*self.rows.get(usize::from(at.y - self.body.y))?)?;
        Some(DialogPart::Field(spot.at(at.x - self.body.x)))
    }
}

/// The rows that clicks on a line select.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot {
    pub row: FormRow,
    /// Clicks from this column on select another row.
    pub half: Option<(u16, FormRow)>,
}

impl Spot {
    /// The row that a click on a column of the page selects.
    #[must_use]
    pub fn at(self, column: u16) -> FormRow {
        let half = self.half.filter(|(from, _)| column >= *from);
        half.map_or(self.row, |(_, row)| row)
    }
}
