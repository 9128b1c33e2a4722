//! Two hundred sessions.

use super::TableRow;
use crate::samples::Samples;

pub fn rows(samples: &Samples) -> Vec<TableRow> {
    let row = |goal: &str, unit, ours, theirs, peer| TableRow {
        goal: goal.to_owned(),
        ours,
        theirs,
        peer,
        unit,
        ratio: None,
        limit: None,
    };
    let rest = |name: &str| samples.median(&format!("crowd-rest/{name}"));
    let alone = samples.median("crowd-engine/nobody");
    // What showing the list adds to the engine's own work.
    let added = |name: &str| {
        let with = samples.median(&format!("crowd-engine/{name}"))?;
        Some((with - alone?).max(0.0))
    };
    let mib = |name: &str| samples.median(name).map(|kib| kib / 1024.0);
    let mut rows = vec![
        TableRow {
            ratio: Some(1.5),
            ..row(
                "100 sessions launched at once, until all run",
                "ms",
                samples.median("crowd-storm/workbay"),
                samples.median("crowd-storm/docker-run"),
                "docker run -d in a loop",
            )
        },
        row(
            "a daemon that finds 200 sessions again, and their list",
            "ms",
            samples.median("crowd-cold/workbay/200"),
            None,
            "",
        ),
    ];
    for (name, peer) in [
        ("oxker", "oxker"),
        ("lazydocker", "lazydocker"),
        ("docker-stats", "docker stats"),
    ] {
        let wanted = (name == "oxker").then_some(0.2);
        rows.push(TableRow {
            ratio: wanted,
            limit: Some(0.5),
            ..row(
                "10 CPU of TUI and daemon at rest, 200 sessions, usage on",
                "%",
                rest("workbay"),
                rest(name),
                peer,
            )
        });
        let wanted = (name == "oxker").then_some(0.05);
        rows.push(TableRow {
            ratio: wanted,
            limit: Some(0.5),
            ..row(
                "11 CPU that showing the list adds to dockerd and containerd",
                "%",
                added("workbay"),
                added(name),
                peer,
            )
        });
    }
    rows.push(row(
        "memory of the daemon, 200 sessions",
        "MiB",
        mib("crowd-rss/daemon/200"),
        None,
        "",
    ));
    rows.push(row(
        "memory of a session's runner that is its own",
        "MiB",
        mib("crowd-runner/own"),
        None,
        "",
    ));
    rows
}
