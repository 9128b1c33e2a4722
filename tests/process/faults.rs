//! The daemon is killed (SIGKILL) at each point of each order it carries out. After a new start there is
//! exactly one container for the session or none, never a stray one, and the session is neither lost
//! nor doubled.

use workbay::daemon::executor::FAULT_POINTS;

use crate::{machine::Machine, wait};

/// What is done so that the order of that kind is carried out.
fn provoke(machine: &Machine, kind: &str) {
    match kind {
        "create" | "start" => {
            machine.workbay(&[
                "launch", "--env", "host", "--name", "victim", "--mem", "64m",
            ]);
        }
        "stop" | "remove" => {
            machine.workbay(&["terminate", "victim", "--force", "--yes"]);
        }
        "rename" => {
            machine.workbay(&["rename", "victim", "victim-new"]);
        }
        "forget" | "detach-all" | "relist" | "inspect" => {
            machine.workbay(&["ls"]);
        }
        other => panic!("no test knows how to provoke the order '{other}': add it here"),
    }
}

/// Orders that need a running session to begin with.
fn needs_session(kind: &str) -> bool {
    matches!(kind, "stop" | "remove" | "rename")
}

#[test]
fn killed_at_every_point_nothing_is_lost_doubled_or_stray() {
    assert!(!FAULT_POINTS.is_empty());
    for point in FAULT_POINTS {
        let (_, kind) = point.split_once(':').expect("when:kind");
        let mut machine = Machine::new();
        if needs_session(kind) {
            machine.ok(&[
                "launch", "--env", "host", "--name", "victim", "--mem", "64m", "--wait",
            ]);
            machine.ok(&["daemon", "stop"]);
        }
        machine.set("WORKBAY_FAULT", point);
        provoke(&machine, kind);
        machine.set("WORKBAY_FAULT", "");
        let after = wait::until(
            &format!("all is settled after {point}"),
            || wait::sessions(&machine),
            |s| wait::settled(s),
        );

        let running = after
            .iter()
            .filter(|(_, status)| status == "RUNNING")
            .count();
        let victims = after
            .iter()
            .filter(|(name, _)| name.starts_with("victim"))
            .count();
        if needs_session(kind) {
            assert_eq!(victims, 1, "after {point}: {after:?}");
        } else {
            assert!(victims <= 1, "after {point}: {after:?}");
        }
        wait::until(
            &format!("one container a running session after {point}"),
            || machine.containers().len(),
            |count| *count == running,
        );
    }
}
