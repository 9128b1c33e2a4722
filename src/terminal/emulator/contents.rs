//! The screen as bytes that paint it on another terminal of the same size.

use super::{CellWidth, Emulator, TerminalCell};
use crate::terminal::attributes::Attributes;

impl Emulator {
    /// The bytes that clear a terminal of the same size and paint this screen on it, with the cursor. Titles, links and
    /// modes are left out.
    #[must_use]
    pub fn contents(&self) -> Vec<u8> {
        let (columns, rows) = self.size();
        let mut bytes = b"\x1b[0m\x1b[H\x1b[2J".to_vec();
        let mut look = Attributes::default();
        for row in 0..rows {
            let mut is_painting = false;
            for column in 0..columns {
                let Some(cell) = self.cell(column, row) else {
                    continue;
                };
                if cell.width == CellWidth::Continuation {
                    continue;
                }
                if is_blank(&cell) {
                    is_painting = false;
                    continue;
                }
                if !is_painting {
                    bytes.extend(format!("\x1b[{};{}H", row + 1, column + 1).into_bytes());
                    is_painting = true;
                }
                if cell.look != look {
                    look = cell.look;
                    bytes.extend(format!("\x1b[{}m", look.parameters()).into_bytes());
                }
                let text = if cell.text.is_empty() { " " } else { cell.text };
                bytes.extend_from_slice(text.as_bytes());
            }
        }
        bytes.extend_from_slice(b"\x1b[0m");
        match self.cursor() {
            Some(cursor) => {
                let place = format!("\x1b[{};{}H\x1b[?25h", cursor.row + 1, cursor.column + 1);
                bytes.extend(place.into_bytes());
            }
            None => bytes.extend_from_slice(b"\x1b[?25l"),
        }
        bytes
    }
}

/// Nothing is seen of the cell on a cleared screen.
fn is_blank(cell: &TerminalCell<'_>) -> bool {
    cell.text.trim().is_empty() && cell.look == Attributes::default()
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;

    /// The text of each cell and its attributes. Blank cells are alike.
    fn cells(emulator: &Emulator) -> Vec<(String, Attributes)> {
        let (columns, rows) = emulator.size();
        let places = (0..rows).flat_map(|row| (0..columns).map(move |column| (column, row)));
        let cells = places.filter_map(|(column, row)| emulator.cell(column, row));
        cells
            .map(|cell| {
                let text = if cell.text.is_empty() { " " } else { cell.text };
                (text.to_owned(), cell.look)
            })
            .collect()
    }

    fn again(screen: &Emulator) -> Emulator {
        let (columns, rows) = screen.size();
        let mut other = Emulator::new(columns, rows);
        other.feed(b"something else\x1b[44m", Timestamp::UNIX_EPOCH);
        other.feed(&screen.contents(), Timestamp::UNIX_EPOCH);
        other
    }

    #[test]
    fn colors_wide_characters_and_the_cursor_are_painted_again() {
        let mut screen = Emulator::new(20, 4);
        let printed = "\x1b[1;38;5;200ma한글\x1b[0;44m  \x1b[4:3m~\x1b[0m\r\nplain\x1b[?25l";
        screen.feed(printed.as_bytes(), Timestamp::UNIX_EPOCH);
        let other = again(&screen);
        assert_eq!(cells(&other), cells(&screen));
        assert_eq!(other.cursor(), None);
    }

    proptest::proptest! {
        #[test]
        fn any_screen_is_painted_again(
            printed in "(\x1b\\[(0|1|7|31|44|4)m|\x1b\\[[1-5];[1-9]H|[a-c한 ]|\r\n){0,60}",
        ) {
            let mut screen = Emulator::new(10, 5);
            screen.feed(printed.as_bytes(), Timestamp::UNIX_EPOCH);
            let other = again(&screen);
            proptest::prop_assert_eq!(cells(&other), cells(&screen));
            proptest::prop_assert_eq!(other.cursor(), screen.cursor());
        }
    }
}
