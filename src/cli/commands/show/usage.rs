//! Prints what a session uses now, and what it used.

use std::{collections::BTreeSet, fmt::Write as _, time::Duration};

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use tokio::time::{sleep, timeout};

use crate::{
    cli::{
        connection::{self, Connection},
        fail::Fail,
        output::{self, Cell},
        times::{elapsed, moment},
    },
    model::{
        figures::{Figures, Metric, Series},
        id::KernelId,
        kernel::Kernel,
        request::SessionRequest,
        resources::{Bytes, Cpu},
        session::Session,
        text::Clean,
    },
    protocol::message::{Reply, Request},
};

/// How long to watch a running session that isn't watched yet: CPU usage needs two samples.
const PATIENCE: Duration = Duration::from_millis(2500);
const LOOK_AGAIN: Duration = Duration::from_millis(50);
/// Maximum age of a sample that counts as current.
const FRESH: SignedDuration = SignedDuration::from_secs(2);

/// A metric in the output of `--json`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Used<'a> {
    #[serde(flatten)]
    metric: &'a Metric,
    now: Option<u64>,
    average: Option<u64>,
    peak: Option<u64>,
    limit: Option<u64>,
    total: Option<u64>,
}

/// Reads the figures that the daemon keeps. For a running session, waits for a current sample.
pub async fn read(
    connection: &Connection,
    session: &Session,
    now: Timestamp,
) -> Result<Figures, Fail> {
    let kept = figures(connection, session).await?;
    if !session.status.is_live() || is_of_now(&kept, now) {
        return Ok(kept);
    }
    let sessions = vec![session.key()];
    connection.request_done(Request::Watch { sessions }).await?;
    let sampled = async {
        loop {
            let found = figures(connection, session).await;
            if found.as_ref().map_or(true, |found| is_of_now(found, now)) {
                return found;
            }
            sleep(LOOK_AGAIN).await;
        }
    };
    match timeout(PATIENCE, sampled).await {
        Ok(found) => found,
        // The engine is disconnected or reports no usage.
        Err(_) => figures(connection, session).await,
    }
}

/// Reads the figures that the daemon keeps.
pub async fn figures(connection: &Connection, session: &Session) -> Result<Figures, Fail> {
    let session = session.key();
    match connection
        .request(Request::session(session, SessionRequest::Figures))
        .await?
    {
        Reply::Figures { figures } => Ok(*figures),
        other => Err(connection::unexpected(&other)),
    }
}

/// Whether the last sample is current and includes CPU usage.
pub fn is_of_now(figures: &Figures, now: Timestamp) -> bool {
    let fresh = figures
        .at
        .last()
        .is_some_and(|last| now.duration_since(*last) < FRESH);
    let mut series = figures.series.iter();
    let cpu = series.find(|series| series.metric == Metric::Cpu);
    fresh && cpu.is_some_and(|cpu| last(cpu).is_some())
}

/// The value of the last sample.
fn last(series: &Series) -> Option<u64> {
    series.values.last().copied().flatten()
}

/// The usage of each metric.
pub fn used(figures: &Figures) -> Vec<Used<'_>> {
    figures.series.iter().map(Used::of).collect()
}

impl<'a> Used<'a> {
    fn of(series: &'a Series) -> Self {
        Self {
            metric: &series.metric,
            now: last(series),
            average: series.average,
            peak: series.peak,
            limit: series.limit,
            total: series.total,
        }
    }
}

/// A container of a cluster session in the output of `--json`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct UsedByKernel<'a> {
    id: KernelId,
    hostname: &'a Clean,
    usage: Vec<Used<'a>>,
}

/// The usage of each container of a cluster session for which it is known.
pub fn used_by_kernels<'a>(figures: &'a Figures, session: &'a Session) -> Vec<UsedByKernel<'a>> {
    of_kernels(figures, session)
        .map(|(kernel, figures)| UsedByKernel {
            id: kernel.id,
            hostname: &kernel.hostname,
            usage: used(figures),
        })
        .collect()
}

/// The containers of a cluster session, the main container first.
pub fn of_kernels<'a>(
    figures: &'a Figures,
    session: &'a Session,
) -> impl Iterator<Item = (&'a Kernel, &'a Figures)> {
    let kernels = session.kernels.iter();
    kernels.filter_map(|kernel| Some((kernel, figures.kernels.get(&kernel.id)?)))
}

/// The table. For an ended session, the last known values.
pub fn table(figures: &Figures, session: &Session) -> String {
    let mut out = String::new();
    if !figures.series.is_empty() {
        let newest = if session.status.is_live() {
            tr_later!("NOW")
        } else {
            tr_later!("LAST")
        };
        let head = [
            tr_later!("USAGE"),
            newest,
            tr_later!("AVERAGE"),
            tr_later!("PEAK"),
            tr_later!("LIMIT"),
            tr_later!("TOTAL"),
        ];
        let rows: Vec<Vec<Cell>> = figures.series.iter().map(row).collect();
        let at = figures.at.last().map(|at| moment(*at));
        out = tr!(
            "\nSampled at {at}\n{table}",
            at = at.unwrap_or_default(),
            table = output::table(&head, &rows, false)
        );
        out.push_str(&kernels_table(figures, session));
    }
    if let Some(kills) = figures.oom_kills.filter(|kills| *kills > 0) {
        let text = tr_plural!(
            kills,
            "Out of memory: the kernel killed {kills} process",
            "Out of memory: the kernel killed {kills} processes",
            kills
        );
        let _ = write!(out, "\n{text}\n");
    }
    if !figures.last_lines.is_empty() {
        let lines: Vec<&str> = figures.last_lines.iter().map(Clean::as_str).collect();
        let lines = lines.join("\n  ");
        let _ = write!(out, "{}", tr!("\nIts log ended with\n  {lines}\n", lines));
    }
    out
}

/// A table with a row for each container of a cluster session.
fn kernels_table(figures: &Figures, session: &Session) -> String {
    let known: BTreeSet<&Metric> = of_kernels(figures, session)
        .flat_map(|(_, figures)| figures.series.iter().map(|it| &it.metric))
        .collect();
    let metrics: Vec<&Metric> = known.into_iter().collect();
    let rows = of_kernels(figures, session).map(|(kernel, figures)| {
        let cell = |metric: &&Metric| {
            let series = figures.series.iter().find(|it| it.metric == **metric);
            let value = series.and_then(|series| match (metric, session.status.is_live()) {
                (_, true) => last(series),
                (Metric::Mem | Metric::AcceleratorMem { .. }, false) => series.peak,
                (_, false) => series.average,
            });
            value.map_or_else(|| "-".into(), |value| Cell::from(amount(metric, value)))
        };
        let name = Cell::from(kernel.hostname.as_str());
        [name].into_iter().chain(metrics.iter().map(cell)).collect()
    });
    let rows: Vec<Vec<Cell>> = rows.collect();
    if rows.is_empty() {
        return String::new();
    }
    let names = metrics.iter().map(|metric| name(metric).to_uppercase());
    let head: Vec<String> = [tr!("CONTAINER").to_owned()]
        .into_iter()
        .chain(names)
        .collect();
    let head: Vec<&str> = head.iter().map(String::as_str).collect();
    let title = if session.status.is_live() {
        tr!("Usage of each container now")
    } else {
        tr!("Usage of each container: average, memory at its peak")
    };
    format!("\n{title}\n{}", output::table(&head, &rows, false))
}

fn row(series: &Series) -> Vec<Cell> {
    let metric = &series.metric;
    let amount = |value: Option<u64>| match value {
        Some(value) => amount(metric, value).into(),
        None => Cell::from("-"),
    };
    let total = series.total.map(|total| match metric {
        // CPU time, in milliseconds.
        Metric::Cpu => elapsed(i64::try_from(total / 1000).unwrap_or(i64::MAX)),
        _ => Bytes(total).to_string(),
    });
    vec![
        name(metric).into(),
        amount(last(series)),
        amount(series.average),
        amount(series.peak),
        series
            .limit
            .map_or_else(|| "-".into(), |most| limit(metric, most).into()),
        total.unwrap_or_else(|| "-".to_owned()).into(),
    ]
}

fn name(metric: &Metric) -> String {
    match metric {
        Metric::Cpu => "CPU".to_owned(),
        Metric::Mem => tr!("Memory").to_owned(),
        Metric::Accelerator { name } => name.to_string(),
        Metric::AcceleratorMem { name } => tr!("{name} memory", name),
        Metric::Home => tr!("Home").to_owned(),
        Metric::BlockRead => tr!("Disk read").to_owned(),
        Metric::BlockWrite => tr!("Disk written").to_owned(),
        Metric::NetworkIn => tr!("Network in").to_owned(),
        Metric::NetworkOut => tr!("Network out").to_owned(),
    }
}

/// The value in the unit that every command uses for this metric.
pub fn amount(metric: &Metric, value: u64) -> String {
    match metric {
        Metric::Cpu => tr!("{cpu} cores", cpu = Cpu::from_millis(value).in_use()),
        Metric::Accelerator { .. } => percent(value / 100, value % 100 / 10),
        Metric::Mem | Metric::AcceleratorMem { .. } | Metric::Home => Bytes(value).to_string(),
        _ => format!("{}/s", Bytes(value)),
    }
}

/// A limit in this unit.
pub fn limit(metric: &Metric, value: u64) -> String {
    match metric {
        Metric::Cpu if value == 1000 => tr!("1 core").to_owned(),
        Metric::Cpu => tr!("{cpu} cores", cpu = Cpu::from_millis(value)),
        _ => amount(metric, value),
    }
}

/// What is used of a limit: `0.31 / 2 cores`, `12 MiB / 1 GiB`. `None` = unknown.
pub fn of_limit(metric: &Metric, value: Option<u64>, most: u64) -> String {
    let used = value.map(|value| match metric {
        Metric::Cpu => Cpu::from_millis(value).in_use(),
        _ => amount(metric, value),
    });
    let used = used.unwrap_or_else(|| "-".to_owned());
    format!("{used} / {}", limit(metric, most))
}

fn percent(whole: u64, tenths: u64) -> String {
    match tenths {
        0 => format!("{whole}%"),
        _ => format!("{whole}.{tenths}%"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{status::Status, testing};

    fn series(metric: Metric, values: &[Option<u64>]) -> Series {
        Series {
            metric,
            values: values.to_vec(),
            average: Some(1_234),
            peak: Some(20_480),
            limit: None,
            total: None,
        }
    }

    fn texts(series: &Series) -> String {
        let head = [""; 6];
        let table = output::table(&head, &[row(series)], false);
        let words: Vec<&str> = table.split("  ").map(str::trim).collect();
        words
            .into_iter()
            .filter(|word| !word.is_empty())
            .collect::<Vec<_>>()
            .join("|")
    }

    #[test]
    fn each_metric_has_its_unit() {
        let cpu = Series {
            limit: Some(2_000),
            ..series(Metric::Cpu, &[Some(500)])
        };
        assert_eq!(
            texts(&cpu),
            "CPU|0.50 cores|1.23 cores|20.5 cores|2 cores|-"
        );
        let device = Metric::Accelerator {
            name: "GPU 0".into(),
        };
        let device = Series {
            limit: Some(10_000),
            ..series(device, &[Some(1), None])
        };
        assert_eq!(texts(&device), "GPU 0|-|12.3%|204.8%|100%|-");
        let read = Series {
            total: Some(2 << 20),
            ..series(Metric::BlockRead, &[Some(0)])
        };
        assert_eq!(texts(&read), "Disk read|0 B/s|1.2 KiB/s|20 KiB/s|-|2 MiB");
        let mem = series(Metric::Mem, &[Some(1 << 30)]);
        assert_eq!(texts(&mem), "Memory|1 GiB|1.2 KiB|20 KiB|-|-");
    }

    #[test]
    fn figures_are_current_when_fresh_and_show_how_busy_it_is() {
        let at = |second| Timestamp::from_second(second).unwrap();
        let figures = |values: &[Option<u64>]| Figures {
            at: (0..).take(values.len()).map(at).collect(),
            series: vec![series(Metric::Cpu, values)],
            ..Figures::default()
        };
        assert!(is_of_now(&figures(&[None, Some(1)]), at(2)));
        assert!(!is_of_now(&figures(&[Some(1), None]), at(2)));
        assert!(!is_of_now(&figures(&[None, Some(1)]), at(100)), "old");
        assert!(!is_of_now(&Figures::default(), at(0)));
    }

    #[test]
    fn each_container_of_a_cluster_session_has_a_row() {
        let mut session = testing::session(1, "pair");
        session.status = Status::Running;
        let mut figures = Figures {
            series: vec![
                series(Metric::Cpu, &[Some(1_000)]),
                series(Metric::Mem, &[Some(3 << 20)]),
            ],
            ..Figures::default()
        };
        assert!(!table(&figures, &session).contains("CONTAINER"));
        for (number, host, cpu) in [(1, "main1", 1_000), (2, "sub1", 0)] {
            let id = KernelId::from_u128(number);
            let kernel = Kernel::new(id, host.into(), Status::Running);
            session.kernels.push(kernel);
            let figures_of_kernel = Figures {
                series: vec![series(Metric::Cpu, &[Some(cpu)])],
                ..Figures::default()
            };
            figures.kernels.insert(id, figures_of_kernel);
        }
        let rows = |session: &Session| -> Vec<String> {
            let table = table(&figures, session);
            let from = table.find("CONTAINER").unwrap();
            let rows = table[from..].lines();
            rows.map(|row| row.split_whitespace().collect::<Vec<_>>().join(" "))
                .collect()
        };
        let wanted = ["CONTAINER CPU", "main1 1.00 cores", "sub1 0.00 cores"];
        assert_eq!(rows(&session), wanted);
        session.status = Status::Terminated;
        assert_eq!(rows(&session)[2], "sub1 1.23 cores", "its average");
        let json = serde_json::to_value(used_by_kernels(&figures, &session)).unwrap();
        assert_eq!(json[0]["hostname"], "main1");
        assert_eq!(json[0]["usage"][0]["metric"], "cpu");
        assert_eq!(json[0]["usage"][0]["now"], 1_000);
    }
}
