//! Bytes that programs print to take over the terminal they are shown in: its clipboard, title, answers, printer,
//! windows and direction of text. None of them reaches it, however the output is shown.

use std::{fmt::Write, fs, os::unix::fs::PermissionsExt, path::PathBuf};

use crate::{
    attack::ground::Ground,
    attack::report,
    machine::{BINARY, Machine, launch},
    terminal::Terminal,
};

/// In every payload that carries text. Its base64 is what OSC 52 carries.
const MARK: &str = "EVIL";
const MARK_BASE64: &str = "RVZJTA==";
const LEADER: &str = "\x1d";

const PAYLOADS: &[&[u8]] = &[
    // The clipboard, by each terminator, selection and disguise.
    b"\x1b]52;c;RVZJTA==\x07",
    b"\x1b]52;;RVZJTA==\x1b\\",
    b"\x1b]52;p;RVZJTA==\x9c",
    b"\xc2\x9d52;c;RVZJTA==\x07",
    b"\x9d52;c;RVZJTA==\x07",
    b"\x1bPtmux;\x1b\x1b]52;c;RVZJTA==\x07\x1b\\",
    b"\x1bPtmux;\x1b\x1bPtmux;\x1b\x1b\x1b\x1b]52;c;RVZJTA==\x07\x1b\x1b\\\x1b\\",
    b"\x1b]52;c;RVZJTA==\x18\x1b]52;c;RVZJTA==\x1a",
    b"\x1b]52;c;RVZJ\nTA==\x07",
    b"\x1b]052;c;RVZJTA==\x07",
    b"\x1b]5\x002;c;RVZJTA==\x07",
    b"\x1b]52;c;!\x07\x1b]52;c;?\x07",
    // Titles, icons, notifications, files, colors, hyperlinks, working directories.
    b"\x1b]0;EVIL\x07\x1b]1;EVIL\x07\x1b]2;EVIL\x07\x1bkEVIL\x1b\\",
    b"\x1b]9;EVIL\x07\x1b]777;notify;EVIL;EVIL\x07\x1b]99;;EVIL\x1b\\",
    b"\x1b]1337;File=name=RVZJTA==;inline=1:RVZJTA==\x07",
    b"\x1b]1337;SetUserVar=EVIL=RVZJTA==\x07\x1b]1337;CopyToClipboard=\x07EVIL\x1b]1337;EndCopy\x07",
    b"\x1b]5113;ac=send;EVIL\x1b\\\x1b]7;file://EVIL/\x07\x1b]133;A;EVIL\x07\x1b]633;E;EVIL\x07",
    b"\x1b]4;1;rgb:00/00/00\x07\x1b]10;#000000\x07\x1b]11;#000000\x07\x1b]12;#000000\x07\x1b]104\x07",
    b"\x1b]8;;javascript:EVIL\x07x\x1b]8;;\x07\x1b]8;;file://EVIL/etc/passwd\x07x\x1b]8;;\x07",
    b"\x1b]50;EVIL\x07\x1b]22;EVIL\x07\x1b]66;s=7;EVIL\x07",
    // Questions whose answers would be typed into the shell, and device control.
    b"\x1b[21t\x1b[20t\x1b[14t\x1b[18t\x1bZ\x05\x1b[c\x1b[>c\x1b[=c\x1b[>q",
    b"\x1bP$q\"p\x1b\\\x1bP+q544e\x1b\\\x1b]4;1;?\x07\x1b]10;?\x07\x1b[?996n\x1b[?1;2S",
    b"\x1bPqEVIL\x1b\\\x1b_GEVIL\x1b\\\x1b^EVIL\x1b\\\x1bXEVIL\x1b\\\x1b_EVIL",
    // Windows, printing, keyboards, resets, locks.
    b"\x1b[8;1;1t\x1b[9;1t\x1b[3;0;0t\x1b[2t\x1b[22;0t\x1b[23;0t\x1b[5i\x1b[4i\x1b[?5i\x1b[i",
    b"\x1b[2h\x1b[20h\x1b[?3h\x1b[?40h\x1b[?5h\x1b[>4;2m\x1b[>1u\x1b[=31u\x1b[?9001h",
    b"\x1b[?1049h\x1b[?47h\x1b[?1047h\x1b[?1003h\x1b[?1006h\x1b[?2004h\x1b[?2026h",
    b"\x1b#8\x1b#3\x1b(0\x0e\x1b*0\x1b%@\x1b%G\x1bn\x1b}\x1b~\x1b[!p",
    // Directions, invisible characters, C1 as text, broken UTF-8.
    "\u{202e}EVIL\u{2066}EVIL\u{061c}EVIL\u{206e}EVIL\u{00ad}EVIL\u{feff}EVIL\u{2028}EVIL".as_bytes(),
    "\u{9b}2J\u{90}EVIL\u{9c}\u{9e}EVIL\u{9c}\u{98}EVIL\u{9c}\u{85}\u{84}\u{8d}".as_bytes(),
    b"\xc2\xf0\x9f\xed\xa0\x80\xff\xfe\xc0\x9b2J\xe0\x82\x9b2J",
    // Without an end.
    b"\x1b]52;c;RVZJTA==",
    b"\x1bP+qRVZJTA==",
    b"\x1b[1;2;3;4;5;6;7;8;9;10;11;12;13;14;15;16;17;18;19;20;21;22;23;24;25;26;27;28;29;30;31;32;33m",
    b"\x1b[99999999999999999999A\x1b[99999999999999999999b\x1b[0;99999999999999999999H",
];

/// Puts the payloads into the session's home.
fn plant(machine: &Machine, session: &str) -> usize {
    let shown = machine.json(&["show", session, "--json"]);
    let id = shown["id"].as_str().expect("an id");
    let home: PathBuf = machine.state().join("sessions").join(id).join("work");
    let dir = home.join("payloads");
    fs::create_dir(&dir).unwrap();
    fs::set_permissions(&dir, fs::Permissions::from_mode(0o755)).unwrap();
    for (number, payload) in PAYLOADS.iter().enumerate() {
        let file = dir.join(format!("{number:02}"));
        fs::write(&file, payload).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    }
    PAYLOADS.len()
}

/// Prints each payload and waits until the terminal is usable again.
fn print_all(user: &mut Terminal) {
    for number in 0..PAYLOADS.len() {
        // A payload without an end swallows what follows up to the first control character that ends it.
        // tmux answers some payloads, into its own shell: Ctrl-C takes that away, and where an answer swallowed
        // a key the command is typed once more.
        let command = format!(
            "\x03\x15cat payloads/{number:02}; printf '\\030\\033c'; echo printed-{number}-$((40+2))\r"
        );
        let printed = format!("printed-{number}-42");
        user.type_until(&command, |screen| screen.contains(&printed));
    }
}

/// Sequences that reached the user's terminal and must not.
fn violations(raw: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    let text = String::from_utf8_lossy(raw);
    for forbidden in [
        "\u{202e}", "\u{2066}", "\u{61c}", "\u{206e}", "\u{ad}", "\u{2028}",
    ] {
        if text.contains(forbidden) {
            found.push(format!("the character {}", forbidden.escape_unicode()));
        }
    }
    if let Some(c1) = text.chars().find(|c| ('\u{80}'..='\u{9f}').contains(c)) {
        found.push(format!("the control character {}", c1.escape_unicode()));
    }
    let mut pieces = raw.split(|&byte| byte == 0x1b);
    pieces.next();
    for piece in pieces {
        let Some((&kind, rest)) = piece.split_first() else {
            continue;
        };
        if !is_allowed(kind, rest) {
            found.push(format!(
                "ESC {}",
                piece[..piece.len().min(60)].escape_ascii()
            ));
        }
    }
    found
}

fn is_allowed(kind: u8, rest: &[u8]) -> bool {
    match kind {
        b'P' | b'_' | b'^' | b'X' | b'k' => false,
        b']' => {
            let end = rest.iter().position(|&byte| byte == 7);
            is_allowed_command(&String::from_utf8_lossy(&rest[..end.unwrap_or(rest.len())]))
        }
        b'[' => {
            let end = rest.iter().position(|byte| (0x40..=0x7e).contains(byte));
            // Windows and printing.
            end.is_none_or(|end| !matches!(rest[end], b't' | b'i'))
        }
        _ => true,
    }
}

/// Of operating system commands only workbay's own questions at the start and links it knows.
fn is_allowed_command(command: &str) -> bool {
    let is_marked = command.contains(MARK) || command.contains(MARK_BASE64);
    let is_own = command == "10;?" || command == "11;?" || command.starts_with("8;");
    !is_marked && is_own
}

#[track_caller]
fn assert_clean(route: &str, raw: &[u8]) {
    let found = violations(raw);
    assert!(
        found.is_empty(),
        "{route} lets through:\n{}",
        found.join("\n")
    );
}

#[test]
fn what_a_session_prints_does_not_reach_the_terminal_as_commands() {
    let Ground { machine, .. } = &Ground::new();
    machine.ok(&launch("printer", &["--wait"]));
    let payloads = plant(machine, "printer");

    let mut user = Terminal::start(&[BINARY], &machine.env(), 100, 30);
    user.wait_for("printer");
    user.type_("s");
    user.wait_for("work@printer");
    print_all(&mut user);
    let command = "\x03\x15cat payloads/*; printf '\\030\\033c'; echo together-$((40+2))\r";
    user.type_until(command, |screen| screen.contains("together-42"));
    user.type_(LEADER);
    user.type_("d");
    user.wait_for("RUNNING");
    assert_clean("a pane", &user.raw());
    drop(user);

    let mut user = Terminal::start(&[BINARY, "shell", "printer"], &machine.env(), 100, 30);
    user.wait_for("work@printer");
    print_all(&mut user);
    assert_clean("workbay shell", &user.raw());
    drop(user);

    let cat = "cat payloads/*; printf '\\030\\033\\\\\\n'; echo all-$((40+2))";
    let mut user = Terminal::start(
        &[BINARY, "exec", "printer", "--", "sh", "-c", cat],
        &machine.env(),
        100,
        30,
    );
    user.wait_end();
    assert_clean("workbay exec", &user.raw());

    let lines = "for f in /tmp/payloads/*; do cat $f; echo; done; echo all-$((40+2))";
    let octal: Vec<String> = PAYLOADS.iter().map(|bytes| octal(bytes)).collect();
    let write: Vec<String> = (0..)
        .zip(&octal)
        .map(|(n, o)| format!("printf '{o}' >/tmp/payloads/{n:02}"))
        .collect();
    let command = format!("mkdir /tmp/payloads; {}; {lines}", write.join("; "));
    machine.ok(&launch("logger", &["--batch", "--command", &command]));
    crate::wait::until(
        "its log is whole",
        || machine.workbay(&["logs", "logger"]).stdout,
        |log| log.windows(6).any(|part| part == b"all-42"),
    );
    let mut user = Terminal::start(&[BINARY, "logs", "logger"], &machine.env(), 100, 30);
    user.wait_end();
    assert_clean("workbay logs", &user.raw());
    let mut user = Terminal::start(&[BINARY], &machine.env(), 100, 30);
    user.wait_for("printer");
    user.type_("2");
    user.wait_for("exit 0");
    user.type_("l");
    user.wait_for("all-42");
    user.type_("g");
    assert_clean("the log view", &user.raw());

    report::held(
        "escape sequences printed in a pane, `shell`, `exec`, `logs` and the log view",
        format!("{payloads} payloads, 5 ways"),
        "none reaches the terminal as a command",
    );
}

/// For `printf`, so that the command line itself holds no control character.
fn octal(bytes: &[u8]) -> String {
    let mut text = String::new();
    for byte in bytes {
        write!(text, "\\{byte:03o}").expect("text takes more");
    }
    text
}
