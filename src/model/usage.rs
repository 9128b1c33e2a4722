//! How much of what it asked a session uses now.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{
    id::KernelId,
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
    /// Of each container, where there are several. Clients get it with [`super::figures::Figures`].
    #[serde(skip)]
    pub kernels: Vec<(KernelId, Usage)>,
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

    /// Both together; what is unknown of one is unknown of both.
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
            kernels: Vec::new(),
        }
    }

    /// Several containers together; `None` without any. What is unknown of one is unknown of the session.
    #[must_use]
    pub fn sum(kernels: Vec<(KernelId, Self)>) -> Option<Self> {
        let each = || kernels.iter().map(|(_, usage)| usage);
        let total = each().cloned().reduce(|one, other| Self {
            scratch: sum(one.scratch.map(|it| it.0), other.scratch.map(|it| it.0)).map(Bytes),
            traffic: one.traffic.plus(other.traffic),
            counted: Counted {
                cpu_millis: sum(one.counted.cpu_millis, other.counted.cpu_millis),
                // Their peaks may have been at different times.
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
    /// Devices of one name together: their memory added up, and how busy they are on average.
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
