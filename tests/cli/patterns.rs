//! Names with `*` in commands, and filters of `ls` with conditions.

use crate::{
    cli::run,
    machine::{Machine, launch},
};

#[test]
fn a_pattern_means_all_sessions_that_the_command_applies_to() {
    let machine = Machine::new();
    for name in ["jobs-1", "jobs-2", "other"] {
        machine.ok(&launch(name, &["--wait"]));
    }
    let (code, _, err) = run(&machine, &["terminate", "--yes", "none-*"]);
    assert_eq!(code, 3, "{err}");
    assert!(
        err.contains("no session of yours that hasn't ended matches 'none-*'"),
        "{err}"
    );
    // A command that takes one session refuses a pattern.
    let (code, _, err) = run(&machine, &["rename", "jobs-*", "renamed"]);
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("takes one session"), "{err}");
    // Without a terminal, nothing can be confirmed.
    let (code, _, err) = run(&machine, &["terminate", "jobs-*"]);
    assert_eq!(code, 2, "{err}");
    // No idle checks apply, so both fail, and each says so.
    let (code, out, err) = run(&machine, &["extend", "jobs-*"]);
    assert_ne!(code, 0);
    assert!(
        out.is_empty() && err.contains("0 changed, 2 failed"),
        "{out}{err}"
    );

    let out = machine.ok(&["terminate", "--yes", "--wait", "jobs-*"]);
    assert_eq!(out, "jobs-1 terminated\njobs-2 terminated\n");
    let left = machine.ok(&["ls", "-q"]);
    assert_eq!(left.trim(), "other");
    let found = |filter: &str| machine.ok(&["ls", "-q", "--tab", "all", "--filter", filter]);
    assert_eq!(found("status:terminated name:jobs-*").lines().count(), 2);
    assert_eq!(found("owner:me age<1h !name:jobs").trim(), "other");
    assert_eq!(found("cpu>100"), "");
    let (code, _, err) = run(&machine, &["ls", "--filter", "stauts:x"]);
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("Did you mean 'status'?"), "{err}");

    let (code, out, err) = run(&machine, &["relaunch", "jobs-*", "--yes"]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("jobs-1") && out.contains("jobs-2"), "{out}");
    machine.ok(&["terminate", "--yes", "--wait", "jobs-*", "other"]);
    machine.ok(&["rm", "--yes", "jobs-*"]);
    assert_eq!(found("jobs"), "");
}
