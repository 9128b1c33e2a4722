//! Finds changes to a waiting launch with which it could start now.

use crate::model::{
    catalogue::{Catalogue, Preset, ResourceGroup, SlotLimits},
    environment::Environment,
    resources::{Bytes, Cpu},
    spec::LaunchRequest,
};
use crate::rules::launch::{
    amounts::{free, least_cpu, least_memory, most, quantum, thousandths},
    places::{self, Containers},
};

/// Memory is offered in multiples of this size.
const STEP: u64 = 256 * Bytes::MIB;
/// How many other groups and how many presets are offered.
const OFFERED: usize = 3;

/// A launch that could start now.
#[derive(Clone, Debug, PartialEq)]
pub struct Alternative {
    /// `with 2 CPU and 4 GiB`, `in the group gpu`.
    pub words: String,
    pub request: LaunchRequest,
}

/// What is known about the queue and the engine.
#[derive(Clone, Copy, Debug)]
pub struct QueueSituation<'a> {
    pub offer: &'a Catalogue,
    /// The group that the launch waits in.
    pub group: &'a str,
    pub environment: Option<&'a Environment>,
}

/// The launches that could start now, with the smallest change first. The amounts of `request` must be set. A
/// start time in the future is removed only where the launch waits for it.
#[must_use]
pub fn alternatives(request: &LaunchRequest, around: QueueSituation<'_>) -> Vec<Alternative> {
    let groups = &around.offer.resource_groups;
    let Some(group) = groups.iter().find(|group| group.name == *around.group) else {
        return Vec::new();
    };
    let fits = |request: &LaunchRequest, group: &ResourceGroup| {
        is_free(&Containers::requested(request), around.offer, group)
    };
    let mut found = Vec::new();
    let mut now = request.clone();
    now.starts_at = None;
    if fits(&now, group) {
        if request.starts_at.is_some() {
            found.push(Alternative {
                words: tr!("now, without its start time").to_owned(),
                request: now,
            });
        }
        return found;
    }
    found.extend(smaller(&now, around, group));
    let others = groups.iter().filter(|other| other.name != group.name);
    let others = others.filter(|other| fits(&now, other)).take(OFFERED);
    found.extend(others.map(|other| Alternative {
        words: tr!("in group {name}", name = other.name),
        request: LaunchRequest {
            resource_group: Some(other.name.as_str().to_owned()),
            ..now.clone()
        },
    }));
    found.extend(fewer(&now, around, group));
    found.extend(presets(&now, around, group));
    found
}

fn is_free(containers: &Containers, offer: &Catalogue, group: &ResourceGroup) -> bool {
    let wanted = containers.each.times(containers.count);
    let has_all = |(slot, amount): (&String, &u64)| {
        *amount == 0 || group.remaining.accelerators.contains_key(slot)
    };
    free(Some(offer), Some(group))
        .exceeded_by(&wanted, Some(offer))
        .is_none()
        && wanted.accelerators.iter().all(has_all)
        && places::have_places(group, containers, 1) != Some(false)
}

/// The request with its scarce amounts reduced to what is free.
fn smaller(
    request: &LaunchRequest,
    around: QueueSituation<'_>,
    group: &ResourceGroup,
) -> Option<Alternative> {
    let QueueSituation {
        offer, environment, ..
    } = around;
    let free = free(Some(offer), Some(group));
    let containers = u64::from(request.containers());
    let mut less = request.clone();
    // The amounts replace those of the preset.
    less.preset = None;
    let mut words = Vec::new();
    let cpu = free
        .cpu
        .map(|cpu| Cpu::from_millis(cpu.millis() / containers));
    if let Some((had, cpu)) = request.cpu.zip(cpu).filter(|(had, cpu)| cpu < had) {
        let step = if had.millis() > 1000 { 1000 } else { 100 };
        let cpu = Cpu::from_millis(cpu.millis() / step * step);
        if cpu < least_cpu(environment) || cpu.millis() == 0 {
            return None;
        }
        less.cpu = Some(cpu);
        words.push(format!("{cpu} CPU"));
    }
    let mem = free.mem.map(|mem| Bytes(mem.0 / containers / STEP * STEP));
    if let Some((_, mem)) = request.mem.zip(mem).filter(|(had, mem)| mem < had) {
        if mem < least_memory(environment) || mem.0 == 0 {
            return None;
        }
        less.mem = Some(mem);
        less.shmem = request.shmem.filter(|shmem| shmem.0 < mem.0);
        words.push(mem.to_string());
    }
    for (slot, had) in &request.accelerators {
        let there = group.remaining.accelerators.get(slot).copied().unwrap_or(0);
        let there = there.min(limit(&free, slot)) / containers;
        if there >= *had {
            continue;
        }
        let step = quantum(slot, request.containers(), Some(offer));
        let amount = there / step * step;
        // Without any accelerator, it would be a different kind of session.
        if amount == 0 {
            return None;
        }
        less.accelerators.insert(slot.clone(), amount);
        words.push(format!("{} {}", thousandths(amount), offer.unit(slot)));
    }
    (!words.is_empty() && is_free(&Containers::requested(&less), offer, group)).then(|| {
        Alternative {
            words: tr!("with {amounts}", amounts = joined(&words)),
            request: less,
        }
    })
}

fn limit(free: &SlotLimits, slot: &str) -> u64 {
    free.accelerators.get(slot).copied().unwrap_or(u64::MAX)
}

/// The request with as many containers as fit now.
fn fewer(
    request: &LaunchRequest,
    around: QueueSituation<'_>,
    group: &ResourceGroup,
) -> Option<Alternative> {
    let mut less = request.clone();
    for size in (1..request.containers()).rev() {
        less.cluster_size = Some(size).filter(|size| *size > 1);
        if is_free(&Containers::requested(&less), around.offer, group) {
            let words = match size {
                1 => tr!("as one container").to_owned(),
                _ => tr!("as a cluster of {size}", size),
            };
            return Some(Alternative {
                words,
                request: less,
            });
        }
    }
    None
}

/// Presets that fit now and are smaller than the request.
fn presets(
    request: &LaunchRequest,
    around: QueueSituation<'_>,
    group: &ResourceGroup,
) -> Vec<Alternative> {
    let offer = around.offer;
    let containers = Containers::requested(request);
    let asked = &containers.each;
    let fits = |preset: &&Preset| {
        let here = preset.resource_group.as_ref();
        let same_kinds = asked
            .accelerators
            .keys()
            .eq(preset.slots.accelerators.keys());
        let smaller = Containers {
            each: preset.slots.clone(),
            ..containers.clone()
        };
        here.is_none_or(|here| *here == group.name)
            && same_kinds
            && preset.slots.fits(asked)
            && preset.slots.cpu >= least_cpu(around.environment)
            && preset.slots.mem >= least_memory(around.environment)
            && most(Some(offer), Some(group))
                .exceeded_by(&preset.slots, None)
                .is_none()
            && is_free(&smaller, offer, group)
    };
    let mut fitting: Vec<&Preset> = offer.presets.iter().filter(fits).collect();
    fitting.sort_by_key(|preset| std::cmp::Reverse((preset.slots.cpu, preset.slots.mem)));
    let offered = fitting.into_iter().take(OFFERED);
    offered
        .map(|preset| Alternative {
            words: tr!(
                "with preset {name} ({cpu} CPU, {mem})",
                name = preset.name,
                cpu = preset.slots.cpu,
                mem = preset.slots.mem
            ),
            request: LaunchRequest {
                preset: Some(preset.name.as_str().to_owned()),
                cpu: Some(preset.slots.cpu),
                mem: Some(preset.slots.mem),
                shmem: preset.shmem.filter(|shmem| shmem.0 > 0),
                accelerators: preset.slots.accelerators.clone(),
                ..request.clone()
            },
        })
        .collect()
}

fn joined(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => tr!("{most} and {last}", most = most.join(", "), last),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::resources::ResourceSlots;

    fn gib(count: u64) -> Bytes {
        Bytes(count * Bytes::GIB)
    }

    fn slots(cores: u64, mem: u64, gpus: u64) -> ResourceSlots {
        let mut slots = ResourceSlots::new(Cpu::from_millis(cores * 1000), gib(mem));
        if gpus > 0 {
            let gpus = gpus * 1000;
            slots.accelerators.insert("cuda.device".to_owned(), gpus);
        }
        slots
    }

    fn group(name: &str, remaining: ResourceSlots) -> ResourceGroup {
        ResourceGroup {
            name: name.into(),
            using: ResourceSlots::default(),
            remaining,
            waiting: None,
            capacity: None,
            free: None,
            free_by_agent: None,
        }
    }

    fn offer(groups: Vec<ResourceGroup>) -> Catalogue {
        Catalogue {
            resource_groups: groups,
            presets: vec![
                Preset::new("tiny", slots(1, 1, 0)),
                Preset::new("half", slots(2, 8, 0)),
                Preset::new("large", slots(16, 64, 0)),
            ],
            ..Catalogue::default()
        }
    }

    fn request(slots: &ResourceSlots) -> LaunchRequest {
        LaunchRequest {
            cpu: Some(slots.cpu),
            mem: Some(slots.mem),
            accelerators: slots.accelerators.clone(),
            ..LaunchRequest::default()
        }
    }

    fn found(request: &LaunchRequest, offer: &Catalogue) -> Vec<Alternative> {
        let around = QueueSituation {
            offer,
            group: "default",
            environment: None,
        };
        let all = alternatives(request, around);
        for it in &all {
            let group = it.request.resource_group.as_deref().unwrap_or("default");
            let group = offer.resource_groups.iter().find(|it| it.name == *group);
            assert!(
                is_free(&Containers::requested(&it.request), offer, group.unwrap()),
                "{} does not fit",
                it.words
            );
        }
        all
    }

    fn words(request: &LaunchRequest, offer: &Catalogue) -> Vec<String> {
        found(request, offer)
            .into_iter()
            .map(|it| it.words)
            .collect()
    }

    #[test]
    fn fewer_another_group_or_a_preset_each_of_which_fits() {
        let offer = offer(vec![
            group("default", slots(3, 6, 0)),
            group("spare", slots(8, 64, 0)),
            group("full", slots(1, 1, 0)),
        ]);
        let asked = request(&slots(4, 8, 0));
        assert_eq!(
            words(&asked, &offer),
            [
                "with 3 CPU and 6 GiB",
                "in group spare",
                "with preset tiny (1 CPU, 1 GiB)",
            ]
        );
        let only_cpu = request(&slots(4, 2, 0));
        let less = &found(&only_cpu, &offer)[0];
        assert_eq!(less.words, "with 3 CPU");
        assert_eq!(less.request.mem, only_cpu.mem);
    }

    #[test]
    fn what_is_left_of_a_users_limits_counts_too() {
        let mut offer = offer(vec![group("default", slots(8, 64, 0))]);
        offer.limits.remaining.cpu = Some(Cpu::from_millis(2000));
        let asked = request(&slots(4, 8, 0));
        let expected = ["with 2 CPU", "with preset half (2 CPU, 8 GiB)"];
        assert_eq!(words(&asked, &offer)[..2], expected);
    }

    #[test]
    fn a_cluster_can_be_smaller() {
        let offer = offer(vec![group("default", slots(5, 64, 0))]);
        let asked = LaunchRequest {
            cluster_size: Some(4),
            ..request(&slots(2, 1, 0))
        };
        let all = words(&asked, &offer);
        assert!(all.contains(&"with 1 CPU".to_owned()), "{all:?}");
        assert!(all.contains(&"as a cluster of 2".to_owned()), "{all:?}");
    }

    #[test]
    fn accelerators_become_fewer_but_never_none() {
        let two = offer(vec![group("default", slots(8, 64, 2))]);
        let asked = request(&slots(1, 1, 4));
        assert_eq!(words(&asked, &two), ["with 2 GPU"]);
        let none = offer(vec![group("default", slots(8, 64, 0))]);
        assert_eq!(words(&asked, &none), [""; 0]);
    }

    #[test]
    fn a_session_that_waits_for_a_time_can_go_now() {
        let offer = offer(vec![group("default", slots(8, 64, 0))]);
        let at = crate::model::start_time::StartAt::At(jiff::Timestamp::from_second(100).unwrap());
        let asked = LaunchRequest {
            starts_at: Some(at),
            ..request(&slots(1, 1, 0))
        };
        let all = found(&asked, &offer);
        assert_eq!(all.len(), 1);
        assert_eq!(all[0].request.starts_at, None);
    }

    #[test]
    fn nothing_fits_or_everything_does() {
        let full = offer(vec![group("default", ResourceSlots::default())]);
        assert_eq!(words(&request(&slots(1, 1, 0)), &full), [""; 0]);
        let free = offer(vec![group("default", slots(8, 64, 0))]);
        assert_eq!(words(&request(&slots(1, 1, 0)), &free), [""; 0]);
        let elsewhere = offer(vec![group("other", slots(8, 64, 0))]);
        assert_eq!(words(&request(&slots(1, 1, 0)), &elsewhere), [""; 0]);
    }
}
