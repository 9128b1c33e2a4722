//! What people do without thinking: typing ahead, resizing, interrupting, leaving.

use crate::{
    cli::sessions::with_session,
    machine::{BINARY, Machine},
    terminal::{Terminal, TerminalAnswer},
};

#[test]
fn what_is_typed_ahead_reaches_the_new_shell() {
    let machine = with_session("type-ahead");
    let mut terminal = Terminal::start(&[BINARY], &machine.env(), 80, 24);
    terminal.wait_for("type-ahead");
    terminal.type_("s");
    terminal.type_("echo $((40+2))\r");
    terminal.wait_until("42 is answered", |screen| {
        screen.lines().any(|line| line.trim() == "42")
    });
}

#[test]
fn a_pane_follows_the_size_of_its_terminal() {
    let machine = with_session("resized");
    let mut terminal = Terminal::start(&[BINARY], &machine.env(), 80, 24);
    terminal.wait_for("resized");
    terminal.type_("s");
    terminal.wait_for("work@resized");
    for (columns, rows) in [(132, 40), (70, 20), (100, 30)] {
        terminal.resize(columns, rows);
        // The pane keeps a line for its name and one for the keys.
        let size = format!("{} {columns}", rows - 2);
        terminal.type_until("clear; stty size\r", |screen| {
            screen.lines().any(|line| line.trim() == size)
        });
    }
}

#[test]
fn an_answer_of_the_terminal_that_comes_late_and_cut_is_not_typed() {
    // The rest comes when the program draws, after it has stopped waiting.
    const CUT: [TerminalAnswer; 2] = [
        (b"\x1b]11;?", b"\x1b]11;rg"),
        (b"\x1b[?1049h", b"b:1212/1212/1212\x1b\\"),
    ];
    let machine = Machine::new();
    let mut terminal = Terminal::answering(&[BINARY], &machine.env(), (80, 24), &CUT);
    terminal.wait_for("No running sessions");
    // Typed as keys, the rest would open the command line and take these keys.
    terminal.type_("n");
    terminal.wait_for("Launch a session");
}

#[test]
fn interrupting_twice_leaves_and_once_does_not() {
    let machine = Machine::new();
    let mut terminal = Terminal::start(&[BINARY], &machine.env(), 80, 24);
    terminal.wait_for("No running sessions");
    terminal.type_("\x03");
    terminal.wait_for("again");
    terminal.type_("\x03");
    assert_eq!(terminal.wait_end(), 0);
}

#[test]
fn a_shell_of_this_host_opens_and_ends_in_a_pane() {
    let mut machine = Machine::new();
    // A home without start-up files: only the shell itself is tried.
    let home = machine.path("home");
    std::fs::create_dir_all(&home).expect("a directory");
    machine.set("HOME", &home.to_string_lossy());
    machine.set("SHELL", "/bin/bash");
    let mut terminal = Terminal::start(&[BINARY], &machine.env(), 80, 24);
    terminal.wait_for("No running sessions");
    terminal.type_("!");
    terminal.type_until("echo $((40+2))\r", |screen| {
        screen.lines().any(|line| line.trim() == "42")
    });
    // What the outer terminal reported about its background is passed on.
    terminal.type_("printf '\\033]11;?\\033\\\\'; read -rs -d '\\' it; echo told ${it:5:18}\r");
    terminal.wait_for("told rgb:1212/1212/1212");
    terminal.type_("exit\r");
    terminal.wait_for("shell ended");
    terminal.type_("\x1b");
    terminal.wait_for("No running sessions");
}

#[test]
fn the_last_shell_may_end_and_the_session_lives_on() {
    let machine = with_session("lives-on");
    let mut terminal = Terminal::start(&[BINARY], &machine.env(), 80, 24);
    terminal.wait_for("lives-on");
    terminal.type_("s");
    terminal.wait_for("work@lives-on");
    terminal.type_("exit\r");
    terminal.wait_for("shell ended");
    terminal.type_("\r");
    terminal.wait_for("work@lives-on");
    terminal.type_until("echo $((40+2))\r", |screen| {
        screen.lines().any(|line| line.trim() == "42")
    });
    assert_eq!(machine.containers().len(), 1);
}

#[test]
fn output_of_a_container_never_reaches_the_outer_terminal_as_it_is() {
    let machine = with_session("hostile");
    let mut terminal = Terminal::start(&[BINARY], &machine.env(), 80, 24);
    terminal.wait_for("hostile");
    terminal.type_("s");
    terminal.wait_for("work@hostile");
    let before = String::from_utf8_lossy(&terminal.raw()).into_owned();
    // A title, a clipboard write, a device query, a switch of the screen, and a mark to wait for.
    terminal.type_("printf '\\033]0;EVIL-TITLE\\007\\033]52;c;RVZJTA==\\007\\033[c\\033[?1049l'; echo do''ne\r");
    terminal.wait_for("done");
    let raw = String::from_utf8_lossy(&terminal.raw()).into_owned();
    assert!(
        !raw.contains("\u{1b}]0;EVIL-TITLE") && !raw.contains("\u{1b}]52;c;RVZJTA=="),
        "it passed through"
    );
    assert_eq!(
        raw.matches("\u{1b}[?1049l").count(),
        0,
        "the TUI's own screen was left"
    );
    // The TUI itself asks its terminal once, at the start.
    let queries = |raw: &str| raw.matches("\u{1b}[c").count();
    assert_eq!(queries(&raw), queries(&before), "a query was passed on");
}

#[test]
fn keys_are_tested_until_ctrl_c_was_pressed_twice() {
    let machine = Machine::new();
    let argv = [BINARY, "keys", "test"];
    let mut terminal = Terminal::start(&argv, &machine.env(), 100, 24);
    terminal.wait_for("IN WORKBAY");
    terminal.type_("\x1d");
    terminal.wait_for("terminal.leader");
    terminal.type_("\x1b[15~");
    terminal.wait_for("F5");
    terminal.type_("한");
    terminal.wait_for("한");
    terminal.type_("\x03");
    terminal.wait_for("app.interrupt");
    terminal.type_("\x03");
    assert_eq!(terminal.wait_end(), 0);
}
