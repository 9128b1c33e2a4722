//! A daemon that exists and does nothing: it is stopped by a signal, like one that hangs.

use std::process::{Command, Output};

use super::signal;
use crate::machine::Machine;

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_hung_daemon_is_reported_and_can_be_ended() {
    let machine = Machine::new();
    machine.ok(&["ls"]);
    let pid = machine.daemon_pid().expect("a daemon runs");
    signal(pid, "STOP");

    let asked = machine.workbay(&["ls"]);
    assert_eq!(asked.status.code(), Some(5), "{asked:?}");
    let why = stderr(&asked);
    assert!(
        why.contains(&format!("the daemon (pid {pid}) isn't responding"))
            && why.contains("workbay daemon stop"),
        "{why}"
    );

    let stopped = machine.workbay(&["daemon", "stop"]);
    assert_eq!(stopped.status.code(), Some(0), "{stopped:?}");
    let said = stderr(&stopped);
    assert!(
        said.contains(&format!("(pid {pid})")) && said.contains("was killed"),
        "{said}"
    );
    assert!(!std::path::Path::new(&format!("/proc/{pid}/exe")).exists());

    machine.ok(&["ls"]);
    assert_ne!(machine.daemon_pid(), Some(pid));
}

#[test]
fn a_command_whose_daemon_hangs_meanwhile_says_so_and_ends() {
    let machine = Machine::new();
    machine.ok(&["ls"]);
    let pid = machine.daemon_pid().expect("a daemon runs");
    let following = Command::new(crate::machine::BINARY)
        .args(["events", "--json"])
        .envs(machine.env())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("workbay starts");
    // It is subscribed when it counts as a client beside the one that asks.
    let clients = || machine.json(&["daemon", "status", "--json"])["clients"].as_u64();
    crate::wait::until("it follows", clients, |clients| *clients == Some(2));
    signal(pid, "STOP");
    let output = following.wait_with_output().expect("it ends");
    signal(pid, "CONT");
    assert_eq!(output.status.code(), Some(5), "{output:?}");
    let said = stderr(&output);
    assert!(
        said.contains(&format!("the daemon (pid {pid}) isn't responding")),
        "{said}"
    );
}
