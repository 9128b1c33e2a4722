//! Streams made to break an emulator, and what becomes of them: whatever a child prints, in whatever
//! pieces and on whatever sizes, the screen stays one that can be painted and copied.
//!
//! `corpus/` has one stream a file, as text: `\e`, `\n`, `\r`, `\t`, `\xNN` and `\uNNNN` stand for what
//! they name, the end of a line parts two pieces, `size 5x3` is another size, `#` begins a remark. The
//! recorded streams beside it take part as well.
//!
//! The cases are the same each time; `PROPTEST_RNG_SEED` and `PROPTEST_CASES` choose others.

pub mod mixed;
pub mod stream;

use jiff::Timestamp;
use proptest::{prelude::*, test_runner::RngSeed};
use workbay::terminal::emulator::{CellWidth, Emulator};

use crate::{alacritty, cell_text};
use mixed::{Mixed, mixed};
use stream::Act;

const NOW: Timestamp = Timestamp::UNIX_EPOCH;

pub fn cases(count: u32) -> ProptestConfig {
    let mut config = ProptestConfig::default();
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = count;
    }
    if config.rng_seed == RngSeed::Random {
        config.rng_seed = RngSeed::Fixed(1);
    }
    config
}

/// What must be so of every screen; the rest is what is wrong with it.
fn faults(emulator: &Emulator) -> Result<(), String> {
    let (columns, rows) = emulator.size();
    for row in 0..rows {
        let mut before = CellWidth::One;
        for column in 0..columns {
            let Some(cell) = emulator.cell(column, row) else {
                return Err(format!("no cell at {column},{row} of {columns}x{rows}"));
            };
            if (before == CellWidth::Two) != (cell.width == CellWidth::Continuation) {
                return Err(format!(
                    "{:?} at {column},{row} after {before:?}",
                    cell.width
                ));
            }
            before = cell.width;
        }
        if before == CellWidth::Two {
            return Err(format!("half a character at the end of row {row}"));
        }
        if emulator.cell(columns, row).is_some() {
            return Err(format!("a cell beyond row {row}"));
        }
        let text = emulator.row_text(row);
        if text.chars().any(char::is_control) {
            return Err(format!("control characters in {text:?}"));
        }
    }
    match emulator.cursor() {
        Some(cursor) if cursor.column >= columns || cursor.row >= rows => {
            Err(format!("{cursor:?} outside of {columns}x{rows}"))
        }
        _ => Ok(()),
    }
}

/// All that can be seen, and all that is reported to others.
fn seen(emulator: &mut Emulator) -> Vec<String> {
    let (columns, rows) = emulator.size();
    let mut seen: Vec<String> = (0..rows)
        .flat_map(|row| (0..columns).map(move |column| (column, row)))
        .map(|(column, row)| format!("{column},{row} {}", cell_text(emulator, column, row)))
        .collect();
    seen.push(format!("{:?}", emulator.cursor()));
    seen.push(format!("{:?}", emulator.cursor_shape()));
    seen.push(format!("{:?}", emulator.modes()));
    seen.push(format!("{:?}", emulator.title()));
    seen.push(format!("{:?}", emulator.take_clipboard()));
    seen.push(format!("bell {}", emulator.take_bell()));
    seen.push(String::from_utf8_lossy(&emulator.take_answers()).into_owned());
    seen
}

fn assert_same(ours: &[String], theirs: &[String], about: &str) {
    let differs = ours
        .iter()
        .zip(theirs)
        .find(|(ours, theirs)| ours != theirs);
    assert_eq!(differs, None, "{about}");
    assert_eq!(ours.len(), theirs.len(), "{about}");
}

fn play(acts: &[Act], emulator: &mut Emulator) -> Result<(), String> {
    for act in acts {
        match act {
            Act::Feed(bytes) => emulator.feed(bytes, NOW),
            Act::Resize(columns, rows) => emulator.resize(*columns, *rows),
        }
        faults(emulator)?;
        if emulator.take_fall() {
            return Err(format!("the screen was lost at {act:?}"));
        }
    }
    Ok(())
}

#[test]
fn every_stream_leaves_a_whole_screen() {
    for stream in stream::made() {
        for (columns, rows) in [(20, 5), (80, 24), (5, 2), (1, 1)] {
            let mut emulator = Emulator::new(columns, rows);
            let outcome = play(&stream.acts, &mut emulator);
            assert_eq!(outcome, Ok(()), "{} on {columns}x{rows}", stream.name);
        }
    }
}

#[test]
fn every_stream_is_the_same_in_any_pieces() {
    for stream in stream::made() {
        let bytes = stream.bytes();
        for (columns, rows) in [(20, 5), (5, 2), (2, 1)] {
            let mut whole = Emulator::new(columns, rows);
            whole.feed(&bytes, NOW);
            let whole = seen(&mut whole);
            for size in [1, 2, 3, 7] {
                let mut cut = Emulator::new(columns, rows);
                for piece in bytes.chunks(size) {
                    cut.feed(piece, NOW);
                }
                let about = format!("{} by {size} on {columns}x{rows}", stream.name);
                assert_same(&seen(&mut cut), &whole, &about);
            }
        }
    }
}

pub fn size() -> impl Strategy<Value = (u16, u16)> {
    prop_oneof![(0u16..7, 0u16..4), (1u16..30, 1u16..9)]
}

/// Of lengths that come round again and again.
pub fn pieces<'a>(bytes: &'a [u8], lengths: &'a [usize]) -> impl Iterator<Item = &'a [u8]> {
    let mut rest = bytes;
    lengths.iter().cycle().map_while(move |length| {
        let (piece, after) = rest.split_at((*length).min(rest.len()));
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn mixed_streams_on_changing_sizes_leave_whole_screens(
        Mixed(bytes) in mixed(),
        lengths in prop::collection::vec(1..60_usize, 1..6),
        sizes in prop::collection::vec(size(), 1..8),
    ) {
        let (columns, rows) = sizes[0];
        let mut emulator = Emulator::new(columns, rows);
        let mut sizes = sizes[1..].iter();
        let mut acts = Vec::new();
        for piece in pieces(&bytes, &lengths) {
            acts.push(Act::Feed(piece.to_vec()));
            acts.extend(sizes.next().map(|(columns, rows)| Act::Resize(*columns, *rows)));
        }
        prop_assert_eq!(play(&acts, &mut emulator), Ok(()));
    }

    #[test]
    fn mixed_streams_are_the_same_in_any_pieces(
        Mixed(bytes) in mixed(),
        lengths in prop::collection::vec(1..9_usize, 1..6),
        (columns, rows) in size(),
    ) {
        let mut whole = Emulator::new(columns, rows);
        whole.feed(&bytes, NOW);
        let mut cut = Emulator::new(columns, rows);
        for piece in pieces(&bytes, &lengths) {
            cut.feed(piece, NOW);
        }
        assert_same(&seen(&mut cut), &seen(&mut whole), "in pieces");
    }
}

/// What both emulators mean alike: text, styles and moves of the cursor.
pub fn known() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => "[ -~]{1,12}",
        4 => "[가-힣ａ-ｚ一-龥]{1,6}",
        2 => "([a-z가-힣][\u{301}\u{308}]{1,2}){1,3}",
        1 => "[\u{1100}-\u{1112}][\u{1161}-\u{1175}][\u{11a8}-\u{11c2}]?",
        3 => "\x1b\\[(0|1|2|3|4|7|9|22|23|24|27|29|3[0-7]|39|4[0-7]|49|9[0-7]|10[0-7])(;(1|3|4|7|0))?m",
        2 => "\x1b\\[[34]8;(5;1?[0-9]?[0-9]|2;1?[0-9]?[0-9];1?[0-9]?[0-9];1?[0-9]?[0-9])m",
        3 => "\x1b\\[[0-9]{0,2}(;[0-9]{0,2})?H",
        3 => "\x1b\\[[1-9]?[ABCEFGd]",
        1 => "\r?\n",
        1 => "\r",
    ]
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn another_emulator_paints_the_same(
        steps in prop::collection::vec(known(), 1..40),
        columns in 2u16..30,
        rows in 1u16..9,
    ) {
        let stream = steps.concat();
        let mut ours = Emulator::new(columns, rows);
        ours.feed(stream.as_bytes(), NOW);
        let theirs = alacritty::ReferenceScreen::of(stream.as_bytes(), columns, rows);
        for row in 0..rows {
            for column in 0..columns {
                let cells = (cell_text(&ours, column, row), theirs.cell_text(column, row));
                let blank = [&cells.0, &cells.1].map(|cell| cell.starts_with("\" \" "));
                // The background of a line that scrolled in is the other one's alone (docs/terminal.md);
                // and it clears the last cells where a wide character finds no room: tmux does not.
                let is_theirs = blank == [true, true] || (column + 2 >= columns && blank[1]);
                if !is_theirs {
                    prop_assert_eq!(cells.0, cells.1, "column {}, row {}", column, row);
                }
            }
        }
        let cursor = ours.cursor().map(|cursor| (cursor.column, cursor.row));
        prop_assert_eq!(cursor, theirs.cursor());
    }

    #[test]
    fn what_is_copied_is_what_was_printed(
        lines in prop::collection::vec(line(), 1..9),
        colors in prop::collection::vec(0..9_u8, 1..4),
        lengths in prop::collection::vec(1..9_usize, 1..4),
    ) {
        let printed = lines.iter().zip(colors.iter().cycle());
        let printed: Vec<String> = printed
            .map(|(line, look)| format!("\x1b[{look}m{line}   \x1b[K\x1b[m\r\n"))
            .collect();
        let stream = printed.concat();
        let mut emulator = Emulator::new(80, 10);
        for piece in pieces(stream.as_bytes(), &lengths) {
            emulator.feed(piece, NOW);
        }
        for (row, line) in (0..).zip(&lines) {
            prop_assert_eq!(&emulator.row_text(row), line.trim_end());
        }
    }

    #[test]
    fn what_is_copied_from_a_wrapped_line_is_whole(
        words in prop::collection::vec(word(), 1..20),
        columns in 2u16..30,
    ) {
        let text = words.concat();
        let mut emulator = Emulator::new(columns, 200);
        emulator.feed(text.as_bytes(), NOW);
        let rows: String = (0..200).map(|row| emulator.row_text(row)).collect();
        prop_assert_eq!(rows, text);
    }
}

/// Text without blanks: Latin, Hangul whole and as its letters, marks, emoji.
fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        "[!-~]{1,8}",
        "[가-힣]{1,5}",
        "([a-z][\u{301}\u{308}\u{323}]{1,2}){1,3}",
        "([\u{1100}-\u{1112}][\u{1161}-\u{1175}][\u{11a8}-\u{11c2}]){1,3}",
        Just("👩".to_owned()),
        Just("①→é".to_owned()),
    ]
}

fn line() -> impl Strategy<Value = String> {
    prop::collection::vec(word(), 0..6).prop_map(|words| words.join(" "))
}
