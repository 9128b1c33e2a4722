//! What sessions leave behind must not keep the daemon from starting.

use crate::{
    machine::{Machine, launch},
    wait,
};

/// Directories in each other, made one step at a time: no path is that long.
const DIG: &str = "python3 -c 'import os
for i in range(20000):
    os.mkdir(\"d\"); os.chdir(\"d\")'";

#[test]
fn a_very_deep_home_is_deleted_and_the_daemon_runs_on() {
    let machine = Machine::new();
    machine.ok(&launch("deep", &["--wait"]));
    let session = machine.json(&["show", "deep", "--json"]);
    let id = session["id"].as_str().expect("an id");
    let remains = machine.state().join("sessions").join(id);
    assert!(remains.is_dir());
    machine.ok(&["exec", "deep", "--", "sh", "-c", DIG]);
    machine.ok(&["terminate", "deep", "--force", "--yes"]);
    wait::until(
        "it has ended",
        || wait::status(&machine, "deep"),
        |s| s.as_deref() == Some("TERMINATED"),
    );
    machine.ok(&["daemon", "stop"]);
    // From now on, ended sessions aren't kept.
    let config = machine.path("config");
    std::fs::create_dir_all(&config).expect("a directory");
    std::fs::write(config.join("config.toml"), "[history]\nkeep-days = 0\n").expect("a file");
    machine.ok(&["ls"]);
    let daemon = machine.daemon_pid();
    assert!(daemon.is_some());
    wait::while_it_continues(
        "its files are gone",
        || (remains.exists(), machine.daemon_pid()),
        |(exists, _)| !exists,
    );
    assert_eq!(machine.daemon_pid(), daemon, "it is still the same one");
}
