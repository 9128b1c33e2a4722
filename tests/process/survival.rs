//! `kill -9` of the daemon while sessions run: they go on, and so do their shells.

use crate::{
    machine::{BINARY, Machine, launch},
    terminal::Terminal,
    wait,
};

/// A person in the shell of the only session.
fn in_its_shell(machine: &Machine) -> Terminal {
    let mut person = Terminal::start(&[BINARY], &machine.env(), 100, 30);
    person.wait_for("survivor");
    person.type_("s");
    person.wait_for("work@survivor");
    person
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
    let mut person = in_its_shell(&machine);
    person.type_("MARK=same-shell\r");
    machine.kill_daemon();
    // The face starts a daemon again and the pane attaches to the same tmux.
    person.type_("\x1dd");
    person.wait_for("RUNNING");
    // Until the daemon is back there is no terminal to go to, and the face says so.
    person.type_until("s", |screen| screen.contains("work@survivor"));
    // While the line is broken keys are dropped, so a person types again until there is an answer.
    person.type_until("echo [$MARK]\r", |screen| screen.contains("[same-shell]"));
}

#[test]
fn a_face_that_was_hung_up_leaves_the_shell_alone() {
    let machine = Machine::new();
    machine.ok(&launch("survivor", &["--wait"]));
    let mut person = in_its_shell(&machine);
    person.type_("MARK=same-shell\r");
    person.wait_for("MARK=same-shell");
    let hung_up = std::process::Command::new("kill")
        .args(["-HUP", &person.pid().to_string()])
        .status();
    assert!(hung_up.expect("kill runs").success());
    person.wait_end();

    let mut person = in_its_shell(&machine);
    person.type_("echo [$MARK]\r");
    person.wait_for("[same-shell]");
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
