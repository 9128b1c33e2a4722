//! How much of what it asked a session uses: now, and over the last minutes.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{
    resources::{Bytes, Cpu},
    text::Clean,
};

/// One sample of a session, all its containers together. CPU and memory follow `docker stats`: one
/// core busy = 1000 millis.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    pub at: Timestamp,
    /// Average over the time since the sample before; `None` for the first one.
    pub cpu: Option<Cpu>,
    /// Memory in use without inactive file cache, as `docker stats` counts it.
    pub mem: Bytes,
    /// What follows is `None` (or empty) where it cannot be had.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub io: Option<Traffic>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub net: Option<Traffic>,
    /// Size of `/home/work` on disk; read seldom, so it may be older than the rest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scratch: Option<Bytes>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accelerators: Vec<AcceleratorUsage>,
}

/// Bytes since the containers began, as `docker stats` counts them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Traffic {
    /// Read from disks, or received.
    pub read: Bytes,
    /// Written to disks, or sent.
    pub written: Bytes,
}

/// One device, or one kind of device where the engine tells no more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AcceleratorUsage {
    /// `GPU 0`, `cuda`.
    pub name: Clean,
    /// Hundredths of a percent.
    pub utilization: Option<u32>,
    pub mem: Option<Bytes>,
    pub mem_total: Option<Bytes>,
}

/// What is kept of a session's samples.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsageReport {
    /// Oldest first; bounded, and with holes where nobody watched.
    pub samples: Vec<Usage>,
    /// Over all samples ever taken.
    pub cpu: Spread<Cpu>,
    pub mem: Spread<Bytes>,
}

/// Average and peak of a figure over all of its samples; `None` = there was none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spread<T> {
    pub average: Option<T>,
    pub peak: Option<T>,
}

impl<T> Default for Spread<T> {
    fn default() -> Self {
        Self {
            average: None,
            peak: None,
        }
    }
}

impl Usage {
    /// CPU and memory, nothing else known.
    #[must_use]
    pub fn new(at: Timestamp, cpu: Option<Cpu>, mem: Bytes) -> Self {
        Self {
            at,
            cpu,
            mem,
            io: None,
            net: None,
            scratch: None,
            accelerators: Vec::new(),
        }
    }
}
