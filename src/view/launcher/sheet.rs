//! The lines of a page: labels on the left, values in one column, each problem below its field. A page can
//! have more lines than fit. The lines of the focused row are always visible.

use ratatui::layout::{Position, Rect};

use crate::{
    app::{
        area::Spot,
        input::Input,
        launcher::{FormRow, Launcher},
    },
    model::launch_field::LaunchField,
    theme::face::Face,
    view::{
        glyphs::Glyphs,
        paint::{Paint, Piece},
        text,
    },
};

/// Column of the values, from the left of the sheet.
pub const VALUES: u16 = 16;

/// A piece of a line at its position.
#[derive(Clone, Debug)]
pub struct SheetCell<'a> {
    pub x: u16,
    pub width: u16,
    pub what: CellContent<'a>,
}

#[derive(Clone, Debug)]
pub enum CellContent<'a> {
    Text(String, Face),
    /// Right-aligned text.
    Right(String, Face),
    /// An input. A masked input shows dots, with or without the focus.
    Input {
        input: &'a Input,
        focused: bool,
        masked: bool,
    },
    /// The position of the terminal's cursor.
    Cursor,
}

/// One line of the sheet.
#[derive(Clone, Debug, Default)]
pub struct SheetLine<'a> {
    /// The row of the line. The line stays visible while its row has the focus, and a click on it focuses the
    /// row.
    pub row: Option<FormRow>,
    /// The row or choice that a click selects, if it isn't `row`.
    pub click: Option<FormRow>,
    /// A click from this column on selects another row: the second half of the line.
    pub half: Option<(u16, FormRow)>,
    /// The first line of the row, which has its marker.
    pub head: bool,
    pub cells: Vec<SheetCell<'a>>,
}

impl<'a> SheetLine<'a> {
    pub fn of(row: FormRow) -> Self {
        Self {
            row: Some(row),
            click: None,
            half: None,
            head: true,
            cells: Vec::new(),
        }
    }

    /// A further line of a row.
    pub fn below(row: FormRow) -> Self {
        Self {
            head: false,
            ..Self::of(row)
        }
    }

    /// Makes a click select a choice: `at` is its number in the field.
    #[must_use]
    pub fn choosing(mut self, at: usize) -> Self {
        let field = self.row.map(|row| row.field);
        self.click = field.map(|field| FormRow::choice(field, at));
        self
    }

    /// Two rows in one line, the second from column `x` on.
    #[must_use]
    pub fn halved(mut self, first: FormRow, x: u16, second: FormRow) -> Self {
        self.click = Some(first);
        self.half = Some((x, second));
        self
    }

    /// The rows that clicks on the line select.
    #[must_use]
    pub fn spot(&self) -> Option<Spot> {
        let row = self.click.or(self.row)?;
        let half = self.half;
        Some(Spot { row, half })
    }

    #[must_use]
    pub fn text(mut self, x: u16, width: u16, text: impl Into<String>, face: Face) -> Self {
        let what = CellContent::Text(text.into(), face);
        self.cells.push(SheetCell { x, width, what });
        self
    }

    #[must_use]
    pub fn right(mut self, x: u16, width: u16, text: impl Into<String>, face: Face) -> Self {
        let what = CellContent::Right(text.into(), face);
        self.cells.push(SheetCell { x, width, what });
        self
    }

    /// Pieces one after another from `x`.
    #[must_use]
    pub fn pieces(mut self, x: u16, end: u16, pieces: impl IntoIterator<Item = Piece>) -> Self {
        let mut at = x;
        for (piece, face) in pieces {
            let room = end.saturating_sub(at);
            let width = (text::width(&piece) as u16).min(room);
            self = self.text(at, width, piece, face);
            at += width;
        }
        self
    }

    #[must_use]
    pub fn input(mut self, x: u16, width: u16, input: &'a Input, focused: bool) -> Self {
        let what = CellContent::Input {
            input,
            focused,
            masked: false,
        };
        self.cells.push(SheetCell { x, width, what });
        self
    }

    #[must_use]
    pub fn masked(mut self, x: u16, width: u16, input: &'a Input, focused: bool) -> Self {
        let what = CellContent::Input {
            input,
            focused,
            masked: true,
        };
        self.cells.push(SheetCell { x, width, what });
        self
    }

    #[must_use]
    pub fn cursor(mut self, x: u16) -> Self {
        let what = CellContent::Cursor;
        self.cells.push(SheetCell { x, width: 1, what });
        self
    }
}

/// A page being written, line after line.
#[derive(Debug)]
pub struct FormSheet<'a> {
    pub launcher: &'a Launcher,
    /// The focused row.
    pub focus: FormRow,
    pub width: u16,
    /// There is room for blank lines.
    pub airy: bool,
    /// There is room for a blank line between the cards of the review.
    pub loose: bool,
    pub glyphs: &'static Glyphs,
    lines: Vec<SheetLine<'a>>,
}

impl<'a> FormSheet<'a> {
    #[must_use]
    pub fn new(launcher: &'a Launcher, width: u16, airy: bool, glyphs: &'static Glyphs) -> Self {
        Self {
            focus: launcher.row(),
            launcher,
            width,
            airy,
            loose: false,
            glyphs,
            lines: Vec::new(),
        }
    }

    pub fn into_lines(self) -> Vec<SheetLine<'a>> {
        self.lines
    }

    pub fn is_focused(&self, row: FormRow) -> bool {
        self.focus == row
    }

    pub fn push(&mut self, line: SheetLine<'a>) {
        self.lines.push(line);
    }

    pub fn gap(&mut self) {
        if !self.lines.is_empty() {
            self.lines.push(SheetLine::default());
        }
    }

    /// Adds a blank line if there is room for it.
    pub fn air(&mut self) {
        if self.airy {
            self.gap();
        }
    }

    /// A dim heading above a part of the page.
    pub fn heading(&mut self, title: &str) {
        self.gap();
        let line = SheetLine::default().text(0, self.width, title, Face::Title);
        self.push(line);
    }

    /// A line that belongs to no row.
    pub fn note(&mut self, x: u16, text: &str, face: Face) {
        let room = self.width.saturating_sub(x);
        for part in text::wrap(text, usize::from(room)) {
            let line = SheetLine::default().text(x, room, part, face);
            self.push(line);
        }
    }

    /// The beginning of a field's line: its label.
    #[must_use]
    pub fn label(&self, row: FormRow, label: &str) -> SheetLine<'a> {
        let face = if self.is_focused(row) {
            Face::Strong
        } else {
            Face::Label
        };
        SheetLine::of(row).text(0, VALUES - 1, label, face)
    }

    /// A field whose value changes with the left and right keys.
    pub fn choice(&mut self, row: FormRow, label: &str, value: &str, note: &str) {
        let focused = self.is_focused(row);
        let face = if focused { Face::Strong } else { Face::Value };
        let mut pieces = vec![(value.to_owned(), face)];
        if focused {
            pieces.push((format!("  {}", self.turning()), Face::Key));
        }
        if !note.is_empty() {
            pieces.push((format!("  {note}"), Face::Dim));
        }
        let line = self.label(row, label).pieces(VALUES, self.width, pieces);
        self.push(line);
    }

    fn turning(&self) -> &'static str {
        self.glyphs.turning
    }

    /// A typed field, with a hint while it is empty and a note on its right.
    pub fn typed(&mut self, row: FormRow, label: &str, input: &'a Input, hint: &str, note: &str) {
        let taken = text::width(note) as u16;
        let room = self.width.saturating_sub(VALUES);
        let width = room.saturating_sub(if taken > 0 { taken + 2 } else { 0 });
        let focused = self.is_focused(row);
        let mut line = self.label(row, label).input(VALUES, width, input, focused);
        if input.is_empty() {
            line = line.text(VALUES, width, hint, Face::Placeholder);
        }
        let line = line.right(VALUES, room, note, Face::Dim);
        self.push(line);
    }

    /// The problem or the warning of a field, below its line.
    pub fn message(&mut self, row: FormRow) {
        self.message_of(row, row.field);
    }

    fn message_of(&mut self, row: FormRow, field: LaunchField) {
        let launcher = self.launcher;
        if let Some(why) = launcher.problem(field) {
            self.sentence(row, why, Face::InputError);
        } else if let Some(word) = launcher.warning(field) {
            self.sentence(row, word, Face::Warning);
        }
    }

    /// A sentence below a row, in the column of the values.
    pub fn sentence(&mut self, row: FormRow, text: &str, face: Face) {
        self.below(row, row, VALUES, (text, face));
    }

    /// The problem with this line of a list, below it at `x`.
    pub fn item_message(&mut self, row: FormRow, x: u16) {
        if let Some(why) = self.launcher.problem_on(row) {
            self.below(row, row, x, (why, Face::InputError));
        }
    }

    /// A problem below a row. A click on it focuses the row that fixes it.
    pub fn problem(&mut self, row: FormRow, fixed_in: FormRow, why: &str) {
        self.below(row, fixed_in, VALUES, (why, Face::InputError));
    }

    fn below(&mut self, row: FormRow, click: FormRow, x: u16, (text, face): (&str, Face)) {
        let room = self.width.saturating_sub(x);
        for part in text::wrap(text, usize::from(room)) {
            let mut line = SheetLine::below(row).text(x, room, part, face);
            line.click = Some(click);
            self.push(line);
        }
    }
}

/// The first visible line of `height` lines. The lines of the focused row are visible, with a line around
/// them.
#[must_use]
pub fn first(lines: &[SheetLine<'_>], focus: FormRow, height: u16) -> usize {
    let height = usize::from(height);
    let last = lines.len().saturating_sub(height);
    let own = |line: &SheetLine<'_>| line.row == Some(focus);
    let Some(top) = lines.iter().position(own) else {
        return 0;
    };
    let bottom = lines.iter().rposition(own).unwrap_or(top);
    // The page isn't scrolled while the row is among its first lines.
    if bottom + 1 < height {
        return 0;
    }
    let wanted = (bottom + 2)
        .saturating_sub(height)
        .min(top.saturating_sub(1));
    wanted.min(last)
}

/// Draws the lines from `first` on.
pub fn draw(
    paint: &mut Paint<'_>,
    lines: &[SheetLine<'_>],
    first: usize,
    focus: FormRow,
    area: Rect,
) {
    let shown = lines.iter().skip(first).take(usize::from(area.height));
    for (at, line) in shown.enumerate() {
        let y = area.y + at as u16;
        if line.head && line.row == Some(focus) {
            let marker = paint.glyphs.marker;
            paint.text(area.x.saturating_sub(2), y, 1, marker, Face::RowMarker);
        }
        for cell in &line.cells {
            draw_cell(paint, cell, area, y);
        }
    }
}

fn draw_cell(paint: &mut Paint<'_>, cell: &SheetCell<'_>, area: Rect, y: u16) {
    let x = area.x + cell.x;
    let width = cell.width.min(area.right().saturating_sub(x));
    match &cell.what {
        CellContent::Text(text, face) => {
            paint.text(x, y, width, text, *face);
        }
        CellContent::Right(text, face) => paint.right(x, y, width, text, *face),
        CellContent::Cursor => paint.cursor = Some(Position::new(x, y)),
        CellContent::Input {
            input,
            focused,
            masked,
        } => {
            let place = Rect::new(x, y, width, 1);
            if *masked {
                paint.masked(place, input, *focused);
            } else {
                paint.input(place, input, *focused);
            }
        }
    }
}
