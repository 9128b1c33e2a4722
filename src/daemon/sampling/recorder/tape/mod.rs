//! The samples of one session.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use super::{
    Rates,
    column::TapeColumn,
    measure::{self, Counters, MetricReading, passed},
    thin,
};
use crate::model::{
    figures::{Figures, FiguresRecord, Metric, Series},
    id::KernelId,
    resources::ResourceSlots,
    session::Session,
    usage::Usage,
};

/// The values between samples further apart aren't known. The slowest engines, and idle checks, make a sample
/// every 15 s.
const GAP: SignedDuration = SignedDuration::from_secs(30);
/// How long after the last sample before a gap the empty sample is placed.
const GAP_BEGINS: SignedDuration = SignedDuration::from_secs(1);

#[derive(Clone, Debug, Default)]
pub(super) struct Tape {
    /// Ascending, limited to [`thin::MOST`].
    at: Vec<Timestamp>,
    columns: BTreeMap<Metric, TapeColumn>,
    before: Option<Counters>,
    oom_kills: Option<u64>,
    /// The tapes of the containers of a cluster session, each with its newest sample only.
    kernels: BTreeMap<KernelId, Tape>,
}

impl Tape {
    pub fn push(&mut self, usage: &Usage) {
        self.follow_kernels(usage, Self::push);
        let before = self.continues(usage.at);
        let millis = before.map_or(0, |before| passed(before.at, usage.at));
        self.add(
            usage.at,
            millis,
            measure::readings(usage, before).into_iter().collect(),
        );
        self.before = Some(Counters {
            at: usage.at,
            traffic: usage.traffic,
        });
        self.count(usage);
    }

    /// Adds what was read when the session had ended: its CPU use until then, and the kernel's counters. Its
    /// memory was already released.
    pub fn close(&mut self, usage: &Usage) {
        self.follow_kernels(usage, Self::close);
        let before = self.at.is_empty().then_some(None);
        let before = before.unwrap_or_else(|| self.continues(usage.at));
        let millis = before.map_or(0, |before| passed(before.at, usage.at));
        let mut readings: BTreeMap<Metric, MetricReading> =
            measure::readings(usage, before).into_iter().collect();
        if let (Some(peak), true) = (usage.counted.mem_peak, self.at.is_empty()) {
            readings.insert(Metric::Mem, measure::gauge(Some(peak.0)));
        } else {
            readings.remove(&Metric::Mem);
        }
        self.add(usage.at, millis, readings);
        self.count(usage);
    }

    /// Passes the sample on to each container. Containers that the sample lacks have no known value now.
    fn follow_kernels(&mut self, usage: &Usage, record: fn(&mut Self, &Usage)) {
        for (kernel, usage) in &usage.kernels {
            record(self.kernels.entry(*kernel).or_default(), usage);
        }
        for tape in self.kernels.values_mut() {
            if tape.last() != Some(usage.at) {
                tape.add(usage.at, 0, BTreeMap::new());
            }
            let old = tape.at.len() - 1;
            tape.at.drain(..old);
            for column in tape.columns.values_mut() {
                column.values.drain(..old);
            }
        }
    }

    /// Takes over the kernel's counters, which don't depend on samples.
    fn count(&mut self, usage: &Usage) {
        let counted = usage.counted;
        if let Some(column) = self.columns.get_mut(&Metric::Mem) {
            column.peak = column.peak.max(counted.mem_peak.map(|peak| peak.0));
        }
        if let Some(column) = self.columns.get_mut(&Metric::Cpu) {
            column.total = counted.cpu_millis.or(column.total);
        }
        self.oom_kills = counted.oom_kills.or(self.oom_kills);
    }

    /// The previous sample, if this one continues it. Otherwise prepares the tape for a new beginning.
    fn continues(&mut self, at: Timestamp) -> Option<Counters> {
        let last = *self.at.last()?;
        if at <= last {
            // The clock was set back: a graph that runs backwards is useless.
            self.clear();
            return None;
        }
        if at.duration_since(last) <= GAP {
            return self.before;
        }
        if let Ok(begins) = last.checked_add(GAP_BEGINS) {
            self.add(begins, 0, BTreeMap::new());
        }
        None
    }

    fn clear(&mut self) {
        self.at.clear();
        for column in self.columns.values_mut() {
            column.values.clear();
        }
    }

    /// Adds one sample. Metrics that it lacks have no value at this time.
    fn add(&mut self, at: Timestamp, millis: u64, mut readings: BTreeMap<Metric, MetricReading>) {
        let times = self.at.len();
        self.at.push(at);
        for (metric, column) in &mut self.columns {
            column.push(readings.remove(metric).unwrap_or_default(), millis);
        }
        for (metric, reading) in readings {
            let mut column = TapeColumn::new(times);
            column.push(reading, millis);
            self.columns.insert(metric, column);
        }
        if self.at.len() == thin::MOST {
            self.thin();
        }
    }

    fn thin(&mut self) {
        let columns = || self.columns.values();
        let is_empty = |place: usize| columns().all(|column| column.values[place].is_none());
        let groups = thin::groups(&self.at, is_empty);
        self.at = groups
            .iter()
            .filter_map(|group| self.at[group.clone()].last().copied())
            .collect();
        for column in self.columns.values_mut() {
            column.values = groups
                .iter()
                .map(|group| thin::mean(&column.values[group.clone()]))
                .collect();
        }
    }

    /// The newest rates.
    pub fn rates(&self) -> Rates {
        let metrics = [
            Metric::BlockRead,
            Metric::BlockWrite,
            Metric::NetworkIn,
            Metric::NetworkOut,
        ];
        let newest = |metric| {
            let column = self.columns.get(&metric)?;
            column.values.last().copied().flatten()
        };
        metrics.map(newest)
    }

    /// When the newest sample was taken.
    pub fn last(&self) -> Option<Timestamp> {
        self.at.last().copied()
    }

    pub fn figures(&self, session: &Session) -> Figures {
        self.to_record(session).figures
    }

    pub fn to_record(&self, session: &Session) -> FiguresRecord {
        let mut record = self.record(session, &session.requested_slots);
        for (kernel, tape) in &self.kernels {
            // The session's limits apply to all of its containers together.
            let FiguresRecord { figures, spans, .. } =
                tape.record(session, &ResourceSlots::default());
            record.figures.kernels.insert(*kernel, figures);
            record.kernel_spans.insert(*kernel, spans);
        }
        record
    }

    fn record(&self, session: &Session, limits: &ResourceSlots) -> FiguresRecord {
        let known = self.columns.iter().filter_map(|(metric, column)| {
            let average = self.average(metric, column, session)?;
            let series = Series {
                metric: metric.clone(),
                values: column.values.clone(),
                average: Some(average),
                // The average uses the kernel's counters, which can exceed the sampled peak.
                peak: column.peak.max(Some(average)),
                limit: limit(metric, column, limits),
                total: column.total,
            };
            Some((series, column.span()))
        });
        let (series, spans) = known.unzip();
        let figures = Figures {
            at: self.at.clone(),
            series,
            oom_kills: self.oom_kills,
            ..Figures::default()
        };
        FiguresRecord {
            figures,
            spans,
            ..FiguresRecord::default()
        }
    }

    /// The next sample has no rates: the time that its counters cover isn't known.
    pub fn resume(record: FiguresRecord) -> Self {
        let mut kernel_spans = record.kernel_spans;
        let kernels = record.figures.kernels.into_iter().map(|(kernel, figures)| {
            let spans = kernel_spans.remove(&kernel).unwrap_or_default();
            let record = FiguresRecord {
                figures,
                spans,
                ..FiguresRecord::default()
            };
            (kernel, Self::resume(record))
        });
        let kernels = kernels.collect();
        let columns = record.figures.series.into_iter().zip(record.spans);
        Self {
            at: record.figures.at,
            columns: columns
                .map(|(series, span)| (series.metric.clone(), TapeColumn::resume(series, span)))
                .collect(),
            before: None,
            oom_kills: record.figures.oom_kills,
            kernels,
        }
    }

    /// For CPU, the average over the whole run if the kernel counted it, as samples may be missing.
    fn average(&self, metric: &Metric, column: &TapeColumn, session: &Session) -> Option<u64> {
        let sampled = column.average()?;
        let whole = || {
            let ran = self.last()?.duration_since(session.started_at?).as_millis();
            let millis = column.total.filter(|_| *metric == Metric::Cpu)?;
            let busy = u128::from(millis).checked_mul(1000)?;
            u64::try_from(busy.checked_div(u128::try_from(ran).ok()?)?).ok()
        };
        Some(whole().unwrap_or(sampled))
    }
}

/// The limit of CPU and memory is the requested amount.
fn limit(metric: &Metric, column: &TapeColumn, asked: &ResourceSlots) -> Option<u64> {
    let asked = match metric {
        Metric::Cpu => Some(asked.cpu.millis()),
        Metric::Mem => Some(asked.mem.0),
        _ => column.limit,
    };
    asked.filter(|limit| *limit > 0)
}

#[cfg(test)]
mod tests;
