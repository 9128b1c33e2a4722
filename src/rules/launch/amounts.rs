//! The default amounts of a container, and the steps and limits of amounts.

use crate::model::{
    catalogue::{Catalogue, Preset, ResourceGroup, unit},
    environment::Environment,
    resources::{Bytes, Cpu, ResourceSlots},
    spec::LaunchRequest,
};

/// The minimum memory of a container on all engines.
pub const LEAST_MEMORY: Bytes = Bytes::mib(6);
/// The minimum limit of a home directory, which has files from the start.
pub const LEAST_DISK: Bytes = Bytes::mib(16);
/// The minimum memory for an image that sets its own minimum, without shared memory.
const LEAST_OF_IMAGES: Bytes = Bytes::mib(64);
/// The automatic shared memory of a small session. `BIG_SHMEM` is that of a large one.
pub const SMALL_SHMEM: Bytes = Bytes::mib(64);
const BIG_SHMEM: Bytes = Bytes(Bytes::GIB);
const BIG: Bytes = Bytes(4 * Bytes::GIB);

/// The automatic shared memory (the rule of the WebUI): 1 GiB if the memory is 4 GiB or more and exceeds the
/// image's minimum by 1 GiB, else `small`. It is never more than half of the memory.
pub fn automatic_shmem(mem: Bytes, image_minimum: Bytes, small: Bytes) -> Bytes {
    let big = mem >= BIG && mem.0 >= image_minimum.0.saturating_add(BIG_SHMEM.0);
    let shmem = if big { BIG_SHMEM.max(small) } else { small };
    shmem.min(Bytes(mem.0 / 2))
}

/// The minimum memory of a container of this environment, including its automatic shared memory.
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

/// The smallest step of a slot in thousandths. A cluster session can't have fractions.
pub fn quantum(slot: &str, cluster_size: u32, offer: Option<&Catalogue>) -> u64 {
    let reported = offer.and_then(|offer| offer.quanta.get(slot)).copied();
    let usual = if slot.ends_with(".shares") { 100 } else { 1000 };
    match reported.unwrap_or(usual).max(1) {
        fraction if cluster_size >= 2 => fraction.max(1000),
        quantum => quantum,
    }
}

/// Whether an environment can use a kind of accelerator, by the name before the dot. An environment that
/// names none can use any.
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

/// The most that one container can ever have: the lowest of the policy's limit for a container, the user's
/// limits and the size of the group. A slot that is missing has no limit.
pub fn most(
    offer: Option<&Catalogue>,
    group: Option<&ResourceGroup>,
) -> crate::model::catalogue::SlotLimits {
    let mut most = offer.map_or_else(Default::default, |it| it.policy.per_container.clone());
    if let Some(offer) = offer {
        most.tighten(&offer.limits.limits);
    }
    if let Some(all) = group.and_then(|group| group.capacity.as_ref()) {
        most.tighten(&all.as_limits());
    }
    most
}

/// What is available now: the lower of what the limits leave and what is free in the group.
pub fn free(
    offer: Option<&Catalogue>,
    group: Option<&ResourceGroup>,
) -> crate::model::catalogue::SlotLimits {
    let mut free = offer.map_or_else(Default::default, |it| it.limits.remaining.clone());
    if let Some(group) = group {
        free.tighten(&group.remaining.as_limits());
    }
    free
}

/// Fills the amounts that aren't set with those of a preset.
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

/// Why a preset can't be used with this environment in this group; `None` = it can.
pub fn why_not_preset(
    preset: &Preset,
    environment: Option<&Environment>,
    offer: Option<&Catalogue>,
    group: Option<&ResourceGroup>,
) -> Option<String> {
    let most = most(offer, group);
    if let Some((what, limit)) = most.exceeded_by(&preset.slots, offer) {
        return Some(tr!("more {what} than the limit ({limit})", what, limit));
    }
    let lacking = |(slot, amount): &(&String, &u64)| {
        let all = group.and_then(|group| group.capacity.as_ref());
        **amount > 0 && all.is_some_and(|all| all.accelerators.get(*slot).is_none_or(|it| *it == 0))
    };
    if let Some((slot, _)) = preset.slots.accelerators.iter().find(lacking) {
        let group = group.map_or("", |group| group.name.as_str());
        return Some(tr!(
            "group {group} has no {unit}",
            group,
            unit = unit(slot, offer)
        ));
    }
    let minimum = environment.map(|it| it.facts.minimum.clone())?;
    if preset.slots.cpu < minimum.cpu {
        return Some(tr!("the environment needs {cpu} CPU", cpu = minimum.cpu));
    }
    if preset.slots.mem < minimum.mem {
        return Some(tr!("the environment needs {mem} memory", mem = minimum.mem));
    }
    let lacks = |(slot, least): &(&String, &u64)| {
        preset.slots.accelerators.get(*slot).copied().unwrap_or(0) < **least
    };
    minimum
        .accelerators
        .iter()
        .find(lacks)
        .map(|(slot, least)| {
            let least = thousandths(*least);
            tr!(
                "the environment needs {least} {unit}",
                least,
                unit = unit(slot, offer)
            )
        })
}

/// Thousandths as a decimal number.
pub fn thousandths(amount: u64) -> Cpu {
    Cpu::from_millis(amount)
}

/// Parses a decimal number as thousandths without rounding: `1`, `0.5`, `0.125`.
pub fn read_thousandths(text: &str) -> Result<u64, String> {
    let bad = || {
        tr!(
            "invalid amount '{value}'. Use a number such as 1, 0.5 or 0.125",
            value = crate::model::text::Clean::new(text)
        )
    };
    let (whole, part) = text.trim().split_once('.').unwrap_or((text.trim(), "0"));
    let digits = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    if !digits(whole) || !digits(part) || part.len() > 3 {
        return Err(bad());
    }
    let whole: u64 = whole.parse().map_err(|_| bad())?;
    let part: u64 = format!("{part:0<3}").parse().map_err(|_| bad())?;
    // No machine has more than a million of anything.
    if whole > 1_000_000 {
        return Err(bad());
    }
    Ok(whole * 1000 + part)
}

/// Checks the name of a slot: a kind, a dot and a unit.
pub fn check_slot(slot: &str) -> Result<(), String> {
    let word = |part: &str| {
        let fine = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        !part.is_empty() && part.chars().all(fine)
    };
    if slot.contains('.') && slot.split('.').all(word) {
        return Ok(());
    }
    Err(tr!(
        "invalid accelerator type '{slot}'. Use a name such as cuda.device or cuda.shares",
        slot = crate::model::text::Clean::new(slot)
    ))
}

/// Formats memory so that it parses to the same number of bytes: `1536m`.
pub fn exact(bytes: Bytes) -> String {
    for (unit, size) in [("g", Bytes::GIB), ("m", Bytes::MIB), ("k", Bytes::KIB)] {
        if bytes.0 > 0 && bytes.0.is_multiple_of(size) {
            return format!("{}{unit}", bytes.0 / size);
        }
    }
    bytes.0.to_string()
}

/// The rule for shared memory, in requests, presets and containers.
pub fn check_shared_memory(shmem: Bytes, mem: Bytes) -> Result<(), String> {
    if shmem < mem {
        return Ok(());
    }
    Err(tr!(
        "shared memory ({shmem}) must be less than the memory ({mem}), because it is a part of it",
        shmem,
        mem
    ))
}

impl ResourceSlots {
    /// Each amount as a limit.
    pub fn as_limits(&self) -> crate::model::catalogue::SlotLimits {
        crate::model::catalogue::SlotLimits {
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
    fn amounts_read() {
        for (text, amount) in [
            ("1", 1000),
            ("0.5", 500),
            ("0.125", 125),
            ("0", 0),
            ("2.50", 2500),
        ] {
            assert_eq!(read_thousandths(text), Ok(amount), "{text}");
        }
        for bad in ["", ".", "1.", ".5", "0.1234", "-1", "1e3", "x", "1000001"] {
            assert!(read_thousandths(bad).is_err(), "{bad} was taken");
        }
        for slot in ["cuda.device", "cuda.shares", "tpu-v4.device"] {
            assert_eq!(check_slot(slot), Ok(()));
        }
        for bad in ["", "cuda", "cuda.", ".x", "cuda shares.x"] {
            assert!(check_slot(bad).is_err(), "{bad} was taken");
        }
    }

    #[test]
    fn steps() {
        assert_eq!(quantum("cuda.device", 1, None), 1000);
        assert_eq!(quantum("cuda.shares", 1, None), 100);
        assert_eq!(quantum("cuda.shares", 2, None), 1000);
    }
}
