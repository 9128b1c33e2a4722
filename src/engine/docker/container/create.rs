//! Turns a plan into the engine's request for a container.

use std::{collections::HashMap, path::Path};

use bollard::{
    errors::Error,
    models::{
        ContainerCreateBody, HostConfig, HostConfigLogConfig, ImageInspect, Mount,
        NetworkingConfig, ResourcesUlimits,
    },
};

use super::{
    identity::Identity,
    labels::{self, AssignedResources, Labels},
    planned::PlannedContainer,
    variables::{self, VariableInputs},
};
use crate::{
    engine::{
        api::{CreatePlan, Result},
        docker::{
            accelerator::devices::{self, Device},
            connect::{
                connection::EngineConnection,
                quirks::{LayerLimit, Quirks},
            },
            folder::{binds::Bind, mounts},
            image::{architecture, host},
            network::{self, SessionNetwork},
            toolbox::Toolbox,
        },
    },
    model::{
        environment::EnvironmentSource, failure::Failure, image, inside, own_line,
        resources::Bytes, service::Service, session::SessionType,
    },
    rules::launch::amounts,
};

/// The minimum memory that Docker accepts for a container.
const LEAST_MEMORY: Bytes = Bytes(6 * Bytes::MIB);

/// The settings of an image that matter for its sessions.
#[derive(Default)]
pub(in crate::engine::docker) struct ImageFacts {
    /// The reference by which the engine finds it.
    pub(in crate::engine::docker) reference: String,
    env: Vec<String>,
    core_counts: Option<String>,
    /// As the image spells it: a name or a number, maybe with a group; empty = root.
    pub(in crate::engine::docker) user: String,
    pub(in crate::engine::docker) services: Vec<Service>,
    /// The size of its files, in bytes.
    size: u64,
}

/// Everything that goes into a new container.
pub(in crate::engine::docker) struct ContainerParts<'a> {
    pub(in crate::engine::docker) plan: &'a CreatePlan,
    pub(in crate::engine::docker) planned: PlannedContainer,
    pub(in crate::engine::docker) identity: &'a Identity,
    pub(in crate::engine::docker) image: &'a ImageFacts,
    /// The runner's command inside.
    pub(in crate::engine::docker) runner: &'a [String],
    /// Toolbox, home directory and folders.
    pub(in crate::engine::docker) mounts: Vec<Mount>,
    pub(in crate::engine::docker) notes: &'a [String],
    pub(in crate::engine::docker) given: AssignedResources,
    /// All devices of the machine.
    pub(in crate::engine::docker) devices: &'a [Device],
    pub(in crate::engine::docker) labels: Labels,
    pub(in crate::engine::docker) network: &'a SessionNetwork,
}

/// The maximum length of a command in one argument of a program, with some reserve.
const LONGEST_COMMAND: usize = 120 * 1024;

/// Refuses what the engine would refuse with an unclear message.
pub(in crate::engine::docker) fn check_limits(plan: &CreatePlan, cpus: u32) -> Result<()> {
    let spec = &plan.spec;
    if spec.mem < LEAST_MEMORY {
        return Err(Failure::engine_refused(tr_sent!(
            "{mem} memory is too little for a container (min: {least_memory}). Request more",
            mem = spec.mem,
            least_memory = LEAST_MEMORY
        )));
    }
    amounts::check_shared_memory(spec.shmem, spec.mem).map_err(Failure::engine_refused)?;
    let command = spec.startup_command.as_ref().map_or(0, String::len);
    if command > LONGEST_COMMAND {
        return Err(Failure::engine_refused(tr_sent!(
            "the startup command is too long: {size} (max: {most}). Store it as a script in a folder, or \
             use the bootstrap script",
            size = Bytes(command as u64),
            most = Bytes(LONGEST_COMMAND as u64)
        )));
    }
    if spec.cpu.millis() > u64::from(cpus) * 1000 {
        return Err(Failure::engine_refused(tr_sent!(
            "{cpu} CPU is more than this machine has ({cpus}). Request less",
            cpu = spec.cpu,
            cpus
        )));
    }
    Ok(())
}

/// The settings of the plan's image; `NoImage` when it doesn't exist.
pub(in crate::engine::docker) async fn image_facts(
    connection: &EngineConnection,
    plan: &CreatePlan,
    identity: &Identity,
) -> Result<ImageFacts> {
    let reference = match &plan.spec.source {
        EnvironmentSource::Host => {
            connection.must_be_local()?;
            if let Some(why) = host::unavailable() {
                return Err(Failure::unsupported(why));
            }
            let reference = host::ensure_image(connection, identity.inside).await?;
            return Ok(ImageFacts {
                reference,
                ..ImageFacts::default()
            });
        }
        EnvironmentSource::Image { reference } => reference,
    };
    match connection.docker.inspect_image(reference).await {
        Ok(image) => {
            architecture::check(connection, reference, image.architecture.as_deref())?;
            Ok(facts(reference, image))
        }
        Err(Error::DockerResponseServerError {
            status_code: 404, ..
        }) => Err(
            Failure::no_image(tr_sent!("image '{reference}'", reference)).hint(tr_sent!(
                "pull it with `workbay env pull {reference}`. `workbay env ls` lists the images \
                 on this engine",
                reference
            )),
        ),
        Err(error) => Err(connection.fault(error)),
    }
}

fn facts(reference: &str, record: ImageInspect) -> ImageFacts {
    let size = record.size.and_then(|size| size.try_into().ok());
    let config = record.config.unwrap_or_default();
    let labels = config.labels.unwrap_or_default();
    ImageFacts {
        reference: reference.to_owned(),
        env: config.env.unwrap_or_default(),
        core_counts: labels.get(image::CORE_COUNTS).cloned(),
        user: config.user.unwrap_or_default(),
        services: labels
            .get(image::SERVICE_PORTS)
            .map(|label| image::services(label))
            .unwrap_or_default(),
        size: size.unwrap_or(0),
    }
}

impl ContainerParts<'_> {
    /// The user that the container runs as; `None` = the image's own.
    fn user(&self) -> Option<(u32, u32)> {
        let is_ours = self.plan.spec.user.is_ours();
        is_ours.then_some(self.identity.inside)
    }
}

/// The request that creates the container.
pub(in crate::engine::docker) fn body(
    connection: &EngineConnection,
    parts: ContainerParts<'_>,
) -> ContainerCreateBody {
    let user = parts.user();
    let seen = parts.given.devices.all();
    let around = VariableInputs {
        user,
        users_name: &parts.image.user,
        image: &parts.image.env,
        core_counts: parts.image.core_counts.as_deref(),
        services: &parts.given.services,
        devices: devices::variables(&seen, parts.devices),
    };
    ContainerCreateBody {
        hostname: Some(parts.planned.hostname()),
        user: user.map(|(uid, gid)| format!("{uid}:{gid}")),
        env: Some(variables::of_plan(parts.plan, parts.planned, &around)),
        // The runner is the whole command: an image's own entry point isn't run.
        entrypoint: Some(command(&parts)),
        cmd: Some(Vec::new()),
        image: Some(parts.image.reference.clone()),
        working_dir: Some(inside::HOME.to_owned()),
        stop_signal: Some("SIGTERM".to_owned()),
        // An image's own health check tests a program that isn't run.
        healthcheck: Some(bollard::models::HealthConfig {
            test: Some(vec!["NONE".to_owned()]),
            ..Default::default()
        }),
        host_config: Some(host_config(connection, &parts)),
        networking_config: names_on(parts.network, parts.planned),
        labels: Some(parts.labels),
        ..ContainerCreateBody::default()
    }
}

/// The settings by which a cluster's containers find each other.
fn names_on(network: &SessionNetwork, planned: PlannedContainer) -> Option<NetworkingConfig> {
    let mode = network.mode.as_deref().filter(|_| network.has_names)?;
    Some(network::endpoint(mode, planned))
}

/// The command line of the runner.
fn command(parts: &ContainerParts<'_>) -> Vec<String> {
    let spec = &parts.plan.spec;
    let mut command = parts.runner.to_vec();
    command.extend(["runner".to_owned(), "main".to_owned()]);
    for words in start_lines(parts) {
        command.extend(["--say".to_owned(), words]);
    }
    if spec.bootstrap_script.is_some() {
        command.push("--bootstrap".to_owned());
    }
    // The other containers of a cluster wait for requests of the main one.
    if let Some(batch) = &spec.startup_command
        && spec.session_type == SessionType::Batch
        && parts.planned.is_main()
    {
        command.extend(["--batch".to_owned(), batch.clone()]);
    }
    command
}

/// The first lines of the log.
fn start_lines(parts: &ContainerParts<'_>) -> Vec<String> {
    let (plan, spec) = (parts.plan, &parts.plan.spec);
    let mut lines = vec![
        own_line::session(&plan.name, plan.session),
        own_line::environment(&spec.environment_label),
        limits(plan, parts.given.cores.as_deref()),
    ];
    if !plan.subs.is_empty() {
        let size = plan.subs.len() + 1;
        lines.push(own_line::cluster(parts.planned.hostname(), size));
    }
    let seen = parts.given.devices.all();
    if !seen.is_empty() {
        lines.push(own_line::devices(super::cores::list(&seen)));
    }
    lines.extend(parts.notes.iter().cloned());
    lines
}

/// The line with the limits. `cores`: those that the session has for itself, `0` or `0-2`.
fn limits(plan: &CreatePlan, cores: Option<&str>) -> String {
    let (spec, pids) = (&plan.spec, plan.pids);
    let (cpu, mem, shmem) = (spec.cpu, spec.mem, spec.shmem);
    match cores {
        None => own_line::limits(cpu, mem, shmem, pids),
        Some(core) if core.chars().all(|c| c.is_ascii_digit()) => {
            own_line::limits_on_core(cpu, core, mem, shmem, pids)
        }
        Some(cores) => own_line::limits_on_cores(cpu, cores, mem, shmem, pids),
    }
}

fn host_config(connection: &EngineConnection, parts: &ContainerParts<'_>) -> HostConfig {
    let (spec, quirks) = (&parts.plan.spec, &connection.quirks);
    let can = quirks.limits;
    let memory = i64::try_from(spec.mem.0).unwrap_or(i64::MAX);
    HostConfig {
        nano_cpus: i64::try_from(spec.cpu.millis() * 1_000_000)
            .ok()
            .filter(|_| can.cpu),
        cpuset_cpus: parts.given.cores.clone().filter(|_| can.cores),
        memory: can.memory.then_some(memory),
        // Memory and swap together get the same limit, so there is no swap.
        memory_swap: (can.memory && can.swap).then_some(memory),
        shm_size: i64::try_from(spec.shmem.0).ok().filter(|bytes| *bytes > 0),
        pids_limit: can.processes.then_some(parts.plan.pids),
        init: Some(quirks.init),
        cap_drop: Some(vec!["ALL".to_owned()]),
        cap_add: parts.user().is_none().then(own_users_capabilities),
        security_opt: Some(security(quirks.selinux)),
        userns_mode: parts.identity.userns.map(str::to_owned),
        ulimits: Some(ulimits(quirks)),
        log_config: Some(log_config(quirks)),
        storage_opt: layer_limit(spec.disk, quirks.layer, parts.image.size),
        mounts: Some(parts.mounts.clone()),
        device_requests: devices::request(&parts.given.devices.all()),
        network_mode: parts.network.mode.clone(),
        ..HostConfig::default()
    }
}

/// The engine's limit of a container's files outside its mounts.
fn layer_limit(
    disk: Option<Bytes>,
    layer: LayerLimit,
    image: u64,
) -> Option<HashMap<String, String>> {
    let size = match layer {
        LayerLimit::None => return None,
        LayerLimit::Written => disk?.0,
        LayerLimit::WithImage => disk?.0.saturating_add(image),
    };
    Some(HashMap::from([("size".to_owned(), size.to_string())]))
}

/// The mounts of this machine's files.
pub(in crate::engine::docker) fn mounts(
    source: &EnvironmentSource,
    toolbox: &Path,
    home: &Path,
    shared: Option<&Path>,
    binds: &[Bind],
) -> Vec<Mount> {
    let mut all = match source {
        EnvironmentSource::Host => host::mounts(),
        EnvironmentSource::Image { .. } => Vec::new(),
    };
    all.push(mounts::read_only(toolbox, inside::TOOLBOX.as_ref()));
    all.push(mounts::writable(home, inside::HOME.as_ref()));
    all.extend(shared.map(|shared| mounts::writable(shared, inside::SHARED.as_ref())));
    all.extend(binds.iter().map(Bind::mount));
    all
}

/// The capabilities of a program that starts as root and switches to other users.
fn own_users_capabilities() -> Vec<String> {
    let kept = [
        "CHOWN",
        "DAC_OVERRIDE",
        "FOWNER",
        "SETUID",
        "SETGID",
        "KILL",
    ];
    kept.map(str::to_owned).to_vec()
}

pub(in crate::engine::docker) fn security(selinux: bool) -> Vec<String> {
    let mut options = vec!["no-new-privileges".to_owned()];
    if selinux {
        // Files of this machine must not get new labels, and couldn't be read otherwise.
        options.push("label=disable".to_owned());
    }
    options
}

pub(in crate::engine::docker) fn ulimits(quirks: &Quirks) -> Vec<ResourcesUlimits> {
    let all = quirks.ulimits.iter();
    all.map(|(name, most)| ResourcesUlimits {
        name: Some((*name).to_owned()),
        soft: Some(*most),
        hard: Some(*most),
    })
    .collect()
}

pub(in crate::engine::docker) fn log_config(quirks: &Quirks) -> HostConfigLogConfig {
    let (driver, options) = quirks.log;
    let options = options.iter();
    HostConfigLogConfig {
        typ: Some(driver.to_owned()),
        config: Some(
            options
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
        ),
    }
}

/// The labels of a container, including the resources chosen for it.
pub(in crate::engine::docker) fn labels(
    plan: &CreatePlan,
    planned: PlannedContainer,
    instance: crate::model::id::InstanceId,
    given: &AssignedResources,
    toolbox: &Toolbox,
) -> Result<Labels> {
    labels::of_plan(plan, planned, instance, given, &toolbox.key).map_err(|error| {
        Failure::engine_refused(tr_sent!(
            "the launch can't be stored in a label: {error}",
            error
        ))
    })
}
