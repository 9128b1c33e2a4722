//! Paints an emulator's cells into a buffer. All output of a program reaches the screen through this file.

use ratatui::{
    buffer::{Buffer, Cell as Target},
    layout::{Position, Rect},
    style::{Color, Modifier, Style},
};

use super::still::Still;
use crate::{
    model::text::{Clean, is_joining},
    terminal::{
        emulator::{Cell, CellWidth, Emulator},
        link::Link,
        look::{Colour, Look, Underline},
    },
};

/// Stores attributes that ratatui can't express in unused bits of a cell's modifier. The code that writes to
/// the outer terminal reads them.
pub mod beyond {
    use super::{Color, Modifier, Target, Underline};

    const STYLES: Modifier = Modifier::from_bits_retain(0b111 << 9);
    /// Means that the underline color contains the number of a link.
    const LINKED: Modifier = Modifier::from_bits_retain(1 << 12);

    pub(super) fn of(underline: Underline) -> Modifier {
        let number = match underline {
            Underline::None | Underline::Single => 0,
            Underline::Double => 1,
            Underline::Curly => 2,
            Underline::Dotted => 3,
            Underline::Dashed => 4,
        };
        Modifier::from_bits_retain(number << 9)
    }

    pub(super) fn link(target: &mut Target, number: u32) {
        let [_, high, middle, low] = number.to_be_bytes();
        target.underline_color = Color::Rgb(high, middle, low);
        target.modifier.insert(LINKED);
    }

    /// How a cell is underlined.
    pub fn underline(cell: &Target) -> Underline {
        if !cell.modifier.contains(Modifier::UNDERLINED) {
            return Underline::None;
        }
        match cell.modifier.intersection(STYLES).bits() >> 9 {
            1 => Underline::Double,
            2 => Underline::Curly,
            3 => Underline::Dotted,
            4 => Underline::Dashed,
            _ => Underline::Single,
        }
    }

    /// The number of a cell's link.
    pub fn linked(cell: &Target) -> Option<u32> {
        match cell.underline_color {
            Color::Rgb(high, middle, low) if cell.modifier.contains(LINKED) => {
                Some(u32::from_be_bytes([0, high, middle, low]))
            }
            _ => None,
        }
    }

    /// The color of the underline.
    pub fn colour(cell: &Target) -> Color {
        if cell.modifier.contains(LINKED) {
            Color::Reset
        } else {
            cell.underline_color
        }
    }
}

/// Paints the upper left part of the screen that fits into `area` and blanks the rest. Returns the position
/// of the cursor if it is visible.
pub fn paint(emulator: &Emulator, area: Rect, buffer: &mut Buffer) -> Option<Position> {
    paint_loose(emulator, area, buffer, &Still::default())
}

/// Paints only the rows that have changed.
pub fn paint_loose(
    emulator: &Emulator,
    area: Rect,
    buffer: &mut Buffer,
    still: &Still,
) -> Option<Position> {
    let area = area.intersection(buffer.area);
    for row in (0..area.height).filter(|row| !still.holds(area.x, area.y + row)) {
        for column in 0..area.width {
            let room = area.width - column;
            let cell = emulator.cell(column, row);
            if let Some(target) = buffer.cell_mut((area.x + column, area.y + row)) {
                paint_cell(cell, room, target);
            }
        }
    }
    let cursor = emulator.cursor()?;
    (cursor.column < area.width && cursor.row < area.height)
        .then(|| Position::new(area.x + cursor.column, area.y + cursor.row))
}

fn paint_cell(cell: Option<Cell<'_>>, room: u16, target: &mut Target) {
    target.reset();
    let Some(cell) = cell else { return };
    target.set_style(style(cell.look));
    if let Some(number) = cell.link.map(Link::number) {
        beyond::link(target, number);
    }
    // The left half of a wide character covers its right half. A wide character that doesn't fit at the edge
    // becomes a blank.
    let hidden =
        cell.width == CellWidth::Continuation || (cell.width == CellWidth::Two && room < 2);
    if hidden || cell.text.is_empty() {
        return;
    }
    if is_plain(cell.text) {
        target.set_symbol(cell.text);
    } else {
        let clean = Clean::new(cell.text);
        if is_joined_to_next(cell.text, &clean) {
            target.set_symbol(&format!("{clean}{JOINER}"));
        } else if !clean.is_empty() {
            target.set_symbol(clean.as_str());
        }
    }
}

const JOINER: char = '\u{200d}';

/// Whether this text begins an emoji that continues in the next cell. A joiner at the end of any other text
/// has no effect.
fn is_joined_to_next(text: &str, clean: &Clean) -> bool {
    let any_emoji = Some('\u{1f600}');
    text.ends_with(JOINER) && is_joining(clean.as_str().chars().next_back(), JOINER, any_emoji)
}

/// Whether the text is one character from ranges without invisible characters. Any other text goes through
/// `Clean`.
fn is_plain(text: &str) -> bool {
    let mut chars = text.chars();
    let (Some(c), None) = (chars.next(), chars.next()) else {
        return false;
    };
    matches!(c, ' '..='~' | '\u{a1}'..='\u{ac}' | '\u{ae}'..='\u{2ff}' | '\u{2500}'..='\u{25ff}'
        | '\u{3041}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}')
}

/// Converts a look to a style.
pub fn style(look: Look) -> Style {
    let mut modifier = Modifier::empty();
    modifier.set(Modifier::BOLD, look.bold);
    modifier.set(Modifier::DIM, look.dim);
    modifier.set(Modifier::ITALIC, look.italic);
    modifier.set(Modifier::UNDERLINED, look.underline != Underline::None);
    modifier.set(Modifier::REVERSED, look.reverse);
    modifier.set(Modifier::SLOW_BLINK, look.blink);
    modifier.set(Modifier::HIDDEN, look.concealed);
    modifier.set(Modifier::CROSSED_OUT, look.struck);
    modifier.insert(beyond::of(look.underline));
    Style::new()
        .fg(colour(look.foreground))
        .bg(colour(look.background))
        .underline_color(colour(look.underline_colour))
        .add_modifier(modifier)
}

/// Numbered colors stay numbers, so that your terminal's palette applies.
fn colour(colour: Colour) -> Color {
    match colour {
        Colour::Default => Color::Reset,
        Colour::Indexed(index) => Color::Indexed(index),
        Colour::Rgb(r, g, b) => Color::Rgb(r, g, b),
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;

    fn painted(stream: &str, columns: u16, area: Rect) -> (Buffer, Option<Position>) {
        let mut emulator = Emulator::new(columns, 3);
        emulator.feed(stream.as_bytes(), Timestamp::UNIX_EPOCH);
        let mut buffer = Buffer::filled(Rect::new(0, 0, 12, 5), Target::new("."));
        let cursor = paint(&emulator, area, &mut buffer);
        (buffer, cursor)
    }

    fn line(buffer: &Buffer, row: u16) -> String {
        (0..buffer.area.width)
            .map(|column| buffer[(column, row)].symbol())
            .collect()
    }

    #[test]
    fn it_paints_inside_its_area_only_and_gives_the_cursor() {
        let (buffer, cursor) = painted("ab\r\n\x1b[31mcd", 6, Rect::new(2, 1, 6, 3));
        assert_eq!(line(&buffer, 0), "............");
        assert_eq!(line(&buffer, 1), "..ab    ....");
        assert_eq!(line(&buffer, 2), "..cd    ....");
        assert_eq!(buffer[(2, 2)].fg, Color::Indexed(1));
        assert_eq!(cursor, Some(Position::new(4, 2)));
    }

    #[test]
    fn a_wide_character_cut_at_the_edge_is_a_blank() {
        let (buffer, cursor) = painted("a한글x", 6, Rect::new(0, 0, 4, 3));
        assert_eq!(buffer[(0, 0)].symbol(), "a");
        assert_eq!(buffer[(1, 0)].symbol(), "한");
        assert_eq!(buffer[(3, 0)].symbol(), " ");
        assert_eq!(buffer[(4, 0)].symbol(), ".");
        assert_eq!(cursor, None);
    }

    #[test]
    fn invisible_and_direction_characters_are_not_painted() {
        let (buffer, _) = painted(
            "a\u{202e}b\u{2066}c\u{200b}e\u{301}",
            8,
            Rect::new(0, 0, 8, 1),
        );
        assert_eq!(line(&buffer, 0), "abce\u{301}    ....");
    }

    #[test]
    fn no_character_that_shows_nothing_reaches_the_outer_terminal() {
        let hidden = [
            '\u{ad}', '\u{9b}', '\u{61c}', '\u{200f}', '\u{202e}', '\u{206e}', '\u{feff}',
        ];
        for character in hidden {
            let (buffer, _) = painted(
                &format!("a{character}b {character}"),
                8,
                Rect::new(0, 0, 8, 1),
            );
            let line = line(&buffer, 0);
            assert!(!line.contains(character), "{line:?}");
            assert!(line.starts_with('a') && line.contains('b'), "{line:?}");
        }
    }

    #[test]
    fn a_screen_smaller_than_its_area_leaves_no_rest_of_what_was_there() {
        let (buffer, _) = painted("ab", 3, Rect::new(0, 0, 12, 5));
        assert_eq!(line(&buffer, 0), "ab          ");
        assert_eq!(line(&buffer, 4), "            ");
    }

    #[test]
    fn an_area_beyond_the_buffer_is_cut() {
        let (buffer, _) = painted("ab", 3, Rect::new(11, 4, 50, 50));
        assert_eq!(line(&buffer, 4), "...........a");
    }
}
