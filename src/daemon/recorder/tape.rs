//! The samples of one session.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use super::{
    Rates,
    column::Column,
    measure::{self, Counters, Reading, passed},
    thin,
};
use crate::model::{
    figures::{Figures, FiguresRecord, Metric, Series},
    resources::ResourceSlots,
    usage::Usage,
};

/// Without a sample for longer than this nobody watched: what was between is not known. Engines that
/// tell the least often, and idle checks, make a sample every 15 s.
const GAP: SignedDuration = SignedDuration::from_secs(30);
/// An empty sample stands so long after the last one before a gap.
const GAP_BEGINS: SignedDuration = SignedDuration::from_secs(1);

#[derive(Clone, Debug, Default)]
pub(super) struct Tape {
    /// Ascending, at most [`thin::MOST`].
    at: Vec<Timestamp>,
    columns: BTreeMap<Metric, Column>,
    before: Option<Counters>,
}

impl Tape {
    pub fn push(&mut self, usage: &Usage) {
        let before = self.goes_on(usage.at);
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
    }

    /// The sample before, if this one follows it; otherwise what is kept is made ready for a beginning.
    fn goes_on(&mut self, at: Timestamp) -> Option<Counters> {
        let last = *self.at.last()?;
        if at <= last {
            // The clock was set back: a line that runs backwards tells nothing.
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

    /// One sample; metrics it does not tell of have no value then.
    fn add(&mut self, at: Timestamp, millis: u64, mut readings: BTreeMap<Metric, Reading>) {
        let times = self.at.len();
        self.at.push(at);
        for (metric, column) in &mut self.columns {
            column.push(readings.remove(metric).unwrap_or_default(), millis);
        }
        for (metric, reading) in readings {
            let mut column = Column::new(times);
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

    /// The newest.
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

    pub fn figures(&self, limits: &ResourceSlots) -> Figures {
        self.put_away(limits).figures
    }

    pub fn put_away(&self, limits: &ResourceSlots) -> FiguresRecord {
        let known = self.columns.iter().filter_map(|(metric, column)| {
            let series = Series {
                metric: metric.clone(),
                values: column.values.clone(),
                average: Some(column.average()?),
                peak: column.peak,
                limit: limit(metric, column, limits),
                total: column.total,
            };
            Some((series, column.span()))
        });
        let (series, spans) = known.unzip();
        let figures = Figures {
            at: self.at.clone(),
            series,
            last_lines: Vec::new(),
        };
        FiguresRecord { figures, spans }
    }

    /// The next sample tells no rates: what moved meanwhile moved in a time nobody knows.
    pub fn resume(record: FiguresRecord) -> Self {
        let FiguresRecord { figures, spans } = record;
        let columns = figures.series.into_iter().zip(spans);
        Self {
            at: figures.at,
            columns: columns
                .map(|(series, span)| (series.metric.clone(), Column::resume(series, span)))
                .collect(),
            before: None,
        }
    }
}

/// Of CPU and memory what was asked for.
fn limit(metric: &Metric, column: &Column, asked: &ResourceSlots) -> Option<u64> {
    let asked = match metric {
        Metric::Cpu => Some(asked.cpu.millis()),
        Metric::Mem => Some(asked.mem.0),
        _ => column.limit,
    };
    asked.filter(|limit| *limit > 0)
}

#[cfg(test)]
mod tests;
