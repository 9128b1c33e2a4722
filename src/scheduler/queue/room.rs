//! The resources that exist, and those in use.

use std::collections::BTreeMap;

use crate::model::{
    capability::EngineInfo,
    catalogue::SlotLimits,
    policy::{AcceleratorRules, GroupRules, ResourceRules, UserLimits},
    resources::{Bytes, Cpu, ResourceSlots},
};

use super::wait_reason::{Shortage, WaitReason, shortage};

/// Stands for an unlimited amount, if the engine doesn't report one.
const UNLIMITED: u64 = u64::MAX >> 16;

/// All resources of this machine, and what is in use.
#[derive(Clone, Debug)]
pub(in crate::scheduler) struct Room<'a> {
    rules: &'a ResourceRules,
    host: ResourceSlots,
    /// What all sessions on the machine use.
    used: ResourceSlots,
    /// What the user's sessions use.
    own: ResourceSlots,
    /// The number of the user's sessions that use resources.
    sessions: u32,
    groups: BTreeMap<&'a str, Share>,
}

/// A group's share of the machine.
#[derive(Clone, Debug)]
pub(in crate::scheduler) struct Share {
    /// The upper limit of the group.
    pub capacity: ResourceSlots,
    /// The resources of the machine without its own reserve.
    usable: ResourceSlots,
    pub used: ResourceSlots,
}

impl<'a> Room<'a> {
    /// A machine on which only `others` are in use.
    pub fn new(rules: &'a ResourceRules, info: &EngineInfo, others: &ResourceSlots) -> Self {
        let host = host(rules, info);
        let share = |group: &GroupRules| {
            let usable = host.less(&ResourceSlots::new(group.reserve_cpu, group.reserve_mem));
            Share {
                capacity: at_most(&usable, &group.most),
                usable,
                used: ResourceSlots::default(),
            }
        };
        Self {
            groups: rules
                .groups
                .iter()
                .map(|(name, group)| (name.as_str(), share(group)))
                .collect(),
            used: others.clone(),
            own: ResourceSlots::default(),
            sessions: 0,
            rules,
            host,
        }
    }

    /// Adds the resources of a session.
    pub fn take(&mut self, group: &str, slots: &ResourceSlots) {
        self.used = self.used.plus(slots);
        self.own = self.own.plus(slots);
        self.sessions += 1;
        if let Some(share) = self.groups.get_mut(group) {
            share.used = share.used.plus(slots);
        }
    }

    /// Subtracts the resources of a session that has ended.
    pub fn subtract(&mut self, group: &str, slots: &ResourceSlots) {
        self.used = self.used.less(slots);
        self.own = self.own.less(slots);
        self.sessions = self.sessions.saturating_sub(1);
        if let Some(share) = self.groups.get_mut(group) {
            share.used = share.used.less(slots);
        }
    }

    /// Why a group doesn't have this much available now; `None` if it has.
    pub fn refuses(&self, group: &str, slots: &ResourceSlots) -> Option<WaitReason> {
        let Some(share) = self.groups.get(group) else {
            return Some(WaitReason::NoGroup);
        };
        let limits = self.limits();
        let ever = at_most(&share.capacity, &limits.total);
        if let Some(shortage) = shortage(slots, &ever, &ever) {
            return Some(WaitReason::Never(shortage));
        }
        if let Some(most) = limits.concurrent_sessions
            && self.sessions >= most
        {
            return Some(WaitReason::Sessions {
                running: self.sessions,
                most,
            });
        }
        let limited = at_most(&unlimited(slots), &limits.total);
        if let Some(shortage) = shortage(slots, &limited.less(&self.own), &limited) {
            return Some(WaitReason::Limit(shortage));
        }
        let shortage = shortage(slots, &self.remaining(share), &share.capacity)?;
        Some(WaitReason::Room(self.with_shares(shortage, share)))
    }

    /// Adds what others use, where the machine has less free than the group's capacity leaves.
    fn with_shares(&self, shortage: Shortage, share: &Share) -> Shortage {
        if shortage.has_less_free_than(&share.capacity.less(&share.used)) {
            shortage.shared_by(&self.own, &self.used.less(&self.own))
        } else {
            shortage
        }
    }

    pub fn limits(&self) -> &'a UserLimits {
        &self.rules.limits
    }

    /// All accelerators of the machine.
    pub fn accelerators(&self) -> &BTreeMap<String, u64> {
        &self.host.accelerators
    }

    pub fn own(&self) -> &ResourceSlots {
        &self.own
    }

    pub fn sessions(&self) -> u32 {
        self.sessions
    }

    pub fn groups(&self) -> impl Iterator<Item = (&'a str, &Share)> {
        self.groups.iter().map(|(name, share)| (*name, share))
    }

    /// What is available in a group now, without the user's limits.
    pub fn remaining(&self, share: &Share) -> ResourceSlots {
        let group = share.capacity.less(&share.used);
        let machine = share.usable.less(&self.used);
        at_most(&group, &machine.as_limits())
    }

    /// What the limits still allow the user.
    pub fn left_of_limits(&self) -> SlotLimits {
        let SlotLimits {
            cpu,
            mem,
            accelerators,
        } = &self.limits().total;
        let own = &self.own;
        let left = |(slot, most): (&String, &u64)| {
            let used = own.accelerators.get(slot).copied().unwrap_or(0);
            (slot.clone(), most.saturating_sub(used))
        };
        SlotLimits {
            cpu: cpu.map(|most| Cpu::from_millis(most.millis().saturating_sub(own.cpu.millis()))),
            mem: mem.map(|most| Bytes(most.0.saturating_sub(own.mem.0))),
            accelerators: accelerators.iter().map(left).collect(),
        }
    }
}

impl Share {
    /// The whole capacity; `None` if the engine doesn't report it.
    pub fn reported(&self) -> Option<ResourceSlots> {
        let is_known =
            self.capacity.cpu.millis() < UNLIMITED / 2 && self.capacity.mem.0 < UNLIMITED / 2;
        is_known.then(|| self.capacity.clone())
    }
}

/// Each amount, but not more than the limit.
fn at_most(slots: &ResourceSlots, most: &SlotLimits) -> ResourceSlots {
    let mut least = slots.clone();
    least.cpu = most.cpu.map_or(least.cpu, |most| most.min(least.cpu));
    least.mem = most.mem.map_or(least.mem, |most| most.min(least.mem));
    for (slot, amount) in &mut least.accelerators {
        if let Some(most) = most.accelerators.get(slot) {
            *amount = (*amount).min(*most);
        }
    }
    least
}

/// Unlimited amounts of these slots.
fn unlimited(slots: &ResourceSlots) -> ResourceSlots {
    let accelerators = slots.accelerators.keys();
    ResourceSlots {
        cpu: Cpu::from_millis(UNLIMITED),
        mem: Bytes(UNLIMITED),
        accelerators: accelerators.map(|slot| (slot.clone(), UNLIMITED)).collect(),
    }
}

fn host(rules: &ResourceRules, info: &EngineInfo) -> ResourceSlots {
    let or_unlimited = |amount: u64| if amount == 0 { UNLIMITED } else { amount };
    let mut accelerators = info.accelerators.clone();
    for (slot, rule) in &rules.accelerators {
        if let Some(amount) = amount(slot, rule, info) {
            accelerators.insert(slot.clone(), amount);
        }
    }
    accelerators.retain(|_, amount| *amount > 0);
    ResourceSlots {
        cpu: rules
            .host
            .cpu
            .unwrap_or_else(|| Cpu::from_millis(or_unlimited(info.cpus.millis()))),
        mem: rules
            .host
            .mem
            .unwrap_or_else(|| Bytes(or_unlimited(info.memory.0))),
        accelerators,
    }
}

/// The declared amount. For shares of detected devices, the number of devices decides.
fn amount(slot: &str, rule: &AcceleratorRules, info: &EngineInfo) -> Option<u64> {
    let found = || {
        let kind = slot.strip_suffix(".shares")?;
        let devices = info.accelerators.get(&format!("{kind}.device"))?;
        Some(devices.saturating_mul(u64::from(rule.shares_per_device?)))
    };
    rule.amount.or_else(found)
}
