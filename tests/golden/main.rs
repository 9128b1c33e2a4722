//! Streams recorded from a real tmux client (80x24), through our emulator and through another one:
//! the same cells come out.
//!
//! `streams/` has what the client wrote while a user listed files, edited Korean text in split
//! windows of vim, searched in less, printed colors, watched a table change, and used fish, python, mc
//! and htop.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "what cannot go on here stops"
)]

#[path = "../support/alacritty.rs"]
mod alacritty;
mod conformance;
mod corpus;
mod still;

use jiff::Timestamp;
use ratatui::{buffer::Buffer, layout::Rect};
use workbay::{
    terminal::emulator::Emulator,
    view::{cells, surface::Extras},
};

use alacritty::cell_text;

const COLUMNS: u16 = 80;
const ROWS: u16 = 24;

const STREAMS: &[(&str, &[u8])] = &[
    ("ls", include_bytes!("streams/ls.bin")),
    ("vim", include_bytes!("streams/vim.bin")),
    ("less", include_bytes!("streams/less.bin")),
    ("korean", include_bytes!("streams/korean.bin")),
    ("table", include_bytes!("streams/table.bin")),
    ("vim-code", include_bytes!("streams/vim-code.bin")),
    ("less-notes", include_bytes!("streams/less-notes.bin")),
    ("fish", include_bytes!("streams/fish.bin")),
    ("python", include_bytes!("streams/python.bin")),
    ("mc", include_bytes!("streams/mc.bin")),
    ("htop", include_bytes!("streams/htop.bin")),
    ("looks", include_bytes!("streams/looks.bin")),
    ("links", include_bytes!("streams/links.bin")),
];

fn emulated(stream: &[u8], chunk: usize) -> Emulator {
    let mut emulator = Emulator::new(COLUMNS, ROWS);
    for part in stream.chunks(chunk) {
        emulator.feed(part, Timestamp::UNIX_EPOCH);
    }
    emulator
}

#[test]
fn another_emulator_sees_the_same_cells() {
    for (name, stream) in STREAMS {
        let ours = emulated(stream, 4096);
        let theirs = alacritty::ReferenceScreen::of(stream, COLUMNS, ROWS);
        for row in 0..ROWS {
            for column in 0..COLUMNS {
                assert_eq!(
                    cell_text(&ours, column, row),
                    theirs.cell_text(column, row),
                    "{name}, column {column}, row {row}: {:?}",
                    ours.row_text(row)
                );
            }
        }
        let cursor = ours.cursor().map(|cursor| (cursor.column, cursor.row));
        assert_eq!(cursor, theirs.cursor(), "{name}");
    }
}

#[test]
fn it_does_not_matter_how_the_bytes_are_cut() {
    for (name, stream) in STREAMS {
        let whole = emulated(stream, stream.len());
        for chunk in [1, 2, 3, 7, 64] {
            let cut = emulated(stream, chunk);
            for row in 0..ROWS {
                assert_eq!(cut.row_text(row), whole.row_text(row), "{name} by {chunk}");
            }
        }
    }
}

#[test]
fn what_is_painted_is_what_a_user_saw() {
    for (name, stream) in STREAMS {
        let area = Rect::new(0, 0, COLUMNS, ROWS);
        let mut buffer = Buffer::empty(area);
        let target = (&mut buffer, &mut Extras::default());
        cells::paint(&emulated(stream, 4096), area, target);
        insta::assert_snapshot!(*name, text_of(&buffer));
    }
}

fn text_of(buffer: &Buffer) -> String {
    let mut text = String::new();
    for row in 0..buffer.area.height {
        let mut line = String::new();
        let mut skip = 0;
        for column in 0..buffer.area.width {
            if skip == 0 {
                let symbol = buffer[(column, row)].symbol();
                line.push_str(symbol);
                skip = unicode_width::UnicodeWidthStr::width(symbol).saturating_sub(1);
            } else {
                skip -= 1;
            }
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

#[test]
fn a_narrower_pane_shows_the_left_part_without_half_characters() {
    for (_, stream) in STREAMS {
        let emulator = emulated(stream, 4096);
        for width in 1..COLUMNS {
            let area = Rect::new(0, 0, width, ROWS);
            let mut buffer = Buffer::empty(Rect::new(0, 0, COLUMNS, ROWS));
            let target = (&mut buffer, &mut Extras::default());
            cells::paint(&emulator, area, target);
            for row in 0..ROWS {
                let last = buffer[(width - 1, row)].symbol();
                let cells = unicode_width::UnicodeWidthStr::width(last);
                assert!(cells <= 1, "{last:?} hangs over column {width}");
            }
        }
    }
}
