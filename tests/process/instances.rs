//! Two daemons on one engine never touch each other's.

use crate::{
    machine::{Machine, launch},
    wait,
};

#[test]
fn two_stores_on_one_engine_leave_each_other_alone() {
    let (one, two) = (Machine::new(), Machine::new());
    one.ok(&launch("same-name", &["--wait"]));
    two.ok(&launch("same-name", &["--wait"]));
    assert_ne!(one.instance(), two.instance());

    // A restart reconciles; a full list is asked; neither sees the other's.
    for machine in [&one, &two] {
        machine.kill_daemon();
        assert_eq!(wait::sessions(machine).len(), 1);
        assert_eq!(machine.containers().len(), 1);
    }
    one.ok(&["terminate", "--all", "--force", "--yes"]);
    wait::until(
        "one's session has ended",
        || wait::status(&one, "same-name"),
        |s| s.as_deref() == Some("TERMINATED"),
    );
    wait::until(
        "one's container is gone",
        || one.containers().len(),
        |n| *n == 0,
    );
    assert_eq!(wait::status(&two, "same-name").as_deref(), Some("RUNNING"));
    assert_eq!(two.containers().len(), 1);
}
