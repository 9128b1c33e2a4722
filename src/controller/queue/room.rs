//! What there is, and what of it is held.

use std::collections::BTreeMap;

use crate::model::{
    capability::EngineInfo,
    catalogue::SlotLimits,
    policy::{AcceleratorRules, GroupRules, ResourceRules, UserLimits},
    resources::{Bytes, Cpu, ResourceSlots},
};

use super::hold::{Hold, Shortage, shortage};

/// An amount the engine does not tell is not limited.
const UNTOLD: u64 = u64::MAX >> 16;

/// All of this machine and who holds what of it.
#[derive(Clone, Debug)]
pub(in crate::controller) struct Room<'a> {
    rules: &'a ResourceRules,
    host: ResourceSlots,
    /// Of the whole machine, by whomever.
    held: ResourceSlots,
    /// By this person's sessions.
    own: ResourceSlots,
    /// This person's sessions that hold something.
    sessions: u32,
    groups: BTreeMap<&'a str, Share>,
}

/// A group's share of the machine.
#[derive(Clone, Debug)]
pub(in crate::controller) struct Share {
    /// Never more than this.
    pub capacity: ResourceSlots,
    /// The machine without what is left to itself.
    usable: ResourceSlots,
    pub held: ResourceSlots,
}

impl<'a> Room<'a> {
    /// A machine on which nobody holds anything but `others`.
    pub fn new(rules: &'a ResourceRules, info: &EngineInfo, others: &ResourceSlots) -> Self {
        let host = host(rules, info);
        let share = |group: &GroupRules| {
            let usable = host.less(&ResourceSlots::new(group.reserve_cpu, group.reserve_mem));
            Share {
                capacity: at_most(&usable, &group.most),
                usable,
                held: ResourceSlots::default(),
            }
        };
        Self {
            groups: rules
                .groups
                .iter()
                .map(|(name, group)| (name.as_str(), share(group)))
                .collect(),
            held: others.clone(),
            own: ResourceSlots::default(),
            sessions: 0,
            rules,
            host,
        }
    }

    /// A session of this person holds so much.
    pub fn take(&mut self, group: &str, slots: &ResourceSlots) {
        self.held = self.held.plus(slots);
        self.own = self.own.plus(slots);
        self.sessions += 1;
        if let Some(share) = self.groups.get_mut(group) {
            share.held = share.held.plus(slots);
        }
    }

    /// A session that held so much has ended.
    pub fn give_back(&mut self, group: &str, slots: &ResourceSlots) {
        self.held = self.held.less(slots);
        self.own = self.own.less(slots);
        self.sessions = self.sessions.saturating_sub(1);
        if let Some(share) = self.groups.get_mut(group) {
            share.held = share.held.less(slots);
        }
    }

    /// Why so much cannot be had now in a group; `None` = it can.
    pub fn refuses(&self, group: &str, slots: &ResourceSlots) -> Option<Hold> {
        let Some(share) = self.groups.get(group) else {
            return Some(Hold::NoGroup);
        };
        let limits = self.limits();
        let nothing = ResourceSlots::default();
        let ever = at_most(&share.capacity, &limits.total);
        if let Some(shortage) = shortage(slots, &nothing, &ever) {
            return Some(Hold::Never(shortage));
        }
        if let Some(most) = limits.concurrent_sessions
            && self.sessions >= most
        {
            return Some(Hold::Sessions {
                running: self.sessions,
                most,
            });
        }
        let limited = at_most(&untold(slots), &limits.total);
        if let Some(shortage) = shortage(slots, &self.own, &limited) {
            return Some(Hold::Limit(shortage));
        }
        let of_group = shortage(slots, &share.held, &share.capacity);
        let of_machine = || shortage(slots, &self.held, &share.usable);
        let room = |shortage: Shortage, machine| Hold::Room { shortage, machine };
        of_group
            .map(|shortage| room(shortage, false))
            .or_else(|| of_machine().map(|shortage| room(shortage, true)))
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

    /// What can still be had in a group now, limits aside.
    pub fn remaining(&self, share: &Share) -> ResourceSlots {
        let group = share.capacity.less(&share.held);
        let machine = share.usable.less(&self.held);
        at_most(&group, &machine.as_limits())
    }

    /// What one person may still ask for.
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
    /// All of it, unless the engine does not tell what there is.
    pub fn told(&self) -> Option<ResourceSlots> {
        let told = self.capacity.cpu.millis() < UNTOLD / 2 && self.capacity.mem.0 < UNTOLD / 2;
        told.then(|| self.capacity.clone())
    }
}

/// Each amount, and no more than the limit.
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

/// No limit on any of these slots.
fn untold(slots: &ResourceSlots) -> ResourceSlots {
    let accelerators = slots.accelerators.keys();
    ResourceSlots {
        cpu: Cpu::from_millis(UNTOLD),
        mem: Bytes(UNTOLD),
        accelerators: accelerators.map(|slot| (slot.clone(), UNTOLD)).collect(),
    }
}

fn host(rules: &ResourceRules, info: &EngineInfo) -> ResourceSlots {
    let or_untold = |told: u64| if told == 0 { UNTOLD } else { told };
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
            .unwrap_or_else(|| Cpu::from_millis(or_untold(info.cpus.millis()))),
        mem: rules
            .host
            .mem
            .unwrap_or_else(|| Bytes(or_untold(info.memory.0))),
        accelerators,
    }
}

/// As declared; shares of devices that were found are as many as the devices make.
fn amount(slot: &str, rule: &AcceleratorRules, info: &EngineInfo) -> Option<u64> {
    let found = || {
        let kind = slot.strip_suffix(".shares")?;
        let devices = info.accelerators.get(&format!("{kind}.device"))?;
        Some(devices.saturating_mul(u64::from(rule.shares_per_device?)))
    };
    rule.amount.or_else(found)
}
