//! A refresh of `workbay top`: sorted, as a table and as JSON.

use std::cmp::Reverse;

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use super::TopSort;
use crate::{
    cli::{
        commands::show::usage::{self, Used, UsedByKernel},
        output::{self, Cell},
        times::{clock, elapsed},
    },
    model::{
        figures::{Figures, Metric, Series},
        id::{ContextName, SessionId},
        kernel::Kernel,
        natural,
        session::Session,
        short,
        status::Status,
        text::Clean,
    },
};

/// Maximum age of a current sample. Managers are asked every ten seconds.
const OLD: SignedDuration = SignedDuration::from_secs(30);

/// A session and what it uses.
pub struct Row {
    pub session: Session,
    pub figures: Figures,
}

pub struct Refresh {
    pub at: Timestamp,
    /// Whether sessions of several contexts are shown.
    pub several: bool,
    /// Whether the containers of cluster sessions have their own rows.
    pub kernels: bool,
    pub notes: Vec<String>,
    pub rows: Vec<Row>,
}

/// A refresh in the output of `--json`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Printed<'a> {
    at: Timestamp,
    sessions: Vec<PrintedRow<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PrintedRow<'a> {
    id: SessionId,
    context: ContextName,
    name: &'a Clean,
    status: &'a Status,
    /// When the last sample was taken.
    sampled_at: Option<Timestamp>,
    usage: Vec<Used<'a>>,
    /// For each container of a cluster session.
    kernel_usage: Vec<UsedByKernel<'a>>,
}

impl Row {
    /// The value of the last sample, unless the sample is old.
    fn now(&self, metric: &Metric, at: Timestamp) -> Option<u64> {
        self.series(metric).and_then(|series| self.last(series, at))
    }

    fn last(&self, series: &Series, at: Timestamp) -> Option<u64> {
        let sampled = self.figures.at.last()?;
        (at.duration_since(*sampled) < OLD).then_some(())?;
        series.values.last().copied().flatten()
    }

    fn series(&self, metric: &Metric) -> Option<&Series> {
        let mut all = self.figures.series.iter();
        all.find(|series| series.metric == *metric)
    }

    /// Each device's utilization.
    fn devices(&self, at: Timestamp) -> impl Iterator<Item = (&Series, Option<u64>)> {
        let all = self.figures.series.iter();
        let devices = all.filter(|it| matches!(it.metric, Metric::Accelerator { .. }));
        devices.map(move |series| (series, self.last(series, at)))
    }

    fn sum(&self, metrics: [Metric; 2], at: Timestamp) -> Option<u64> {
        let values = metrics.map(|metric| self.now(&metric, at));
        values.into_iter().flatten().reduce(u64::saturating_add)
    }

    fn sort_value(&self, by: TopSort, at: Timestamp) -> Option<u64> {
        match by {
            TopSort::Cpu => self.now(&Metric::Cpu, at),
            TopSort::Mem => self.now(&Metric::Mem, at),
            TopSort::Accelerator => self.devices(at).filter_map(|(_, now)| now).max(),
            TopSort::Network => self.sum([Metric::NetworkIn, Metric::NetworkOut], at),
            TopSort::Disk => self.sum([Metric::BlockRead, Metric::BlockWrite], at),
            TopSort::RunTime => {
                let seconds = self.session.run_seconds(at)?;
                u64::try_from(seconds).ok()
            }
            TopSort::Name => None,
        }
    }

    /// `0.35 / 2 cores`: use and limit, if there is a limit.
    fn used_of_limit(&self, metric: &Metric, at: Timestamp) -> String {
        let now = self.now(metric, at);
        match self.series(metric).and_then(|series| series.limit) {
            Some(limit) => usage::of_limit(metric, now, limit),
            None => now.map_or_else(|| "-".to_owned(), |value| usage::amount(metric, value)),
        }
    }

    fn rate(&self, metric: &Metric, at: Timestamp) -> Cell {
        match self.now(metric, at) {
            Some(value) => usage::amount(metric, value).into(),
            None => "-".into(),
        }
    }

    fn accelerators(&self, at: Timestamp) -> String {
        let texts = self.devices(at).map(|(series, now)| match now {
            Some(now) => usage::amount(&series.metric, now),
            None => "-".to_owned(),
        });
        let texts: Vec<String> = texts.collect();
        if texts.is_empty() {
            return "-".to_owned();
        }
        texts.join(", ")
    }

    /// A row for each container of a cluster session.
    fn kernels(&self) -> Vec<(String, Self)> {
        let kernels = usage::of_kernels(&self.figures, &self.session);
        let row = |(kernel, figures): (&Kernel, &Figures)| {
            let row = Self {
                session: self.session.clone(),
                figures: figures.clone(),
            };
            (format!("  {}", kernel.hostname), row)
        };
        kernels.map(row).collect()
    }

    fn cells(&self, name: &str, id: &str, shown: OptionalColumns, at: Timestamp) -> Vec<Cell> {
        let context = shown.context.then(|| self.session.context.as_str().into());
        let mut cells: Vec<Cell> = context.into_iter().collect();
        cells.extend([
            name.into(),
            id.into(),
            self.used_of_limit(&Metric::Cpu, at).into(),
            self.used_of_limit(&Metric::Mem, at).into(),
        ]);
        if shown.accelerators {
            cells.push(self.accelerators(at).into());
        }
        let rates = [
            Metric::NetworkIn,
            Metric::NetworkOut,
            Metric::BlockRead,
            Metric::BlockWrite,
        ];
        cells.extend(rates.iter().map(|metric| self.rate(metric, at)));
        let ran = self.session.run_seconds(at);
        cells.push(ran.map_or_else(|| "-".to_owned(), elapsed).into());
        cells
    }
}

/// The columns that a narrow terminal lacks, the first one first.
const SPARED: [&str; 7] = [
    tr_later!("DISK WRITE"),
    tr_later!("DISK READ"),
    tr_later!("ID"),
    tr_later!("NET OUT"),
    tr_later!("NET IN"),
    tr_later!("RUN TIME"),
    tr_later!("CONTEXT"),
];

/// Leaves out columns until the rest fits.
fn leave_out(head: &mut Vec<&str>, rows: &mut [Vec<Cell>], width: usize) {
    for spared in SPARED {
        if table_width(head, rows) <= width {
            return;
        }
        if let Some(at) = head.iter().position(|name| *name == spared) {
            head.remove(at);
            for row in rows.iter_mut() {
                row.remove(at);
            }
        }
    }
}

fn table_width(head: &[&str], rows: &[Vec<Cell>]) -> usize {
    let widest = |(at, name): (usize, &&str)| {
        let cells = rows.iter().map(|row| row[at].width());
        cells.max().unwrap_or_default().max(name.len())
    };
    let columns: usize = head.iter().enumerate().map(widest).sum();
    columns + 2 * head.len().saturating_sub(1)
}

/// Columns that are only sometimes shown.
#[derive(Clone, Copy)]
struct OptionalColumns {
    context: bool,
    accelerators: bool,
}

impl Refresh {
    /// Whether every session has a current sample.
    pub fn is_fresh(&self) -> bool {
        let mut rows = self.rows.iter();
        rows.all(|row| usage::is_of_now(&row.figures, self.at))
    }

    fn sorted(&self, by: TopSort) -> Vec<&Row> {
        let mut rows: Vec<&Row> = self.rows.iter().collect();
        rows.sort_by(|a, b| {
            let (x, y) = (&a.session, &b.session);
            let value = |row: &Row| Reverse(row.sort_value(by, self.at));
            value(a)
                .cmp(&value(b))
                .then_with(|| natural::compare(x.name.as_str(), y.name.as_str()))
                .then_with(|| x.key().cmp(&y.key()))
        });
        rows
    }

    /// `width`: columns of the table that don't fit are left out.
    pub fn table(&self, by: TopSort, width: Option<usize>) -> String {
        let shown = OptionalColumns {
            context: self.several,
            accelerators: self
                .rows
                .iter()
                .any(|row| row.devices(self.at).next().is_some()),
        };
        let rows = self.sorted(by);
        let ids: Vec<String> = rows.iter().map(|row| row.session.id.to_string()).collect();
        let mut cells: Vec<Vec<Cell>> = Vec::new();
        for (row, id) in rows.iter().zip(short::all(&ids)) {
            cells.push(row.cells(row.session.name.as_str(), &id, shown, self.at));
            let kernels = row.kernels().into_iter().filter(|_| self.kernels);
            cells.extend(kernels.map(|(name, row)| row.cells(&name, "", shown, self.at)));
        }
        let mut head = Vec::from(if shown.context {
            &[tr_later!("CONTEXT")][..]
        } else {
            &[]
        });
        head.extend([
            tr_later!("NAME"),
            tr_later!("ID"),
            tr_later!("CPU"),
            tr_later!("MEM"),
        ]);
        head.extend(shown.accelerators.then_some(tr_later!("ACCELERATORS")));
        head.extend([
            tr_later!("NET IN"),
            tr_later!("NET OUT"),
            tr_later!("DISK READ"),
            tr_later!("DISK WRITE"),
            tr_later!("RUN TIME"),
        ]);
        if let Some(width) = width {
            leave_out(&mut head, &mut cells, width);
        }
        output::table(&head, &cells, false)
    }

    /// The table for a terminal, with the time of the refresh.
    pub fn lines(&self, by: TopSort, width: usize) -> Vec<String> {
        let sessions = match self.rows.len() {
            0 => tr!("no running sessions").to_owned(),
            1 => tr!("1 running session").to_owned(),
            many => tr!("{many} running sessions", many),
        };
        let first = tr!(
            "{time}  {sessions}  (q quits)",
            time = clock(self.at),
            sessions
        );
        let mut lines = vec![first];
        lines.extend(self.notes.iter().map(|note| Clean::new(note).into_string()));
        if !self.rows.is_empty() {
            lines.extend(self.table(by, Some(width)).lines().map(str::to_owned));
        }
        lines
    }

    pub fn json(&self, by: TopSort) -> Printed<'_> {
        let sessions = self.sorted(by).into_iter().map(|row| PrintedRow {
            id: row.session.id,
            context: row.session.context,
            name: &row.session.name,
            status: &row.session.status,
            sampled_at: row.figures.at.last().copied(),
            usage: usage::used(&row.figures),
            kernel_usage: usage::used_by_kernels(&row.figures, &row.session),
        });
        Printed {
            at: self.at,
            sessions: sessions.collect(),
        }
    }
}
