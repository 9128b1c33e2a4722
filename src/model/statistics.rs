//! What a person's sessions hold of what they may hold: the two bars per resource above the list.

use serde::{Deserialize, Serialize};

use super::{
    catalogue::{Limits, ResourceGroup},
    resources::ResourceSlots,
};

/// An amount from here on is no amount: the engine does not tell what there is.
const ENDLESS: u64 = u64::MAX >> 17;

/// As the engine counts them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statistics {
    pub groups: Vec<ResourceGroup>,
    pub limits: Limits,
    /// Sessions that hold something now, and how many may.
    pub sessions: Option<u32>,
    pub max_sessions: Option<u32>,
}

/// A kind of resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// In thousandths of a core.
    Cpu,
    /// In bytes.
    Mem,
    /// By its slot (`cuda.shares`), in thousandths.
    Accelerator(String),
}

/// A part of a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    pub used: u64,
    /// What others hold of the whole; 0 where nobody tells.
    pub others: u64,
    /// `None` = there is no limit, or the engine does not tell.
    pub all: Option<u64>,
}

/// The two bars of a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allotment {
    pub kind: Kind,
    /// Held in the group, of all the group has; where that is not told, of what is held and can still be
    /// had there.
    pub in_group: Part,
    /// Held anywhere, of the person's limit; without one, of what is held anywhere and can still be
    /// had in the group.
    pub in_total: Part,
}

impl Statistics {
    /// The group of that name, else the first.
    pub fn group(&self, name: Option<&str>) -> Option<&ResourceGroup> {
        let named = self
            .groups
            .iter()
            .find(|group| Some(group.name.as_str()) == name);
        named.or_else(|| self.groups.first())
    }

    /// Whether what is held anywhere is another matter than what is held in the group.
    pub fn has_total(&self) -> bool {
        let limits = &self.limits.limits;
        let limited = limits.cpu.is_some() || limits.mem.is_some();
        self.groups.len() > 1 || limited || !limits.accelerators.is_empty()
    }

    /// What a person holds in a group and anywhere; accelerators that are neither held nor to be had
    /// are left out.
    pub fn allotments(&self, group: &ResourceGroup) -> Vec<Allotment> {
        let accelerators = group.using.accelerators.keys();
        let accelerators = accelerators.chain(group.remaining.accelerators.keys());
        let mut kinds: Vec<String> = accelerators.cloned().collect();
        kinds.sort_unstable();
        kinds.dedup();
        let kinds = kinds.into_iter().map(Kind::Accelerator);
        [Kind::Cpu, Kind::Mem]
            .into_iter()
            .chain(kinds)
            .map(|kind| self.allotment(group, kind))
            .filter(|it| {
                let there = it.in_group.used > 0 || it.in_group.all != Some(0);
                there || !matches!(it.kind, Kind::Accelerator(_))
            })
            .collect()
    }

    fn allotment(&self, group: &ResourceGroup, kind: Kind) -> Allotment {
        let (here, left) = (kind.of(&group.using), kind.of(&group.remaining));
        let anywhere = kind.of(&self.limits.using).max(here);
        let with = |held: u64| Some(held.saturating_add(left)).filter(|_| left < ENDLESS);
        let limit = kind.limit(&self.limits).filter(|limit| *limit < ENDLESS);
        let total = limit.or_else(|| with(anywhere));
        let capacity = group.capacity.as_ref().map(|all| kind.of(all));
        let capacity = capacity.filter(|all| *all < ENDLESS && *all >= here && left < ENDLESS);
        let others = capacity.map_or(0, |all| all.saturating_sub(here.saturating_add(left)));
        Allotment {
            in_group: Part {
                used: here,
                others,
                all: capacity.or_else(|| with(here)),
            },
            in_total: Part {
                used: anywhere,
                others: 0,
                all: total.map(|total| total.max(anywhere)),
            },
            kind,
        }
    }
}

impl Kind {
    fn of(&self, slots: &ResourceSlots) -> u64 {
        match self {
            Self::Cpu => slots.cpu.millis(),
            Self::Mem => slots.mem.0,
            Self::Accelerator(slot) => slots.accelerators.get(slot).copied().unwrap_or(0),
        }
    }

    fn limit(&self, limits: &Limits) -> Option<u64> {
        let limits = &limits.limits;
        match self {
            Self::Cpu => limits.cpu.map(super::resources::Cpu::millis),
            Self::Mem => limits.mem.map(|mem| mem.0),
            Self::Accelerator(slot) => limits.accelerators.get(slot).copied(),
        }
    }
}

impl Part {
    /// From 0 to 1; nothing of nothing is 0. `None` = there is no whole.
    pub fn share(self) -> Option<f64> {
        match self.all {
            Some(0) => Some(0.0),
            Some(all) => Some((self.used as f64 / all as f64).min(1.0)),
            None => None,
        }
    }

    /// What nobody holds.
    pub fn free(self) -> Option<u64> {
        let held = self.used.saturating_add(self.others);
        self.all.map(|all| all.saturating_sub(held))
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

    fn part(used: u64, all: u64) -> Part {
        let (all, others) = (Some(all), 0);
        Part { used, others, all }
    }

    #[test]
    fn what_others_hold_is_a_part_of_the_group() {
        let mut it = statistics(slots(5, 4, None), slots(0, 2, None));
        it.groups[0].capacity = Some(slots(12, 8, None));
        let [cpu, memory] = bars(&it)[..] else {
            panic!("two kinds");
        };
        let whole = |used, others, all| Part {
            used,
            others,
            all: Some(all),
        };
        assert_eq!(cpu.0, whole(5000, 7000, 12_000));
        assert_eq!(cpu.0.free(), Some(0));
        let gib = Bytes::GIB;
        assert_eq!(memory.0, whole(4 * gib, 2 * gib, 8 * gib));
        // Everything is held by others: the meter stays.
        let mut it = statistics(slots(0, 0, None), slots(0, 0, None));
        assert_eq!(bars(&it).len(), 2);
        it.groups[0].capacity = Some(slots(12, 8, None));
        assert_eq!(bars(&it)[0].0, whole(0, 12_000, 12_000));
    }

    #[test]
    fn a_single_group_without_a_limit_is_the_total() {
        let mut it = statistics(slots(1, 2, None), slots(3, 6, None));
        assert!(!it.has_total());
        it.limits.limits.cpu = Some(Cpu::from_millis(4000));
        assert!(it.has_total());
    }

    #[test]
    fn without_a_limit_the_whole_is_mine_and_what_remains_here() {
        let mut it = statistics(slots(1, 2, None), slots(3, 6, None));
        it.limits.using = slots(2, 4, None);
        let bars = bars(&it);
        assert_eq!(bars[0], (part(1000, 4000), part(2000, 5000)));
        let gib = Bytes::GIB;
        assert_eq!(bars[1], (part(2 * gib, 8 * gib), part(4 * gib, 10 * gib)));
        assert_eq!(bars.len(), 2);
    }

    #[test]
    fn a_limit_is_the_whole_and_never_less_than_what_is_held() {
        let mut it = statistics(slots(1, 2, None), slots(3, 6, None));
        it.limits.using = slots(5, 2, None);
        it.limits.limits.cpu = Some(Cpu::from_millis(4000));
        assert_eq!(bars(&it)[0].1, part(5000, 5000));
        it.limits.limits.cpu = Some(Cpu::from_millis(20_000));
        assert_eq!(bars(&it)[0].1, part(5000, 20_000));
    }

    #[test]
    fn accelerators_are_there_when_held_or_to_be_had() {
        let it = statistics(slots(0, 0, Some(1)), slots(1, 1, Some(0)));
        assert_eq!(bars(&it)[2].0, part(1000, 1000));
        let it = statistics(slots(0, 0, None), slots(1, 1, Some(2)));
        assert_eq!(bars(&it)[2].0, part(0, 2000));
        let it = statistics(slots(0, 0, Some(0)), slots(1, 1, Some(0)));
        assert_eq!(bars(&it).len(), 2);
    }

    #[test]
    fn what_is_not_told_is_no_whole() {
        let endless = ResourceSlots::new(Cpu::from_millis(u64::MAX >> 16), Bytes(u64::MAX >> 16));
        let it = statistics(slots(1, 1, None), endless);
        assert_eq!(bars(&it)[0].0.all, None);
        assert_eq!(bars(&it)[0].0.share(), None);
        assert_eq!(part(0, 0).share(), Some(0.0));
        assert_eq!(part(1, 4).share(), Some(0.25));
    }

    #[test]
    fn a_group_that_is_not_there_is_the_first() {
        let it = statistics(slots(1, 1, None), slots(1, 1, None));
        assert_eq!(it.group(Some("default")), it.group(Some("other")));
        assert_eq!(Statistics::default().group(None), None);
    }
}
