//! What a user's sessions use of what they may use, for the two bars per resource above the list.

use serde::{Deserialize, Serialize};

use super::{
    catalogue::{Limits, ResourceGroup, SlotLimits},
    resources::ResourceSlots,
};

/// The engine reports an amount of this size or larger when it doesn't know the real one.
const ENDLESS: u64 = u64::MAX >> 17;

/// The figures as the engine counts them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Statistics {
    pub groups: Vec<ResourceGroup>,
    pub limits: Limits,
    /// The number of sessions that use resources now. `max_sessions` is its limit.
    pub sessions: Option<u32>,
    pub max_sessions: Option<u32>,
}

/// A kind of resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResourceKind {
    /// In thousandths of a core.
    Cpu,
    /// In bytes.
    Mem,
    /// By its slot (`cuda.shares`), in thousandths.
    Accelerator(String),
}

/// The whole that an amount is a part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whole {
    /// All that the group has.
    Total(u64),
    /// The limit, where the total isn't known.
    Limit(u64),
    /// The engine doesn't disclose what the group has.
    Hidden,
    /// There is no limit.
    Unlimited,
}

/// A part of a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    pub used: u64,
    /// What other users use of a total; 0 where the whole isn't a total.
    pub others: u64,
    /// What is free of a total, or else what is still available; `None` = not known.
    pub free: Option<u64>,
    pub whole: Whole,
}

/// The two bars of a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allotment {
    pub kind: ResourceKind,
    /// Used in the group, of everything the group has. Where that isn't disclosed, of the limit.
    pub in_group: Part,
    /// Used in all groups, of the limit.
    pub in_total: Part,
}

impl Statistics {
    /// The group of that name, or the first group.
    pub fn group(&self, name: Option<&str>) -> Option<&ResourceGroup> {
        let named = self
            .groups
            .iter()
            .find(|group| Some(group.name.as_str()) == name);
        named.or_else(|| self.groups.first())
    }

    /// Whether the use in all groups can differ from the use in one group.
    pub fn has_total(&self) -> bool {
        let limits = &self.limits.limits;
        let limited = limits.cpu.is_some() || limits.mem.is_some();
        self.groups.len() > 1 || limited || !limits.accelerators.is_empty()
    }

    /// What a user uses in a group and in all groups. Accelerators that are neither used nor available are
    /// left out.
    pub fn allotments(&self, group: &ResourceGroup) -> Vec<Allotment> {
        let accelerators = group.using.accelerators.keys();
        let accelerators = accelerators.chain(group.remaining.accelerators.keys());
        let mut kinds: Vec<String> = accelerators.cloned().collect();
        kinds.sort_unstable();
        kinds.dedup();
        let kinds = kinds.into_iter().map(ResourceKind::Accelerator);
        [ResourceKind::Cpu, ResourceKind::Mem]
            .into_iter()
            .chain(kinds)
            .map(|kind| self.allotment(group, kind))
            .filter(|it| {
                let there =
                    it.in_group.used > 0 || it.in_group.all().or(it.in_group.free) != Some(0);
                there || !matches!(it.kind, ResourceKind::Accelerator(_))
            })
            .collect()
    }

    fn allotment(&self, group: &ResourceGroup, kind: ResourceKind) -> Allotment {
        let here = kind.of(&group.using);
        let anywhere = kind.of(&self.limits.using).max(here);
        let limit = kind.limit(&self.limits.limits).filter(|it| *it < ENDLESS);
        Allotment {
            in_group: self.in_group(group, &kind, limit),
            in_total: Part {
                used: anywhere,
                others: 0,
                free: limit.map(|limit| limit.saturating_sub(anywhere)),
                whole: limit.map_or(Whole::Unlimited, |limit| Whole::Limit(limit.max(anywhere))),
            },
            kind,
        }
    }

    /// `remaining` is the smaller of what is free in the group and what the limits leave. Where the limits
    /// may decide, it doesn't show what others use.
    fn in_group(&self, group: &ResourceGroup, kind: &ResourceKind, limit: Option<u64>) -> Part {
        let used = kind.of(&group.using);
        let left = Some(kind.of(&group.remaining)).filter(|left| *left < ENDLESS);
        let allowed = kind.limit(&self.limits.remaining);
        let limited = left.is_none_or(|left| allowed.is_some_and(|allowed| left >= allowed));
        let free = if limited {
            let free = group.free.as_ref().map(|free| kind.of(free));
            free.map(|free| free.max(left.unwrap_or(0)))
        } else {
            left
        };
        let capacity = group.capacity.as_ref().map(|all| kind.of(all));
        let capacity = capacity.filter(|all| *all < ENDLESS && *all >= used);
        if let (Some(all), Some(free)) = (capacity, free.filter(|free| *free < ENDLESS)) {
            let free = free.min(all - used);
            return Part {
                used,
                others: all - used - free,
                free: Some(free),
                whole: Whole::Total(all),
            };
        }
        let limit = limit.filter(|_| limited);
        Part {
            used,
            others: 0,
            free: left,
            whole: limit.map_or(Whole::Hidden, |limit| Whole::Limit(limit.max(used))),
        }
    }
}

impl ResourceKind {
    fn of(&self, slots: &ResourceSlots) -> u64 {
        match self {
            Self::Cpu => slots.cpu.millis(),
            Self::Mem => slots.mem.0,
            Self::Accelerator(slot) => slots.accelerators.get(slot).copied().unwrap_or(0),
        }
    }

    fn limit(&self, limits: &SlotLimits) -> Option<u64> {
        match self {
            Self::Cpu => limits.cpu.map(super::resources::Cpu::millis),
            Self::Mem => limits.mem.map(|mem| mem.0),
            Self::Accelerator(slot) => limits.accelerators.get(slot).copied(),
        }
    }
}

impl Part {
    /// The size of the whole, where it is an amount.
    pub fn all(self) -> Option<u64> {
        match self.whole {
            Whole::Total(all) | Whole::Limit(all) => Some(all),
            Whole::Hidden | Whole::Unlimited => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::resources::{Bytes, Cpu};

    fn slots(cores: u64, gib: u64, gpus: Option<u64>) -> ResourceSlots {
        let mut slots = ResourceSlots::new(Cpu::from_millis(cores * 1000), Bytes(gib * Bytes::GIB));
        let gpus = gpus.map(|gpus| ("cuda.device".to_owned(), gpus * 1000));
        slots.accelerators.extend(gpus);
        slots
    }

    fn statistics(using: ResourceSlots, remaining: ResourceSlots) -> Statistics {
        let group = ResourceGroup {
            name: "default".into(),
            using,
            remaining,
            waiting: None,
            capacity: None,
            free: None,
            free_by_agent: None,
        };
        Statistics {
            groups: vec![group],
            ..Statistics::default()
        }
    }

    fn bars(statistics: &Statistics) -> Vec<(Part, Part)> {
        let all = statistics.allotments(&statistics.groups[0]);
        all.into_iter()
            .map(|it| (it.in_group, it.in_total))
            .collect()
    }

    fn part(used: u64, others: u64, free: Option<u64>, whole: Whole) -> Part {
        Part {
            used,
            others,
            free,
            whole,
        }
    }

    fn limits(cores: u64, left: u64) -> Limits {
        let of = |cores| SlotLimits {
            cpu: Some(Cpu::from_millis(cores * 1000)),
            ..SlotLimits::default()
        };
        Limits {
            limits: of(cores),
            remaining: of(left),
            ..Limits::default()
        }
    }

    #[test]
    fn what_others_use_is_a_part_of_the_group() {
        let mut it = statistics(slots(5, 4, None), slots(0, 2, None));
        it.groups[0].capacity = Some(slots(12, 8, None));
        let [cpu, memory] = bars(&it)[..] else {
            panic!("two kinds");
        };
        let total = Whole::Total;
        assert_eq!(cpu.0, part(5000, 7000, Some(0), total(12_000)));
        let gib = Bytes::GIB;
        let expected = part(4 * gib, 2 * gib, Some(2 * gib), total(8 * gib));
        assert_eq!(memory.0, expected);
        // Others use everything, but the bar stays.
        let mut it = statistics(slots(0, 0, None), slots(0, 0, None));
        assert_eq!(bars(&it).len(), 2);
        it.groups[0].capacity = Some(slots(12, 8, None));
        assert_eq!(bars(&it)[0].0, part(0, 12_000, Some(0), total(12_000)));
    }

    #[test]
    fn what_a_limit_forbids_is_not_held_by_others() {
        // Others use 20 of 100 cores. The limit of 8 leaves 5.
        let mut it = statistics(slots(3, 1, None), slots(5, 10, None));
        it.limits = limits(8, 5);
        it.groups[0].capacity = Some(slots(100, 20, None));
        it.groups[0].free = Some(slots(77, 10, None));
        let total = Whole::Total(100_000);
        assert_eq!(bars(&it)[0].0, part(3000, 20_000, Some(77_000), total));
        assert_eq!(bars(&it)[0].1.whole, Whole::Limit(8000));
        // Less is free than the limit leaves, so the newer figure counts.
        it.groups[0].remaining = slots(2, 10, None);
        assert_eq!(bars(&it)[0].0, part(3000, 95_000, Some(2000), total));
        // What is free in the group isn't known, so the use of others isn't known either.
        it.groups[0].remaining = slots(5, 10, None);
        it.groups[0].free = None;
        let limit = part(3000, 0, Some(5000), Whole::Limit(8000));
        assert_eq!(bars(&it)[0].0, limit);
    }

    #[test]
    fn without_the_capacity_a_limit_is_called_a_limit_and_the_total_is_hidden() {
        let mut it = statistics(slots(3, 1, None), slots(5, 10, None));
        it.limits = limits(8, 5);
        let gib = Bytes::GIB;
        let hidden = part(gib, 0, Some(10 * gib), Whole::Hidden);
        let limit = part(3000, 0, Some(5000), Whole::Limit(8000));
        assert_eq!(bars(&it)[0].0, limit);
        assert_eq!(bars(&it)[1].0, hidden, "memory has no limit");
        // The group has less free than the limit leaves. `remaining` is what is free there, and the total is
        // hidden.
        it.groups[0].remaining = slots(2, 10, None);
        let fuller = part(3000, 0, Some(2000), Whole::Hidden);
        assert_eq!(bars(&it)[0].0, fuller);
        // A limit that isn't reported (that of a domain) leaves the same amount.
        it.limits.limits = SlotLimits::default();
        it.groups[0].remaining = slots(5, 10, None);
        let unreported = part(3000, 0, Some(5000), Whole::Hidden);
        assert_eq!(bars(&it)[0].0, unreported);
    }

    #[test]
    fn a_single_group_without_a_limit_is_the_total() {
        let mut it = statistics(slots(1, 2, None), slots(3, 6, None));
        assert!(!it.has_total());
        it.limits.limits.cpu = Some(Cpu::from_millis(4000));
        assert!(it.has_total());
    }

    #[test]
    fn a_limit_is_the_whole_and_never_less_than_what_is_held() {
        let mut it = statistics(slots(1, 2, None), slots(3, 6, None));
        it.limits.using = slots(5, 2, None);
        assert_eq!(bars(&it)[0].1, part(5000, 0, None, Whole::Unlimited));
        it.limits.limits.cpu = Some(Cpu::from_millis(4000));
        assert_eq!(bars(&it)[0].1, part(5000, 0, Some(0), Whole::Limit(5000)));
        it.limits.limits.cpu = Some(Cpu::from_millis(20_000));
        let limit = part(5000, 0, Some(15_000), Whole::Limit(20_000));
        assert_eq!(bars(&it)[0].1, limit);
    }

    #[test]
    fn accelerators_are_there_when_held_or_to_be_had() {
        let gpus = |using, remaining| {
            let it = statistics(slots(0, 0, using), slots(1, 1, remaining));
            bars(&it).get(2).map(|(here, _)| (here.used, here.free))
        };
        assert_eq!(gpus(Some(1), Some(0)), Some((1000, Some(0))));
        assert_eq!(gpus(None, Some(2)), Some((0, Some(2000))));
        assert_eq!(gpus(Some(0), Some(0)), None);
    }

    #[test]
    fn what_is_not_reported_is_no_whole() {
        let endless = ResourceSlots::new(Cpu::from_millis(u64::MAX >> 16), Bytes(u64::MAX >> 16));
        let it = statistics(slots(1, 1, None), endless);
        let hidden = part(1000, 0, None, Whole::Hidden);
        assert_eq!(bars(&it)[0].0, hidden);
    }

    #[test]
    fn a_group_that_is_not_there_is_the_first() {
        let it = statistics(slots(1, 1, None), slots(1, 1, None));
        assert_eq!(it.group(Some("default")), it.group(Some("other")));
        assert_eq!(Statistics::default().group(None), None);
    }
}
