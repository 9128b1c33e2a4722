//! What sampling costs.

use super::TableRow;
use crate::samples::Samples;

/// What sampling costs; of a build that was not made for speed where there is no other.
pub fn rows(samples: &Samples) -> Vec<TableRow> {
    let of = |name: &str| {
        let made = |build: &str| samples.median(&format!("{name}{build}/200"));
        made("")
            .map(|ours| (ours, ""))
            .or_else(|| made("-debug").map(|ours| (ours, " (debug build)")))
    };
    let stats = samples.median("sweep/docker-stats/200");
    let row =
        |goal: &str, name: &str, unit, theirs: Option<f64>, limits: (Option<f64>, Option<f64>)| {
            let found = of(name);
            let build = found.map_or("", |(_, build)| build);
            TableRow {
                goal: format!("{goal}{build}"),
                ours: found.map(|(ours, _)| ours),
                theirs,
                peer: "docker stats --no-stream",
                unit,
                ratio: limits.0,
                limit: limits.1,
            }
        };
    let first = "usage of 200 sessions for the first time, files to be opened";
    let watched = "usage of 200 watched sessions once";
    let judged = "usage of 200 sessions once, for idle checks alone";
    let unwatched = "10 CPU of the daemon at rest, 200 sessions, no TUI";
    let looked_at = "10 the same, a TUI shows them (45 are sampled)";
    vec![
        row(watched, "sweep/workbay", "ms", stats, (Some(0.2), None)),
        row(
            judged,
            "sweep-judged/workbay",
            "ms",
            stats,
            (Some(0.2), None),
        ),
        row(first, "sweep-first/workbay", "ms", stats, (None, None)),
        row(
            unwatched,
            "rest-cpu/daemon-unwatched",
            "%",
            None,
            (None, Some(0.5)),
        ),
        row(
            looked_at,
            "rest-cpu/daemon-watched",
            "%",
            None,
            (None, Some(0.5)),
        ),
    ]
}
