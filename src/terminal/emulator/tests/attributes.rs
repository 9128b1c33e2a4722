//! Tests attributes that vt100 alone can't store, and links.

use super::*;

fn look(emulator: &Emulator, column: u16) -> Attributes {
    emulator.cell(column, 0).unwrap().look
}

fn link(emulator: &Emulator, column: u16) -> &str {
    let cell = emulator.cell(column, 0).unwrap();
    cell.link.map_or("", |link| link.address())
}

#[test]
fn every_cell_keeps_the_look_it_was_printed_with() {
    let emulator = fed(
        "a\x1b[9;31mb\x1b[4:3;58:2::1:2:3mc\x1b[29md\x1b[8;5me\x1b[0mf\x1b[38;2;1;7;9mg\x1b[1;2mh\x1b[mi",
    );
    assert_eq!(look(&emulator, 0), Attributes::default());
    assert!(look(&emulator, 1).struck);
    assert_eq!(look(&emulator, 1).foreground, Color::Indexed(1));
    let curly = look(&emulator, 2);
    assert!(curly.struck);
    assert_eq!(curly.underline, Underline::Curly);
    assert_eq!(curly.underline_color, Color::Rgb(1, 2, 3));
    let after = look(&emulator, 3);
    assert!(!after.struck && after.underline == Underline::Curly);
    assert!(look(&emulator, 4).concealed && look(&emulator, 4).blink);
    assert_eq!(look(&emulator, 5), Attributes::default());
    assert_eq!(look(&emulator, 6).foreground, Color::Rgb(1, 7, 9));
    assert!(look(&emulator, 7).bold && look(&emulator, 7).dim);
    assert_eq!(look(&emulator, 8), Attributes::default());
}

#[test]
fn styles_are_the_same_however_the_bytes_are_cut() {
    let stream = "a\x1b[9;31mb\x1b[4::3;58::2::1::2::3mc\x1b]8;id=1;http://a\x1b\\\x1b[29md\x1b]8;;\x07e\x1b[0mf";
    let whole = fed(stream);
    for size in 1..stream.len() {
        let mut emulator = Emulator::new(20, 5);
        for part in stream.as_bytes().chunks(size) {
            emulator.feed(part, NOW);
        }
        assert_eq!(emulator.row_text(0), "abcdef");
        for column in 0..6 {
            assert_eq!(look(&emulator, column), look(&whole, column), "by {size}");
            assert_eq!(link(&emulator, column), link(&whole, column), "by {size}");
        }
    }
}

#[test]
fn a_saved_cursor_saves_its_look() {
    let emulator = fed("\x1b[9m\x1b7\x1b[0;1ma\x1b8\x1b[Cb");
    assert!(look(&emulator, 0).bold && !look(&emulator, 0).struck);
    assert!(look(&emulator, 1).struck && !look(&emulator, 1).bold);
    let other = fed("\x1b[9m\x1b[?1049h\x1b[0mx\x1b[?1049la");
    assert!(look(&other, 0).struck);
    for reset in ["\x1bc", "\x1b[!p"] {
        let emulator = fed(&format!("\x1b[9;4:3m{reset}a"));
        assert_eq!(look(&emulator, 0), Attributes::default(), "{reset:?}");
    }
    let repeated = fed("\x1b[4:3ma\x1b[2b\x1b[0m");
    assert_eq!(look(&repeated, 2).underline, Underline::Curly);
}

#[test]
fn what_is_erased_keeps_the_background_alone() {
    for chosen in [
        "\x1b[4;7;44m",
        "\x1b[9;4:3;44m",
        "\x1b]8;;http://a\x07\x1b[44m",
    ] {
        let emulator = fed(&format!("abc\r{chosen}\x1b[K"));
        let expected = Attributes {
            background: Color::Indexed(4),
            ..Attributes::default()
        };
        assert_eq!(look(&emulator, 1), expected, "{chosen:?}");
        assert_eq!(link(&emulator, 1), "");
    }
}

#[test]
fn links_are_of_their_cells_and_survive_other_styles() {
    let emulator = fed("\x1b]8;;https://a.example/1;2\x1b\\a\x1b[1mb\x1b[0mc\x1b]8;;\x1b\\d");
    for column in 0..3 {
        assert_eq!(link(&emulator, column), "https://a.example/1;2");
    }
    assert!(look(&emulator, 1).bold && !look(&emulator, 2).bold);
    assert_eq!(link(&emulator, 3), "");
    assert_eq!(link(&fed("\x1b]8;;javascript:x\x07a"), 0), "");
}

/// The screen stays correct with many more styles than the table has room for.
#[test]
fn the_table_is_bounded_and_what_is_seen_stays() {
    let mut emulator = Emulator::new(20, 5);
    emulator.feed(b"\x1b[4:3;58;5;77mkept\x1b[?1049h", NOW);
    for round in 0..20_000_u32 {
        let [_, r, g, b] = round.to_be_bytes();
        emulator.feed(format!("\r\x1b[9;38;2;{r};{g};{b}mx").as_bytes(), NOW);
    }
    assert!(
        emulator.attributes.count() <= 4096,
        "{}",
        emulator.attributes.count()
    );
    assert_eq!(look(&emulator, 0).foreground, Color::Rgb(0, 0x4e, 0x1f));
    assert!(look(&emulator, 0).struck);
    emulator.feed(b"\x1b[?1049l", NOW);
    assert_eq!(look(&emulator, 3).underline_color, Color::Indexed(77));
}

/// The attributes of a saved cursor stay in the table.
#[test]
fn a_saved_cursor_keeps_its_entry_in_the_table() {
    for save in ["\x1b7", "\x1b[s", "\x1b[?25;1049h"] {
        let mut emulator = Emulator::new(20, 5);
        emulator.feed(format!("\x1b[4:3;58;5;77m{save}").as_bytes(), NOW);
        for round in 0..20_000_u32 {
            let [_, r, g, b] = round.to_be_bytes();
            emulator.feed(format!("\r\x1b[9;38;2;{r};{g};{b}mx").as_bytes(), NOW);
        }
        emulator.feed(b"\x1b8\x1b[1Gy", NOW);
        assert_eq!(
            look(&emulator, 0).underline_color,
            Color::Indexed(77),
            "{save:?}"
        );
    }
}

/// The colors stay correct on a screen where every cell differs and the table is full.
#[test]
fn a_full_table_keeps_colors() {
    let mut emulator = Emulator::new(100, 100);
    for cell in 0..10_000_u32 {
        let [_, _, g, b] = cell.to_be_bytes();
        emulator.feed(format!("\x1b[9;38;2;200;{g};{b}mx").as_bytes(), NOW);
    }
    assert_eq!(emulator.attributes.count(), 4096);
    let last = emulator.cell(99, 99).unwrap();
    assert_eq!(last.look.foreground, Color::Rgb(200, 0x27, 0x0f));
    let first = emulator.cell(0, 0).unwrap();
    assert!(first.look.struck);
}
