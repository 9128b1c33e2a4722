use proptest::prelude::*;

use super::*;
use crate::{app::msg::Msg, run::input::msg};

/// What is read from bytes that come in these pieces, in short words.
fn read(pieces: &[&[u8]]) -> Vec<String> {
    let mut parser = Parser::default();
    for piece in pieces {
        parser.take(piece, false);
    }
    let words = std::iter::from_fn(|| parser.next()).map(|typed| match typed {
        Typed::Scheme { dark } => format!("dark={dark}"),
        Typed::Event(event) => match msg(event) {
            Some(Msg::Key(key)) => key.to_string(),
            Some(Msg::Paste(text)) => format!("paste {text:?}"),
            Some(Msg::Mouse(mouse)) => {
                format!("{:?} {},{}", mouse.kind, mouse.column, mouse.row)
            }
            Some(Msg::Focus(on)) => format!("focus={on}"),
            other => format!("{other:?}"),
        },
    });
    words.collect()
}

fn one(bytes: &str) -> String {
    read(&[bytes.as_bytes()]).join(" ")
}

#[test]
fn keys_of_all_kinds_of_terminals_are_read() {
    for (bytes, keys) in [
        ("aG세\r\t\x7f", "a G 세 enter tab backspace"),
        ("\x00\x01\x0a\x1a", "ctrl-space ctrl-a ctrl-j ctrl-z"),
        ("\x1c\x1d\x1e\x1f", "ctrl-\\ ctrl-] ctrl-^ ctrl-/"),
        ("\x1b", "esc"),
        ("\x1bx\x1bX\x1b\r", "alt-x alt-X alt-enter"),
        ("\x1b\x1bq\x1b\x1b\x1b[A", "esc esc q esc esc up"),
        ("\x1b세", "alt-세"),
        ("\x1b[A\x1b[B\x1b[C\x1b[D", "up down right left"),
        ("\x1bOA\x1bOH\x1bOF\x1bOP\x1bOS", "up home end F1 F4"),
        ("\x1b[1;5A\x1b[1;3D\x1b[1;2F", "ctrl-up alt-left shift-end"),
        ("\x1b[5~\x1b[6;5~\x1b[3~", "pageup ctrl-pagedown delete"),
        ("\x1b[15~\x1b[24~\x1b[[A\x1b[1;2R", "F5 F12 F1 shift-F3"),
        ("\x1b[Z\x1b\x1b[A\x1b\x1b", "shift-tab alt-up esc esc"),
        (
            "\x1b[13;2u\x1b[127;5u\x1b[27u",
            "shift-enter ctrl-backspace esc",
        ),
        (
            "\x1b[97;5u\x1b[97:65;6u\x1b[9;2u",
            "ctrl-a ctrl-A shift-tab",
        ),
        ("\x1b[57400u\x1b[57414u\x1b[57419u", "1 enter up"),
        ("\x1b[97;1:3u", "None"),
        ("\x1b[97;1:2u", "a"),
        ("\x1b[I\x1b[O", "focus=true focus=false"),
        ("\x1b[200~a\x1b[A b\x1b[201~c", "paste \"a\\u{1b}[A b\" c"),
    ] {
        assert_eq!(one(bytes), keys, "{bytes:?}");
    }
}

#[test]
fn the_mouse_is_read() {
    for (bytes, words) in [
        (
            "\x1b[<0;1;1M\x1b[<0;3;2m",
            "Press(Left) 0,0 Release(Left) 2,1",
        ),
        ("\x1b[<34;5;6M\x1b[<35;5;6M", "Drag(Right) 4,5 Moved 4,5"),
        (
            "\x1b[<64;300;200M\x1b[<65;1;1M",
            "WheelUp 299,199 WheelDown 0,0",
        ),
        ("\x1b[M !!\x1b[M#!!", "Press(Left) 0,0 Release(Left) 0,0"),
        // No button and no place that exists.
        ("\x1b[<0;0;0M\x1b[<999;1;1M\x1b[<0;1Mx", "x"),
    ] {
        assert_eq!(one(bytes), words, "{bytes:?}");
    }
}

#[test]
fn a_changed_color_scheme_is_reported_and_types_nothing() {
    assert_eq!(
        one("a\x1b[?997;1nb\x1b[?997;2nc"),
        "a dark=true b dark=false c"
    );
    let report = b"\x1b[?997;2n";
    for at in 2..report.len() {
        let (start, rest) = report.split_at(at);
        assert_eq!(
            read(&[start, rest, b"x"]),
            ["dark=false", "x"],
            "cut at {at}"
        );
    }
}

#[test]
fn what_the_tui_does_not_know_takes_no_key() {
    for bytes in [
        "\x1b[?2031;1$y",
        "\x1b[?997;3n",
        "\x1b[?62;22c",
        "\x1b[?0u",
        "\x1b[>0;276;0c",
        "\x1b[12;40R",
        "\x1b[5;1",
        "\x1b[99~",
        "\x1b[57441u",
        "\x1b[<1",
    ] {
        assert_eq!(one(&format!("{bytes}\x1b[Bx")), "down x", "{bytes:?}");
    }
    let endless = format!("\x1b[{}", "1;".repeat(LONGEST));
    assert_eq!(read(&[endless.as_bytes(), b"x"]), ["x"]);
    assert_eq!(read(&[b"\xff\xc3(x"]), ["(", "x"]);
    assert_eq!(one("\x1bOx"), "alt-O x");
}

#[test]
fn a_paste_that_comes_in_pieces_is_one() {
    let whole = b"\x1b[200~\xec\x84\xb8 pasted\x1b[201~x";
    for at in 2..whole.len() {
        let (start, rest) = whole.split_at(at);
        assert_eq!(
            read(&[start, rest]),
            ["paste \"세 pasted\"", "x"],
            "cut at {at}"
        );
    }
    let pieces: Vec<&[u8]> = whole[2..].chunks(1).collect();
    let pieces = [&[&whole[..2]], &pieces[..]].concat();
    assert_eq!(read(&pieces), ["paste \"세 pasted\"", "x"]);
}

#[test]
fn an_escape_at_the_end_is_the_key_unless_more_has_come() {
    let mut parser = Parser::default();
    parser.take(b"\x1b", true);
    assert_eq!(parser.next(), None);
    parser.take(b"[A", false);
    let up = Typed::Event(Event::Key(Code::Up.into()));
    assert_eq!(parser.next(), Some(up));
}

proptest! {
    #[test]
    fn no_bytes_stop_the_parser(bytes: Vec<u8>, at: prop::sample::Index) {
        let (start, rest) = bytes.split_at(at.index(bytes.len() + 1));
        let mut parser = Parser::default();
        parser.take(start, false);
        parser.take(rest, false);
        // The end of a paste and a letter end whatever was begun.
        parser.take(b"\x1b[201~", false);
        parser.take(&[b'm'; LONGEST], false);
        parser.take(b"q", false);
        let mut last = None;
        while let Some(typed) = parser.next() {
            last = Some(typed);
        }
        prop_assert_eq!(last, Some(Typed::Event(Event::Key(Code::Char('q').into()))));
    }
}
