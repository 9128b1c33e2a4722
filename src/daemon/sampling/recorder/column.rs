//! One metric of a session: the values that are kept, and the totals of all values so far.

use super::measure::MetricReading;
use crate::model::figures::Series;

#[derive(Clone, Debug, Default)]
pub(super) struct TapeColumn {
    /// One value for each time of the tape.
    pub values: Vec<Option<u64>>,
    pub peak: Option<u64>,
    /// The limit that the engine reports.
    pub limit: Option<u64>,
    /// The total amount so far, for a rate.
    pub total: Option<u64>,
    /// The sum of each value times its milliseconds; below, the sum of those milliseconds.
    sum: u128,
    span: u64,
}

impl TapeColumn {
    /// A column that begins after `times` samples without a value.
    pub fn new(times: usize) -> Self {
        Self {
            values: vec![None; times],
            ..Self::default()
        }
    }

    /// Adds a value that was valid for `millis` milliseconds; 0 = the time isn't known.
    pub fn push(&mut self, reading: MetricReading, millis: u64) {
        let MetricReading {
            value,
            limit,
            total,
        } = reading;
        self.values.push(value);
        self.limit = limit.or(self.limit);
        self.total = total.or(self.total);
        if let Some(value) = value {
            self.peak = self.peak.max(Some(value));
            self.sum += u128::from(value) * u128::from(millis);
            self.span = self.span.saturating_add(millis);
        }
    }

    pub fn resume(series: Series, span: u64) -> Self {
        let average = series.average.unwrap_or_default();
        Self {
            values: series.values,
            peak: series.peak,
            limit: series.limit,
            total: series.total,
            sum: u128::from(average) * u128::from(span),
            span,
        }
    }

    /// The milliseconds that the average covers.
    pub fn span(&self) -> u64 {
        self.span
    }

    /// The average, weighted by time; with a single value, that value.
    pub fn average(&self) -> Option<u64> {
        if self.span == 0 {
            return self.peak;
        }
        u64::try_from(self.sum / u128::from(self.span)).ok()
    }
}
