//! However the program ends, the terminal is as it was before.

use std::io::Read as _;

use portable_pty::{CommandBuilder, PtySize, native_pty_system};

use crate::{
    machine::{BINARY, Machine, launch},
    process::signal,
    terminal::Terminal,
    wait,
};

/// Runs it in a shell that prints how it ended and how the terminal is afterwards.
fn start(machine: &Machine, command: &str) -> Terminal {
    let script = format!("ulimit -c 0; {BINARY} {command}; echo ended=$?; stty -a; sleep 600");
    Terminal::start(&["sh", "-c", &script], &machine.env(), 100, 30)
}

/// The process that the shell waits for.
fn child(terminal: &Terminal) -> String {
    let pid = terminal.pid();
    let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"));
    children.expect("it has one").trim().to_owned()
}

#[track_caller]
fn given_back(terminal: &Terminal, ended: u8) {
    terminal.wait_for(&format!("ended={ended}"));
    terminal.wait_for("icanon");
    let screen = terminal.screen();
    for mode in ["-icanon", "-echo ", "-isig", "-opost"] {
        assert!(!screen.contains(mode), "{mode} is left:\n{screen}");
    }
    let raw = String::from_utf8_lossy(&terminal.raw()).into_owned();
    for (on, off) in [
        ("\u{1b}[?1049h", "\u{1b}[?1049l"),
        ("\u{1b}[?1000h", "\u{1b}[?1000l"),
        ("\u{1b}[?25l", "\u{1b}[?25h"),
    ] {
        if let Some(at) = raw.rfind(on) {
            assert!(raw[at..].contains(off), "{on:?} is left");
        }
    }
}

const SIGNALS: [(&str, u8); 6] = [
    ("QUIT", 3),
    ("ABRT", 6),
    ("USR1", 10),
    ("USR2", 12),
    ("ALRM", 14),
    ("XCPU", 24),
];

#[test]
fn a_signal_that_ends_the_full_screen_gives_the_terminal_back() {
    let machine = Machine::new();
    for (name, number) in SIGNALS {
        let terminal = start(&machine, "");
        terminal.wait_for("No running sessions");
        signal(child(&terminal), name);
        given_back(&terminal, 128 + number);
    }
}

#[test]
fn a_signal_that_ends_a_shell_or_a_command_gives_the_terminal_back() {
    let machine = Machine::new();
    machine.ok(&launch("ends", &["--wait"]));
    for (name, number) in SIGNALS.into_iter().chain([("INT", 2)]) {
        let terminal = start(&machine, "shell ends");
        terminal.wait_for("work@ends");
        signal(child(&terminal), name);
        given_back(&terminal, 128 + number);
    }
    let full_screen =
        "exec ends -- sh -c \"printf '\\033[?1049h\\033[?1000h\\033[?25l'; echo here; sleep 600\"";
    for (name, number) in [("QUIT", 3), ("TERM", 15), ("HUP", 1)] {
        let terminal = start(&machine, full_screen);
        terminal.wait_for("here");
        signal(child(&terminal), name);
        given_back(&terminal, 128 + number);
    }
}

#[test]
fn output_that_comes_with_the_signal_switches_nothing_on_again() {
    let machine = Machine::new();
    machine.ok(&launch("floods", &["--wait"]));
    let flood =
        "exec floods -- sh -c \"while :; do printf '\\033[?1049h\\033[?1000h\\033[?25l'; done\"";
    for (name, number) in SIGNALS.into_iter().chain([("TERM", 15)]) {
        let terminal = start(&machine, flood);
        terminal.wait_bytes(50_000);
        signal(child(&terminal), name);
        given_back(&terminal, 128 + number);
    }
}

#[test]
fn a_command_that_dies_leaves_nothing_switched_on() {
    let machine = Machine::new();
    machine.ok(&launch("dies", &["--wait"]));
    let terminal = start(
        &machine,
        "exec dies -- sh -c \"printf '\\033[?1049h\\033[?1000h\\033[?25l'; kill -9 \\$\\$\"",
    );
    given_back(&terminal, 137);
    let raw = String::from_utf8_lossy(&terminal.raw()).into_owned();
    assert!(raw.contains("\u{1b}[?1049l") && raw.contains("\u{1b}[?1000l"));

    let modes = "\\033[?9h\\033[?1015h\\033[?7l\\033[4h\\033(0";
    let terminal = start(&machine, &format!("exec dies -- printf \"{modes}\""));
    given_back(&terminal, 0);
    let raw = String::from_utf8_lossy(&terminal.raw()).into_owned();
    for (on, off) in [
        ("?9h", "?9l"),
        ("?1015h", "?1015l"),
        ("?7l", "?7h"),
        ("4h", "4l"),
    ] {
        let at = raw.find(&format!("\x1b[{on}")).expect("it was switched");
        assert!(raw[at..].contains(&format!("\x1b[{off}")), "{on} is left");
    }
    assert!(raw.rfind("\x1b(B") > raw.rfind("\x1b(0"));

    // What printed a line and nothing else has its line, and the cursor stays below it.
    let terminal = start(&machine, "exec dies -- echo plain");
    given_back(&terminal, 0);
    let raw = String::from_utf8_lossy(&terminal.raw()).into_owned();
    assert!(!raw.contains("\u{1b}[?1049l"));
}

/// A session of its own gets no SIGHUP when its terminal goes.
#[test]
fn a_terminal_that_goes_without_a_signal_ends_the_program() {
    let machine = Machine::new();
    let pair = native_pty_system().openpty(PtySize::default()).unwrap();
    let mut command = CommandBuilder::new("setsid");
    command.args(["--wait", BINARY]);
    command.env("TERM", "xterm-256color");
    for (name, value) in machine.env() {
        command.env(name, value);
    }
    let mut setsid = pair.slave.spawn_command(command).unwrap();
    drop(pair.slave);
    let mut reader = pair.master.try_clone_reader().unwrap();
    let (mut seen, mut piece) = (Vec::new(), [0; 4096]);
    while !String::from_utf8_lossy(&seen).contains("Finished") {
        let length = reader.read(&mut piece).unwrap();
        assert!(length > 0, "{}", String::from_utf8_lossy(&seen));
        seen.extend_from_slice(&piece[..length]);
    }
    drop((reader, pair.master));
    let ended = || setsid.try_wait().unwrap();
    wait::until("the program ends", ended, Option::is_some);
}
