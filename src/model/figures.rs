//! What a session used over its last minutes, as the daemon keeps it.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{id::KernelId, text::Clean};

/// What a series is of, and in what unit its values are.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "metric", rename_all = "kebab-case")]
pub enum Metric {
    /// Thousandths of a core.
    Cpu,
    /// Bytes.
    Mem,
    /// Hundredths of a percent of one device.
    Accelerator {
        name: Clean,
    },
    /// Bytes on one device.
    AcceleratorMem {
        name: Clean,
    },
    /// Bytes in its `/home/work`.
    Scratch,
    /// Bytes a second.
    BlockRead,
    BlockWrite,
    NetworkIn,
    NetworkOut,
}

/// One metric over time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Series {
    #[serde(flatten)]
    pub metric: Metric,
    /// One for each time of [`Figures::at`]; `None` = it was not known then.
    pub values: Vec<Option<u64>>,
    /// Over all that was ever sampled of the session, not only what is kept.
    pub average: Option<u64>,
    pub peak: Option<u64>,
    /// What it may use at most, where there is such a limit; the unit is the metric's.
    pub limit: Option<u64>,
    /// Since its containers started: bytes moved, of metrics that are a rate; of CPU milliseconds of it.
    pub total: Option<u64>,
}

/// What is kept of a session's use, while it runs and after it ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Figures {
    /// When the samples were taken, oldest first; not evenly spaced.
    pub at: Vec<Timestamp>,
    /// Metrics without any value are left out.
    pub series: Vec<Series>,
    /// Processes killed because the memory was used up, where the kernel counts them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oom_kills: Option<u64>,
    /// Of a session that ended: the last lines of its log.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub last_lines: Vec<Clean>,
    /// The same of each container of a cluster session, with the newest sample only.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub kernels: BTreeMap<KernelId, Figures>,
}

/// Figures as they are put away, with what it takes to go on with them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FiguresRecord {
    pub figures: Figures,
    /// How many milliseconds the average of each series is over.
    pub spans: Vec<u64>,
    /// The same for each container's figures.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub kernel_spans: BTreeMap<KernelId, Vec<u64>>,
}

impl FiguresRecord {
    /// Whether each series has a value for each time, and a span.
    pub fn is_whole(&self) -> bool {
        let kernels = &self.figures.kernels;
        let spans = |id| self.kernel_spans.get(id).map_or(&[][..], Vec::as_slice);
        let mut kernels = kernels.iter();
        self.figures.fits(&self.spans) && kernels.all(|(id, figures)| figures.fits(spans(id)))
    }
}

impl Figures {
    fn fits(&self, spans: &[u64]) -> bool {
        let full = |one: &Series| one.values.len() == self.at.len();
        spans.len() == self.series.len() && self.series.iter().all(full)
    }
}

impl Series {
    /// The newest value.
    pub fn now(&self) -> Option<u64> {
        self.values.iter().rev().find_map(|value| *value)
    }
}
