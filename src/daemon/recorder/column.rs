//! One metric of a session: the values that are kept, and what all there ever were came to.

use super::measure::Reading;
use crate::model::figures::Series;

#[derive(Clone, Debug, Default)]
pub(super) struct Column {
    /// One for each time of the tape.
    pub values: Vec<Option<u64>>,
    pub peak: Option<u64>,
    /// What an engine says is the most there can be.
    pub limit: Option<u64>,
    /// Moved so far, of a rate.
    pub total: Option<u64>,
    /// Each value times the milliseconds it held, added up, and those milliseconds.
    sum: u128,
    span: u64,
}

impl Column {
    /// One that begins now, after so many times.
    pub fn new(times: usize) -> Self {
        Self {
            values: vec![None; times],
            ..Self::default()
        }
    }

    /// The value held for so many milliseconds; 0 = since when is not known.
    pub fn push(&mut self, reading: Reading, millis: u64) {
        let Reading {
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

    /// How many milliseconds the average is over.
    pub fn span(&self) -> u64 {
        self.span
    }

    /// By how long each value held; of a single one that one.
    pub fn average(&self) -> Option<u64> {
        if self.span == 0 {
            return self.peak;
        }
        u64::try_from(self.sum / u128::from(self.span)).ok()
    }
}
