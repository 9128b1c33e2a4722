//! `ls --group` and `ls --tree`, with a cluster of two containers on the real engine.

use crate::{
    cli::{run, sessions::with_session},
    machine::Machine,
};

/// A machine with a session of one container and a cluster of two.
fn with_cluster() -> Machine {
    let machine = with_session("alone");
    machine.ok(&[
        "launch",
        "--env",
        "host",
        "--name",
        "pair",
        "--cluster-size",
        "2",
        "--cpu",
        "0.25",
        "--mem",
        "64m",
        "--shm",
        "16m",
        "--wait",
        "--wait-timeout",
        "2m",
    ]);
    machine
}

#[test]
fn groups_have_headings_with_the_sums_of_all_containers() {
    let machine = with_cluster();
    let text = machine.ok(&["ls", "--group", "status"]);
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("NAME "), "{text}");
    // Each of the two containers requests 0.25 CPU and 64 MiB.
    assert_eq!(lines[1], "RUNNING  2 sessions, 1 CPU, 192 MiB", "{text}");
    assert_eq!(lines.len(), 4, "{text}");
    let text = machine.ok(&["ls", "--group", "group"]);
    assert!(text.contains("2 sessions"), "{text}");
}

#[test]
fn the_tree_lists_the_containers_of_a_cluster_session() {
    let machine = with_cluster();
    let text = machine.ok(&["ls", "--tree", "--sort", "name"]);
    let names: Vec<&str> = text
        .lines()
        .skip(1)
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert_eq!(names, ["alone", "pair", "main1", "sub1"], "{text}");
    assert!(text.contains("\n  sub1"), "{text}");
}

#[test]
fn groups_and_trees_are_for_tables_only() {
    let machine = Machine::new();
    for (words, says) in [
        (
            &["ls", "--group", "owner", "-o", "json"][..],
            "need the output format table or wide",
        ),
        (
            &["ls", "--tree", "-o", "name"][..],
            "need the output format table or wide",
        ),
        (&["ls", "--tree", "--json"][..], "cannot be used with"),
        (
            &["ls", "--group", "node"][..],
            "possible values: environment, owner, agent",
        ),
    ] {
        let (code, out, err) = run(&machine, words);
        assert_eq!((code, out.as_str()), (2, ""), "{words:?}: {err}");
        assert!(err.contains(says), "{words:?}: {err}");
    }
}
