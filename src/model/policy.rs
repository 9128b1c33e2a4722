//! The rules that the system-wide and your `resources.toml` set for resources: groups, presets, limits and
//! accelerators. `config/` reads the files.

use std::collections::BTreeMap;

use super::{
    catalogue::{Preset, SlotLimits},
    idle::{IdleRules, ReprieveRules},
    network::NetworkRules,
    resources::{Bytes, Cpu},
    span::Span,
    spec::DEFAULT_GROUP,
};

/// All rules, merged from the system-wide file and yours. Your group or preset replaces a system-wide one of
/// the same name, and the tighter of two limits applies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceRules {
    /// By name; never empty.
    pub groups: BTreeMap<String, GroupRules>,
    /// Sorted by name.
    pub presets: Vec<Preset>,
    pub limits: UserLimits,
    /// The amounts that replace those found on the machine. With larger ones, sessions share the hardware;
    /// with smaller ones, some of it is left unused. One container never gets more than the machine has.
    pub host: SlotLimits,
    /// Accelerators that are declared or described further, by slot name.
    pub accelerators: BTreeMap<String, AcceleratorRules>,
    /// The idle checks that apply to sessions.
    pub idle: IdleRules,
    /// What a user may do about idle checks.
    pub reprieve: ReprieveRules,
    /// Rules for the network of sessions.
    pub network: NetworkRules,
}

impl ResourceRules {
    /// The groups whose CPU or memory exceeds the machine, with the setting and both amounts. They get only
    /// what the machine has.
    #[must_use]
    pub fn larger_than(&self, cpus: Cpu, memory: Bytes) -> Vec<(&str, String)> {
        let cpus = self.host.cpu.unwrap_or(cpus);
        let memory = self.host.mem.unwrap_or(memory);
        let mut found = Vec::new();
        for (name, group) in &self.groups {
            if let Some(cpu) = group
                .most
                .cpu
                .filter(|cpu| cpus.millis() > 0 && *cpu > cpus)
            {
                found.push((
                    name.as_str(),
                    tr!("cpu = {cpu}, but the machine has {cpus} CPU", cpu, cpus),
                ));
            }
            if let Some(mem) = group.most.mem.filter(|mem| memory.0 > 0 && *mem > memory) {
                let why = tr!("mem = {mem}, but the machine has {memory}", mem, memory);
                found.push((name.as_str(), why));
            }
        }
        found
    }
}

/// A resource group: a share of this machine with its own queue.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupRules {
    /// The most that the group may use of the machine. A slot that isn't set has no limit.
    pub most: SlotLimits,
    /// The amounts that are reserved for the machine itself.
    pub reserve_cpu: Cpu,
    pub reserve_mem: Bytes,
    pub order: QueueOrder,
    /// A session at the head of the queue no longer blocks those behind it after this many attempts that
    /// didn't fit; 0 = it always blocks them.
    pub num_retries_to_skip: u32,
    /// A session that waits longer is cancelled; `None` = never.
    pub pending_timeout: Option<Span>,
    /// Whether smaller sessions may start before the first in the queue.
    pub backfill: Backfill,
    /// Once the first session has waited this long, only sessions that provably don't delay it start before
    /// it; `None` = [`GroupRules::AGE_LIMIT`].
    pub backfill_age_limit: Option<Span>,
}

impl GroupRules {
    pub const AGE_LIMIT: Span = Span(30 * 60);

    #[must_use]
    pub fn age_limit(&self) -> Span {
        self.backfill_age_limit.unwrap_or(Self::AGE_LIMIT)
    }
}

/// Whether smaller sessions may start before the first in the queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backfill {
    /// Smaller sessions may start first, even when the start of the first one isn't known.
    #[default]
    On,
    /// Only sessions that provably don't delay the first one may start before it.
    Safe,
    Off,
}

impl Backfill {
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::On => "on",
            Self::Safe => "safe",
            Self::Off => "off",
        }
    }
}

/// The order of sessions that have the same priority.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum QueueOrder {
    #[default]
    Fifo,
    Lifo,
}

/// The most that one user may have at once; `None` = no limit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserLimits {
    pub total: SlotLimits,
    pub per_container: SlotLimits,
    pub shmem: Option<Bytes>,
    pub concurrent_sessions: Option<u32>,
    pub pending_sessions: Option<u32>,
    pub containers_per_session: Option<u32>,
    pub preopen_ports: Option<u32>,
    /// Whether amounts can only come from presets.
    pub presets_only: bool,
}

/// A kind of accelerator.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AcceleratorRules {
    /// How much of it exists, in thousandths; `None` = as found on the machine.
    pub amount: Option<u64>,
    /// The smallest step in thousandths; `None` = 1000 for whole devices, 100 for shares.
    pub quantum: Option<u64>,
    /// How many shares make one device, for fractional kinds.
    pub shares_per_device: Option<u32>,
}

impl Default for ResourceRules {
    /// One group, the whole machine, no presets, no limits.
    fn default() -> Self {
        Self {
            groups: [(DEFAULT_GROUP.to_owned(), GroupRules::default())].into(),
            presets: Vec::new(),
            limits: UserLimits::default(),
            host: SlotLimits::default(),
            accelerators: BTreeMap::new(),
            idle: IdleRules::default(),
            reprieve: ReprieveRules::default(),
            network: NetworkRules::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_that_is_larger_than_the_machine_is_named() {
        let mut rules = ResourceRules::default();
        let mut gpu = GroupRules::default();
        gpu.most.cpu = Some(Cpu::from_millis(99_000));
        rules.groups.insert("gpu".to_owned(), gpu);
        let (cpus, memory) = (Cpu::from_millis(2000), Bytes(Bytes::GIB));
        let why = "cpu = 99, but the machine has 2 CPU".to_owned();
        assert_eq!(rules.larger_than(cpus, memory), [("gpu", why)]);
        // An amount that replaces the machine's own, and an engine that reports none.
        rules.host.cpu = Some(Cpu::from_millis(100_000));
        assert_eq!(rules.larger_than(cpus, memory), []);
        rules.host.cpu = None;
        assert_eq!(rules.larger_than(Cpu::default(), Bytes(0)), []);
    }
}
