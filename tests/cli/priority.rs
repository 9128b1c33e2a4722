//! The priority of a session that waits.

use crate::{cli::run, machine::Machine};

fn priority(machine: &Machine, name: &str) -> serde_json::Value {
    machine.json(&["show", name, "--json"])["placement"]["priority"].clone()
}

#[test]
fn a_waiting_session_gets_another_priority() {
    let machine = Machine::new();
    let tomorrow = ["--start-at", "+1d", "--priority", "20"];
    let mut words = vec!["launch", "--env", "host", "--name", "later", "--batch"];
    words.extend(["--command", "true", "--cpu", "0.1", "--mem", "64m"]);
    words.extend(tomorrow);
    machine.ok(&words);
    assert_eq!(priority(&machine, "later"), 20);
    machine.ok(&["priority", "later", "70"]);
    assert_eq!(priority(&machine, "later"), 70);
    // What isn't possible is reported, and changes nothing.
    let (code, _, err) = run(&machine, &["priority", "later", "101"]);
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("invalid priority 101. Use 0 to 100"), "{err}");
    let (code, _, err) = run(&machine, &["priority", "nobody", "50"]);
    assert_eq!(code, 3, "{err}");
    assert_eq!(priority(&machine, "later"), 70);
    machine.ok(&["terminate", "later", "--yes"]);
    let (code, _, err) = run(&machine, &["priority", "later", "50"]);
    assert_ne!(code, 0, "{err}");
    let why = "only the priority of a waiting session can be changed";
    assert!(err.contains(why), "{err}");
}
