//! Paints an emulator's cells into a buffer. All output of a program reaches the screen through this file.

use ratatui::{
    buffer::{Buffer, Cell as Target},
    layout::{Position, Rect},
    style::{Color, Modifier, Style},
};

use super::{still::Still, surface::Extras};
use crate::{
    model::text::{Clean, is_joining},
    terminal::{
        attributes::{self, Attributes, Underline},
        emulator::{CellWidth, Emulator, TerminalCell},
    },
};

/// Paints the upper left part of the screen that fits into `area` and blanks the rest. Returns the position
/// of the cursor if it is visible.
pub fn paint(
    emulator: &Emulator,
    area: Rect,
    target: (&mut Buffer, &mut Extras),
) -> Option<Position> {
    paint_loose(emulator, area, target, &Still::default())
}

/// Paints only the rows that have changed.
pub fn paint_loose(
    emulator: &Emulator,
    area: Rect,
    (buffer, extras): (&mut Buffer, &mut Extras),
    still: &Still,
) -> Option<Position> {
    let area = area.intersection(buffer.area);
    let rows = (0..).zip(area.rows());
    for (row, part) in rows.filter(|(_, part)| !still.contains(part.x, part.y)) {
        extras.clear(part);
        for (column, x) in (0..).zip(part.left()..part.right()) {
            let cell = emulator.cell(column, row);
            if let Some(cell) = &cell {
                extras.set(x, part.y, cell.look.underline, cell.link);
            }
            if let Some(target) = buffer.cell_mut((x, part.y)) {
                paint_cell(cell, area.width - column, target);
            }
        }
    }
    let cursor = emulator.cursor()?;
    (cursor.column < area.width && cursor.row < area.height)
        .then(|| Position::new(area.x + cursor.column, area.y + cursor.row))
}

/// Paints the rows from `first` on into an area that can be smaller than the screen.
pub fn paint_from(
    emulator: &Emulator,
    first: u16,
    area: Rect,
    (buffer, extras): (&mut Buffer, &mut Extras),
) {
    let area = area.intersection(buffer.area);
    for (row, part) in (first..).zip(area.rows()) {
        extras.clear(part);
        for (column, x) in (0..).zip(part.left()..part.right()) {
            let cell = emulator.cell(column, row);
            if let Some(target) = buffer.cell_mut((x, part.y)) {
                paint_cell(cell, area.width - column, target);
            }
        }
    }
}

fn paint_cell(cell: Option<TerminalCell<'_>>, room: u16, target: &mut Target) {
    target.reset();
    let Some(cell) = cell else { return };
    target.set_style(style(cell.look));
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

/// Converts a look to a style, which has no styles of underlines.
pub fn style(look: Attributes) -> Style {
    let mut modifier = Modifier::empty();
    modifier.set(Modifier::BOLD, look.bold);
    modifier.set(Modifier::DIM, look.dim);
    modifier.set(Modifier::ITALIC, look.italic);
    modifier.set(Modifier::UNDERLINED, look.underline != Underline::None);
    modifier.set(Modifier::REVERSED, look.reverse);
    modifier.set(Modifier::SLOW_BLINK, look.blink);
    modifier.set(Modifier::HIDDEN, look.concealed);
    modifier.set(Modifier::CROSSED_OUT, look.struck);
    Style::new()
        .fg(color(look.foreground))
        .bg(color(look.background))
        .underline_color(color(look.underline_color))
        .add_modifier(modifier)
}

/// Numbered colors stay numbers, so that your terminal's palette applies.
fn color(color: attributes::Color) -> Color {
    match color {
        attributes::Color::Default => Color::Reset,
        attributes::Color::Indexed(index) => Color::Indexed(index),
        attributes::Color::Rgb(r, g, b) => Color::Rgb(r, g, b),
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
        let cursor = paint(&emulator, area, (&mut buffer, &mut Extras::default()));
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
