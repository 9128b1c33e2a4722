//! `kill -9` of the daemon while sessions run: they keep running, and so do their shells.

use std::{
    io::{BufRead as _, BufReader},
    process::{Command, Stdio},
};

use super::signal;
use crate::{
    machine::{BINARY, Machine, launch},
    terminal::Terminal,
    wait,
};

/// A user in the shell of the only session.
fn in_its_shell(machine: &Machine) -> Terminal {
    let mut terminal = Terminal::start(&[BINARY], &machine.env(), 100, 30);
    terminal.wait_for("survivor");
    terminal.type_("s");
    terminal.wait_for("work@survivor");
    terminal
}

#[test]
fn a_killed_daemon_comes_back_to_the_same_sessions() {
    let machine = Machine::new();
    machine.ok(&launch("survivor", &["--wait"]));
    let before = machine.json(&["show", "survivor", "--json"]);
    machine.kill_daemon();
    let after = machine.json(&["show", "survivor", "--json"]);
    assert_eq!(before["id"], after["id"]);
    assert_eq!(after["status"], "RUNNING");
    assert_eq!(
        before["kernels"][0]["container_id"],
        after["kernels"][0]["container_id"]
    );
    assert_eq!(
        machine
            .ok(&["exec", "survivor", "--", "echo", "alive"])
            .trim(),
        "alive"
    );
}

#[test]
fn an_open_pane_comes_back_to_its_shell_after_the_daemon_was_killed() {
    let machine = Machine::new();
    machine.ok(&launch("survivor", &["--wait"]));
    let mut terminal = in_its_shell(&machine);
    terminal.type_("MARK=same-shell\r");
    machine.kill_daemon();
    // The TUI starts a daemon again and the pane attaches to the same tmux.
    terminal.type_("\x1dd");
    terminal.wait_for("RUNNING");
    // Until the daemon is back there is no terminal to go to, and the TUI says so.
    terminal.type_until("s", |screen| screen.contains("work@survivor"));
    // While the connection is broken, keys are dropped, so a user types again until there is an answer.
    terminal.type_until("echo [$MARK]\r", |screen| screen.contains("[same-shell]"));
}

#[test]
fn a_wait_continues_when_the_daemon_was_killed() {
    let machine = Machine::new();
    let command = "while [ ! -e go ]; do sleep 0.1; done; exit 7";
    let more = ["--batch", "--command", command, "--wait"];
    machine.ok(&launch("survivor", &more));
    machine.ok(&launch(
        "later",
        &["--batch", "--command", "true", "--start-at", "+1d"],
    ));
    let mut waiting = Command::new(BINARY)
        .args(["wait", "survivor", "later"])
        .envs(machine.env())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let err = BufReader::new(waiting.stderr.take().unwrap());
    let mut err = err.lines().map(Result::unwrap);
    // Printed when it knows both sessions.
    assert!(err.any(|line| line.starts_with("workbay: later is PENDING")));
    machine.kill_daemon();
    let text = err.find(|line| line.contains("Reconnecting"));
    assert!(text.unwrap().contains("the connection to the daemon broke"));
    assert!(err.any(|line| line == "workbay: reconnected"));
    machine.ok(&["exec", "survivor", "--", "touch", "go"]);
    machine.ok(&["terminate", "later", "--yes"]);
    let output = waiting.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(7));
    let out = String::from_utf8(output.stdout).unwrap();
    assert!(
        out.contains("survivor exit 7") && out.lines().count() == 2,
        "{out}"
    );
}

#[test]
fn a_face_that_was_hung_up_leaves_the_shell_alone() {
    let machine = Machine::new();
    machine.ok(&launch("survivor", &["--wait"]));
    let mut terminal = in_its_shell(&machine);
    terminal.type_("MARK=same-shell\r");
    terminal.wait_for("MARK=same-shell");
    signal(terminal.pid(), "HUP");
    terminal.wait_end();

    let mut terminal = in_its_shell(&machine);
    terminal.type_("echo [$MARK]\r");
    terminal.wait_for("[same-shell]");
}

#[test]
fn ended_from_outside_a_session_is_reported_under_finished() {
    let machine = Machine::new();
    machine.ok(&launch("survivor", &["--wait"]));
    let container = machine.containers().pop().expect("a container");
    crate::machine::docker(&["rm", "-f", &container]);
    wait::until(
        "it is TERMINATED",
        || wait::status(&machine, "survivor"),
        |s| s.as_deref() == Some("TERMINATED"),
    );
    let session = machine.json(&["show", "survivor", "--json"]);
    assert!(
        session["status_message"]
            .as_str()
            .is_some_and(|why| !why.is_empty()),
        "{session}"
    );
}
