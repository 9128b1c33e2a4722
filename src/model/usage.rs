//! How much a session uses now of what it requested.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{
    id::KernelId,
    resources::{Bytes, Cpu},
    text::Clean,
};

/// One sample of a session, with all its containers together. CPU and memory follow `docker stats`: one busy
/// core = 1000 millis.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Usage {
    pub at: Timestamp,
    /// Average over the time since the previous sample; `None` for the first sample.
    pub cpu: Option<Cpu>,
    /// Memory in use without inactive file cache, as `docker stats` counts it.
    pub mem: Bytes,
    /// The share of scheduler periods, in thousandths, in which the kernel throttled it at its CPU limit;
    /// `None` = not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throttled: Option<u16>,
    /// Empty where the engine doesn't report it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accelerators: Vec<AcceleratorUsage>,
    /// The disk space of its home directory.
    #[serde(default, alias = "scratch", skip_serializing_if = "Option::is_none")]
    pub home: Option<Bytes>,
    #[serde(default, skip_serializing_if = "Traffic::is_unknown")]
    pub traffic: Traffic,
    /// What the kernel has counted since its containers started, where it does.
    #[serde(default, skip_serializing_if = "Counted::is_unknown")]
    pub counted: Counted,
    /// The samples of each container, where there are several. Clients get them with
    /// [`super::figures::Figures`].
    #[serde(skip)]
    pub kernels: Vec<(KernelId, Usage)>,
}

/// What the kernel counts from a session's start to its end, also between samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Counted {
    /// CPU time in milliseconds.
    pub cpu_millis: Option<u64>,
    /// The peak memory in use, without inactive file cache.
    pub mem_peak: Option<Bytes>,
    /// Processes killed because the memory was used up.
    pub oom_kills: Option<u64>,
}

impl Counted {
    fn is_unknown(&self) -> bool {
        *self == Self::default()
    }
}

/// Bytes moved since the containers started, as `docker stats` counts them; `None` = the engine doesn't
/// report it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Traffic {
    pub block_read: Option<u64>,
    pub block_write: Option<u64>,
    pub network_in: Option<u64>,
    pub network_out: Option<u64>,
    /// Bytes per second, for engines that report a rate instead of a total.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network_in_rate: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network_out_rate: Option<u64>,
}

impl Traffic {
    /// Creates the counters from (read, written) and (received, sent).
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

    /// Adds both. A counter that is unknown in either is unknown in the sum.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            block_read: sum(self.block_read, other.block_read),
            block_write: sum(self.block_write, other.block_write),
            network_in: sum(self.network_in, other.network_in),
            network_out: sum(self.network_out, other.network_out),
            network_in_rate: sum(self.network_in_rate, other.network_in_rate),
            network_out_rate: sum(self.network_out_rate, other.network_out_rate),
        }
    }

    fn is_unknown(&self) -> bool {
        *self == Self::default()
    }
}

fn sum(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    Some(one?.saturating_add(other?))
}

/// One device, or one kind of device where the engine reports no details.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AcceleratorUsage {
    /// `GPU 0`, `cuda`.
    pub name: Clean,
    /// Hundredths of a percent.
    pub utilization: Option<u32>,
    pub mem: Option<Bytes>,
    pub mem_total: Option<Bytes>,
}

impl Usage {
    /// Creates a sample of CPU and memory only.
    #[must_use]
    pub fn new(at: Timestamp, cpu: Option<Cpu>, mem: Bytes) -> Self {
        Self {
            at,
            cpu,
            mem,
            throttled: None,
            accelerators: Vec::new(),
            home: None,
            traffic: Traffic::default(),
            counted: Counted::default(),
            kernels: Vec::new(),
        }
    }

    /// Adds several containers; `None` without any. A value that is unknown for one container is unknown for
    /// the session.
    #[must_use]
    pub fn sum(kernels: Vec<(KernelId, Self)>) -> Option<Self> {
        let each = || kernels.iter().map(|(_, usage)| usage);
        let total = each().cloned().reduce(|one, other| Self {
            home: sum(one.home.map(|it| it.0), other.home.map(|it| it.0)).map(Bytes),
            traffic: one.traffic.plus(other.traffic),
            counted: Counted {
                cpu_millis: sum(one.counted.cpu_millis, other.counted.cpu_millis),
                // The peaks may have been at different times.
                mem_peak: None,
                oom_kills: sum(one.counted.oom_kills, other.counted.oom_kills),
            },
            ..Self::new(
                one.at.max(other.at),
                sum(one.cpu.map(Cpu::millis), other.cpu.map(Cpu::millis)).map(Cpu::from_millis),
                Bytes(one.mem.0.saturating_add(other.mem.0)),
            )
        })?;
        Some(Self {
            accelerators: AcceleratorUsage::together(each().flat_map(|it| &it.accelerators)),
            kernels,
            ..total
        })
    }
}

impl AcceleratorUsage {
    /// Groups devices by name, with the sum of their memory and their average utilization.
    fn together<'a>(all: impl Iterator<Item = &'a Self>) -> Vec<Self> {
        let mut named: BTreeMap<&Clean, Vec<&Self>> = BTreeMap::new();
        for one in all {
            named.entry(&one.name).or_default().push(one);
        }
        let together = |(name, all): (&Clean, Vec<&Self>)| {
            let add = |of: fn(&Self) -> Option<Bytes>| {
                let amounts = all.iter().map(|it| of(it).map(|bytes| bytes.0));
                let amounts = amounts.collect::<Option<Vec<u64>>>()?;
                Some(Bytes(amounts.into_iter().fold(0, u64::saturating_add)))
            };
            let busy = all.iter().map(|it| it.utilization.map(u64::from));
            let busy = busy.sum::<Option<u64>>();
            Self {
                name: name.clone(),
                utilization: busy.and_then(|sum| u32::try_from(sum / all.len() as u64).ok()),
                mem: add(|it| it.mem),
                mem_total: add(|it| it.mem_total),
            }
        };
        named.into_iter().map(together).collect()
    }
}
