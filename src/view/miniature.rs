//! The screen of a terminal in a smaller area: its newest lines, or all of it scaled down to dots.

use ratatui::{layout::Rect, style::Style};

use super::{cells, paint::Paint};
use crate::terminal::emulator::Emulator;

/// The dots of a braille character by column and row, as bits.
const DOTS: [[u8; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];

/// Paints the left part of the last lines that have text.
pub fn newest(paint: &mut Paint<'_>, screen: &Emulator, area: Rect) {
    let (_, rows) = screen.size();
    let last = (0..rows)
        .rev()
        .find(|row| !screen.row_text(*row).is_empty());
    let cursor = screen.cursor().map_or(0, |cursor| cursor.row);
    let end = last.unwrap_or(0).max(cursor.min(rows - 1)) + 1;
    let first = end.saturating_sub(area.height);
    cells::paint_from(screen, first, area, (paint.buffer, paint.extras));
}

/// Paints the whole screen. Each dot is a cell, or several cells of a screen that is larger than the dots.
pub fn scaled(paint: &mut Paint<'_>, screen: &Emulator, area: Rect) {
    let (columns, rows) = screen.size();
    if area.is_empty() {
        return;
    }
    let (across, down) = (
        columns.div_ceil(area.width * 2).max(1),
        rows.div_ceil(area.height * 4).max(1),
    );
    let is_ascii = paint.glyphs.rule == "-";
    for y in 0..area.height {
        for x in 0..area.width {
            let mut dots = 0;
            let mut style = Style::default();
            for (column, bits) in (0..).zip(DOTS) {
                for (row, bit) in (0..).zip(bits) {
                    let at = ((x * 2 + column) * across, (y * 4 + row) * down);
                    if let Some(found) = marked(screen, at, (across, down)) {
                        dots |= bit;
                        style = found;
                    }
                }
            }
            if dots == 0 {
                continue;
            }
            let symbol = if is_ascii {
                [".", ":", "#"][(dots.count_ones() as usize - 1) / 3].to_owned()
            } else {
                char::from_u32(0x2800 + u32::from(dots)).map_or_else(String::new, String::from)
            };
            if let Some(cell) = paint.buffer.cell_mut((area.x + x, area.y + y)) {
                cell.set_symbol(&symbol).set_style(style);
            }
        }
    }
}

/// The style of the first character in a block of cells, `None` if all are blank.
fn marked(screen: &Emulator, at: (u16, u16), size: (u16, u16)) -> Option<Style> {
    let (column, row) = at;
    let block =
        (row..row + size.1).flat_map(|row| (column..column + size.0).map(move |x| (x, row)));
    let mut cells = block.filter_map(|(column, row)| screen.cell(column, row));
    let cell = cells.find(|cell| !cell.text.trim().is_empty())?;
    let look = crate::terminal::attributes::Attributes {
        underline: crate::terminal::attributes::Underline::None,
        ..cell.look
    };
    Some(cells::style(look))
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::{
        theme::{Theme, color::ColorDepth},
        view::{glyphs::Glyphs, surface::Surface},
    };

    fn painted(
        printed: &str,
        size: (u16, u16),
        paint_it: impl FnOnce(&mut Paint<'_>, &Emulator, Rect),
    ) -> Vec<String> {
        let mut screen = Emulator::new(size.0, size.1);
        screen.feed(printed.as_bytes(), Timestamp::UNIX_EPOCH);
        let area = Rect::new(0, 0, 4, 2);
        let mut surface = Surface::empty(area);
        let theme = Theme::builtin("default-dark", ColorDepth::TrueColor).unwrap();
        let mut paint = Paint::new(&mut surface, &theme, Glyphs::choose(true));
        paint_it(&mut paint, &screen, area);
        let symbols: Vec<&str> = surface
            .buffer
            .content
            .iter()
            .map(ratatui::buffer::Cell::symbol)
            .collect();
        symbols.chunks(4).map(<[&str]>::concat).collect()
    }

    #[test]
    fn the_newest_lines_are_those_above_the_cursor() {
        let printed = "one\r\ntwo\r\nthree\r\n$ ";
        assert_eq!(painted(printed, (10, 8), newest), ["thre", "$   "]);
        assert_eq!(painted("a", (10, 8), newest), ["a   ", "    "]);
    }

    #[test]
    fn a_dot_is_a_character_wherever_it_is() {
        assert_eq!(painted("x", (8, 8), scaled), ["⠁   ", "    "]);
        let corner = "\x1b[8;8Hx";
        assert_eq!(painted(corner, (8, 8), scaled), ["    ", "   ⢀"]);
        // A screen of twice the size has four cells in a dot.
        let corner = "\x1b[16;16Hx";
        assert_eq!(painted(corner, (16, 16), scaled), ["    ", "   ⢀"]);
    }
}
