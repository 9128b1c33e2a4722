use super::*;

fn typed(name: &str, modes: Modes) -> String {
    String::from_utf8(key(name.parse().unwrap(), modes)).unwrap()
}

#[test]
fn keys_are_what_xterm_sends() {
    for (name, bytes) in [
        ("a", "a"),
        ("한", "한"),
        ("ctrl-c", "\x03"),
        ("ctrl-]", "\x1d"),
        ("ctrl-space", "\0"),
        ("ctrl-/", "\x1f"),
        ("alt-f", "\x1bf"),
        ("ctrl-alt-x", "\x1b\x18"),
        ("enter", "\r"),
        ("alt-enter", "\x1b\r"),
        ("shift-tab", "\x1b[Z"),
        ("backspace", "\x7f"),
        ("alt-backspace", "\x1b\x7f"),
        ("up", "\x1b[A"),
        ("ctrl-left", "\x1b[1;5D"),
        ("alt-shift-up", "\x1b[1;4A"),
        ("home", "\x1b[H"),
        ("delete", "\x1b[3~"),
        ("shift-pageup", "\x1b[5;2~"),
        ("F1", "\x1bOP"),
        ("ctrl-F4", "\x1b[1;5S"),
        ("F5", "\x1b[15~"),
        ("F6", "\x1b[17~"),
        ("F10", "\x1b[21~"),
        ("F11", "\x1b[23~"),
        ("F12", "\x1b[24~"),
        ("F13", "\x1b[1;2P"),
        ("F24", "\x1b[24;2~"),
    ] {
        assert_eq!(typed(name, Modes::default()), bytes, "{name}");
    }
    let application = Modes {
        application_cursor: true,
        ..Modes::default()
    };
    assert_eq!(typed("up", application), "\x1bOA");
    assert_eq!(typed("end", application), "\x1bOF");
    assert_eq!(typed("ctrl-up", application), "\x1b[1;5A");
}

#[test]
fn keys_without_bytes_of_their_own_are_reported_where_asked() {
    let asked = |other_keys| Modes {
        other_keys,
        ..Modes::default()
    };
    for (name, plain, some, all) in [
        ("shift-enter", "\r", "\x1b[27;2;13~", "\x1b[27;2;13~"),
        ("ctrl-enter", "\r", "\x1b[27;5;13~", "\x1b[27;5;13~"),
        ("alt-enter", "\x1b\r", "\x1b\r", "\x1b[27;3;13~"),
        ("enter", "\r", "\r", "\r"),
        ("ctrl-tab", "\t", "\x1b[27;5;9~", "\x1b[27;5;9~"),
        ("ctrl-shift-tab", "\x1b[Z", "\x1b[27;6;9~", "\x1b[27;6;9~"),
        ("shift-tab", "\x1b[Z", "\x1b[Z", "\x1b[Z"),
        ("shift-backspace", "\x7f", "\x7f", "\x1b[27;2;127~"),
        ("ctrl-backspace", "\x08", "\x08", "\x1b[27;5;127~"),
        ("ctrl-a", "\x01", "\x01", "\x1b[27;5;97~"),
        ("ctrl-A", "\x01", "\x1b[27;6;65~", "\x1b[27;6;65~"),
        ("ctrl-alt-A", "\x1b\x01", "\x1b[27;8;65~", "\x1b[27;8;65~"),
        ("ctrl-1", "1", "\x1b[27;5;49~", "\x1b[27;5;49~"),
        ("ctrl-,", ",", "\x1b[27;5;44~", "\x1b[27;5;44~"),
        ("ctrl-space", "\0", "\0", "\x1b[27;5;32~"),
        ("ctrl-/", "\x1f", "\x1f", "\x1b[27;5;47~"),
        ("alt-x", "\x1bx", "\x1bx", "\x1b[27;3;120~"),
        ("A", "A", "A", "A"),
        ("한", "한", "한", "한"),
        ("ctrl-up", "\x1b[1;5A", "\x1b[1;5A", "\x1b[1;5A"),
    ] {
        assert_eq!(typed(name, asked(0)), plain, "{name}");
        assert_eq!(typed(name, asked(1)), some, "{name}");
        assert_eq!(typed(name, asked(2)), all, "{name}");
    }
}

#[test]
fn a_paste_cannot_leave_its_brackets() {
    let modes = Modes {
        bracketed_paste: true,
        ..Modes::default()
    };
    let text = String::from_utf8(paste("a\x1b[20\x1b[201~1~rm\nb", modes)).unwrap();
    assert_eq!(text, "\x1b[200~a[20[201~1~rm\rb\x1b[201~");
    assert_eq!(paste("a\r\nb\n", Modes::default()), b"a\rb\r");
}

#[test]
fn a_paste_is_text_alone() {
    let hidden = "ls\t한\x03\x04\x15\x1b]52;c;eA==\x07\x7f\u{9b}2J\0\n";
    let typed = paste(hidden, Modes::default());
    assert_eq!(typed, "ls\t한]52;c;eA==2J\r".as_bytes());
}

#[test]
fn the_mouse_speaks_only_when_asked_and_as_asked() {
    let mut report = MouseReport {
        event: MouseEvent::Press(MouseButton::Left),
        column: 4,
        row: 2,
        ctrl: false,
        alt: false,
        shift: false,
    };
    let mut modes = Modes::default();
    assert_eq!(mouse(report, modes), None);
    modes.mouse = MouseMode::PressRelease;
    assert_eq!(mouse(report, modes).unwrap(), b"\x1b[M %#");
    modes.sgr_mouse = true;
    assert_eq!(mouse(report, modes).unwrap(), b"\x1b[<0;5;3M");
    report.event = MouseEvent::Release(MouseButton::Left);
    assert_eq!(mouse(report, modes).unwrap(), b"\x1b[<0;5;3m");
    report.event = MouseEvent::WheelDown;
    report.ctrl = true;
    assert_eq!(mouse(report, modes).unwrap(), b"\x1b[<81;5;3M");
    report.event = MouseEvent::Drag(MouseButton::Right);
    assert_eq!(mouse(report, modes), None);
    modes.mouse = MouseMode::Drag;
    assert_eq!(mouse(report, modes).unwrap(), b"\x1b[<50;5;3M");
}

#[test]
fn focus_is_reported_where_asked() {
    assert_eq!(focus(true, Modes::default()), None);
    let modes = Modes {
        focus: true,
        ..Modes::default()
    };
    assert_eq!(focus(true, modes), Some(&b"\x1b[I"[..]));
    assert_eq!(focus(false, modes), Some(&b"\x1b[O"[..]));
}
