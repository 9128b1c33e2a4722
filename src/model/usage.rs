//! How much of what it asked a session uses now.

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
    /// For how much of that time the kernel held it back, since it had used up what it was given: of a
    /// thousand periods so many; `None` = not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throttled: Option<u16>,
    /// Empty where the engine does not tell.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accelerators: Vec<AcceleratorUsage>,
    /// What its `/home/work` holds on disk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scratch: Option<Bytes>,
    #[serde(default, skip_serializing_if = "Traffic::is_unknown")]
    pub traffic: Traffic,
    /// As the kernel counts since its containers started, where it does.
    #[serde(default, skip_serializing_if = "Counted::is_unknown")]
    pub counted: Counted,
}

/// What the kernel itself counts from a session's start to its end, whoever looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Counted {
    /// CPU time in milliseconds.
    pub cpu_millis: Option<u64>,
    /// The most memory there ever was in use, without inactive file cache.
    pub mem_peak: Option<Bytes>,
    /// Processes killed because the memory was used up.
    pub oom_kills: Option<u64>,
}

impl Counted {
    fn is_unknown(&self) -> bool {
        *self == Self::default()
    }
}

/// Bytes moved since its containers started, as `docker stats` counts them; `None` = the engine does
/// not tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Traffic {
    pub block_read: Option<u64>,
    pub block_write: Option<u64>,
    pub network_in: Option<u64>,
    pub network_out: Option<u64>,
    /// Bytes a second, of an engine that tells them instead of what moved so far.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network_in_rate: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network_out_rate: Option<u64>,
}

impl Traffic {
    /// Counters: what was read and written, what was received and sent.
    #[must_use]
    pub fn counted(block: Option<(u64, u64)>, network: Option<(u64, u64)>) -> Self {
        Self {
            block_read: block.map(|(read, _)| read),
            block_write: block.map(|(_, written)| written),
            network_in: network.map(|(received, _)| received),
            network_out: network.map(|(_, sent)| sent),
            ..Self::default()
        }
    }

    fn is_unknown(&self) -> bool {
        *self == Self::default()
    }
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

impl Usage {
    /// CPU and memory, nothing else known.
    #[must_use]
    pub fn new(at: Timestamp, cpu: Option<Cpu>, mem: Bytes) -> Self {
        Self {
            at,
            cpu,
            mem,
            throttled: None,
            accelerators: Vec::new(),
            scratch: None,
            traffic: Traffic::default(),
            counted: Counted::default(),
        }
    }
}
