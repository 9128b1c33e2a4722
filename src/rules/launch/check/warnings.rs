//! Warnings about a launch that is allowed.

use crate::{
    model::{launch_field::LaunchField as Field, reference, resources::Bytes, spec::LaunchRequest},
    rules::launch::{
        amounts,
        check::{Ground, Problems, say},
        environment,
    },
};

/// The warnings about a launch without problems.
pub fn warnings(request: &LaunchRequest, ground: &Ground<'_>) -> Problems {
    let mut found = Problems::new();
    check_image(request, ground, &mut found);
    if let (Some(mem), Some(shmem)) = (request.mem, request.shmem)
        && let Some(why) = short_of_shmem(mem, shmem)
    {
        say(&mut found, Field::SharedMemory, why);
    }
    let free = amounts::free(ground.offer, ground.group(request));
    let size = request.containers();
    let waits = tr!("more than is free now. The session waits in the queue");
    if request.cpu.is_some_and(|cpu| {
        free.cpu
            .is_some_and(|free| times(cpu.millis(), size) > free.millis())
    }) {
        say(&mut found, Field::Cpu, waits);
    }
    if request
        .mem
        .is_some_and(|mem| free.mem.is_some_and(|free| times(mem.0, size) > free.0))
    {
        say(&mut found, Field::Memory, waits);
    }
    let short = |(slot, amount): (&String, &u64)| {
        let free = free.accelerators.get(slot);
        free.is_some_and(|free| times(*amount, size) > *free)
    };
    if request.accelerators.iter().any(short) {
        say(&mut found, Field::Accelerator, waits);
    }
    if request.mounts.is_empty() {
        say(&mut found, Field::Folders, without_folder(ground));
    }
    found
}

/// Home directories outlive their session only on engines that workbay schedules.
fn without_folder(ground: &Ground<'_>) -> String {
    match (ground.is_scheduled(), ground.keep_days) {
        (Some(true), _) => {
            tr!("no folder mounted. Files are deleted when the session ends").to_owned()
        }
        (_, Some(days)) => tr_plural!(
            days,
            "no folder mounted. Files are deleted {days} day after the session ends",
            "no folder mounted. Files are deleted {days} days after the session ends",
            days
        ),
        (_, None) => tr!(
            "no folder mounted. Files are deleted some days after the session ends (setting history.keep-days)"
        )
        .to_owned(),
    }
}

/// Programs can only use the memory that shared memory leaves.
pub fn short_of_shmem(mem: Bytes, shmem: Bytes) -> Option<&'static str> {
    let tight = shmem < mem && mem.0 - shmem.0 < shmem.0.saturating_mul(2);
    tight.then_some(tr!(
        "shared memory leaves little for programs: they may run out of memory. \
                     Request more memory"
    ))
}

fn times(amount: u64, size: u32) -> u64 {
    amount.saturating_mul(u64::from(size))
}

/// An image that isn't on the engine will be pulled, or is misspelled.
fn check_image(request: &LaunchRequest, ground: &Ground<'_>, found: &mut Problems) {
    let all = ground.environments;
    match (&request.image, ground.environment) {
        (image, Some(chosen)) if chosen.absent => {
            let field = if image.is_some() {
                Field::Image
            } else {
                Field::Environment
            };
            say(found, field, environment::to_be_pulled(&chosen.source));
        }
        (Some(image), None) if !all.is_empty() && reference::is_image(image) => {
            let why = match ground.is_scheduled() {
                Some(true) => environment::unlisted(image, all),
                Some(false) => environment::unknown(image, all),
                None => return,
            };
            say(found, Field::Image, why);
        }
        _ => {}
    }
}
