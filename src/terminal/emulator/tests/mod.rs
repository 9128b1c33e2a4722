use super::*;
use crate::terminal::{
    attributes::{Attributes, Color, Underline},
    defaults::{DefaultColors, Rgb},
};

const NOW: Timestamp = Timestamp::UNIX_EPOCH;

fn fed(bytes: &str) -> Emulator {
    let mut emulator = Emulator::new(20, 5);
    emulator.feed(bytes.as_bytes(), NOW);
    emulator
}

fn answers(bytes: &str) -> String {
    String::from_utf8(fed(bytes).take_answers()).unwrap()
}

#[test]
fn text_wide_text_and_styles_become_cells() {
    let emulator = fed("a\x1b[1;31m한\x1b[0m\x1b[48;2;1;2;3mb");
    assert_eq!(emulator.row_text(0), "a한b");
    let wide = emulator.cell(1, 0).unwrap();
    assert_eq!((wide.text, wide.width), ("한", CellWidth::Two));
    assert_eq!(wide.look.foreground, Color::Indexed(1));
    assert!(wide.look.bold);
    assert_eq!(emulator.cell(2, 0).unwrap().width, CellWidth::Continuation);
    let last = emulator.cell(3, 0).unwrap();
    assert_eq!(last.look.background, Color::Rgb(1, 2, 3));
    assert_eq!(emulator.cursor(), Some(Cursor { column: 4, row: 0 }));
    assert_eq!(fed("\x1b[?25l").cursor(), None);
}

#[test]
fn characters_may_come_in_pieces() {
    let text = "é ①한 👩 글\x1b[1mé";
    for size in 1..6 {
        let mut emulator = Emulator::new(20, 5);
        for piece in text.as_bytes().chunks(size) {
            emulator.feed(piece, NOW);
        }
        assert_eq!(emulator.row_text(0), "é ①한 👩 글é", "by {size}");
    }
}

#[test]
fn questions_are_answered() {
    assert_eq!(answers("\x1b[c"), "\x1b[?62;22c");
    assert_eq!(answers("\x1b[>c"), "\x1b[>1;10;0c");
    assert_eq!(answers("\x1b[5n"), "\x1b[0n");
    assert_eq!(answers("ab\r\ncd\x1b[6n"), "\x1b[2;3R");
    assert_eq!(answers("\x1b[?6n"), "\x1b[?1;1R");
    assert!(answers("\x1b[>q").starts_with("\x1bP>|workbay "));
    assert_eq!(answers("\x1b[?2026$p"), "\x1b[?2026;2$y");
    assert_eq!(answers("\x1b[?2004h\x1b[?2004$p"), "\x1b[?2004;1$y");
    assert_eq!(answers("\x1b[?12345$p"), "\x1b[?12345;0$y");
    assert_eq!(answers("\x1b]52;c;?\x07"), "\x1b]52;c;\x1b\\");
}

#[test]
fn the_outer_terminals_colors_are_reported_where_it_reported_them() {
    let replies = |colors: DefaultColors, asked: &str| {
        let mut emulator = Emulator::new(20, 5).with_colors(colors).fresh();
        emulator.feed(asked.as_bytes(), NOW);
        String::from_utf8(emulator.take_answers()).unwrap()
    };
    let light = DefaultColors {
        foreground: Rgb::parse("rgb:12/34/56"),
        background: Rgb::parse("rgb:ff/fb/ee"),
    };
    let (fore, back) = (
        "\x1b]10;rgb:1212/3434/5656\x1b\\",
        "\x1b]11;rgb:ffff/fbfb/eeee\x1b\\",
    );
    assert_eq!(replies(light, "\x1b]10;?\x07"), fore);
    assert_eq!(replies(light, "\x1b]11;?\x1b\\"), back);
    assert_eq!(replies(light, "\x1b]10;?;?;?\x07"), [fore, back].concat());
    assert_eq!(replies(light, "\x1b]11;#000000\x07\x1b]11;?\x07"), back);
    let half = DefaultColors {
        foreground: None,
        ..light
    };
    assert_eq!(replies(half, "\x1b]10;?\x07"), "");
}

#[test]
fn nothing_the_child_prints_comes_back_as_its_own_input() {
    for quiet in [
        "\x1b[21t",
        "\x1bP$qm\x1b\\",
        "\x05",
        "\x1b]0;rm -rf\x07\x1b[21t",
        "\x1b]10;?\x07",
        "\x1b]11;?\x1b\\",
        "\x1b]4;1;?\x07",
        "\x1bP+q544e\x1b\\",
        "\x1b]1337;File=inline=1:QUJD\x07",
        "\x1b[18t",
    ] {
        assert_eq!(answers(quiet), "", "{quiet:?}");
    }
}

#[test]
fn a_flood_of_questions_gets_a_bounded_answer() {
    let mut emulator = fed(&"\x1b[c".repeat(100_000));
    assert!(emulator.take_answers().len() <= 4096);
}

#[test]
fn titles_are_clean_and_short() {
    assert_eq!(fed("\x1b]0;a;b\x07").title().unwrap(), "a;b");
    let long = fed(&format!("\x1b]2;{}\x07", "한".repeat(100)));
    assert_eq!(long.title().unwrap().as_str().chars().count(), 32);
    assert_eq!(fed("\x1b]2;a\u{202e}b\x07").title().unwrap(), "ab");
}

#[test]
fn clipboard_writes_are_caught_and_bells_reported_once() {
    let mut emulator = fed("\x07\x07\x1b]52;c;aGVsbG8=\x07");
    assert!(emulator.take_bell());
    assert!(!emulator.take_bell());
    assert_eq!(
        emulator.take_clipboard().map(|it| it.text).as_deref(),
        Some("hello")
    );
    assert_eq!(emulator.take_clipboard(), None);
}

#[test]
fn an_overlong_string_does_nothing() {
    let mut emulator = fed(&format!("\x1b]2;{}\x07after", "x".repeat(100_000)));
    assert_eq!(emulator.title(), None);
    assert_eq!(emulator.row_text(0), "after");
    emulator.feed(b"\x1b]52;c;", NOW);
    emulator.feed("QUFB".repeat(3_000_000).as_bytes(), NOW);
    emulator.feed(b"\x1b\\!", NOW);
    assert!(emulator.take_clipboard().is_none());
    assert_eq!(emulator.row_text(0), "after!");
}

#[test]
fn a_long_repetition_costs_one_line() {
    let emulator = fed("\x1b[?1049hx\x1b[65535b");
    assert_eq!(emulator.row_text(0), "x".repeat(20));
    assert_eq!(emulator.row_text(1), "x");
    assert_eq!(emulator.row_text(2), "");
}

#[test]
fn a_synchronized_update_shows_whole_or_after_a_while() {
    let mut emulator = fed("old");
    emulator.feed(b"\x1b[?2026h\rnew", NOW);
    assert_eq!(emulator.row_text(0), "old");
    emulator.feed(b"er", NOW);
    assert_eq!(emulator.row_text(0), "old");
    emulator.feed(b"\x1b[?2026l", NOW);
    assert_eq!(emulator.row_text(0), "newer");
    assert_eq!(emulator.wake_at(), None);

    emulator.feed(b"\x1b[?2026h\rnewest", NOW);
    assert_eq!(emulator.row_text(0), "newer");
    let due = emulator.wake_at().unwrap();
    assert!(!emulator.tick(due - SignedDuration::from_millis(1)));
    assert!(emulator.tick(due));
    assert_eq!(emulator.row_text(0), "newest");
}

#[test]
fn an_update_that_was_reset_is_over_for_the_next_one() {
    for end in ["\x1bc", "\x1b[?25;2026l\x1b[2J\x1b[H"] {
        let whole = fed(&format!("old\x1b[?2026h{end}between\x1b[?2026hnew"));
        assert_eq!(whole.row_text(0), "between", "{end:?}");
    }
}

#[test]
fn a_cursor_behind_the_last_column_is_moved_from_that_column() {
    for (moved, column, row) in [
        ("\x1b[D", 18, 1),
        ("\x1b[A", 19, 0),
        ("\x1b[B", 19, 2),
        ("\x1b[4d", 19, 3),
        ("\x1b[e", 19, 2),
    ] {
        let emulator = fed(&format!("\n{}{moved}한", "x".repeat(20)));
        let from = Cursor { column, row };
        let stood = fed(&format!("\n{}{moved}", "x".repeat(20)));
        assert_eq!(stood.cursor(), Some(from), "{moved:?}");
        let next = if column == 18 { (18, 1) } else { (0, row + 1) };
        assert_eq!(
            emulator.cell(next.0, next.1).unwrap().text,
            "한",
            "{moved:?}"
        );
    }
}

#[test]
fn a_sequence_that_breaks_off_takes_no_text_with_it() {
    for broken in [
        "\x1b[1;2",
        "\x1b]0;t",
        "\x1b]8;;http://a",
        "\x1bPq",
        "\x1b_G",
        "\x1b",
        "\x1b(",
    ] {
        for next in ["\x1b[9m", "\x1b[I", "\x1b[Z", "\x1b[A", "\x1bE"] {
            let emulator = fed(&format!("{broken}{next}text"));
            let rows: String = (0..2).map(|row| emulator.row_text(row)).collect();
            assert_eq!(rows.trim(), "text", "{broken:?} {next:?}");
        }
    }
    assert!(fed("\x1b\x07[A").take_bell());
}

#[test]
fn modes_are_reported_and_reset() {
    let asked = fed("\x1b[?1h\x1b[?2004h\x1b[?1004h\x1b[?1002h\x1b[?1006h");
    let modes = asked.modes();
    assert!(modes.application_cursor && modes.bracketed_paste && modes.focus);
    assert_eq!((modes.mouse, modes.sgr_mouse), (MouseMode::Drag, true));
    let reset = fed("\x1b[?1004h\x1b[?2026hx\x1bcy");
    assert!(!reset.modes().focus);
    assert_eq!(reset.row_text(0), "y");
}

#[test]
fn the_cursor_has_the_shape_the_child_chose() {
    assert_eq!(fed("").cursor_shape(), CursorShape::Default);
    for (number, shape) in [
        (0, CursorShape::Default),
        (1, CursorShape::BlinkingBlock),
        (4, CursorShape::Underline),
        (6, CursorShape::Bar),
    ] {
        let emulator = fed(&format!("\x1b[3 q\x1b[{number} q"));
        assert_eq!(emulator.cursor_shape(), shape);
        assert_eq!(shape as u8, number);
    }
    assert_eq!(fed("\x1b[5 q\x1bc").cursor_shape(), CursorShape::Default);
}

#[test]
fn a_child_that_asks_for_all_keys_is_noticed() {
    let level = |stream: &str| fed(stream).modes().other_keys;
    assert_eq!(level(""), 0);
    assert_eq!(level("\x1b[>4;1m"), 1);
    assert_eq!(level("\x1b[>4;2m"), 2);
    for off in ["\x1b[>4m", "\x1b[>4;0m", "\x1b[>4n", "\x1bc"] {
        assert_eq!(level(&format!("\x1b[>4;2m{off}")), 0, "{off:?}");
    }
    assert_eq!(level("\x1b[>4;1m\x1b[>1;3m"), 1);
    assert_eq!(answers("\x1b[>4;2m\x1b[?4m"), "\x1b[>4;2m");
}

#[test]
fn bytes_that_are_no_text_take_their_cells() {
    let mut emulator = fed("a\u{fffd}b");
    emulator.feed(b"\xff\xc3(\xe2\x82c", NOW);
    assert_eq!(emulator.row_text(0), "a\u{fffd}b\u{fffd}\u{fffd}(\u{fffd}c");
    let mut cut = fed("a\u{fe0f}❤");
    cut.feed("\u{fe0f}".as_bytes(), NOW);
    cut.feed(b"x", NOW);
    assert_eq!(cut.row_text(0), "a❤x");
}

#[test]
fn sizes_are_clamped() {
    for (columns, rows, held) in [(0, 0, (2, 1)), (1, 1, (2, 1)), (65535, 65535, (1000, 500))] {
        let mut emulator = Emulator::new(columns, rows);
        assert_eq!(emulator.size(), held);
        emulator.resize(3, 2);
        emulator.resize(columns, rows);
        assert_eq!(emulator.size(), held);
    }
}

/// A flag that becomes wide in the last column of the last line leaves half a character behind.
#[test]
fn a_screen_that_is_lost_restarts_with_its_modes() {
    let mut emulator = Emulator::new(5, 2);
    emulator.feed("\x1b[?2004h\x1b[?1002h\x1b[?1006h".as_bytes(), NOW);
    emulator.feed(b"\x1b]0;title\x07", NOW);
    assert!(!emulator.take_fall());
    // Bypasses the preparation of text. No fed text is known to cause a panic any more.
    emulator
        .parser
        .process("    👩\u{200d}💻❤\u{fe0f}🇰🇷e\u{301}\x1b[F     ".as_bytes());
    assert!(emulator.take_fall() && !emulator.take_fall());
    let modes = emulator.modes();
    assert!(modes.bracketed_paste && modes.sgr_mouse);
    assert_eq!(modes.mouse, MouseMode::Drag);
    assert_eq!(emulator.title().map(Clean::as_str), Some("title"));
    emulator.feed(b"\x1b[2J\x1b[Hagain", NOW);
    assert_eq!(emulator.row_text(0), "again");
}

mod attributes;

mod any_stream {
    use proptest::prelude::*;

    use super::*;

    fn piece() -> impl Strategy<Value = Vec<u8>> {
        prop_oneof![
            proptest::collection::vec(any::<u8>(), 0..40),
            "[a-z가-힣 ]{0,20}".prop_map(String::into_bytes),
            Just("👩\u{200d}💻❤\u{fe0f}🇰🇷e\u{301}".as_bytes().to_vec()),
            Just("한".as_bytes()[..2].to_vec()),
            Just(b"\x1b".to_vec()),
            Just(b"\x1b[?2026h".to_vec()),
            Just(b"\x1b[?1049h".to_vec()),
            "\x1b\\[[?>]?[0-9;:]{0,8}[@-~]".prop_map(String::into_bytes),
            "\x1b[\\]P_X^][0-9;?a-zA-Z]{0,12}".prop_map(String::into_bytes),
            "\x1b[ -/]{0,2}[0-~]".prop_map(String::into_bytes),
        ]
    }

    #[derive(Clone, Debug)]
    enum Act {
        Feed(Vec<u8>),
        Resize(u16, u16),
    }

    fn act() -> impl Strategy<Value = Act> {
        prop_oneof![
            4 => piece().prop_map(Act::Feed),
            1 => (0u16..6, 0u16..6).prop_map(|(c, r)| Act::Resize(c, r)),
            1 => (0u16..200, 0u16..60).prop_map(|(c, r)| Act::Resize(c, r)),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]
        #[test]
        fn and_any_sizes_never_panic(
            acts in proptest::collection::vec(act(), 0..60),
            columns in 0u16..100,
            rows in 0u16..40,
        ) {
            let mut emulator = Emulator::new(columns, rows);
            for act in acts {
                match act {
                    Act::Feed(bytes) => emulator.feed(&bytes, NOW),
                    Act::Resize(columns, rows) => emulator.resize(columns, rows),
                }
                let (columns, rows) = emulator.size();
                prop_assert!(emulator.cell(columns - 1, rows - 1).is_some());
                prop_assert!(emulator.cell(columns, rows).is_none());
                emulator.row_text(rows - 1);
                if let Some(cursor) = emulator.cursor() {
                    prop_assert!(cursor.column < columns && cursor.row < rows);
                }
                emulator.take_answers();
            }
        }
    }
}

/// The screen after `pieces`, and the answers to the program.
fn after(pieces: &[&[u8]]) -> (Vec<String>, Option<Cursor>, Vec<u8>, Option<Clean>) {
    let mut emulator = Emulator::new(40, 10);
    for piece in pieces {
        emulator.feed(piece, NOW);
    }
    let (columns, rows) = emulator.size();
    assert!(emulator.cell(columns - 1, rows - 1).is_some());
    let texts = (0..rows).map(|row| emulator.row_text(row)).collect();
    let title = emulator.title().cloned();
    (texts, emulator.cursor(), emulator.take_answers(), title)
}

#[test]
fn fuzz_emulator() {
    crate::fuzz::parser("emulator", &[], |bytes, random| {
        let whole = after(&[bytes]);
        crate::fuzz::bounded(bytes, &whole);
        assert_eq!(after(&random.split(bytes)), whole);
    });
}
