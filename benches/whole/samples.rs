//! The raw figures, named `what/who/size`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

#[derive(Default, Serialize, Deserialize)]
pub struct Samples {
    /// Cores and memory, nothing else.
    pub machine: String,
    /// Milliseconds, bytes or bytes per second, by name.
    pub figures: BTreeMap<String, Vec<f64>>,
}

impl Samples {
    pub fn add(&mut self, name: &str, value: f64) {
        eprintln!("{name}: {value:.3}");
        self.figures.entry(name.to_owned()).or_default().push(value);
    }

    /// A quantile of a figure, 0.5 = the median; `None` when it was not measured.
    pub fn quantile(&self, name: &str, q: f64) -> Option<f64> {
        let mut values = self.figures.get(name)?.clone();
        values.sort_by(f64::total_cmp);
        let last = values.len().checked_sub(1)?;
        values.get((last as f64 * q).round() as usize).copied()
    }

    pub fn median(&self, name: &str) -> Option<f64> {
        self.quantile(name, 0.5)
    }
}
