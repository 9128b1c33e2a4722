//! The use of a session over the last minutes, as the daemon keeps it.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{id::KernelId, text::Clean};

/// The metric of a series, and the unit of its values.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "metric", rename_all = "kebab-case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Metric {
    /// In thousandths of a core.
    Cpu,
    /// In bytes.
    Mem,
    /// In hundredths of a percent of one device.
    Accelerator {
        name: Clean,
    },
    /// In bytes on one device.
    AcceleratorMem {
        name: Clean,
    },
    /// In bytes in its home directory.
    #[serde(alias = "scratch")]
    Home,
    /// In bytes per second.
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
    /// One value for each time of [`Figures::at`]; `None` = not known at that time.
    pub values: Vec<Option<u64>>,
    /// The average of all samples of the session, including those no longer kept.
    pub average: Option<u64>,
    pub peak: Option<u64>,
    /// The limit of its use, if there is one, in the unit of the metric.
    pub limit: Option<u64>,
    /// The total since its containers started: bytes moved for rates, milliseconds for CPU.
    pub total: Option<u64>,
}

/// The recorded use of a session, while it runs and after it ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Figures {
    /// When the samples were taken, oldest first; not evenly spaced.
    pub at: Vec<Timestamp>,
    /// Metrics without any value are left out.
    pub series: Vec<Series>,
    /// Processes killed because the memory was used up, where the kernel counts them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oom_kills: Option<u64>,
    /// The last lines of the log of an ended session.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub last_lines: Vec<Clean>,
    /// The figures of each container of a cluster session, with the newest sample only.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub kernels: BTreeMap<KernelId, Figures>,
}

/// Figures as they are stored, with what is needed to continue them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FiguresRecord {
    pub figures: Figures,
    /// The time in milliseconds that the average of each series covers.
    pub spans: Vec<u64>,
    /// The spans of each container's figures.
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
