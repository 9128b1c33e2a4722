//! Several contexts on one machine: which one a command uses, and what belongs to which.

use std::{fs, process::Command};

use workbay::model::id::{ContextName, InstanceId};

use crate::{
    cli::{configure, run},
    machine::Machine,
};

/// Beside this machine's own engine a second context that leads to the same one.
const BOX: &str = "[contexts.box]\nkind = \"docker\"\naccent = \"blue\"\n";

/// Removes what the second context made, however the test ends.
struct Swept(Machine);

impl Drop for Swept {
    fn drop(&mut self) {
        let Some(instance) = self.0.instance() else {
            return;
        };
        let store: InstanceId = instance.parse().unwrap();
        let instance = store.of_context(ContextName::new("box").unwrap());
        let label = format!("label=workbay.instance={instance}");
        let left = crate::machine::docker(&["ps", "-aq", "--filter", &label]);
        for id in left.lines() {
            let _ = Command::new("docker").args(["rm", "-f", id]).output();
        }
    }
}

#[track_caller]
fn launch(machine: &Machine, context: &str, name: &str) {
    machine.ok(&[
        "launch",
        "--context",
        context,
        "--env",
        "host",
        "--name",
        name,
        "--mem",
        "64m",
        "--wait",
    ]);
}

#[test]
fn sessions_are_of_their_context_and_one_list_shows_them_all() {
    let swept = Swept(Machine::new());
    let machine = &swept.0;
    configure(machine, BOX);
    launch(machine, "local", "cli-here");
    launch(machine, "box", "cli-there");

    // Each list has its own session, and neither engine took the other's container for its own.
    let names = |arguments: &[&str]| -> Vec<(String, String)> {
        let list = machine.json(arguments);
        let rows = list.as_array().unwrap().iter();
        let text = |row: &serde_json::Value, key: &str| row[key].as_str().unwrap().to_owned();
        let mut rows: Vec<_> = rows
            .map(|r| (text(r, "context"), text(r, "name")))
            .collect();
        rows.sort();
        rows
    };
    let pair = |context: &str, name: &str| (context.to_owned(), name.to_owned());
    let (here, there) = (pair("local", "cli-here"), pair("box", "cli-there"));
    assert_eq!(names(&["ls", "--json"]), std::slice::from_ref(&here));
    assert_eq!(
        names(&["ls", "--json", "--context", "box"]),
        std::slice::from_ref(&there)
    );
    assert_eq!(names(&["ls", "--json", "--all-contexts"]), [there, here]);
    let text = machine.ok(&["ls", "--all-contexts"]);
    assert!(text.starts_with("CONTEXT  NAME"), "{text}");
    assert!(
        text.lines()
            .any(|line| line.starts_with("box      cli-there")),
        "{text}"
    );
    assert!(
        machine.ok(&["ls"]).starts_with("NAME "),
        "one context needs no column"
    );

    // A session of another context is reported, never used.
    let (code, _, err) = run(machine, &["show", "cli-there"]);
    assert_eq!(code, 3);
    assert!(
        err.contains("session 'cli-there' not found in context local. Did you mean box/cli-there?"),
        "{err}"
    );
    let (code, _, err) = run(machine, &["terminate", "cli-there", "--yes"]);
    assert_eq!(code, 3, "{err}");
    assert_eq!(
        machine.json(&["show", "box/cli-there", "--json"])["status"],
        "RUNNING"
    );
    let out = machine.ok(&["exec", "box/cli-there", "--", "hostname"]);
    assert_eq!(out, "main1\n");
    machine.ok(&["logs", "box/cli-there"]);
    machine.ok(&["rename", "box/cli-there", "cli-moved"]);

    // "All" is all of one context.
    machine.ok(&[
        "terminate",
        "--context",
        "box",
        "--all",
        "--force",
        "--yes",
        "--wait",
    ]);
    assert_eq!(
        names(&["ls", "--json", "--all-contexts"]),
        [pair("local", "cli-here")]
    );
}

#[test]
fn the_context_in_force_is_the_option_the_variable_or_the_default() {
    let mut machine = Machine::new();
    configure(&machine, &format!("default = \"box\"\n{BOX}"));
    let in_force = |machine: &Machine, more: &[&str]| {
        let mut arguments = vec!["context", "ls", "--json"];
        arguments.extend(more);
        let rows = machine.json(&arguments);
        let rows = rows.as_array().unwrap();
        let found = rows.iter().find(|row| row["default"] == true).unwrap();
        found["name"].as_str().unwrap().to_owned()
    };
    assert_eq!(in_force(&machine, &[]), "box");
    machine.set("WORKBAY_CONTEXT", "local");
    assert_eq!(in_force(&machine, &[]), "local");
    assert_eq!(in_force(&machine, &["--context", "box"]), "box");
    assert!(
        !machine.path("state").exists(),
        "a look at the configuration started a daemon"
    );
    machine.set("WORKBAY_CONTEXT", "bxo");
    let (code, out, err) = run(&machine, &["ls"]);
    assert_eq!((code, out.as_str()), (3, ""), "{err}");
    assert!(err.contains("context 'bxo' not found"), "{err}");
    assert!(err.contains("did you mean 'box'?"), "{err}");
}

#[test]
fn context_use_changes_one_word_of_the_file() {
    let machine = Machine::new();
    configure(
        &machine,
        &format!("# mine\ndefault = 'local' # for now\n\n{BOX}"),
    );
    machine.ok(&["context", "use", "box"]);
    let file = machine.path("config").join("contexts.toml");
    let text = fs::read_to_string(&file).unwrap();
    assert_eq!(
        text,
        format!("# mine\ndefault = \"box\" # for now\n\n{BOX}")
    );
    let (code, _, err) = run(&machine, &["context", "use", "bxo"]);
    assert_eq!(code, 3);
    assert!(err.contains("did you mean 'box'?"), "{err}");
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
}

#[test]
fn a_daemon_without_a_new_context_says_so() {
    let machine = Machine::new();
    machine.ok(&["ls"]);
    configure(&machine, BOX);
    let (code, _, err) = run(&machine, &["ls", "--context", "box"]);
    assert_eq!(code, 3);
    assert!(
        err.contains("the daemon doesn't know context 'box' yet"),
        "{err}"
    );
    assert!(err.contains("`workbay daemon stop`"), "{err}");
    let listed = machine.ok(&["context", "ls"]);
    assert!(listed.contains("not known to the daemon yet"), "{listed}");
    let (_, out, _) = run(&machine, &["doctor"]);
    assert!(
        out.contains("the daemon was started before context box was configured"),
        "{out}"
    );
    machine.ok(&["daemon", "stop"]);
    machine.ok(&["ls", "--context", "box"]);
}

#[test]
fn a_broken_context_is_reported_and_hides_no_other() {
    let machine = Machine::new();
    configure(
        &machine,
        &format!("[contexts.prod]\nkind = \"backendai\"\n{BOX}"),
    );
    let (code, out, err) = run(&machine, &["ls", "--json", "--all-contexts"]);
    assert_eq!((code, out.trim()), (0, "[]"), "{err}");
    assert!(
        err.contains("contexts.toml:1:11: context 'prod' has no endpoint"),
        "{err}"
    );
    let (code, out, _) = run(&machine, &["config", "check"]);
    assert_eq!(code, 1);
    assert!(
        out.contains("contexts.toml:1:11: context 'prod' has no endpoint"),
        "{out}"
    );
    let rows = machine.json(&["context", "ls", "--json"]);
    let names: Vec<&str> = rows
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["local", "box"]);
}

#[test]
fn what_a_context_does_not_have_is_refused_with_the_option() {
    let machine = Machine::new();
    for (words, message) in [
        (
            ["--project", "research"],
            "--project: project 'research' not found",
        ),
        (
            ["--group", "gpu"],
            "--group: resource group 'gpu' not found (available: default)",
        ),
        (["--preset", "small"], "--preset: preset 'small' not found"),
        (
            ["--mount", "nowhere"],
            "--mount: folder 'nowhere' not found",
        ),
        (
            ["--accelerator", "tpu.device=1"],
            "--accelerator: accelerator tpu.device not found",
        ),
        (["--agent", "i-1"], "--agent: "),
        (["--owner", "a@b.c/KEY"], "--owner: "),
    ] {
        let (code, out, err) = run(&machine, &["launch", words[0], words[1]]);
        assert_ne!(code, 0, "{out}");
        assert!(err.contains(message), "{err}");
    }
    assert_eq!(
        machine.json(&["ls", "--tab", "all", "--json"]),
        serde_json::json!([])
    );
}
