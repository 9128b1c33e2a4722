//! What the user's sessions use, computed from the sessions themselves: a manager's own figures are
//! up to half a minute late, but its events aren't.

use std::collections::BTreeMap;

use super::{core::Observer, rows::place, sweep::UNFINISHED, turn::Turn};
use crate::model::{
    catalogue::{Catalogue, Limits, ResourceGroup, SlotLimits},
    resources::{Bytes, Cpu, ResourceSlots},
    session::Session,
    status::{Status, Tab},
    text::Clean,
};

/// An amount from here on means that there is no limit.
const ENDLESS: u64 = u64::MAX >> 17;

/// The totals of one group, or of all groups.
#[derive(Debug, Default)]
struct GroupTotals {
    slots: ResourceSlots,
    sessions: u32,
    /// The number of sessions in the queue.
    waiting: u32,
}

impl GroupTotals {
    fn add(&mut self, session: &Session) {
        if session.status == Status::Pending {
            self.waiting += 1;
        } else {
            self.slots = self.slots.plus(slots_of(session));
            self.sessions += 1;
        }
    }
}

/// The totals by group.
struct Holding(BTreeMap<Clean, GroupTotals>);

impl Observer {
    /// `None` unless all unfinished sessions of the user and their groups are known.
    fn holding(&self) -> Option<Holding> {
        let known = self.times.read_done.is_some();
        if !known || self.counts[place(Tab::Running)] >= UNFINISHED as usize {
            return None;
        }
        let user = self.connection.info.as_ref()?.user.as_ref();
        let mut groups: BTreeMap<Clean, GroupTotals> = BTreeMap::new();
        for session in self.sessions().filter(|it| counts(&it.status)) {
            if user.is_some_and(|user| user.email != session.owner) {
                continue;
            }
            let group = session.placement.resource_group.clone()?;
            groups.entry(group).or_default().add(session);
        }
        Some(Holding(groups))
    }

    /// Corrects the statistics by our own sessions, and reports them if they have changed.
    pub(super) fn report_statistics_again(&mut self, turn: &mut Turn) {
        self.stirred = false;
        let Some(mut statistics) = self.counted.clone() else {
            return;
        };
        self.add_capacity(&mut statistics.groups);
        if let Some(holding) = self.holding() {
            holding.correct(&mut statistics.groups, &mut statistics.limits);
            statistics.sessions = Some(holding.sessions());
        }
        self.report_statistics(turn, Some(statistics));
    }

    /// Corrects a catalog in the same way.
    pub(super) fn as_known(&self, catalogue: &Catalogue) -> Catalogue {
        let mut catalogue = catalogue.clone();
        if let Some(holding) = self.holding() {
            holding.correct(&mut catalogue.resource_groups, &mut catalogue.limits);
        }
        catalogue
    }

    /// Adds the total capacity of groups, which is known from a catalog.
    fn add_capacity(&self, groups: &mut [ResourceGroup]) {
        let known = || {
            self.catalogues
                .values()
                .flat_map(|(_, it)| &it.resource_groups)
        };
        for group in groups.iter_mut().filter(|it| it.capacity.is_none()) {
            let same = known().find(|it| it.name == group.name);
            group.capacity = same.and_then(|it| it.capacity.clone());
            group.free = same.and_then(|it| it.free.clone());
        }
    }
}

/// Whether the session is in the queue or on an agent.
fn counts(status: &Status) -> bool {
    matches!(
        status,
        Status::Pending
            | Status::Scheduled
            | Status::Preparing
            | Status::Pulling
            | Status::Prepared
            | Status::Creating
            | Status::Running
            | Status::RunningDegraded
            | Status::Restarting
            | Status::Terminating
    )
}

fn slots_of(session: &Session) -> &ResourceSlots {
    if session.occupied_slots == ResourceSlots::default() {
        &session.requested_slots
    } else {
        &session.occupied_slots
    }
}

impl Holding {
    fn sessions(&self) -> u32 {
        self.0.values().map(|held| held.sessions).sum()
    }

    fn correct(&self, groups: &mut [ResourceGroup], limits: &mut Limits) {
        let mut all = ResourceSlots::default();
        for held in self.0.values() {
            all = all.plus(&held.slots);
        }
        for group in groups {
            match self.0.get(&group.name) {
                Some(held) => correct(group, held),
                None => correct(group, &GroupTotals::default()),
            }
        }
        let left = &limits.remaining;
        limits.remaining = SlotLimits {
            cpu: left.cpu.map(|cpu| {
                let (before, now) = (limits.using.cpu.millis(), all.cpu.millis());
                Cpu::from_millis(moved(cpu.millis(), before, now))
            }),
            mem: left
                .mem
                .map(|mem| Bytes(moved(mem.0, limits.using.mem.0, all.mem.0))),
            accelerators: accelerators(&left.accelerators, &limits.using, &all),
        };
        limits.using = all;
    }
}

/// The available amount changes with the used one, but never exceeds the capacity.
fn correct(group: &mut ResourceGroup, held: &GroupTotals) {
    let (before, now) = (&group.using, &held.slots);
    let most = group.capacity.as_ref().map(|all| all.less(now));
    group.remaining = left(&group.remaining, before, now, most.as_ref());
    group.free = group
        .free
        .as_ref()
        .map(|it| left(it, before, now, most.as_ref()));
    group.using = now.clone();
    if held.waiting > 0 {
        group.waiting = Some(group.waiting.unwrap_or(0).max(held.waiting));
    }
}

fn left(
    reported: &ResourceSlots,
    before: &ResourceSlots,
    now: &ResourceSlots,
    most: Option<&ResourceSlots>,
) -> ResourceSlots {
    let cpu = moved(reported.cpu.millis(), before.cpu.millis(), now.cpu.millis());
    let mut left = ResourceSlots {
        cpu: Cpu::from_millis(cpu),
        mem: Bytes(moved(reported.mem.0, before.mem.0, now.mem.0)),
        accelerators: accelerators(&reported.accelerators, before, now),
    };
    if let Some(most) = most {
        left.cpu = left.cpu.min(most.cpu);
        left.mem = left.mem.min(most.mem);
        for (slot, amount) in &mut left.accelerators {
            *amount = (*amount).min(of(most, slot));
        }
    }
    left
}

fn accelerators(
    left: &BTreeMap<String, u64>,
    before: &ResourceSlots,
    now: &ResourceSlots,
) -> BTreeMap<String, u64> {
    let moved = |(slot, amount): (&String, &u64)| {
        let amount = moved(*amount, of(before, slot), of(now, slot));
        (slot.clone(), amount)
    };
    left.iter().map(moved).collect()
}

fn of(slots: &ResourceSlots, slot: &str) -> u64 {
    slots.accelerators.get(slot).copied().unwrap_or(0)
}

fn moved(left: u64, before: u64, now: u64) -> u64 {
    if left >= ENDLESS {
        return left;
    }
    left.saturating_add(before).saturating_sub(now)
}
