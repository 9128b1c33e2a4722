//! The available resources for a launch: groups, presets, limits, accelerators, folders.

use std::collections::BTreeMap;

use super::{
    core::Scheduler,
    queue::{Room, Share},
    turn::Turn,
};
use crate::{
    model::{
        capability::EngineState,
        catalogue::{
            AcceleratorKind, AgentSlots, Catalogue, Limits, Policy, Preset, ResourceGroup,
            SlotLimits,
        },
        change::Change,
        policy::AcceleratorRules,
        resources::{Bytes, Cpu, ResourceSlots},
        span::Span,
        statistics::Statistics,
        text::Clean,
    },
    rules::launch::amounts,
};

/// A note about accelerators that are only counted.
const BOOKKEEPING: &str = tr_sent!("counted only on this engine: devices aren't isolated");

impl Scheduler {
    /// The resources as of the last survey. Without an engine, nothing can be chosen.
    pub(super) fn catalogue(&self) -> Catalogue {
        let Some(room) = self.room() else {
            return Catalogue::default();
        };
        let waiting = self.waiting_by_group();
        let rules = &self.settings.resources;
        let groups = groups(&room, &waiting);
        let mut offer = Catalogue {
            limits: limits(&room),
            resource_groups: groups,
            folders: self.folders.clone(),
            policy: self.policy(room.sessions()),
            accelerators: self.kinds(&room),
            quanta: self.quanta(&room),
            presets_only: rules.limits.presets_only,
            idle: rules.idle.clone(),
            reprieve: rules.reprieve.clone(),
            ..Catalogue::default()
        };
        offer.presets = rules
            .presets
            .iter()
            .map(|preset| with_availability(preset, &offer))
            .collect();
        offer
    }

    /// After each turn: reports the statistics if they have changed.
    pub(super) fn report_statistics(&mut self, turn: &mut Turn) {
        let known = self.statistics.is_some();
        if known == self.is_connected() && !turn.stirred && !self.has_moved(turn) {
            return;
        }
        let now = self.count();
        if now != self.statistics {
            self.statistics.clone_from(&now);
            turn.changes.push(Change::Statistics {
                context: self.context,
                statistics: now.map(Box::new),
            });
        }
    }

    /// The statistics now; `None` without an engine.
    pub(super) fn count(&self) -> Option<Statistics> {
        let room = self.room()?;
        Some(Statistics {
            groups: groups(&room, &self.waiting_by_group()),
            limits: limits(&room),
            sessions: Some(room.sessions()),
            max_sessions: room.limits().concurrent_sessions,
        })
    }

    fn policy(&self, sessions: u32) -> Policy {
        let limits = &self.settings.resources.limits;
        let idle = &self.settings.resources.idle;
        Policy {
            max_concurrent_sessions: limits.concurrent_sessions,
            concurrent_sessions: Some(sessions),
            max_containers_per_session: limits.containers_per_session,
            max_pending_sessions: limits.pending_sessions,
            max_session_lifetime: idle.session_lifetime.map(Span::seconds),
            idle_timeout: idle.network_timeout.map(Span::seconds),
            per_container: self.per_container(),
            max_shmem: limits.shmem,
            max_preopen_ports: limits.preopen_ports,
            ..Policy::default()
        }
    }

    /// The policy's limits, but never more than the machine has.
    fn per_container(&self) -> SlotLimits {
        let mut most = self.settings.resources.limits.per_container.clone();
        if let EngineState::Connected { info } = &self.connection.state {
            let limit = |amount: u64| Some(amount).filter(|amount| *amount > 0);
            most.tighten(&SlotLimits {
                cpu: limit(info.cpus.millis()).map(Cpu::from_millis),
                mem: limit(info.memory.0).map(Bytes),
                ..SlotLimits::default()
            });
        }
        most
    }

    fn kinds(&self, room: &Room<'_>) -> Vec<AcceleratorKind> {
        room.accelerators()
            .keys()
            .map(|slot| AcceleratorKind {
                slot: slot.clone(),
                unit: Clean::new(&AcceleratorKind::usual_unit(slot)),
                note: self.note(slot).map(|text| Clean::new(&text)),
                shares_per_device: self.shares_per_device(slot),
            })
            .collect()
    }

    /// What a share is, and whether the engine assigns the devices.
    fn note(&self, slot: &str) -> Option<String> {
        let found = match &self.connection.state {
            EngineState::Connected { info } => info.accelerators.contains_key(slot),
            _ => false,
        };
        let share = self.conversion(slot);
        let counted = (is_fraction(slot) || !found).then(|| BOOKKEEPING.to_owned());
        let parts: Vec<String> = [share, counted].into_iter().flatten().collect();
        (!parts.is_empty()).then(|| parts.join("; "))
    }

    fn conversion(&self, slot: &str) -> Option<String> {
        let count = self.shares_per_device(slot)?;
        Some(AcceleratorKind::conversion_of(slot, count))
    }

    fn shares_per_device(&self, slot: &str) -> Option<u32> {
        let rule = self.settings.resources.accelerators.get(slot)?;
        rule.shares_per_device.filter(|_| is_fraction(slot))
    }

    fn quanta(&self, room: &Room<'_>) -> BTreeMap<String, u64> {
        let rules = &self.settings.resources.accelerators;
        let quantum = |slot: &String| {
            let rule: Option<&AcceleratorRules> = rules.get(slot);
            let quantum = rule.and_then(|rule| rule.quantum).filter(|it| *it > 0);
            let usual = || amounts::quantum(slot, 1, None);
            (slot.clone(), quantum.unwrap_or_else(usual))
        };
        room.accelerators().keys().map(quantum).collect()
    }
}

fn groups(room: &Room<'_>, waiting: &BTreeMap<&str, u32>) -> Vec<ResourceGroup> {
    let all = room.groups();
    all.map(|(name, share)| group(room, name, share, waiting))
        .collect()
}

fn limits(room: &Room<'_>) -> Limits {
    Limits {
        limits: room.limits().total.clone(),
        using: room.own().clone(),
        remaining: room.left_of_limits(),
    }
}

fn group(
    room: &Room<'_>,
    name: &str,
    share: &Share,
    waiting: &BTreeMap<&str, u32>,
) -> ResourceGroup {
    ResourceGroup {
        name: Clean::new(name),
        using: share.used.clone(),
        remaining: room.remaining(share),
        waiting: Some(waiting.get(name).copied().unwrap_or(0)),
        capacity: share.reported(),
        free: share.reported().map(|_| room.remaining(share)),
        free_by_agent: Some(vec![this_machine(room.remaining(share))]),
    }
}

/// An engine has one machine, which has no name.
fn this_machine(slots: ResourceSlots) -> AgentSlots {
    AgentSlots {
        agent: Clean::default(),
        slots,
    }
}

/// A preset, and whether it fits now in its group, or in any group.
fn with_availability(preset: &Preset, offer: &Catalogue) -> Preset {
    let fits = offer
        .resource_groups
        .iter()
        .filter(|group| {
            preset
                .resource_group
                .as_ref()
                .is_none_or(|only| *only == group.name)
        })
        .any(|group| {
            let free = amounts::free(Some(offer), Some(group));
            free.exceeded_by(&preset.slots, Some(offer)).is_none() && has_all(group, &preset.slots)
        });
    Preset {
        allocatable: Some(fits),
        ..preset.clone()
    }
}

/// A kind of accelerator that the group doesn't have is not unlimited.
fn has_all(group: &ResourceGroup, slots: &ResourceSlots) -> bool {
    let there = &group.remaining.accelerators;
    slots
        .accelerators
        .iter()
        .all(|(slot, amount)| *amount == 0 || there.contains_key(slot))
}

fn is_fraction(slot: &str) -> bool {
    slot.ends_with(".shares")
}
