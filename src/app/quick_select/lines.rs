//! The lines of a screen as text, with the place of each character. A line that the terminal wrapped is one line.

use std::ops::Range;

use crate::{
    model::text::Clean,
    terminal::emulator::{CellWidth, Emulator},
};

/// Where a character is on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextPlace {
    /// Its first byte in the text of the line.
    pub at: usize,
    pub column: u16,
    pub row: u16,
    /// The cells it takes, 1 or 2.
    pub width: u16,
}

/// A line of text. Only the visible characters have a place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScreenLine {
    pub text: String,
    /// In the order of the text.
    pub places: Vec<TextPlace>,
    /// Parts of the text that a program marked as links (OSC 8), with the address.
    pub links: Vec<(Range<usize>, String)>,
}

impl ScreenLine {
    /// The text of the character at a place. A character is followed by the next one that has a place.
    pub fn character(&self, position: usize) -> &str {
        let Some(place) = self.places.get(position) else {
            return "";
        };
        let next = self.places.get(position + 1).map(|it| it.at);
        let end = next.unwrap_or(self.text.len());
        self.text.get(place.at..end).unwrap_or_default()
    }

    fn push(&mut self, text: &str, column: u16, row: u16, width: u16) {
        self.places.push(TextPlace {
            at: self.text.len(),
            column,
            row,
            width,
        });
        self.text.push_str(text);
    }

    /// Adds the characters of one row of a terminal.
    fn add_row(&mut self, emulator: &Emulator, row: u16) {
        let (columns, _) = emulator.size();
        let mut link: Option<(usize, u64, &str)> = None;
        for column in 0..columns {
            let Some(cell) = emulator.cell(column, row) else {
                continue;
            };
            let width = match cell.width {
                CellWidth::Continuation => continue,
                CellWidth::Two => 2,
                CellWidth::One => 1,
            };
            let here = cell.link.map(|it| (it.number(), it.address()));
            if link.map(|(_, number, _)| number) != here.map(|(number, _)| number) {
                self.end_link(link.take());
                link = here.map(|(number, address)| (self.text.len(), number, address));
            }
            let clean = Clean::new(cell.text);
            let text = if clean.is_empty() {
                " "
            } else {
                clean.as_str()
            };
            self.push(text, column, row, width);
        }
        self.end_link(link);
    }

    fn end_link(&mut self, link: Option<(usize, u64, &str)>) {
        let Some((start, _, address)) = link else {
            return;
        };
        let end = self.text.len();
        match self.links.last_mut() {
            // The same link in the next row.
            Some((range, known)) if range.end == start && known == address => range.end = end,
            _ => self.links.push((start..end, address.to_owned())),
        }
    }
}

/// The lines on the screen of a terminal.
#[must_use]
pub fn of_terminal(emulator: &Emulator) -> Vec<ScreenLine> {
    let (_, rows) = emulator.size();
    let mut lines: Vec<ScreenLine> = Vec::new();
    for row in 0..rows {
        let continues = row > 0 && emulator.is_wrapped(row - 1);
        if !continues || lines.is_empty() {
            lines.push(ScreenLine::default());
        }
        if let Some(line) = lines.last_mut() {
            line.add_row(emulator, row);
        }
    }
    lines
}
