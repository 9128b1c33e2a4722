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
    let terminal = Terminal::answering(&[BINARY], &machine.env(), (80, 24), answers);
    terminal.wait_for("No running sessions");
    terminal
}

/// Whether the program painted text in this color since the byte `from`.
fn painted(terminal: &Terminal, from: usize, color: &str) -> bool {
    String::from_utf8_lossy(&terminal.raw()[from..]).contains(color)
}

fn wait_painted(terminal: &Terminal, from: usize, color: &str) {
    let mut seen = terminal.raw_len();
    while !painted(terminal, from, color) {
        // Panics if nothing comes any more.
        terminal.wait_bytes(seen);
        seen = terminal.raw_len();
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
    let mut terminal = started(&machine, &[]);
    assert!(!painted(&terminal, 0, DARK) && !painted(&terminal, 0, LIGHT));
    terminal.type_("n");
    terminal.wait_for("Launch a session");
}

#[test]
fn an_answer_that_comes_late_and_in_pieces_changes_the_theme_and_types_nothing() {
    const LATE: [TerminalAnswer; 2] = [
        (b"\x1b]11;?", b"\x1b]11;rgb:ff"),
        (b"\x1b[?1049h", b"ff/ffff/ffff\x1b\\"),
    ];
    let machine = Machine::new();
    let mut terminal = started(&machine, &LATE);
    wait_painted(&terminal, 0, LIGHT);
    terminal.type_("n");
    terminal.wait_for("Launch a session");
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
    let mut terminal = started(&machine, &SAME);
    assert!(painted(&terminal, 0, DARK));
    let before = terminal.raw_len();
    // The terminal reports the focus, is asked, and answers.
    terminal.type_("\x1b[I");
    wait_painted(&terminal, before, "\x1b]11;?");
    terminal.type_("\x1b]10;rgb:0000/0000/0000\x1b\\\x1b]11;rgb:ffff/ffff/ffff\x1b\\");
    wait_painted(&terminal, before, LIGHT);
    terminal.type_("n");
    terminal.wait_for("Launch a session");
}

#[test]
fn the_theme_follows_a_switch_that_the_terminal_reports() {
    const ON_DARK: [TerminalAnswer; 2] =
        [(b"\x1b]11;?", b"\x1b]11;rgb:1212/1212/1212\x1b\\"), KIND];
    let machine = Machine::new();
    let mut terminal = started(&machine, &ON_DARK);
    assert!(painted(&terminal, 0, "\x1b[?2031h") && painted(&terminal, 0, DARK));
    let before = terminal.raw_len();
    // The report comes in pieces, and keys follow it at once.
    terminal.type_("\x1b[?99");
    terminal.type_("7;2nn");
    wait_painted(&terminal, before, LIGHT);
    // The terminal is asked for its colors, too, which panes need.
    wait_painted(&terminal, before, "\x1b]11;?");
    terminal.wait_for("Launch a session");
    assert!(!terminal.screen().contains("997"), "{}", terminal.screen());
    let before = terminal.raw_len();
    terminal.type_("\x1b[?997;1n");
    wait_painted(&terminal, before, DARK);
    let before = terminal.raw_len();
    terminal.type_("\x1b");
    terminal.wait_for("No running sessions");
    terminal.type_("q");
    wait_painted(&terminal, before, "\x1b[?2031l");
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
    let mut terminal = Terminal::start(&[BINARY], &env, 80, 24);
    terminal.wait_for("No running sessions");
    let before = terminal.raw_len();
    terminal.type_("!");
    terminal.wait_for("d back");
    terminal.type_("\x1b[?997;2necho to\x1b[?997;1ngether\r");
    terminal.wait_until("the answer of the shell", |screen| {
        screen.lines().any(|line| line.trim() == "together")
    });
    assert!(!terminal.screen().contains("997"), "{}", terminal.screen());
    assert!(!painted(&terminal, before, LIGHT) && !painted(&terminal, before, DARK));
}

#[test]
fn a_theme_is_previewed_kept_and_saved() {
    let machine = Machine::new();
    let config = machine.path("config").join("config.toml");
    fs::create_dir_all(machine.path("config")).expect("a directory");
    fs::write(&config, "# mine\n[ui]\nmouse = false # no\n").expect("a file");
    let mut terminal = Terminal::start(&[BINARY], &machine.env(), 80, 24);
    terminal.wait_for("No running sessions");
    terminal.type_("\x14");
    terminal.wait_for("Choose a theme");
    terminal.wait_for("catppuccin-mocha");
    let before = terminal.raw_len();
    terminal.type_("dracula");
    // Its background.
    wait_painted(&terminal, before, "48;2;40;42;54");
    terminal.type_("\r");
    terminal.wait_for("dracula saved");
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
    let terminal = Terminal::start(&[BINARY], &env, 80, 24);
    terminal.wait_for("No running sessions");
    let before = terminal.raw_len();
    write("inherits = \"nord\"\n[palette]\nbase = \"#010203\"\n");
    wait_painted(&terminal, before, "48;2;1;2;3");
    write("inherits = \"nord\"\n[palette]\nbase = \"#01020\"\n");
    terminal.wait_for("mine.toml:3:8");
}
