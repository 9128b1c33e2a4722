//! Checks amounts against what is available.

use crate::{
    model::{
        catalogue::{SlotLimits, unit},
        launch_field::LaunchField as Field,
        resources::{Bytes, Cpu, ResourceSlots},
        spec::LaunchRequest,
        text::Clean,
    },
    rules::launch::{
        amounts::{self, thousandths},
        check::{Ground, Problems, add, say},
    },
};

pub(super) fn check_amounts(request: &LaunchRequest, ground: &Ground<'_>, found: &mut Problems) {
    let most = amounts::most(ground.offer, ground.group(request));
    if let Some(cpu) = request.cpu {
        add(found, Field::Cpu, check_cpu(cpu, &most, ground));
    }
    if let Some(mem) = request.mem {
        add(found, Field::Memory, check_memory(mem, &most, ground));
    }
    // Where both are given, the check of the words has already covered them.
    if let (Some(shmem), None, Some(mem)) = (request.shmem, request.mem, ground.filled(request).mem)
    {
        let outcome = amounts::check_shared_memory(shmem, mem);
        add(found, Field::SharedMemory, outcome);
    }
    let most_shmem = ground.offer.and_then(|offer| offer.policy.max_shmem);
    if let (Some(shmem), Some(most)) = (request.shmem, most_shmem)
        && shmem > most
    {
        let why = tr!(
            "{shmem} shared memory is above the limit (max: {most})",
            shmem,
            most
        );
        say(found, Field::SharedMemory, why);
    }
    check_whole_cluster(request, ground, found);
}

fn check_cpu(cpu: Cpu, most: &SlotLimits, ground: &Ground<'_>) -> Result<(), String> {
    let least = amounts::least_cpu(ground.environment);
    if cpu < least {
        return Err(tr!(
            "{cpu} CPU isn't enough for this environment (min: {least})",
            cpu,
            least
        ));
    }
    let quantum = ground.offer.and_then(|offer| offer.quanta.get("cpu"));
    if let Some(quantum) = quantum.filter(|q| **q > 0 && !cpu.millis().is_multiple_of(**q)) {
        return Err(tr!(
            "CPU must be a multiple of {quantum}",
            quantum = thousandths(*quantum)
        ));
    }
    match most.cpu.filter(|most| cpu > *most) {
        Some(most) => Err(tr!("{cpu} CPU is above the limit (max: {most})", cpu, most)),
        None => Ok(()),
    }
}

fn check_memory(mem: Bytes, most: &SlotLimits, ground: &Ground<'_>) -> Result<(), String> {
    let least = amounts::least_memory(ground.environment);
    if mem < least {
        return Err(tr!(
            "{mem} memory isn't enough for this environment (min: {least})",
            mem,
            least
        ));
    }
    match most.mem.filter(|most| mem > *most) {
        Some(most) => Err(tr!(
            "{mem} memory is above the limit (max: {most})",
            mem,
            most
        )),
        None => Ok(()),
    }
}

/// All containers together must fit the group and the user's limits, or the session waits forever.
fn check_whole_cluster(request: &LaunchRequest, ground: &Ground<'_>, found: &mut Problems) {
    let size = request.containers();
    let limits = ground.offer.map(|offer| offer.limits.limits.clone());
    let (Some(mut all), true) = (limits, size > 1) else {
        return;
    };
    let group = ground.group(request);
    if let Some(capacity) = group.and_then(|group| group.capacity.as_ref()) {
        all.tighten(&capacity.as_limits());
    }
    let filled = ground.filled(request);
    let one = ResourceSlots {
        cpu: filled.cpu.unwrap_or_default(),
        mem: filled.mem.unwrap_or_default(),
        accelerators: filled.accelerators,
    };
    if let Some((what, limit)) = all.exceeded_by(&one.times(size), ground.offer) {
        let why = tr!(
            "{size} containers need more {what} than the limit ({limit} in total)",
            size,
            what,
            limit
        );
        say(found, Field::ClusterSize, why);
    }
}

pub(super) fn check_accelerators(
    request: &LaunchRequest,
    ground: &Ground<'_>,
    found: &mut Problems,
) {
    let most = amounts::most(ground.offer, ground.group(request));
    for (slot, amount) in &request.accelerators {
        let outcome = check_accelerator(slot, *amount, request, &most, ground);
        add(found, Field::Accelerator, outcome);
    }
    let minimum = ground.environment.map(|it| &it.facts.minimum.accelerators);
    for (slot, least) in minimum.into_iter().flatten() {
        let asked = request.accelerators.get(slot).copied().unwrap_or(0);
        let by_preset = request.preset.is_some() && !request.accelerators.contains_key(slot);
        if asked < *least && !by_preset {
            let (least, slot) = (thousandths(*least), called(slot, ground));
            let why = tr!("the environment needs {least} {slot} or more", least, slot);
            say(found, Field::Accelerator, why);
        }
    }
}

/// The displayed name of a slot, with the slot itself if that differs: `fGPU (cuda.shares)`.
fn called(slot: &str, ground: &Ground<'_>) -> String {
    let unit = unit(slot, ground.offer);
    if unit == slot {
        return unit;
    }
    format!("{unit} ({})", Clean::new(slot))
}

fn check_accelerator(
    slot: &str,
    amount: u64,
    request: &LaunchRequest,
    most: &SlotLimits,
    ground: &Ground<'_>,
) -> Result<(), String> {
    if let Some(offer) = ground.offer
        && !offer.accelerators.iter().any(|kind| kind.slot == slot)
    {
        let known: Vec<&str> = offer
            .accelerators
            .iter()
            .map(|kind| kind.slot.as_str())
            .collect();
        let known = if known.is_empty() {
            tr!("none").to_owned()
        } else {
            known.join(", ")
        };
        return Err(tr!(
            "accelerator {slot} not found. Available: {known}",
            slot = Clean::new(slot),
            known
        ));
    }
    let called = called(slot, ground);
    // An amount of zero requests nothing.
    if amount == 0 {
        return Ok(());
    }
    if !amounts::supports(ground.environment, slot) {
        return Err(tr!("the environment can't use {called}", called));
    }
    if let Some(group) = ground.group(request)
        && let Some(all) = &group.capacity
        && all.accelerators.get(slot).is_none_or(|all| *all == 0)
    {
        return Err(tr!(
            "group {name} has no {called}",
            name = group.name,
            called
        ));
    }
    check_step(slot, amount, request, ground)?;
    match most.accelerators.get(slot).filter(|most| amount > **most) {
        Some(most) => Err(tr!(
            "{amount} {called} is above the limit (max: {most})",
            amount = thousandths(amount),
            called,
            most = thousandths(*most)
        )),
        None => Ok(()),
    }
}

/// Accelerators can be requested in steps.
fn check_step(
    slot: &str,
    amount: u64,
    request: &LaunchRequest,
    ground: &Ground<'_>,
) -> Result<(), String> {
    let quantum = amounts::quantum(slot, request.containers(), ground.offer);
    if amount.is_multiple_of(quantum) {
        return Ok(());
    }
    let called = called(slot, ground);
    // A single container could have this amount.
    let alone = amounts::quantum(slot, 1, ground.offer);
    Err(if quantum == alone {
        tr!(
            "{called} must be a multiple of {quantum}",
            called,
            quantum = thousandths(quantum)
        )
    } else {
        tr!(
            "{called} must be whole in a cluster session. Use 1, 2 or more",
            called
        )
    })
}

/// Checks the number of containers that the policy allows.
pub(super) fn check_cluster(request: &LaunchRequest, ground: &Ground<'_>, found: &mut Problems) {
    let size = request.containers();
    let policy = ground.offer.map(|offer| &offer.policy);
    let most = policy.and_then(|policy| policy.max_containers_per_session);
    if let Some(most) = most.filter(|most| size > *most) {
        let why = tr!(
            "{size} containers are above the limit of your resource policy (max: \
                           {most})",
            size,
            most
        );
        say(found, Field::ClusterSize, why);
    }
}
