//! What the queue would do with an amount: it is free now, or the session would wait for it.

use super::slider::NumberUnit;
use crate::{
    model::{
        catalogue::{Catalogue, ResourceGroup},
        resources::ResourceSlots,
    },
    rules::launch::amounts,
};

/// The forecast for an amount of a slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AmountForecast {
    /// The free amount isn't known.
    Unknown,
    /// The amount is free, with a note.
    Free(String),
    Waits(String),
}

/// One slot of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AmountSlot<'a> {
    Cpu,
    Memory,
    /// The slot name, and its unit.
    Accelerator(&'a str, &'a str),
}

impl AmountSlot<'_> {
    pub fn unit(self) -> NumberUnit {
        match self {
            Self::Cpu => NumberUnit::Cores,
            Self::Memory => NumberUnit::Bytes,
            Self::Accelerator(..) => NumberUnit::Devices,
        }
    }

    /// The text after an amount of the slot.
    pub fn name(self) -> String {
        match self {
            Self::Cpu => tr!(" CPU").to_owned(),
            Self::Memory => tr!(" of memory").to_owned(),
            Self::Accelerator(_, unit) => format!(" {unit}"),
        }
    }

    pub fn of(self, slots: &ResourceSlots) -> Option<u64> {
        match self {
            Self::Cpu => Some(slots.cpu.millis()),
            Self::Memory => Some(slots.mem.0),
            Self::Accelerator(slot, _) => slots.accelerators.get(slot).copied(),
        }
    }
}

/// The free amount of a slot.
pub fn free(
    slot: AmountSlot<'_>,
    catalogue: Option<&Catalogue>,
    group: Option<&ResourceGroup>,
) -> Option<u64> {
    let free = amounts::free(catalogue, group);
    match slot {
        AmountSlot::Cpu => free.cpu.map(crate::model::resources::Cpu::millis),
        AmountSlot::Memory => free.mem.map(|mem| mem.0),
        AmountSlot::Accelerator(slot, _) => free.accelerators.get(slot).copied(),
    }
}

/// `wanted` is the total of all containers and copies.
pub fn of(
    slot: AmountSlot<'_>,
    wanted: u64,
    catalogue: Option<&Catalogue>,
    group: Option<&ResourceGroup>,
) -> AmountForecast {
    let Some(free) = free(slot, catalogue, group) else {
        return AmountForecast::Unknown;
    };
    let waiting = group.and_then(|group| group.waiting).unwrap_or(0);
    let before = match waiting {
        0 => String::new(),
        1 => tr!(", 1 session ahead").to_owned(),
        n => tr!(", {n} sessions ahead", n),
    };
    if wanted <= free {
        return AmountForecast::Free(tr!("free now{before}", before));
    }
    let (unit, name) = (slot.unit(), slot.name());
    let all = group.and_then(|group| slot.of(group.capacity.as_ref()?));
    // Resources that only your limit excludes aren't in use.
    let left = group.and_then(|group| slot.of(group.free.as_ref()?));
    let left = left.unwrap_or(free);
    let why = match all.filter(|all| *all >= left && *all >= wanted) {
        Some(_) if left >= wanted => tr!(
            "your limit leaves {free}{name}",
            free = unit.short(free),
            name
        ),
        Some(all) => tr!(
            "{left} of {all}{name} free",
            left = unit.short(left),
            all = unit.short(all),
            name
        ),
        None if free == 0 => match slot {
            AmountSlot::Cpu => tr!("no CPU is free now").to_owned(),
            AmountSlot::Memory => tr!("no memory is free now").to_owned(),
            AmountSlot::Accelerator(_, unit) => tr!("no {unit} is free now", unit),
        },
        None => tr!("only {free}{name} free now", free = unit.short(free), name),
    };
    AmountForecast::Waits(tr!("must wait: {why}{before}", why, before))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{
        resources::{Bytes, Cpu},
        text::Clean,
    };

    fn group(free: u64, waiting: u32) -> ResourceGroup {
        let slots = |cpu: u64| ResourceSlots::new(Cpu::from_millis(cpu), Bytes(4 * Bytes::GIB));
        ResourceGroup {
            name: Clean::new("default"),
            using: slots(0),
            remaining: slots(free),
            waiting: Some(waiting),
            capacity: Some(slots(4000)),
            free: None,
            free_by_agent: None,
        }
    }

    #[test]
    fn what_the_queue_would_do_is_said() {
        let of =
            |wanted, free, waiting| of(AmountSlot::Cpu, wanted, None, Some(&group(free, waiting)));
        assert_eq!(
            of(1000, 1000, 0),
            AmountForecast::Free("free now".to_owned())
        );
        assert_eq!(
            of(2000, 1000, 2),
            AmountForecast::Waits("must wait: 1 of 4 CPU free, 2 sessions ahead".to_owned())
        );
        assert_eq!(
            of(8000, 0, 0),
            AmountForecast::Waits("must wait: no CPU is free now".to_owned())
        );
    }

    #[test]
    fn what_a_limit_forbids_is_not_in_use() {
        let with_free = |millis: u64| ResourceGroup {
            free: Some(ResourceSlots::new(
                Cpu::from_millis(millis),
                Bytes(4 * Bytes::GIB),
            )),
            ..group(1000, 0)
        };
        let of = |millis| super::of(AmountSlot::Cpu, 2000, None, Some(&with_free(millis)));
        assert_eq!(
            of(3000),
            AmountForecast::Waits("must wait: your limit leaves 1 CPU".to_owned())
        );
        assert_eq!(
            of(1500),
            AmountForecast::Waits("must wait: 1.5 of 4 CPU free".to_owned())
        );
    }

    #[test]
    fn what_isnt_reported_isnt_guessed() {
        assert_eq!(
            super::of(AmountSlot::Cpu, 1, None, None),
            AmountForecast::Unknown
        );
        let gpu = AmountSlot::Accelerator("cuda.device", "GPU");
        assert_eq!(
            super::of(gpu, 1, None, Some(&group(1, 0))),
            AmountForecast::Unknown
        );
    }
}
