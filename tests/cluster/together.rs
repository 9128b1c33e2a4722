//! This machine's Docker and the cluster in one list, and a third one that never answers.

use crate::{
    built::{LEADER, Named, machine, open, row},
    support::{Bench, name},
    terminal::PATIENCE,
};

/// Nobody listens there.
const AND_A_DEAD_ONE: &str = r#"
[contexts.local]
kind = "docker"

[contexts.dead]
kind = "backendai"
endpoint = "http://127.0.0.1:9"
access-key = "AKIANOBODY"
secret-key = { env = "WBT_SECRET_KEY" }
"#;

#[tokio::test]
async fn both_engines_are_in_one_list() {
    let _bench = Bench::new().await;
    let there = name();
    let _ended = Named(there.clone());
    let machine = machine(AND_A_DEAD_ONE);
    let here = "on-this-machine";
    let small = ["--cpu", "1", "--mem", "256m"];
    let launch = |context: &str, name: &str, more: &[&str]| {
        let mut args = vec!["--context", context, "launch", "--name", name];
        args.extend(small.iter().chain(more));
        machine.ok(&args);
    };
    launch("local", here, &["--env", "host", "--wait"]);
    // A manager that the test before has restarted may take a minute.
    launch("cluster", &there, &["--wait"]);

    let listed = machine.json(&["ls", "--all-contexts", "--json"]);
    let context_of = |name: &str| {
        let rows = listed.as_array().or_else(|| listed["sessions"].as_array());
        let found = rows.unwrap().iter().find(|row| row["name"] == name);
        found.unwrap_or_else(|| panic!("no {name} in {listed}"))["context"].clone()
    };
    assert_eq!(context_of(here), "local");
    assert_eq!(context_of(&there), "cluster");

    // All of them in one table, even if one doesn't answer.
    let mut terminal = open(&machine);
    terminal.be_patient(PATIENCE);
    terminal.type_("c");
    terminal.wait_for("all contexts");
    terminal.wait_for("lost");
    terminal.type_("all");
    terminal.type_("\r");
    terminal.wait_for("Context");
    terminal.wait_until("both run", |screen| {
        let runs = |name: &str, context: &str| {
            row(screen, name).is_some_and(|row| row.contains(context) && row.contains("RUNNING"))
        };
        runs(here, "local") && runs(&there, "cluster")
    });

    // The same keys lead into both.
    for (name, answer) in [
        (here, "shell of the machine"),
        (there.as_str(), "shell of the cluster"),
    ] {
        terminal.type_("/");
        terminal.type_(&format!("\x15{name}\r"));
        terminal.wait_until("it is alone", |screen| {
            row(screen, name).is_some()
                && (row(screen, here).is_none() || row(screen, &there).is_none())
        });
        terminal.type_("s");
        terminal.wait_for("work@");
        terminal.type_(&format!(
            "echo {}\r",
            answer.replace("shell", "$(echo shell)")
        ));
        terminal.wait_until("the shell answers", |screen| {
            screen.lines().any(|line| line.trim() == answer)
        });
        terminal.type_(LEADER);
        terminal.type_("d");
        terminal.wait_for("RUNNING");
        terminal.type_("x");
        terminal.wait_for("Terminate");
        terminal.type_("y");
        terminal.wait_until("it has left the tab", |screen| row(screen, name).is_none());
    }
    terminal.type_("q");
    assert_eq!(terminal.wait_end(), 0);
}
