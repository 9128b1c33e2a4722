//! How the daemon ends: alone, with its sessions, under systemd.

use std::process::{Command, Stdio};

use crate::{
    cli::run,
    cli::sessions::until,
    machine::{BINARY, Machine, docker, launch},
    process::signal,
    terminal::Terminal,
};

fn running(machine: &Machine) -> usize {
    let containers = machine.containers();
    let alive = containers
        .iter()
        .filter(|id| docker(&["inspect", "--format", "{{.State.Running}}", id]).trim() == "true");
    alive.count()
}

#[test]
fn sessions_outlive_the_daemon_unless_they_are_meant_too() {
    let machine = Machine::new();
    for name in ["first", "second"] {
        machine.ok(&launch(name, &["--wait"]));
    }
    // The user must confirm before anything is done.
    let (code, _, err) = run(&machine, &["daemon", "stop", "--terminate-sessions"]);
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("add --yes"), "{err}");
    assert_eq!(running(&machine), 2);
    machine.ok(&["daemon", "stop"]);
    assert_eq!(run(&machine, &["daemon", "status"]).0, 5);

    // No daemon runs now, and its sessions do.
    let (code, out, err) = run(
        &machine,
        &["daemon", "stop", "--terminate-sessions", "--yes"],
    );
    assert_eq!((code, out.as_str()), (0, ""), "{err}");
    assert!(err.contains("2 sessions were terminated."), "{err}");
    assert_eq!(run(&machine, &["daemon", "status"]).0, 5);
    let ended = machine.json(&["ls", "--tab", "finished", "--json"]);
    assert_eq!(ended.as_array().unwrap().len(), 2, "{ended}");
    assert_eq!(machine.containers(), [""; 0], "containers are left");

    let (code, _, err) = run(
        &machine,
        &["daemon", "stop", "--terminate-sessions", "--yes"],
    );
    assert_eq!(code, 0, "{err}");
    assert!(err.contains("No session is left to terminate."), "{err}");
}

#[test]
fn a_user_is_asked_before_sessions_end_with_the_daemon() {
    let machine = Machine::new();
    machine.ok(&launch("dear", &["--wait"]));
    let argv = [BINARY, "daemon", "stop", "--terminate-sessions"];
    let mut terminal = Terminal::start(&argv, &machine.env(), 80, 24);
    terminal.wait_for("Terminate dear? [y/N]");
    terminal.type_("n\r");
    terminal.wait_for("Nothing was terminated, and the daemon keeps running.");
    assert_eq!(terminal.wait_end(), 1);
    assert!(machine.daemon_pid().is_some());
    let mut terminal = Terminal::start(&argv, &machine.env(), 80, 24);
    terminal.wait_for("[y/N]");
    terminal.type_("y\r");
    terminal.wait_for("1 session was terminated.");
    assert_eq!(terminal.wait_end(), 0);
    assert!(machine.daemon_pid().is_none());
}

#[test]
fn systemd_finds_nothing_wrong_with_the_unit_and_its_command_is_the_daemon() {
    let mut machine = Machine::new();
    machine.set("DOCKER_HOST", "unix:///var/run/docker.sock");
    let unit = machine.ok(&["daemon", "unit"]);
    let exec = format!("ExecStart=\"{BINARY}\" daemon run");
    assert!(unit.lines().any(|line| line == exec), "{unit}");
    assert!(unit.contains("Environment=\"DOCKER_HOST=unix:///var/run/docker.sock\""));
    assert!(unit.contains("Environment=\"WORKBAY_STATE_DIR="), "{unit}");
    let file = machine.path("workbay.service");
    std::fs::write(&file, &unit).unwrap();
    // Without systemd, nothing can be asked.
    if let Ok(asked) = Command::new("systemd-analyze")
        .arg("verify")
        .arg(&file)
        .output()
    {
        let said = String::from_utf8_lossy(&asked.stderr);
        let ours: Vec<&str> = said
            .lines()
            .filter(|line| line.contains("workbay.service"))
            .collect();
        assert!(ours.is_empty(), "{said}");
    }

    // As systemd runs it: no terminal, nothing to read, ended by SIGTERM.
    let mut daemon = Command::new(BINARY)
        .args(["daemon", "run"])
        .envs(machine.env())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let pid = i32::try_from(daemon.id()).unwrap();
    until("it is the daemon", || machine.daemon_pid() == Some(pid));
    signal(pid, "TERM");
    assert!(
        daemon.wait().unwrap().success(),
        "a clean end counts as success for systemd"
    );
}
