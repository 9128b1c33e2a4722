//! What a session uses: now, on average, at its peak, and over the last minutes. CPU is counted as in `docker
//! stats`: one busy core is 1.

use jiff::Timestamp;

use super::{
    DetailLine, DetailView, text,
    usage_chart::{self, ChartPlan},
};
use crate::{
    app::{detail::Used, durations},
    model::{
        figures::{Figures, Metric, Series},
        resources::{Bytes, Cpu},
        usage::Usage,
    },
    theme::face::Face,
    view::{amount::short, bar, glyphs::Glyphs, spark},
};

/// The positions of the columns.
struct UsageColumns {
    ellipsis: &'static str,
    label: usize,
    spark: usize,
    /// Cells of a number with the gap before it.
    number: usize,
}

impl UsageColumns {
    fn of(width: usize, glyphs: &Glyphs) -> Self {
        let (label, number) = match width {
            70.. => (20, 9),
            52.. => (17, 7),
            _ => (15, 7),
        };
        Self {
            ellipsis: glyphs.ellipsis,
            label,
            number,
            spark: width.saturating_sub(label + 3 * number),
        }
    }
}

/// One metric.
pub(super) struct UsageRow<'a> {
    metric: Metric,
    now: Option<u64>,
    limit: Option<u64>,
    /// `None` if only the current use is known.
    pub series: Option<&'a Series>,
    /// In how many of a thousand periods the CPU was throttled.
    throttled: Option<u16>,
}

/// How many metrics have samples over time, which charts can show.
pub fn charted(view: &DetailView<'_>) -> usize {
    match view.detail.figures() {
        Used::Known(figures) => figures.series.len(),
        Used::Asked | Used::Failed(_) | Used::Lacking(_) => 0,
    }
}

/// Shows the current use of a running session, or the last record of an ended one. The first metrics have the
/// charts of the plan.
pub fn lines(view: &DetailView<'_>, charts: ChartPlan) -> Vec<DetailLine> {
    if view.session.status.is_starting() {
        return not_started(view);
    }
    let live = view.session.status.is_live();
    let state = view.detail.figures();
    let rows = match state {
        Used::Known(figures) if !figures.series.is_empty() => {
            let usage = view.app.mirror.usage(view.session.key());
            recorded(figures, usage.and_then(|usage| usage.throttled))
        }
        _ if live => sampled(view),
        _ => Vec::new(),
    };
    if rows.is_empty() && !live {
        return Vec::new();
    }
    let columns = UsageColumns::of(view.width, view.glyphs);
    let mut lines = vec![Vec::new(), head(state, live, !rows.is_empty(), &columns)];
    let at = match state {
        Used::Known(figures) => &figures.at[..],
        _ => &[],
    };
    let form = view.glyphs.spark;
    for (number, row) in rows.iter().enumerate() {
        let has_chart = number < charts.count && row.series.is_some();
        lines.push(row.line(at, (&columns, has_chart), form));
        if has_chart {
            let size = (charts.rows, view.width);
            lines.extend(usage_chart::lines(row, at, size, view.glyphs));
        }
    }
    // The blank line after the last chart would be followed by that of the next section.
    if lines.last().is_some_and(Vec::is_empty) {
        lines.pop();
    }
    let throttled = view.app.mirror.usage(view.session.key());
    let throttled = throttled.and_then(|usage| usage.throttled);
    if let Some(share) = throttled.filter(|it| live && *it >= bar::THROTTLED) {
        let percent = (share + 5) / 10;
        let text = tr!(
            "Slowed by the CPU limit now ({percent}% of the time)",
            percent
        );
        let wrapped = text::wrap(&text, view.width).into_iter();
        lines.extend(wrapped.map(|line| vec![(line, Face::Warning)]));
    }
    let note = match state {
        Used::Lacking(why) | Used::Failed(why) => Some(why.to_string()),
        Used::Asked if rows.is_empty() => Some(tr!("loading").to_owned()),
        Used::Known(_) if rows.is_empty() => Some(tr!("no data yet").to_owned()),
        _ => None,
    };
    let wrapped = note.map(|note| text::wrap(&note, view.width));
    let wrapped = wrapped.into_iter().flatten();
    lines.extend(wrapped.map(|line| vec![(line, Face::Dim)]));
    lines
}

/// What a container of a cluster session uses now, or used before it ended. Unknown metrics are left out.
pub fn of_kernel(figures: &Figures, live: bool) -> Vec<String> {
    let words = |series: &Series| {
        let row = UsageRow::recorded(series, None);
        let amount = |value: Option<u64>| value.map(|value| row.amount(value));
        let text = match (&series.metric, live) {
            (Metric::Cpu, true) => tr!("CPU {now}", now = amount(row.now)?),
            (Metric::Mem, true) => tr!("memory {now}", now = amount(row.now)?),
            (Metric::Cpu, false) => tr!(
                "CPU {average} on average",
                average = amount(series.average)?
            ),
            (Metric::Mem, false) => tr!("memory {peak} at peak", peak = amount(series.peak)?),
            (_, false) => return None,
            (Metric::Accelerator { name }, _) => format!("{name} {}", amount(row.now)?),
            (Metric::AcceleratorMem { name }, _) => {
                tr!("{name} memory {now}", name, now = amount(row.now)?)
            }
            (Metric::Home, _) => tr!("home {now}", now = amount(row.now)?),
            (Metric::BlockRead, _) => tr!("disk read {now}/s", now = amount(row.now)?),
            (Metric::BlockWrite, _) => tr!("write {now}/s", now = amount(row.now)?),
            (Metric::NetworkIn, _) => tr!("network in {now}/s", now = amount(row.now)?),
            (Metric::NetworkOut, _) => tr!("out {now}/s", now = amount(row.now)?),
        };
        Some(text)
    };
    figures.series.iter().filter_map(words).collect()
}

/// A session that hasn't started has no samples.
fn not_started(view: &DetailView<'_>) -> Vec<DetailLine> {
    let text = tr!(
        "No samples yet. {name} hasn't started.",
        name = view.session.name
    );
    let wrapped = text::wrap(&text, view.width).into_iter();
    let mut lines = vec![Vec::new(), vec![(tr!("Usage").to_owned(), Face::Title)]];
    lines.extend(wrapped.map(|line| vec![(line, Face::Dim)]));
    lines
}

/// The title with the period that the bars cover, and the meaning of the numbers.
fn head(state: &Used, live: bool, rows: bool, columns: &UsageColumns) -> DetailLine {
    let title = if live {
        tr!("Usage")
    } else {
        tr!("Usage recorded")
    };
    let mut line = vec![(title.to_owned(), Face::Title)];
    if !rows {
        return line;
    }
    let back = match state {
        Used::Known(figures) => {
            seconds(figures).map(|it| tr!("  last {coarse}", coarse = durations::coarse(it)))
        }
        _ => None,
    };
    let room = columns.label + columns.spark;
    let back = back.unwrap_or_default();
    let pad = room.saturating_sub(text::width(title) + text::width(&back));
    line.push((back, Face::Dim));
    line.push((" ".repeat(pad), Face::Dim));
    let now = if live { tr!("now") } else { tr!("last") };
    let average = if columns.number > 8 {
        tr!("average")
    } else {
        tr!("avg")
    };
    for word in [now, average, tr!("peak")] {
        line.push((right(word, columns.number), Face::Dim));
    }
    line
}

/// How far back the samples go.
fn seconds(figures: &Figures) -> Option<i64> {
    let (first, last) = (figures.at.first()?, figures.at.last()?);
    Some((last.as_second() - first.as_second()).max(1))
}

fn recorded(figures: &Figures, throttled: Option<u16>) -> Vec<UsageRow<'_>> {
    let row = |series| UsageRow::recorded(series, throttled);
    figures.series.iter().map(row).collect()
}

/// The rows that need only the newest sample.
fn sampled(view: &DetailView<'_>) -> Vec<UsageRow<'static>> {
    let Some(usage) = view.app.mirror.usage(view.session.key()) else {
        return Vec::new();
    };
    let slots = &view.session.requested_slots;
    let Usage {
        cpu,
        mem,
        throttled,
        ..
    } = usage;
    let row = |metric, now, limit| UsageRow {
        metric,
        now,
        limit: Some(limit).filter(|limit| *limit > 0),
        series: None,
        throttled: *throttled,
    };
    vec![
        row(Metric::Cpu, cpu.map(Cpu::millis), slots.cpu.millis()),
        row(Metric::Mem, Some(mem.0), slots.mem.0),
    ]
}

impl<'a> UsageRow<'a> {
    fn recorded(series: &'a Series, throttled: Option<u16>) -> Self {
        Self {
            metric: series.metric.clone(),
            now: series.now(),
            limit: series.limit,
            series: Some(series),
            throttled,
        }
    }

    /// The label, a sparkline unless a chart `follows`, and the numbers.
    fn line(
        &self,
        at: &[Timestamp],
        (columns, follows): (&UsageColumns, bool),
        form: spark::Form,
    ) -> DetailLine {
        let label = text::fit(&self.label(), columns.label - 1, columns.ellipsis);
        let mut line = vec![(text::pad(&label, columns.label), Face::Label)];
        let bars = match self.series {
            Some(series) if !follows => {
                spark::line(at, &series.values, self.top(series), columns.spark, form)
            }
            _ => " ".repeat(columns.spark),
        };
        line.push((bars, self.face()));
        let series = self.series;
        let numbers = [
            (self.now, Face::Value),
            (series.and_then(|it| it.average), Face::Dim),
            (series.and_then(|it| it.peak), Face::Dim),
        ];
        for (number, face) in numbers {
            let text = number.map_or_else(|| "-".to_owned(), |number| self.amount(number));
            line.push((right(&text, columns.number), face));
        }
        line
    }

    /// The value that fills a bar: the limit, or else the peak. If the use hardly changes, the bar has as
    /// much room above the peak as below it.
    pub fn top(&self, series: &Series) -> u64 {
        let values = || series.values.iter().flatten().copied();
        let (least, most) = (values().min().unwrap_or(0), values().max().unwrap_or(1));
        let still = least.saturating_mul(10) >= most.saturating_mul(9);
        let room = if still { most.saturating_mul(2) } else { most };
        self.limit.unwrap_or(room).max(1)
    }

    pub fn face(&self) -> Face {
        match (&self.metric, self.now, self.limit) {
            (Metric::Cpu, ..) => bar::cpu_face(self.throttled),
            (Metric::Mem | Metric::AcceleratorMem { .. }, Some(now), Some(limit)) => {
                bar::memory_face(now as f64 / limit.max(1) as f64)
            }
            _ => Face::BarNormal,
        }
    }

    fn label(&self) -> String {
        let of = |name: &str| match self.limit {
            Some(limit) => tr!("{name} of {limit}", name, limit = self.amount(limit)),
            None => name.to_owned(),
        };
        match &self.metric {
            Metric::Cpu => match self.limit {
                Some(limit) => tr!("CPU of {limit}", limit = Cpu::from_millis(limit)),
                None => tr!("CPU").to_owned(),
            },
            Metric::Mem => of(tr!("Memory")),
            Metric::Accelerator { name } => name.to_string(),
            Metric::AcceleratorMem { name } => of(&tr!("{name} mem", name)),
            Metric::Home => of(tr!("Home disk")),
            Metric::BlockRead => tr!("Disk read/s").to_owned(),
            Metric::BlockWrite => tr!("Disk write/s").to_owned(),
            Metric::NetworkIn => tr!("Network in/s").to_owned(),
            Metric::NetworkOut => tr!("Network out/s").to_owned(),
        }
    }

    fn amount(&self, value: u64) -> String {
        match self.metric {
            Metric::Cpu => Cpu::from_millis(value).in_use(),
            Metric::Accelerator { .. } => format!("{} %", value / 100),
            _ => short(Bytes(value)),
        }
    }
}

fn right(text: &str, cells: usize) -> String {
    text::pad_left(text, cells)
}
