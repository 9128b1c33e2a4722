//! The table of goals from the raw samples: reached, or missed and by how much.

mod crowd;
mod many;
mod panes;
mod usage;

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
        rows.push(TableRow {
            goal: format!("1 exec to first complete list, {size} sessions, warm daemon"),
            ours: samples.median(&format!("first-list/workbay/{size}")),
            theirs: samples.median(&format!("first-list/oxker/{size}")),
            peer: "oxker",
            unit: "ms",
            ratio: Some(wanted),
            limit: Some(absolute),
        });
        rows.push(TableRow {
            goal: format!("1 the same, cold: the daemon starts too ({size})"),
            ours: samples.median(&format!("first-list/workbay-cold/{size}")),
            theirs: samples.median(&format!("first-list/oxker/{size}")),
            peer: "oxker",
            unit: "ms",
            ratio: None,
            limit: None,
        });
    }
    for (kind, sessions, ratio) in [("idle", "200", Some(0.03)), ("busy", "200-busy", None)] {
        for (label, q, limit, ratio) in [("p50", 0.5, 1.0, ratio), ("p99", 0.99, 5.0, None)] {
            rows.push(TableRow {
                goal: format!("2 key to frame in a list of 200 {kind} sessions, usage on, {label}"),
                ours: samples.quantile(&format!("key-to-frame/workbay/{sessions}"), q),
                theirs: samples.quantile(&format!("key-to-frame/oxker/{sessions}"), q),
                peer: "oxker",
                unit: "ms",
                ratio,
                limit: Some(limit),
            });
        }
    }
    for (size, limit) in [(1, 8.0), (200, 12.0)] {
        rows.push(TableRow {
            goal: format!("12 resident memory of the TUI, {size} sessions"),
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
    rows.push(TableRow {
        goal: "12 memory of the TUI that it shares with no other process, 200 sessions".to_owned(),
        ours: samples
            .median("own-memory/workbay/200")
            .map(|kib| kib / 1024.0),
        theirs: None,
        peer: "",
        unit: "MiB",
        ratio: None,
        limit: Some(10.0),
    });
    rows.push(TableRow {
        goal: "15 bytes to the terminal at rest, 200 sessions, usage on".to_owned(),
        ours: samples.median("at-rest-bytes/workbay/200"),
        theirs: samples.median("at-rest-bytes/oxker/200"),
        peer: "oxker (6 rows)",
        unit: "B/s",
        ratio: None,
        limit: Some(1024.0),
    });
    let exec = samples.median("attach/docker-exec");
    rows.push(TableRow {
        goal: "16 key to the prompt of a new shell".to_owned(),
        ours: samples.median("attach/workbay"),
        theirs: exec,
        peer: "docker exec of the same tmux command",
        unit: "ms",
        ratio: None,
        limit: exec.map(|exec| exec + 10.0),
    });
    rows.push(TableRow {
        goal: "launch of the host environment, command line to a shell that answers".to_owned(),
        ours: samples.median("launch/workbay"),
        theirs: samples.median("launch/docker-run"),
        peer: "docker run -d and one exec",
        unit: "ms",
        ratio: Some(1.3),
        limit: None,
    });
    rows.extend(panes::rows(samples));
    rows.extend(usage::rows(samples));
    rows.extend(many::rows(samples));
    rows.extend(crowd::rows(samples));
    rows.iter().map(TableRow::line).collect()
}

/// One line of the table.
struct TableRow {
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

impl TableRow {
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
            (false, _) => "no goal",
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
