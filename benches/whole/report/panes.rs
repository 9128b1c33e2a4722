//! Panes.

use super::TableRow;
use crate::samples::Samples;

/// What a pane costs, beside the same shell without us.
pub fn rows(samples: &Samples) -> Vec<TableRow> {
    let row = |goal: &str, ours: Option<f64>, theirs: Option<f64>, peer, ratio| TableRow {
        goal: goal.to_owned(),
        ours,
        theirs,
        peer,
        unit: "ms",
        ratio,
        limit: None,
    };
    let flow = |name: &str| samples.median(&format!("pane-flow/{name}"));
    let echo = |name: &str, q| samples.quantile(&format!("pane-echo/{name}"), q);
    let flooded = |name: &str, q| samples.quantile(&format!("pane-flood-key/{name}"), q);
    let (exec, tmux) = ("docker exec", "docker exec and tmux");
    let host = |name: &str| samples.median(&format!("host-flow/{name}"));
    let mut rows = vec![
        row(
            "3 20 MB of a log through a pane of this host",
            host("workbay"),
            host("tmux"),
            "tmux",
            Some(0.75),
        ),
        row(
            "3 the same",
            host("workbay"),
            host("raw"),
            "a terminal alone",
            Some(1.8),
        ),
        row(
            "4 20 MB of a log through a pane",
            flow("workbay"),
            flow("docker-exec"),
            exec,
            None,
        ),
        row(
            "5 the same",
            flow("workbay"),
            flow("tmux"),
            tmux,
            Some(1.15),
        ),
    ];
    for (label, q, wanted) in [
        ("p50", 0.5, Some(1.25)),
        ("p90", 0.9, None),
        ("p99", 0.99, None),
    ] {
        let raw = format!("8 key and echo in a pane, {label}");
        rows.push(row(
            &raw,
            echo("workbay", q),
            echo("docker-exec", q),
            exec,
            None,
        ));
        rows.push(row(
            "8 the same",
            echo("workbay", q),
            echo("tmux", q),
            tmux,
            wanted,
        ));
    }
    rows.push(TableRow {
        limit: Some(50.0),
        ..row(
            "a key beside a flood of `yes`, on the screen, p99",
            flooded("workbay", 0.99),
            flooded("tmux", 0.99),
            "tmux with two panes",
            None,
        )
    });
    rows.push(TableRow {
        unit: "MB/s",
        limit: Some(0.65),
        ..row(
            "6 bytes to the terminal while it flows",
            samples
                .median("pane-flow-bytes/workbay")
                .map(|rate| rate / 1e6),
            None,
            "",
            None,
        )
    });
    rows.push(TableRow {
        unit: "B",
        limit: Some(40.0),
        ..row(
            "9 bytes to the terminal per key",
            samples.median("pane-echo-bytes/workbay"),
            samples.median("pane-echo-bytes/tmux"),
            tmux,
            None,
        )
    });
    rows.push(TableRow {
        unit: "MiB",
        limit: Some(1.0),
        ..row(
            "12 memory of one more pane, 10,000 lines of history",
            samples
                .median("pane-memory/workbay")
                .map(|kib| kib / 1024.0),
            None,
            "",
            None,
        )
    });
    rows
}
