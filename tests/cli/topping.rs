//! `top` on the real engine: once, as JSON lines, and in place on a terminal.

use std::{
    io::{BufRead as _, BufReader},
    process::{Command, Stdio},
};

use serde_json::Value;

use crate::{
    cli::run,
    machine::{BINARY, Machine, launch},
    terminal::Terminal,
};

fn with_busy() -> Machine {
    let machine = Machine::new();
    machine.ok(&launch("busy", &["--cpu", "0.5", "--wait"]));
    machine
}

#[test]
fn usage_is_printed_once_or_as_lines_until_the_end() {
    let machine = with_busy();
    let table = machine.ok(&["top"]);
    let lines: Vec<&str> = table.lines().collect();
    assert!(lines[0].starts_with("NAME ") && lines.len() == 2, "{table}");
    assert!(
        lines[1].contains("/ 0.5 cores") && lines[1].contains("/ 64 MiB"),
        "{table}"
    );

    let printed = machine.ok(&["top", "busy", "--once", "--json"]);
    let refresh: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(printed.lines().count(), 1);
    let session = &refresh["sessions"][0];
    assert_eq!(session["name"], "busy");
    let cpu = &session["usage"][0];
    assert!(cpu["metric"] == "cpu" && cpu["now"].is_u64(), "{session}");

    let mut child = Command::new(BINARY)
        .args(["top", "--json", "busy", "--interval", "1s"])
        .envs(machine.env())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    for _ in 0..2 {
        let line: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        assert_eq!(line["sessions"][0]["name"], "busy");
    }
    machine.ok(&["terminate", "busy", "--force", "--yes", "--wait"]);
    // The named session has ended, and nothing else is shown.
    assert!(child.wait().unwrap().success());
    let (code, _, err) = run(&machine, &["top", "busy"]);
    assert!(code == 1 && err.contains("not RUNNING"), "{code} {err}");
    assert_eq!(machine.ok(&["top"]).lines().count(), 1);
}

#[test]
fn a_terminal_shows_one_table_in_place_and_is_given_back() {
    let machine = with_busy();
    let script =
        format!("trap : INT; echo above; {BINARY} top --interval 1s; echo code $?; stty -a");
    let mut terminal = Terminal::start(&["sh", "-c", &script], &machine.env(), 100, 30);
    terminal.wait_for("/ 64 MiB");
    let time = |screen: &str| screen.lines().nth(1).map(str::to_owned);
    let first = time(&terminal.screen());
    terminal.wait_until("the table is refreshed", |screen| time(screen) != first);
    terminal.type_("\r\rx");
    let second = time(&terminal.screen());
    terminal.wait_until("the table is refreshed again", |screen| {
        time(screen) != second
    });
    let screen = terminal.screen();
    assert_eq!(screen.matches("NAME ").count(), 1, "{screen}");
    assert!(
        screen.starts_with("above") && !screen.contains('x'),
        "{screen}"
    );
    terminal.type_("\x03");
    terminal.wait_for("code 0");
    assert_eq!(terminal.wait_end(), 0);
    let screen = terminal.screen();
    assert!(
        screen.contains("/ 64 MiB"),
        "the last table stays: {screen}"
    );
    assert!(
        screen.contains(" echo ") && screen.contains(" icanon "),
        "{screen}"
    );
    let raw = terminal.raw();
    assert!(
        !raw.windows(5).any(|bytes| bytes == b"?1049"),
        "another screen"
    );
}
