//! The theme follows the terminal: light and dark, answers that come late, in pieces or never, and changes while the
//! program runs.

use std::fs;

use crate::{
    machine::{BINARY, Machine},
    terminal::{Terminal, TerminalAnswer},
};

/// The text color of the default themes, as SGR sequences.
const DARK: &str = "38;2;205;211;220";
const LIGHT: &str = "38;2;43;49;58";
const KIND: TerminalAnswer = (b"\x1b[c", b"\x1b[?62;22c");

fn started(machine: &Machine, answers: &'static [TerminalAnswer]) -> Terminal {
    let person = Terminal::answering(&[BINARY], &machine.env(), (80, 24), answers);
    person.wait_for("No running sessions");
    person
}

/// Whether the program painted text in this color since the byte `from`.
fn painted(person: &Terminal, from: usize, color: &str) -> bool {
    String::from_utf8_lossy(&person.raw()[from..]).contains(color)
}

fn wait_painted(person: &Terminal, from: usize, color: &str) {
    let mut seen = person.raw_len();
    while !painted(person, from, color) {
        // Panics if nothing comes any more.
        person.wait_bytes(seen);
        seen = person.raw_len();
    }
}

#[test]
fn the_theme_is_that_of_the_background() {
    const ON_DARK: [TerminalAnswer; 2] =
        [(b"\x1b]11;?", b"\x1b]11;rgb:1212/1212/1212\x1b\\"), KIND];
    const ON_LIGHT: [TerminalAnswer; 2] = [(b"\x1b]11;?", b"\x1b]11;rgb:ffff/ffff/ffff\x07"), KIND];
    let machine = Machine::new();
    let dark = started(&machine, &ON_DARK);
    assert!(painted(&dark, 0, DARK) && !painted(&dark, 0, LIGHT));
    let light = started(&machine, &ON_LIGHT);
    assert!(painted(&light, 0, LIGHT) && !painted(&light, 0, DARK));
}

#[test]
fn a_terminal_that_never_answers_gets_its_own_colors() {
    let machine = Machine::new();
    let mut person = started(&machine, &[]);
    assert!(!painted(&person, 0, DARK) && !painted(&person, 0, LIGHT));
    person.type_("n");
    person.wait_for("Launch a session");
}

#[test]
fn an_answer_that_comes_late_and_in_pieces_changes_the_theme_and_types_nothing() {
    const LATE: [TerminalAnswer; 2] = [
        (b"\x1b]11;?", b"\x1b]11;rgb:ff"),
        (b"\x1b[?1049h", b"ff/ffff/ffff\x1b\\"),
    ];
    let machine = Machine::new();
    let mut person = started(&machine, &LATE);
    wait_painted(&person, 0, LIGHT);
    person.type_("n");
    person.wait_for("Launch a session");
}

#[test]
fn the_theme_follows_a_switch_that_happened_elsewhere() {
    const SAME: [TerminalAnswer; 2] = [
        (
            b"\x1b]11;?\x1b\\\x1b[?u",
            b"\x1b]11;rgb:1212/1212/1212\x1b\\",
        ),
        KIND,
    ];
    let machine = Machine::new();
    let mut person = started(&machine, &SAME);
    assert!(painted(&person, 0, DARK));
    let before = person.raw_len();
    // The terminal reports the focus, is asked, and answers.
    person.type_("\x1b[I");
    wait_painted(&person, before, "\x1b]11;?");
    person.type_("\x1b]10;rgb:0000/0000/0000\x1b\\\x1b]11;rgb:ffff/ffff/ffff\x1b\\");
    wait_painted(&person, before, LIGHT);
    person.type_("n");
    person.wait_for("Launch a session");
}

#[test]
fn the_theme_follows_a_switch_that_the_terminal_reports() {
    const ON_DARK: [TerminalAnswer; 2] =
        [(b"\x1b]11;?", b"\x1b]11;rgb:1212/1212/1212\x1b\\"), KIND];
    let machine = Machine::new();
    let mut person = started(&machine, &ON_DARK);
    assert!(painted(&person, 0, "\x1b[?2031h") && painted(&person, 0, DARK));
    let before = person.raw_len();
    // The report comes in pieces, and keys follow it at once.
    person.type_("\x1b[?99");
    person.type_("7;2nn");
    wait_painted(&person, before, LIGHT);
    // The terminal is asked for its colors, too, which panes need.
    wait_painted(&person, before, "\x1b]11;?");
    person.wait_for("Launch a session");
    assert!(!person.screen().contains("997"), "{}", person.screen());
    let before = person.raw_len();
    person.type_("\x1b[?997;1n");
    wait_painted(&person, before, DARK);
    let before = person.raw_len();
    person.type_("\x1b");
    person.wait_for("No running sessions");
    person.type_("q");
    wait_painted(&person, before, "\x1b[?2031l");
}

#[test]
fn a_report_of_the_terminal_changes_no_chosen_theme_and_types_nothing_into_a_shell() {
    let mut machine = Machine::new();
    // The shell of this machine reads files of the home directory, which may take long.
    let home = machine.path("person");
    fs::create_dir_all(&home).expect("a directory");
    machine.set("HOME", &home.to_string_lossy());
    let mut env = machine.env();
    env.push(("WORKBAY_THEME".to_owned(), "nord".to_owned()));
    let mut person = Terminal::start(&[BINARY], &env, 80, 24);
    person.wait_for("No running sessions");
    let before = person.raw_len();
    person.type_("!");
    person.wait_for("d back");
    person.type_("\x1b[?997;2necho to\x1b[?997;1ngether\r");
    person.wait_until("the answer of the shell", |screen| {
        screen.lines().any(|line| line.trim() == "together")
    });
    assert!(!person.screen().contains("997"), "{}", person.screen());
    assert!(!painted(&person, before, LIGHT) && !painted(&person, before, DARK));
}

#[test]
fn a_theme_is_previewed_kept_and_saved() {
    let machine = Machine::new();
    let config = machine.path("config").join("config.toml");
    fs::create_dir_all(machine.path("config")).expect("a directory");
    fs::write(&config, "# mine\n[ui]\nmouse = false # no\n").expect("a file");
    let mut person = Terminal::start(&[BINARY], &machine.env(), 80, 24);
    person.wait_for("No running sessions");
    person.type_("\x14");
    person.wait_for("Choose a theme");
    person.wait_for("catppuccin-mocha");
    let before = person.raw_len();
    person.type_("dracula");
    // Its background.
    wait_painted(&person, before, "48;2;40;42;54");
    person.type_("\r");
    person.wait_for("dracula saved");
    let kept = fs::read_to_string(&config).expect("a file");
    assert_eq!(
        kept,
        "# mine\n[ui]\ntheme = \"dracula\"\nmouse = false # no\n"
    );
}

#[test]
fn a_changed_theme_file_is_shown_at_once_and_a_broken_one_is_reported() {
    let machine = Machine::new();
    let themes = machine.path("config").join("themes");
    fs::create_dir_all(&themes).expect("a directory");
    let write = |text: &str| fs::write(themes.join("mine.toml"), text).expect("a file");
    write("inherits = \"nord\"\n");
    let mut env = machine.env();
    env.push(("WORKBAY_THEME".to_owned(), "mine".to_owned()));
    let person = Terminal::start(&[BINARY], &env, 80, 24);
    person.wait_for("No running sessions");
    let before = person.raw_len();
    write("inherits = \"nord\"\n[palette]\nbase = \"#010203\"\n");
    wait_painted(&person, before, "48;2;1;2;3");
    write("inherits = \"nord\"\n[palette]\nbase = \"#01020\"\n");
    person.wait_for("mine.toml:3:8");
}
