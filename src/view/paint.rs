//! Writes styled text into a buffer. Text that is too long ends in an ellipsis and never leaves its area.

use std::borrow::Cow;

use ratatui::{
    buffer::{Buffer, Cell},
    layout::{Position, Rect},
    style::{Modifier, Style},
};

use super::{
    glyphs::Glyphs,
    surface::{Extras, Surface},
    text,
};
use crate::{
    app::{input::Input, mirror::Mirror},
    model::{
        id::ContextName,
        text::{Clean, is_hidden},
    },
    theme::{Theme, face::Face},
};

/// A piece of text with its style.
pub type Piece = (String, Face);

pub struct Paint<'a> {
    pub buffer: &'a mut Buffer,
    pub extras: &'a mut Extras,
    pub theme: &'a Theme,
    pub glyphs: &'static Glyphs,
    /// The position of the terminal's cursor.
    pub cursor: Option<Position>,
}

impl<'a> Paint<'a> {
    pub fn new(surface: &'a mut Surface, theme: &'a Theme, glyphs: &'static Glyphs) -> Self {
        Self {
            buffer: &mut surface.buffer,
            extras: &mut surface.extras,
            theme,
            glyphs,
            cursor: None,
        }
    }

    pub fn style(&self, face: Face) -> Style {
        self.theme.style(face)
    }

    /// The style of a context's name.
    pub fn context_style(&self, mirror: &Mirror, name: ContextName) -> Style {
        let own = mirror
            .context(name)
            .and_then(|it| it.context.accent.as_ref());
        let own = own.map(Clean::as_str);
        self.theme.context(own, mirror.position(name))
    }

    /// Writes `text` from (`x`, `y`) in up to `cells` cells. Returns the column after it.
    pub fn text(&mut self, x: u16, y: u16, cells: u16, text: &str, face: Face) -> u16 {
        let style = self.style(face);
        self.styled(x, y, cells, text, style)
    }

    pub fn styled(&mut self, x: u16, y: u16, cells: u16, text: &str, style: Style) -> u16 {
        let area = self.buffer.area;
        if y < area.top() || y >= area.bottom() || x < area.left() || x >= area.right() {
            return x;
        }
        let cells = cells.min(area.right() - x);
        if let Some(end) = self.plain(x, y, cells, text, style) {
            return end;
        }
        let shown = shown(text);
        let fitted = text::fit(&shown, usize::from(cells), self.glyphs.ellipsis);
        let style = of_one_weight(style);
        let (end, _) = self
            .buffer
            .set_stringn(x, y, fitted, usize::from(cells), style);
        end
    }

    /// Does the same for a text of which each byte is a cell, as most are. `None` = the text is another one or doesn't fit.
    fn plain(&mut self, x: u16, y: u16, cells: u16, text: &str, style: Style) -> Option<u16> {
        let length = u16::try_from(text.len()).ok()?;
        if length > cells || !text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
            return None;
        }
        let style = of_one_weight(style);
        let start = self.buffer.index_of(x, y);
        let row = self.buffer.content.get_mut(start..)?;
        for (cell, byte) in row.iter_mut().zip(text.bytes()) {
            cell.set_char(char::from(byte)).set_style(style);
        }
        Some(x + length)
    }

    /// Writes right-aligned text in the `cells` cells from `x`.
    pub fn right(&mut self, x: u16, y: u16, cells: u16, text: &str, face: Face) {
        let taken = (text::width(text) as u16).min(cells);
        self.text(x + cells - taken, y, taken, text, face);
    }

    pub fn centred(&mut self, area: Rect, y: u16, text: &str, face: Face) {
        let taken = (text::width(text) as u16).min(area.width);
        let x = area.x + (area.width - taken) / 2;
        self.text(x, y, taken, text, face);
    }

    /// Writes several pieces one after another within `cells` cells. Returns the column after them.
    pub fn pieces(&mut self, x: u16, y: u16, cells: u16, pieces: &[Piece]) -> u16 {
        let end = x.saturating_add(cells);
        let mut at = x;
        for (text, face) in pieces {
            if at >= end {
                break;
            }
            at = self.text(at, y, end - at, text, *face);
        }
        at
    }

    /// Writes pieces in the middle of a line.
    pub fn centred_pieces(&mut self, area: Rect, y: u16, pieces: &[Piece]) {
        let all: usize = pieces.iter().map(|(text, _)| text::width(text)).sum();
        let taken = (all as u16).min(area.width);
        self.pieces(area.x + (area.width - taken) / 2, y, taken, pieces);
    }

    /// Gives an area the style of a face and keeps its text.
    pub fn fill(&mut self, area: Rect, face: Face) {
        let style = self.style(face);
        self.buffer
            .set_style(area.intersection(self.buffer.area), style);
    }

    /// Empties an area, and gives it the text style and the background of views.
    pub fn clear(&mut self, area: Rect) {
        let mut blank = Cell::EMPTY;
        blank.set_style(self.style(Face::Text));
        blank.set_style(self.ground_of(Face::Screen));
        let area = area.intersection(self.buffer.area);
        for y in area.top()..area.bottom() {
            let start = self.buffer.index_of(area.x, y);
            let row = self
                .buffer
                .content
                .get_mut(start..start + usize::from(area.width));
            row.unwrap_or_default().fill(blank.clone());
        }
    }

    /// Sets only the background of a face, so that the text on it keeps its brightness.
    pub fn ground(&mut self, area: Rect, face: Face) {
        let style = self.ground_of(face);
        self.buffer
            .set_style(area.intersection(self.buffer.area), style);
    }

    fn ground_of(&self, face: Face) -> Style {
        Style {
            bg: self.style(face).bg,
            ..Style::default()
        }
    }

    /// A horizontal line of one glyph.
    pub fn line(&mut self, x: u16, y: u16, cells: u16, glyph: &str, face: Face) {
        for column in x..x.saturating_add(cells) {
            self.text(column, y, 1, glyph, face);
        }
    }

    /// A one-line input, with the cursor if it has the focus. The text scrolls with the cursor.
    pub fn input(&mut self, area: Rect, input: &Input, focused: bool) {
        let face = face_of(input, focused);
        self.typed(area, input.before_cursor(), input.text(), (face, focused));
    }

    /// An input for a secret: shows a dot for every character.
    pub fn masked(&mut self, area: Rect, input: &Input, focused: bool) {
        let dots = |text: &str| self.glyphs.masked.repeat(text.chars().count());
        let (before, text) = (dots(input.before_cursor()), dots(input.text()));
        self.typed(area, &before, &text, (face_of(input, focused), focused));
    }

    /// `before` is the part of `text` before the cursor.
    fn typed(&mut self, area: Rect, before: &str, text: &str, (face, focused): (Face, bool)) {
        let style = self.style(face);
        let (shown, cursor) = text::scrolled(before, text, usize::from(area.width));
        self.styled(area.x, area.y, area.width, shown, style);
        if focused {
            let x = area.x + (cursor as u16).min(area.width.saturating_sub(1));
            self.cursor = Some(Position::new(x, area.y));
        }
    }
}

/// Prevents a style from being bold and dim at once when it is written over another style.
fn of_one_weight(style: Style) -> Style {
    if style.add_modifier.contains(Modifier::BOLD) {
        style.remove_modifier(Modifier::DIM)
    } else if style.add_modifier.contains(Modifier::DIM) {
        style.remove_modifier(Modifier::BOLD)
    } else {
        style
    }
}

fn face_of(input: &Input, focused: bool) -> Face {
    match (focused, input.is_marked()) {
        (true, true) => Face::InputMarked,
        (true, false) => Face::InputFocused,
        (false, _) => Face::Input,
    }
}

/// Removes hidden characters, because not every painted text is a [`Clean`] one.
fn shown(text: &str) -> Cow<'_, str> {
    if text.chars().any(is_hidden) {
        return Cow::Owned(Clean::new(text).into_string());
    }
    Cow::Borrowed(text)
}
