//! The engine is restarted under running sessions, with and without containers that outlive it.

use crate::{machine::Machine, private_engine::PrivateEngine, wait};

/// A machine whose sessions run on an engine of its own, and one session.
fn with_its_engine(live_restore: bool) -> Option<(Machine, PrivateEngine)> {
    let engine = PrivateEngine::start_with(live_restore)?;
    let machine = Machine::new();
    let config = machine.path("config").join("config.toml");
    let text = format!(
        "[launch]\ncpu = 0.2\n[engine]\nendpoint = \"{}\"\n",
        engine.endpoint()
    );
    std::fs::write(config, text).expect("a file");
    machine.ok(&crate::machine::launch("restarted", &["--wait"]));
    Some((machine, engine))
}

/// What is shown of the session's container.
fn container(machine: &Machine) -> serde_json::Value {
    machine.json(&["show", "restarted", "--json"])["kernels"][0]["container_id"].clone()
}

#[test]
fn containers_that_outlive_their_engine_continue() {
    let Some((machine, mut engine)) = with_its_engine(true) else {
        return;
    };
    let before = container(&machine);
    engine.stop();
    let refused = machine.workbay(&["exec", "restarted", "--", "true"]);
    assert!(!refused.status.success());
    // Nothing is known of it while the engine is disconnected: it is shown as it was.
    assert_eq!(
        wait::status(&machine, "restarted").as_deref(),
        Some("RUNNING")
    );
    engine.begin();
    wait::until(
        "a command runs in it",
        || machine.workbay(&["exec", "restarted", "--", "true"]).status,
        std::process::ExitStatus::success,
    );
    assert_eq!(container(&machine), before);
}

#[test]
fn containers_that_end_with_their_engine_are_reported_with_that_reason() {
    let Some((machine, mut engine)) = with_its_engine(false) else {
        return;
    };
    let keep = "echo kept >notes";
    machine.ok(&["exec", "restarted", "--", "sh", "-c", keep]);
    engine.stop();
    engine.begin();
    wait::until(
        "it has ended",
        || wait::status(&machine, "restarted"),
        |status| status.as_deref() == Some("TERMINATED"),
    );
    let session = machine.json(&["show", "restarted", "--json"]);
    assert_eq!(session["status_info"], "engine-restarted", "{session}");
    assert!(
        !machine.ok(&["logs", "restarted"]).is_empty(),
        "its log is kept"
    );
    let home = session["home"].as_str().expect("its home is kept");
    assert!(std::path::Path::new(home).is_dir());
    // Its home can be taken over, once.
    machine.ok(&["relaunch", "restarted", "--same-home", "--wait"]);
    let said = machine.ok(&["exec", "restarted", "--", "cat", "notes"]);
    assert_eq!(said.trim(), "kept");
    let id = session["id"].as_str().expect("an id");
    let again = machine.workbay(&["relaunch", id, "--same-home", "--name", "another"]);
    let refused = String::from_utf8_lossy(&again.stderr).into_owned();
    assert!(
        refused.contains("has taken over the home directory"),
        "{refused}"
    );
}
