//! What a site and a person have set about resources: groups, presets, limits, accelerators.
//! `config/` reads it from the site's and the person's `resources.toml`.

use std::collections::BTreeMap;

use super::{
    catalogue::{Preset, SlotLimits},
    idle::{IdleRules, ReprieveRules},
    network::NetworkRules,
    resources::{Bytes, Cpu},
    span::Span,
    spec::DEFAULT_GROUP,
};

/// The whole of it. The site's and the person's files are one by then: a group or preset of the
/// same name is the person's, of two limits the tighter one counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceRules {
    /// By name; never empty.
    pub groups: BTreeMap<String, GroupRules>,
    /// Sorted by name.
    pub presets: Vec<Preset>,
    pub limits: UserLimits,
    /// What the machine is taken to have, where that is not what it has: more of it lets sessions
    /// share, less leaves some aside. One container never gets more than there really is.
    pub host: SlotLimits,
    /// Accelerators that are declared, or told more of, by slot name.
    pub accelerators: BTreeMap<String, AcceleratorRules>,
    /// Who is reclaimed, and when.
    pub idle: IdleRules,
    /// What a person may do against it.
    pub reprieve: ReprieveRules,
    /// What sessions reach.
    pub network: NetworkRules,
}

/// A resource group: a share of this machine with a queue of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupRules {
    /// At most so much of the machine; what is not set is all of it.
    pub most: SlotLimits,
    /// Left to the machine itself.
    pub reserve_cpu: Cpu,
    pub reserve_mem: Bytes,
    pub order: QueueOrder,
    /// A session at the head that did not fit so often no longer holds up those behind it; 0 = it
    /// always does.
    pub num_retries_to_skip: u32,
    /// A session that waits longer is cancelled; `None` = never.
    pub pending_timeout: Option<Span>,
    /// Whether smaller sessions may start before the first in the queue.
    pub backfill: Backfill,
    /// Once the first has waited so long, only what provably does not delay it starts before it; `None` =
    /// [`GroupRules::AGE_LIMIT`].
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
    /// Where the first one's start is not known, too.
    #[default]
    On,
    /// Only those that provably do not delay it.
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

/// Who comes first among sessions of the same priority.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum QueueOrder {
    #[default]
    Fifo,
    Lifo,
}

/// What one person may have at once; `None` = no limit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserLimits {
    pub total: SlotLimits,
    pub per_container: SlotLimits,
    pub shmem: Option<Bytes>,
    pub concurrent_sessions: Option<u32>,
    pub pending_sessions: Option<u32>,
    pub containers_per_session: Option<u32>,
    pub preopen_ports: Option<u32>,
    /// Amounts are chosen from presets only.
    pub presets_only: bool,
}

/// A kind of accelerator.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AcceleratorRules {
    /// How much of it there is, in thousandths; `None` = as found on the machine.
    pub amount: Option<u64>,
    /// The smallest step in thousandths; `None` = 1000 of whole devices, 100 of shares.
    pub quantum: Option<u64>,
    /// Shares that make a whole device, for fractional kinds.
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
