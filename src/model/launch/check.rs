//! All rules of a launch. The same sentence wherever it is said.

use jiff::Timestamp;

use super::{
    super::{
        capability::{Capabilities, Capability},
        catalogue::{Catalogue, ResourceGroup},
        environment::Environment,
        name,
        resources::{Bytes, Cpu},
        session::{ClusterMode, SessionType},
        spec::{DEFAULT_GROUP, LaunchRequest, check_variable_name},
        text::Clean,
    },
    amounts::{self, thousandths},
    field::{FieldProblem, LaunchField as Field},
    folders, ports,
};

/// Sessions made alike in one go.
pub const MOST_COPIES: u32 = 100;
/// Priorities.
const PRIORITIES: std::ops::RangeInclusive<i32> = 0..=100;

/// What a launch is checked against. What is not known is not checked: who launches checks again.
#[derive(Clone, Copy)]
pub struct Ground<'a> {
    pub now: Timestamp,
    /// The one that was chosen.
    pub environment: Option<&'a Environment>,
    pub offer: Option<&'a Catalogue>,
    pub capabilities: Option<&'a Capabilities>,
    /// Whether a session that has not ended bears a name.
    pub taken: Option<&'a dyn Fn(&str) -> bool>,
}

impl<'a> Ground<'a> {
    /// Nothing is known but the time.
    #[must_use]
    pub fn at(now: Timestamp) -> Self {
        Self {
            now,
            environment: None,
            offer: None,
            capabilities: None,
            taken: None,
        }
    }

    /// The group that is asked for, or the only one. Where workbay itself decides, nothing said is
    /// the default group; an engine that schedules picks one.
    pub fn group(&self, request: &LaunchRequest) -> Option<&'a ResourceGroup> {
        let groups = self.offer.map_or(&[][..], |offer| &offer.resource_groups);
        let named = |name: &str| groups.iter().find(|group| group.name == *name);
        match (&request.resource_group, groups) {
            (Some(name), _) => named(name),
            (None, [only]) => Some(only),
            (None, _) if self.schedules() => None,
            (None, _) => named(DEFAULT_GROUP),
        }
    }

    fn schedules(&self) -> bool {
        let known = self.capabilities;
        known.is_none_or(|it| it.has(Capability::Schedules))
    }
}

type Problems = Vec<FieldProblem>;

/// Everything that is wrong, in the order of the launcher's fields; empty = it can be launched.
pub fn check(request: &LaunchRequest, ground: &Ground<'_>) -> Problems {
    let mut found = check_words(request, ground.now);
    check_taken(request, ground, &mut found);
    check_capabilities(request, ground, &mut found);
    check_group(request, ground, &mut found);
    check_amounts(request, ground, &mut found);
    check_accelerators(request, ground, &mut found);
    check_numbers(request, ground, &mut found);
    check_folders(request, ground, &mut found);
    check_ports(request, ground, &mut found);
    found.sort_by_key(|problem| problem.field);
    found
}

/// What can be seen without knowing anything of a context.
pub fn check_words(request: &LaunchRequest, now: Timestamp) -> Problems {
    let mut found = Problems::new();
    if let Some(name) = &request.name {
        add(&mut found, Field::Name, check_names(name, request.copies()));
    }
    check_batch(request, now, &mut found);
    if request.environment.is_some() && request.image.is_some() {
        let why = "give an environment or an image, not both: they say the same thing";
        say(&mut found, Field::Image, why);
    }
    if let Some(image) = &request.image
        && (image.trim().is_empty() || image.contains(char::is_whitespace))
    {
        let why = format!(
            "'{}' is no image: write it as in docker pull",
            Clean::new(image)
        );
        say(&mut found, Field::Image, why);
    }
    for name in request.env.keys() {
        add(&mut found, Field::Variables, check_variable_name(name));
    }
    if let (Some(shmem), Some(mem)) = (request.shmem, request.mem) {
        add(&mut found, Field::SharedMemory, check_shmem(shmem, mem));
    }
    if let Some(priority) = request.priority.filter(|it| !PRIORITIES.contains(it)) {
        let why = format!("priority {priority}: 0 to 100, the highest goes first");
        say(&mut found, Field::Priority, why);
    }
    add(
        &mut found,
        Field::Folders,
        folders::check(&request.mounts, &[]),
    );
    found
}

fn say(found: &mut Problems, field: Field, why: impl Into<String>) {
    found.push(FieldProblem::new(field, why));
}

fn add(found: &mut Problems, field: Field, outcome: Result<(), String>) {
    if let Err(why) = outcome {
        say(found, field, why);
    }
}

/// The names that so many sessions of this name get.
pub fn names(name: &str, copies: u32) -> Vec<String> {
    if copies < 2 {
        return vec![name.to_owned()];
    }
    (1..=copies).map(|n| format!("{name}-{n}")).collect()
}

fn check_names(name: &str, copies: u32) -> Result<(), String> {
    name::check(name).map_err(|error| error.to_string())?;
    let last = names(name, copies.min(MOST_COPIES)).pop();
    last.map_or(Ok(()), |last| {
        name::check(&last).map_err(|error| format!("{last}: {error}"))
    })
}

fn check_batch(request: &LaunchRequest, now: Timestamp, found: &mut Problems) {
    let command = request.startup_command.as_deref().unwrap_or_default();
    if request.session_type == SessionType::Batch {
        if command.trim().is_empty() {
            say(
                found,
                Field::StartupCommand,
                "a batch session needs a command to run",
            );
        }
        if request.starts_at.is_some_and(|at| at <= now) {
            say(
                found,
                Field::StartTime,
                "the start time has passed: choose one ahead, as +10m",
            );
        }
        if request.timeout.is_some_and(|it| it.0 == 0) {
            say(found, Field::Timeout, "a timeout is at least 1 second");
        }
        return;
    }
    if !matches!(request.session_type, SessionType::Interactive) {
        let why = "only interactive and batch sessions can be launched";
        say(found, Field::SessionType, why);
    }
    for (given, field, what) in [
        (
            !command.is_empty(),
            Field::StartupCommand,
            "a startup command",
        ),
        (
            request.starts_at.is_some(),
            Field::StartTime,
            "a start time",
        ),
        (request.timeout.is_some(), Field::Timeout, "a timeout"),
    ] {
        if given {
            say(found, field, format!("only a batch session has {what}"));
        }
    }
}

fn check_taken(request: &LaunchRequest, ground: &Ground<'_>, found: &mut Problems) {
    let (Some(name), Some(taken)) = (&request.name, ground.taken) else {
        return;
    };
    let copies = request.copies().min(MOST_COPIES);
    if let Some(name) = names(name, copies).into_iter().find(|name| taken(name)) {
        let why = format!("the name '{name}' is taken by a session that has not ended");
        say(found, Field::Name, why);
    }
}

/// What this engine does not do.
fn check_capabilities(request: &LaunchRequest, ground: &Ground<'_>, found: &mut Problems) {
    let Some(capabilities) = ground.capabilities else {
        return;
    };
    let multi = request.cluster_mode == ClusterMode::MultiNode && request.containers() > 1;
    for (asked, capability, field) in [
        (multi, Capability::MultiNode, Field::ClusterMode),
        (
            request.agent.is_some(),
            Capability::AgentChoice,
            Field::Agent,
        ),
        (request.owner.is_some(), Capability::Owners, Field::Owner),
        (
            !request.mounts.is_empty(),
            Capability::Folders,
            Field::Folders,
        ),
    ] {
        if let (true, Some(why)) = (asked, capabilities.why_not(capability)) {
            say(found, field, why.as_str());
        }
    }
}

fn check_group(request: &LaunchRequest, ground: &Ground<'_>, found: &mut Problems) {
    let Some(offer) = ground.offer else {
        return;
    };
    let known = |names: &mut dyn Iterator<Item = &Clean>| {
        let names: Vec<&str> = names.map(Clean::as_str).collect();
        names.join(", ")
    };
    if let Some(wanted) = &request.project
        && !offer.projects.iter().any(|it| it.name == *wanted.as_str())
    {
        let names = known(&mut offer.projects.iter().map(|it| &it.name));
        let why = format!(
            "there is no project '{}': there are {names}",
            Clean::new(wanted)
        );
        say(found, Field::Project, why);
    }
    if let Some(wanted) = &request.resource_group
        && ground.group(request).is_none()
    {
        let names = known(&mut offer.resource_groups.iter().map(|it| &it.name));
        let why = format!(
            "there is no resource group '{}': there are {names}",
            Clean::new(wanted)
        );
        say(found, Field::ResourceGroup, why);
    }
    if let Some(wanted) = &request.preset {
        check_preset(request, wanted, offer, ground, found);
    }
    if offer.presets_only && request.preset.is_none() {
        say(
            found,
            Field::Preset,
            "amounts by hand are not allowed here: choose a preset",
        );
    }
}

fn check_preset(
    request: &LaunchRequest,
    wanted: &str,
    offer: &Catalogue,
    ground: &Ground<'_>,
    found: &mut Problems,
) {
    let group = ground.group(request);
    let Some(preset) = offer.presets.iter().find(|it| it.name == *wanted) else {
        let names: Vec<&str> = offer.presets.iter().map(|it| it.name.as_str()).collect();
        let names = if names.is_empty() {
            "there are none".to_owned()
        } else {
            format!("there are {}", names.join(", "))
        };
        let why = format!("there is no preset '{}': {names}", Clean::new(wanted));
        return say(found, Field::Preset, why);
    };
    let elsewhere = preset.resource_group.as_ref().filter(|only| {
        let chosen = group.map(|group| &group.name);
        chosen.is_some_and(|chosen| chosen != *only)
    });
    if let Some(only) = elsewhere {
        say(
            found,
            Field::Preset,
            format!("the preset {wanted} is for the group {only} only"),
        );
    } else if let Some(why) =
        amounts::why_not_preset(preset, ground.environment, ground.offer, group)
    {
        say(
            found,
            Field::Preset,
            format!("the preset {wanted} cannot be had: {why}"),
        );
    }
}

fn check_amounts(request: &LaunchRequest, ground: &Ground<'_>, found: &mut Problems) {
    let most = amounts::most(ground.offer, ground.group(request));
    if let Some(cpu) = request.cpu {
        add(found, Field::Cpu, check_cpu(cpu, &most, ground));
    }
    if let Some(mem) = request.mem {
        add(found, Field::Memory, check_memory(mem, &most, ground));
    }
    let most_shmem = ground.offer.and_then(|offer| offer.policy.max_shmem);
    if let (Some(shmem), Some(most)) = (request.shmem, most_shmem)
        && shmem > most
    {
        let why = format!("{shmem} of shared memory: {most} at most");
        say(found, Field::SharedMemory, why);
    }
    check_whole_cluster(request, ground, found);
}

fn check_cpu(
    cpu: Cpu,
    most: &super::super::catalogue::SlotLimits,
    ground: &Ground<'_>,
) -> Result<(), String> {
    let least = amounts::least_cpu(ground.environment);
    if cpu < least {
        return Err(format!("{cpu} CPU are too few: at least {least}"));
    }
    let quantum = ground.offer.and_then(|offer| offer.quanta.get("cpu"));
    if let Some(quantum) = quantum.filter(|q| **q > 0 && !cpu.millis().is_multiple_of(**q)) {
        return Err(format!("CPU goes in steps of {}", thousandths(*quantum)));
    }
    match most.cpu.filter(|most| cpu > *most) {
        Some(most) => Err(format!(
            "{cpu} CPU are more than can be had here: {most} at most"
        )),
        None => Ok(()),
    }
}

fn check_memory(
    mem: Bytes,
    most: &super::super::catalogue::SlotLimits,
    ground: &Ground<'_>,
) -> Result<(), String> {
    let least = amounts::least_memory(ground.environment);
    if mem < least {
        return Err(format!("{mem} of memory are too little: at least {least}"));
    }
    match most.mem.filter(|most| mem > *most) {
        Some(most) => Err(format!(
            "{mem} of memory are more than can be had here: {most} at most"
        )),
        None => Ok(()),
    }
}

fn check_shmem(shmem: Bytes, mem: Bytes) -> Result<(), String> {
    if shmem < mem {
        return Ok(());
    }
    Err(format!(
        "shared memory ({shmem}) is a part of the memory ({mem}): it must be less"
    ))
}

/// All containers together must fit the group, or they wait for ever.
fn check_whole_cluster(request: &LaunchRequest, ground: &Ground<'_>, found: &mut Problems) {
    let size = request.containers();
    let group = ground
        .group(request)
        .and_then(|group| group.capacity.as_ref());
    let (Some(all), true) = (group, size > 1) else {
        return;
    };
    let one = super::super::resources::ResourceSlots {
        cpu: request.cpu.unwrap_or_default(),
        mem: request.mem.unwrap_or_default(),
        accelerators: request.accelerators.clone(),
    };
    if let Some((what, limit)) = all.as_limits().exceeded_by(&one.times(size)) {
        let why = format!("{size} containers need more {what} than there is: {limit} in all");
        say(found, Field::ClusterSize, why);
    }
}

fn check_accelerators(request: &LaunchRequest, ground: &Ground<'_>, found: &mut Problems) {
    let most = amounts::most(ground.offer, ground.group(request));
    for (slot, amount) in &request.accelerators {
        if *amount > 0 {
            let outcome = check_accelerator(slot, *amount, request, &most, ground);
            add(found, Field::Accelerator, outcome);
        }
    }
    let minimum = ground.environment.map(|it| &it.facts.minimum.accelerators);
    for (slot, least) in minimum.into_iter().flatten() {
        let asked = request.accelerators.get(slot).copied().unwrap_or(0);
        let by_preset = request.preset.is_some() && !request.accelerators.contains_key(slot);
        if asked < *least && !by_preset {
            let why = format!(
                "the environment needs at least {} {slot}",
                thousandths(*least)
            );
            say(found, Field::Accelerator, why);
        }
    }
}

fn check_accelerator(
    slot: &str,
    amount: u64,
    request: &LaunchRequest,
    most: &super::super::catalogue::SlotLimits,
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
            "none".to_owned()
        } else {
            known.join(", ")
        };
        return Err(format!(
            "there is no {} here: there is {known}",
            Clean::new(slot)
        ));
    }
    if !amounts::supports(ground.environment, slot) {
        return Err(format!("the environment cannot use {slot}"));
    }
    let quantum = amounts::quantum(slot, request.containers(), ground.offer);
    if !amount.is_multiple_of(quantum) {
        return Err(format!("{slot} goes in steps of {}", thousandths(quantum)));
    }
    match most.accelerators.get(slot).filter(|most| amount > **most) {
        Some(most) => Err(format!(
            "{} {slot} are more than can be had here: {} at most",
            thousandths(amount),
            thousandths(*most)
        )),
        None => Ok(()),
    }
}

/// Counts and sizes.
fn check_numbers(request: &LaunchRequest, ground: &Ground<'_>, found: &mut Problems) {
    let (copies, size) = (request.copies(), request.containers());
    if copies == 0 {
        say(
            found,
            Field::Count,
            "0 sessions are nothing to launch: at least 1",
        );
    } else if copies > MOST_COPIES {
        say(
            found,
            Field::Count,
            format!("{copies} sessions at once: {MOST_COPIES} at most"),
        );
    } else if copies > 1 && size > 1 {
        say(found, Field::Count, "clusters are launched one at a time");
    }
    let most = ground
        .offer
        .and_then(|offer| offer.policy.max_containers_per_session);
    if size == 0 {
        say(
            found,
            Field::ClusterSize,
            "0 containers are no session: at least 1",
        );
    } else if let Some(most) = most.filter(|most| size > *most) {
        let why = format!("{size} containers are more than the policy allows: {most} at most");
        say(found, Field::ClusterSize, why);
    }
    if request.agent.is_some() && size > 1 {
        say(
            found,
            Field::Agent,
            "an agent is chosen for sessions of one container only",
        );
    }
}

fn check_folders(request: &LaunchRequest, ground: &Ground<'_>, found: &mut Problems) {
    let Some(offer) = ground.offer else {
        return;
    };
    for mount in &request.mounts {
        let Some(folder) = offer
            .folders
            .iter()
            .find(|it| it.name == *mount.folder.as_str())
        else {
            let why = format!("there is no folder '{}'", Clean::new(&mount.folder));
            say(found, Field::Folders, why);
            continue;
        };
        if folder.is_auto_mounted() {
            let why = format!("the folder {} is mounted by itself", folder.name);
            say(found, Field::Folders, why);
        } else if folder.permission == *"ro" && !mount.read_only {
            let why = format!("the folder {} can be mounted read-only only", folder.name);
            say(found, Field::Folders, why);
        }
    }
    let automatic = offer.folders.iter().filter(|it| it.is_auto_mounted());
    let automatic: Vec<String> = automatic.map(|it| it.name.to_string()).collect();
    // Without these it was checked with the words already.
    if folders::check(&request.mounts, &[]).is_ok() {
        add(
            found,
            Field::Folders,
            folders::check(&request.mounts, &automatic),
        );
    }
}

fn check_ports(request: &LaunchRequest, ground: &Ground<'_>, found: &mut Problems) {
    let services = ground.environment.map_or(&[][..], |it| &it.facts.services);
    let taken: Vec<u16> = services.iter().flat_map(|it| it.ports.clone()).collect();
    let most = ground
        .offer
        .and_then(|offer| offer.policy.max_preopen_ports);
    let outcome = ports::check(&request.preopen_ports, &taken, most.unwrap_or(ports::MOST));
    add(found, Field::PreopenPorts, outcome);
}

/// What a person should know of a launch that can be done.
pub fn warnings(request: &LaunchRequest, ground: &Ground<'_>) -> Problems {
    let mut found = Problems::new();
    if let (Some(mem), Some(shmem)) = (request.mem, request.shmem)
        && shmem < mem
        && mem.0 - shmem.0 < shmem.0.saturating_mul(2)
    {
        let why = "more than half of what is left of the memory: programs may run short of it";
        say(&mut found, Field::SharedMemory, why);
    }
    let free = amounts::free(ground.offer, ground.group(request));
    let size = request.containers();
    let waits = "more than is free now: the session will wait for it";
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
        let why = "no folder is mounted: files in the session's home go when it ends";
        say(&mut found, Field::Folders, why);
    }
    found
}

fn times(amount: u64, size: u32) -> u64 {
    amount.saturating_mul(u64::from(size))
}
