//! Amounts: what a container gets when nothing is said, and in which steps amounts go.

use super::super::{
    catalogue::{Catalogue, Preset, ResourceGroup},
    environment::Environment,
    resources::{Bytes, Cpu, ResourceSlots},
    spec::LaunchRequest,
};

/// Engines give no container less.
pub const LEAST_MEMORY: Bytes = Bytes::mib(6);
/// The least of an image that names its minimum, without shared memory.
const LEAST_OF_IMAGES: Bytes = Bytes::mib(64);
/// Automatic shared memory of a small session, and of a big one.
pub const SMALL_SHMEM: Bytes = Bytes::mib(64);
const BIG_SHMEM: Bytes = Bytes(Bytes::GIB);
const BIG: Bytes = Bytes(4 * Bytes::GIB);

/// The automatic shared memory (the WebUI's rule): 1 GiB where there are 4 GiB of memory and 1 GiB
/// more than the image needs, else `small`; never more than half.
pub fn automatic_shmem(mem: Bytes, image_minimum: Bytes, small: Bytes) -> Bytes {
    let big = mem >= BIG && mem.0 >= image_minimum.0.saturating_add(BIG_SHMEM.0);
    let shmem = if big { BIG_SHMEM.max(small) } else { small };
    shmem.min(Bytes(mem.0 / 2))
}

/// The least memory of a container of this environment, its automatic shared memory in it.
pub fn least_memory(environment: Option<&Environment>) -> Bytes {
    match environment.map(|it| it.facts.minimum.mem) {
        None | Some(Bytes(0)) => LEAST_MEMORY,
        Some(minimum) => Bytes(minimum.max(LEAST_OF_IMAGES).0 + SMALL_SHMEM.0),
    }
}

pub fn least_cpu(environment: Option<&Environment>) -> Cpu {
    let minimum = environment.map_or(Cpu::default(), |it| it.facts.minimum.cpu);
    minimum.max(Cpu::from_millis(10))
}

/// The smallest step of a slot in thousandths. Of a cluster fractions cannot be had.
pub fn quantum(slot: &str, cluster_size: u32, offer: Option<&Catalogue>) -> u64 {
    let told = offer.and_then(|offer| offer.quanta.get(slot)).copied();
    let usual = if slot.ends_with(".shares") { 100 } else { 1000 };
    match told.unwrap_or(usual).max(1) {
        fraction if cluster_size >= 2 => fraction.max(1000),
        quantum => quantum,
    }
}

/// Whether an environment can use a kind of accelerator: by the name before the dot; one that names
/// none can use any.
pub fn supports(environment: Option<&Environment>, slot: &str) -> bool {
    let Some(kinds) = environment.map(|it| &it.facts.accelerators) else {
        return true;
    };
    let kind = slot.split('.').next().unwrap_or(slot);
    kinds.is_empty()
        || kinds
            .iter()
            .any(|it| *it == *"*" || it.as_str().starts_with(kind))
}

/// The most of everything one container can ever have: the least of what the policy says of one
/// container, the person's limits and the whole of the group. A slot that is missing is not limited.
pub fn most(
    offer: Option<&Catalogue>,
    group: Option<&ResourceGroup>,
) -> super::super::catalogue::SlotLimits {
    let mut most = offer.map_or_else(Default::default, |it| it.policy.per_container.clone());
    if let Some(offer) = offer {
        most.tighten(&offer.limits.limits);
    }
    if let Some(all) = group.and_then(|group| group.capacity.as_ref()) {
        most.tighten(&all.as_limits());
    }
    most
}

/// What can be had now: the least of what is left of the limits and in the group.
pub fn free(
    offer: Option<&Catalogue>,
    group: Option<&ResourceGroup>,
) -> super::super::catalogue::SlotLimits {
    let mut free = offer.map_or_else(Default::default, |it| it.limits.remaining.clone());
    if let Some(group) = group {
        free.tighten(&group.remaining.as_limits());
    }
    free
}

/// Takes a preset's amounts where nothing else was asked for.
pub fn fill_from(request: &mut LaunchRequest, preset: &Preset) {
    request.cpu.get_or_insert(preset.slots.cpu);
    request.mem.get_or_insert(preset.slots.mem);
    if request.shmem.is_none() {
        request.shmem = preset.shmem.filter(|shmem| shmem.0 > 0);
    }
    for (slot, amount) in &preset.slots.accelerators {
        request.accelerators.entry(slot.clone()).or_insert(*amount);
    }
}

/// Why a preset cannot be had with this environment in this group; `None` = it can.
pub fn why_not_preset(
    preset: &Preset,
    environment: Option<&Environment>,
    offer: Option<&Catalogue>,
    group: Option<&ResourceGroup>,
) -> Option<String> {
    let most = most(offer, group);
    if let Some((what, limit)) = most.exceeded_by(&preset.slots) {
        return Some(format!("more {what} than can be had here ({limit})"));
    }
    let minimum = environment.map(|it| it.facts.minimum.clone())?;
    if preset.slots.cpu < minimum.cpu {
        return Some(format!("the environment needs {} CPU", minimum.cpu));
    }
    if preset.slots.mem < minimum.mem {
        return Some(format!("the environment needs {} of memory", minimum.mem));
    }
    let lacks = |(slot, least): &(&String, &u64)| {
        preset.slots.accelerators.get(*slot).copied().unwrap_or(0) < **least
    };
    minimum
        .accelerators
        .iter()
        .find(lacks)
        .map(|(slot, least)| format!("the environment needs {} {slot}", thousandths(*least)))
}

/// Thousandths as a decimal number.
pub fn thousandths(amount: u64) -> Cpu {
    Cpu::from_millis(amount)
}

/// What there is to be had of everything by this machine's own words.
impl ResourceSlots {
    /// Each amount as a limit.
    pub fn as_limits(&self) -> super::super::catalogue::SlotLimits {
        super::super::catalogue::SlotLimits {
            cpu: Some(self.cpu),
            mem: Some(self.mem),
            accelerators: self.accelerators.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn automatic_shared_memory() {
        let gib = |n: u64| Bytes(n * Bytes::GIB);
        let auto = |mem, minimum| automatic_shmem(mem, minimum, SMALL_SHMEM);
        assert_eq!(auto(gib(4), gib(1)), gib(1));
        assert_eq!(auto(gib(4), gib(4)), SMALL_SHMEM);
        assert_eq!(auto(gib(3), gib(0)), SMALL_SHMEM);
        assert_eq!(auto(Bytes::mib(64), gib(0)), Bytes::mib(32));
    }

    #[test]
    fn steps() {
        assert_eq!(quantum("cuda.device", 1, None), 1000);
        assert_eq!(quantum("cuda.shares", 1, None), 100);
        assert_eq!(quantum("cuda.shares", 2, None), 1000);
    }
}
