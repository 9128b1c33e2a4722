//! The table.

use std::fmt::Write as _;

use crate::samples::Samples;

pub fn markdown(samples: &Samples) -> String {
    let mut text = String::from(
        "# Against a cluster\n\n\
         Made by `scripts/bench cluster` against the cluster of `scripts/cluster`, which shares this machine's two \
         processors with what is measured. Medians of one interleaved run; raw samples in \
         `benchmarks/cluster.json`.\n\n\
         | what | workbay | beside it | ratio | goal |\n|---|---|---|---|---|\n",
    );
    pair(
        &mut text,
        samples,
        "a page of 100 sessions",
        "list/engine",
        "list/curl",
        "one curl of the same request",
        "1.3",
    );
    pair(
        &mut text,
        samples,
        "a key's echo, through the daemon",
        "echo/workbay",
        "echo/bare",
        "a bare WebSocket client",
        "1.5",
    );
    let curl = "one curl of the same request";
    for (whose, name) in [("user", "scale/user"), ("administrator", "scale/admin")] {
        for (what, page) in [
            ("first page", "first"),
            ("page of a filter", "filter"),
            ("last page", "last"),
        ] {
            let what = format!("{} sessions, {whose}: {what}", count(samples, name));
            let page = format!("{name}/{page}");
            let (ours, theirs) = (format!("{page}/engine"), format!("{page}/curl"));
            pair(&mut text, samples, &what, &ours, &theirs, curl, "1.3");
        }
    }
    for (what, name, unit) in [
        (
            "10,000 live sessions, 20 events a second: daemon",
            "scale/daemon",
            "% of a core (goal 0.2 with the TUI)",
        ),
        ("the same: TUI", "scale/tui", "% of a core"),
        (
            "the same: growth of the daemon's memory",
            "scale/growth",
            "MiB (goal 40)",
        ),
        ("the same: memory of the daemon", "scale/memory", "MiB"),
    ] {
        alone(&mut text, samples, what, name, unit);
    }
    for (what, name) in [
        ("256 MiB into a folder", "upload"),
        ("256 MiB out of a folder", "download"),
        ("50 files of 4 KiB into a folder", "small"),
    ] {
        let (ours, theirs) = (format!("{name}/workbay"), format!("{name}/client"));
        let client = "the official client";
        pair(&mut text, samples, what, &ours, &theirs, client, "1.0");
    }
    alone(
        &mut text,
        samples,
        "exec to the page on the screen, daemon there",
        "screen/warm",
        "ms",
    );
    alone(
        &mut text,
        samples,
        "the same from nothing (daemon, login, list)",
        "screen/cold",
        "ms",
    );
    alone(
        &mut text,
        samples,
        "watching, daemon",
        "rest/daemon",
        "% of a core (goal 0.2 with the TUI)",
    );
    alone(
        &mut text,
        samples,
        "watching, TUI",
        "rest/tui",
        "% of a core",
    );
    text
}

/// How many sessions there were.
fn count(samples: &Samples, name: &str) -> String {
    let count = samples.median(&format!("{name}/count"));
    count.map_or_else(String::new, |count| format!("{count:.0}"))
}

fn pair(
    text: &mut String,
    samples: &Samples,
    what: &str,
    ours: &str,
    theirs: &str,
    name: &str,
    goal: &str,
) {
    let (Some(mine), Some(other)) = (samples.median(ours), samples.median(theirs)) else {
        return;
    };
    let late = |name| samples.quantile(name, 0.95).unwrap_or_default();
    let _ = writeln!(
        text,
        "| {what} | {mine:.1} ms (p95 {:.1}) | {name}: {other:.1} ms (p95 {:.1}) | {:.2} | ≤ {goal} |",
        late(ours),
        late(theirs),
        mine / other
    );
}

fn alone(text: &mut String, samples: &Samples, what: &str, name: &str, unit: &str) {
    if let Some(figure) = samples.median(name) {
        let _ = writeln!(text, "| {what} | {figure:.2} {unit} | | | |");
    }
}
