//! The table of goals from the raw samples: reached, or missed and by how much.

use std::fmt::Write as _;

use crate::samples::Samples;

/// docs/benchmarks.md, whole.
pub fn markdown(samples: &Samples) -> String {
    let mut text = String::from(
        "# Benchmarks\n\nWritten by `make bench` from the raw samples in `benchmarks/samples.json`; do not edit by hand.\n\
         Medians unless said otherwise, ours and theirs interleaved in one run. What counts is the ratio: the\n\
         machine is shared and its clock is noisy.\n\n",
    );
    let _ = writeln!(text, "Machine: {}. Screen: 200x50.\n", samples.machine);
    text.push_str(
        "| goal | measured | beside it | ratio | wanted | verdict |\n|---|---|---|---|---|---|\n",
    );
    for row in rows(samples) {
        let _ = writeln!(text, "{row}");
    }
    text.push_str(NOTES);
    text
}

const NOTES: &str = include_str!("notes.md");

fn rows(samples: &Samples) -> Vec<String> {
    let mut rows = Vec::new();
    for (size, wanted, absolute) in [(1, 0.7, 10.0), (20, 0.35, 15.0), (200, 0.35, 30.0)] {
        rows.push(Row {
            goal: format!("1 exec to first complete list, {size} sessions, warm daemon"),
            ours: samples.median(&format!("first-list/workbay/{size}")),
            theirs: samples.median(&format!("first-list/oxker/{size}")),
            peer: "oxker",
            unit: "ms",
            ratio: Some(wanted),
            limit: Some(absolute),
        });
        rows.push(Row {
            goal: format!("1 the same, cold: the daemon starts too ({size})"),
            ours: samples.median(&format!("first-list/workbay-cold/{size}")),
            theirs: samples.median(&format!("first-list/oxker/{size}")),
            peer: "oxker",
            unit: "ms",
            ratio: None,
            limit: None,
        });
    }
    for (label, q, limit, ratio) in [("p50", 0.5, 1.0, Some(0.03)), ("p99", 0.99, 5.0, None)] {
        rows.push(Row {
            goal: format!("2 key to frame in a list of 200, usage on, {label}"),
            ours: samples.quantile("key-to-frame/workbay/200", q),
            theirs: samples.quantile("key-to-frame/oxker/200", q),
            peer: "oxker",
            unit: "ms",
            ratio,
            limit: Some(limit),
        });
    }
    for (size, limit) in [(1, 8.0), (200, 12.0)] {
        rows.push(Row {
            goal: format!("12 resident memory of the face, {size} sessions"),
            ours: samples
                .median(&format!("rss/workbay/{size}"))
                .map(|kib| kib / 1024.0),
            theirs: samples
                .median(&format!("rss/oxker/{size}"))
                .map(|kib| kib / 1024.0),
            peer: "oxker",
            unit: "MiB",
            ratio: Some(0.7),
            limit: Some(limit),
        });
    }
    rows.push(Row {
        goal: "15 bytes to the terminal at rest, 200 sessions, usage on".to_owned(),
        ours: samples.median("at-rest-bytes/workbay/200"),
        theirs: samples.median("at-rest-bytes/oxker/200"),
        peer: "oxker (6 rows)",
        unit: "B/s",
        ratio: None,
        limit: Some(1024.0),
    });
    let exec = samples.median("attach/docker-exec");
    rows.push(Row {
        goal: "16 key to the prompt of a new shell".to_owned(),
        ours: samples.median("attach/workbay"),
        theirs: exec,
        peer: "docker exec of the same tmux command",
        unit: "ms",
        ratio: None,
        limit: exec.map(|exec| exec + 10.0),
    });
    rows.push(Row {
        goal: "launch of the host environment, command line to a shell that answers".to_owned(),
        ours: samples.median("launch/workbay"),
        theirs: samples.median("launch/docker-run"),
        peer: "docker run -d and one exec",
        unit: "ms",
        ratio: Some(1.3),
        limit: None,
    });
    rows.extend(panes(samples));
    rows.extend(usage(samples));
    rows.iter().map(Row::line).collect()
}

/// What a pane costs, beside the same shell without us.
fn panes(samples: &Samples) -> Vec<Row> {
    let row = |goal: &str, ours: Option<f64>, theirs: Option<f64>, peer, ratio| Row {
        goal: goal.to_owned(),
        ours,
        theirs,
        peer,
        unit: "ms",
        ratio,
        limit: None,
    };
    let flow = |who: &str| samples.median(&format!("pane-flow/{who}"));
    let echo = |who: &str, q| samples.quantile(&format!("pane-echo/{who}"), q);
    let flooded = |who: &str, q| samples.quantile(&format!("pane-flood-key/{who}"), q);
    let (exec, tmux) = ("docker exec", "docker exec and tmux");
    let mut rows = vec![
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
    rows.push(Row {
        limit: Some(50.0),
        ..row(
            "a key beside a flood of `yes`, on the screen, p99",
            flooded("workbay", 0.99),
            flooded("tmux", 0.99),
            "tmux with two panes",
            None,
        )
    });
    rows.push(Row {
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
    rows.push(Row {
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

/// What sampling costs; of a build that was not made for speed where there is no other.
fn usage(samples: &Samples) -> Vec<Row> {
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
            Row {
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
    let unwatched = "10 CPU of the daemon at rest, 200 sessions, nobody looks";
    let looked_at = "10 the same, a face shows them (45 are sampled)";
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
            (None, Some(0.05)),
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

/// One line of the table.
struct Row {
    goal: String,
    ours: Option<f64>,
    theirs: Option<f64>,
    peer: &'static str,
    unit: &'static str,
    /// Ours divided by theirs is to be at most this.
    ratio: Option<f64>,
    /// Ours is to be at most this.
    limit: Option<f64>,
}

impl Row {
    fn line(&self) -> String {
        let Some(ours) = self.ours else {
            return format!("| {} | not measured | | | | |", self.goal);
        };
        let ratio = self.theirs.map(|theirs| ours / theirs);
        let ratio_held = match (self.ratio, ratio) {
            (Some(wanted), Some(ratio)) => ratio <= wanted,
            _ => true,
        };
        let limit_held = self.limit.is_none_or(|limit| ours <= limit);
        let verdict = match (
            self.ratio.is_some() || self.limit.is_some(),
            ratio_held && limit_held,
        ) {
            (false, _) => "told only",
            (true, true) => "reached",
            (true, false) => "**missed**",
        };
        format!(
            "| {} | {ours:.digits$} {unit} | {} | {} | {} | {verdict} |",
            self.goal,
            self.theirs.map_or_else(
                || "—".to_owned(),
                |theirs| format!("{}: {theirs:.1} {}", self.peer, self.unit)
            ),
            ratio.map_or_else(|| "—".to_owned(), |ratio| format!("{ratio:.2}")),
            self.wanted(),
            unit = self.unit,
            digits = self.digits(),
        )
    }

    /// A hundredth of a percent counts.
    fn digits(&self) -> usize {
        if self.unit == "%" { 2 } else { 1 }
    }

    fn wanted(&self) -> String {
        let digits = self.digits();
        let ratio = self.ratio.map(|ratio| format!("≤ {ratio}x"));
        let limit = self
            .limit
            .map(|limit| format!("≤ {limit:.digits$} {}", self.unit));
        [ratio, limit]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(", ")
    }
}
