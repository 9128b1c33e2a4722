//! What the engine's own command or the kernel does to a session's container.

use crate::{
    machine::{Machine, docker, launch},
    wait,
};

/// A field of the session as `show` prints it.
fn field(machine: &Machine, name: &str, field: &str) -> String {
    let session = machine.json(&["show", name, "--json"]);
    session[field].as_str().unwrap_or_default().to_owned()
}

fn until_status(machine: &Machine, name: &str, status: &str) {
    wait::until(
        &format!("{name} is {status}"),
        || wait::status(machine, name),
        |it| it.as_deref() == Some(status),
    );
}

#[test]
fn a_container_that_is_killed_or_removed_ends_its_session_with_the_reason() {
    let machine = Machine::new();
    // A container that is removed by force is killed first. Either event may be seen.
    for (name, words, reasons) in [
        ("killed", &["kill"][..], &["was killed by signal 9"][..]),
        ("stopped", &["stop", "-t", "1"], &["its main process"]),
        (
            "removed",
            &["rm", "-f"],
            &["removed outside workbay", "killed by signal 9"],
        ),
    ] {
        machine.ok(&launch(name, &["--wait"]));
        let container = machine.containers().pop().expect("a container");
        docker(&[words, &[&container]].concat());
        until_status(&machine, name, "TERMINATED");
        let message = field(&machine, name, "status_message");
        let fits = reasons.iter().any(|why| message.contains(why));
        assert!(fits, "{name}: {message}");
        wait::until("it is gone", || machine.containers(), Vec::is_empty);
    }
}

#[test]
fn a_container_that_is_paused_is_reported_as_paused_and_can_be_ended() {
    let machine = Machine::new();
    machine.ok(&launch("paused", &["--wait"]));
    let container = machine.containers().pop().expect("a container");
    let info = || field(&machine, "paused", "status_info");
    docker(&["pause", &container]);
    wait::until("it is paused", info, |info| info == "paused");
    docker(&["unpause", &container]);
    wait::until("it continues", info, String::is_empty);
    assert_eq!(wait::status(&machine, "paused").as_deref(), Some("RUNNING"));
    docker(&["pause", &container]);
    wait::until("it is paused", info, |info| info == "paused");
    machine.ok(&["terminate", "paused", "--force", "--yes"]);
    until_status(&machine, "paused", "TERMINATED");
    wait::until("it is gone", || machine.containers(), Vec::is_empty);
}

#[test]
fn a_command_that_takes_too_much_memory_is_reported_with_its_limit() {
    let machine = Machine::new();
    let more = ["--batch", "--command", "tail /dev/zero"];
    machine.ok(&launch("hungry", &more));
    until_status(&machine, "hungry", "TERMINATED");
    let message = field(&machine, "hungry", "status_message");
    assert!(
        message.contains("used more memory than its 64 MiB"),
        "{message}"
    );
    assert_eq!(field(&machine, "hungry", "status_info"), "task-failed");
}
