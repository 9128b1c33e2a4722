//! The facts that amounts depend on: the environment, the group, the size of the cluster.

use super::{
    forecast::{self, AmountSlot},
    slider::{NumberBounds, NumberUnit},
};
use crate::{
    app::launcher::LaunchInfo,
    model::{
        capability::Capability,
        catalogue::{AcceleratorKind, Catalogue, ResourceGroup, SlotLimits, unit},
        environment::Environment,
        launch_field::LaunchField,
        resources::{Bytes, Cpu, ResourceSlots},
    },
    rules::launch::amounts,
};

#[derive(Clone, Copy)]
pub struct AmountFacts<'a> {
    pub info: &'a LaunchInfo,
    pub environment: Option<&'a Environment>,
    pub group: Option<&'a ResourceGroup>,
    /// Containers in one session.
    pub size: u32,
    /// The number of sessions.
    pub copies: u32,
}

impl<'a> AmountFacts<'a> {
    pub fn catalogue(&self) -> Option<&'a Catalogue> {
        self.info.catalogue.as_ref()
    }

    pub fn presets_only(&self) -> bool {
        self.catalogue().is_some_and(|it| it.presets_only)
    }

    pub fn kinds(&self) -> &'a [AcceleratorKind] {
        self.catalogue().map_or(&[], |it| &it.accelerators)
    }

    /// The maximum of one container.
    pub fn most(&self) -> SlotLimits {
        let mut most = amounts::most(self.catalogue(), self.group);
        // Without a catalog, an engine without a scheduler of its own has the whole machine.
        if let (Some(engine), None) = (&self.info.engine, self.catalogue())
            && !engine.capabilities.has(Capability::Schedules)
        {
            most.tighten(&SlotLimits {
                cpu: Some(engine.cpus).filter(|cpus| cpus.millis() > 0),
                mem: Some(engine.memory).filter(|memory| memory.0 > 0),
                accelerators: std::collections::BTreeMap::new(),
            });
        }
        most
    }

    /// The total and the free amount of CPU or memory in the group.
    pub fn whole(&self, field: LaunchField) -> Option<(u64, u64)> {
        let group = self.group?;
        let all = group.capacity.as_ref()?;
        let of = |slots: &ResourceSlots| match field {
            LaunchField::Cpu => Some(slots.cpu.millis()),
            LaunchField::Memory => Some(slots.mem.0),
            _ => None,
        };
        Some((of(all)?, of(&group.remaining)?))
    }

    pub fn cpu(&self) -> NumberBounds {
        let reported = self.catalogue().and_then(|it| it.quanta.get("cpu"));
        let quantum = reported.copied().unwrap_or(1).max(1);
        let least = amounts::least_cpu(self.environment).millis();
        NumberBounds {
            least: least.div_ceil(quantum) * quantum,
            most: self.most().cpu.map(Cpu::millis),
            free: self.free(AmountSlot::Cpu),
            quantum,
        }
        .in_one()
    }

    pub fn memory(&self) -> NumberBounds {
        NumberBounds {
            least: amounts::least_memory(self.environment).0,
            most: self.most().mem.map(|mem| mem.0),
            free: self.free(AmountSlot::Memory),
            quantum: 1,
        }
        .in_one()
    }

    /// Shared memory is a part of the memory.
    pub fn shared_memory(&self, mem: u64) -> NumberBounds {
        let policy = self.catalogue().and_then(|it| it.policy.max_shmem);
        let below = mem.saturating_sub(Bytes::MIB);
        NumberBounds {
            least: Bytes::MIB,
            most: Some(policy.map_or(below, |most| most.0.min(below))),
            free: None,
            quantum: 1,
        }
    }

    pub fn accelerator(&self, slot: &str) -> NumberBounds {
        let minimum = self.environment.map(|it| &it.facts.minimum.accelerators);
        NumberBounds {
            least: minimum.and_then(|it| it.get(slot)).copied().unwrap_or(0),
            most: self.most().accelerators.get(slot).copied(),
            free: self.free(AmountSlot::Accelerator(slot, "")),
            quantum: amounts::quantum(slot, self.size, self.catalogue()),
        }
        .in_one()
    }

    fn free(&self, slot: AmountSlot<'_>) -> Option<u64> {
        forecast::free(slot, self.catalogue(), self.group)
    }

    /// Why a kind of accelerator isn't available at all.
    pub fn why_no_accelerator(&self, slot: &str) -> Option<String> {
        if !amounts::supports(self.environment, slot) {
            return Some(tr!("the environment can't use it").to_owned());
        }
        let group = self.group.filter(|group| {
            let all = group.capacity.as_ref();
            all.is_some_and(|all| all.accelerators.get(slot).is_none_or(|all| *all == 0))
        });
        if let Some(group) = group {
            return Some(tr!("group {name} has none", name = group.name));
        }
        let none = self.most().accelerators.get(slot) == Some(&0);
        none.then(|| tr!("your limit is 0").to_owned())
    }

    /// The automatic shared memory of a container.
    pub fn automatic_shmem(&self, mem: Bytes) -> Bytes {
        let minimum = self.environment.map_or(Bytes(0), |it| it.facts.minimum.mem);
        let ours = !self.info.has(Capability::Schedules);
        let small = if ours {
            self.info.defaults.shmem
        } else {
            amounts::SMALL_SHMEM
        };
        amounts::automatic_shmem(mem, minimum, small)
    }

    /// The default resources of a container: the amounts of the settings, raised to the environment's minimum
    /// and limited to the maximum.
    pub fn usual(&self) -> ResourceSlots {
        let (cpu, mem) = (self.cpu(), self.memory());
        let within = |amount: u64, bounds: &NumberBounds| {
            let amount = amount
                .min(bounds.most.unwrap_or(u64::MAX))
                .max(bounds.least);
            amount.div_ceil(bounds.quantum) * bounds.quantum
        };
        ResourceSlots {
            cpu: Cpu::from_millis(within(self.info.defaults.cpu.millis(), &cpu)),
            mem: Bytes(within(self.info.defaults.mem.0, &mem)),
            accelerators: self.least_accelerators(),
        }
    }

    /// The environment's minimum.
    pub fn least(&self) -> ResourceSlots {
        ResourceSlots {
            cpu: Cpu::from_millis(self.cpu().least),
            mem: Bytes(self.memory().least),
            accelerators: self.least_accelerators(),
        }
    }

    fn least_accelerators(&self) -> std::collections::BTreeMap<String, u64> {
        let minimum = self
            .environment
            .map(|it| it.facts.minimum.accelerators.clone());
        minimum.unwrap_or_default()
    }

    /// What the queue would do with this amount in each container.
    pub fn forecast(&self, slot: AmountSlot<'_>, one: u64) -> forecast::AmountForecast {
        let all = one
            .saturating_mul(u64::from(self.size))
            .saturating_mul(u64::from(self.copies));
        forecast::of(slot, all, self.catalogue(), self.group)
    }

    /// The unit of a slot.
    pub fn called(&self, slot: &str) -> String {
        unit(slot, self.catalogue())
    }

    /// Amounts in a few words: `2 CPU, 4 GiB, 1 GPU`.
    pub fn in_words(&self, slots: &ResourceSlots) -> String {
        in_words(slots, self.info)
    }
}

/// Amounts in a few words, without those that are zero.
pub fn in_words(slots: &ResourceSlots, info: &LaunchInfo) -> String {
    let mut parts = vec![
        tr!("{cpu} CPU", cpu = slots.cpu),
        NumberUnit::Bytes.short(slots.mem.0),
    ];
    for (slot, amount) in slots.accelerators.iter().filter(|it| *it.1 > 0) {
        let amount = amounts::thousandths(*amount);
        parts.push(format!("{amount} {}", unit(slot, info.catalogue.as_ref())));
    }
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{
        capability::{Capabilities, EngineInfo},
        catalogue::Policy,
        text::Clean,
    };

    /// A machine that is treated as having 64 cores, of which some are free.
    fn info(free: u64) -> LaunchInfo {
        let slots =
            |cores: u64| ResourceSlots::new(Cpu::from_millis(cores * 1000), Bytes(Bytes::GIB));
        let mut info = LaunchInfo::blank();
        info.engine = Some(EngineInfo {
            cpus: Cpu::from_millis(2000),
            memory: Bytes(Bytes::GIB),
            capabilities: Capabilities {
                missing: vec![(Capability::Schedules, Clean::new("no"))],
                open_streams_keep_alive: false,
            },
            ..EngineInfo::new(Clean::new("Docker"), Clean::default())
        });
        info.catalogue = Some(Catalogue {
            policy: Policy {
                per_container: SlotLimits {
                    cpu: Some(Cpu::from_millis(2000)),
                    ..SlotLimits::default()
                },
                ..Policy::default()
            },
            resource_groups: vec![ResourceGroup {
                name: Clean::new("default"),
                using: ResourceSlots::default(),
                remaining: slots(free),
                waiting: None,
                capacity: Some(slots(64)),
                free: None,
                free_by_agent: None,
            }],
            ..Catalogue::default()
        });
        info
    }

    fn cpu(info: &LaunchInfo) -> NumberBounds {
        let groups = info.catalogue.iter();
        let facts = AmountFacts {
            info,
            environment: None,
            group: groups.flat_map(|it| &it.resource_groups).next(),
            size: 1,
            copies: 1,
        };
        facts.cpu()
    }

    #[test]
    fn no_more_is_free_for_a_container_than_it_can_ever_have() {
        let bounds = |free| {
            let bounds = cpu(&info(free));
            (bounds.most, bounds.free)
        };
        assert_eq!(bounds(63), (Some(2000), Some(2000)));
        assert_eq!(bounds(1), (Some(2000), Some(1000)));
    }

    #[test]
    fn what_the_group_has_is_shown_beside_what_one_container_gets() {
        let info = info(12);
        let facts = AmountFacts {
            info: &info,
            environment: None,
            group: info
                .catalogue
                .iter()
                .flat_map(|it| &it.resource_groups)
                .next(),
            size: 1,
            copies: 1,
        };
        assert_eq!(facts.whole(LaunchField::Cpu), Some((64_000, 12_000)));
        assert_eq!(facts.whole(LaunchField::Count), None);
    }

    #[test]
    fn until_the_catalogue_is_known_the_machine_is_the_limit() {
        let mut info = info(63);
        // The limits of the catalog replace those of the machine.
        if let Some(catalogue) = &mut info.catalogue {
            catalogue.policy.per_container.cpu = Some(Cpu::from_millis(4000));
        }
        assert_eq!(cpu(&info).most, Some(4000));
        info.catalogue = None;
        assert_eq!(cpu(&info).most, Some(2000));
    }
}
