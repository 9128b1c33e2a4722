//! Rules that only need the request itself.

use jiff::Timestamp;

use crate::{
    model::{
        launch_field::LaunchField as Field,
        name, ports, priority, reference,
        resources::Bytes,
        secret_rules,
        session::SessionType,
        spec::{LaunchRequest, check_variable_name},
        text::{Clean, is_hidden},
    },
    rules::launch::{
        amounts,
        check::{MOST_COPIES, Problems, add, names, say, say_at},
        folders, script, stop_hook,
    },
};

/// Finds the problems that are visible without knowing the context.
pub fn check_words(request: &LaunchRequest, now: Timestamp) -> Problems {
    let mut found = Problems::new();
    if let Some(name) = &request.name {
        add(&mut found, Field::Name, check_names(name, request.copies()));
    }
    check_batch(request, now, &mut found);
    if request.environment.is_some() && request.image.is_some() {
        let why = tr!("an environment and an image exclude each other. Choose one of them");
        say(&mut found, Field::Image, why);
    }
    if let Some(image) = &request.image
        && let Err(why) = reference::check(image)
    {
        let image = Clean::new(image);
        let why = tr!(
            "invalid image '{image}': {why}. Write it as for docker pull",
            image,
            why
        );
        say(&mut found, Field::Image, why);
    }
    check_choices(request, &mut found);
    check_variables(request, &mut found);
    if let Some(script) = &request.bootstrap_script {
        let outcome = script::check(script, tr!("the bootstrap script"));
        add(&mut found, Field::BootstrapScript, outcome);
    }
    check_idle(request, &mut found);
    if let Some(stop_hook) = &request.stop_hook {
        let outcome = stop_hook::check(stop_hook, &request.mounts);
        add(&mut found, Field::StopHook, outcome);
    }
    check_numbers(request, &mut found);
    if let (Some(shmem), Some(mem)) = (request.shmem, request.mem) {
        let outcome = amounts::check_shared_memory(shmem, mem);
        add(&mut found, Field::SharedMemory, outcome);
    }
    if let Some(priority) = request.priority {
        add(&mut found, Field::Priority, priority::check(priority));
    }
    for (at, why) in folders::check(&request.mounts, &[]) {
        say_at(&mut found, Field::Folders, at, why);
    }
    let ports = ports::check(&request.preopen_ports, &[], u32::MAX);
    add(&mut found, Field::PreopenPorts, ports);
    found.sort_by_key(|problem| problem.field);
    found
}

/// The max length of a chosen name.
const LONGEST_CHOICE: usize = 512;

/// Checks names of list entries, because they reach the engine and the screen also where the list isn't
/// known.
fn check_choices(request: &LaunchRequest, found: &mut Problems) {
    let owner = request.owner.as_ref();
    let choices = [
        (Field::Environment, &request.environment),
        (Field::Project, &request.project),
        (Field::ResourceGroup, &request.resource_group),
        (Field::Preset, &request.preset),
        (Field::Agent, &request.agent),
    ];
    let choices = choices
        .into_iter()
        .filter_map(|(field, text)| Some((field, text.as_ref()?)))
        .chain(owner.map(|owner| (Field::Owner, &owner.email)))
        .chain(owner.map(|owner| (Field::Owner, &owner.access_key)))
        .chain(
            request
                .accelerators
                .keys()
                .map(|it| (Field::Accelerator, it)),
        );
    for (field, text) in choices {
        add(found, field, check_choice(text));
    }
}

fn check_choice(text: &str) -> Result<(), String> {
    if text.contains(is_hidden) {
        let shown = Clean::new(text);
        return Err(tr!(
            "'{shown}' contains a control character or an invisible character. Remove it",
            shown
        ));
    }
    if text.len() > LONGEST_CHOICE {
        return Err(tr!(
            "{count} bytes are too long (max: {most})",
            count = text.len(),
            most = LONGEST_CHOICE
        ));
    }
    Ok(())
}

/// The kernel limits the size of a single variable and of all variables of a program.
const MOST_VALUE: usize = 96 * 1024;
const MOST_VARIABLES: usize = 256 * 1024;

fn check_variables(request: &LaunchRequest, found: &mut Problems) {
    let bytes: usize = request.env.iter().map(|(k, v)| k.len() + v.len() + 2).sum();
    if bytes > MOST_VARIABLES {
        let (is, most) = (Bytes(bytes as u64), Bytes(MOST_VARIABLES as u64));
        let why = tr!(
            "all variables together are too long: {is} (max: {most})",
            is,
            most
        );
        return say(found, Field::Variables, why);
    }
    for (name, value) in &request.env {
        let secret = request.is_secret(name) || secret_rules::names::is_secret(name);
        add(found, Field::Variables, check_variable(name, value, secret));
    }
}

/// Checks the name and the value of a variable.
fn check_variable(name: &str, value: &str, secret: bool) -> Result<(), String> {
    check_variable_name(name)?;
    check_value(name, value)?;
    if !value.is_empty() {
        return Ok(());
    }
    Err(if secret {
        tr!(
            "{name} has no value. Values of secrets aren't stored: set it again",
            name
        )
    } else {
        tr!("{name} has no value. Set one, or remove the variable", name)
    })
}

/// Checks the value of a variable with this name.
pub fn check_value(name: &str, value: &str) -> Result<(), String> {
    if value.contains('\0') {
        return Err(tr!("the value of {name} contains a NUL byte", name));
    }
    if value.len() > MOST_VALUE {
        let (is, most) = (Bytes(value.len() as u64), Bytes(MOST_VALUE as u64));
        return Err(tr!(
            "the value of {name} is too long: {is} (max: {most})",
            name,
            is,
            most
        ));
    }
    Ok(())
}

/// Checks counts and sizes.
fn check_numbers(request: &LaunchRequest, found: &mut Problems) {
    let (copies, size) = (request.copies(), request.containers());
    if copies == 0 {
        let why = tr!("the number of sessions must be at least 1");
        say(found, Field::Count, why);
    } else if copies > MOST_COPIES {
        let why = tr!(
            "{copies} sessions at once are too many (max: {most})",
            copies,
            most = MOST_COPIES
        );
        say(found, Field::Count, why);
    } else if copies > 1 && size > 1 {
        say(
            found,
            Field::Count,
            tr!("only one cluster session can be launched at a time"),
        );
    }
    if size == 0 {
        let why = tr!("cluster size must be at least 1");
        say(found, Field::ClusterSize, why);
    }
    if let Some(disk) = request.disk
        && disk < amounts::LEAST_DISK
    {
        let why = tr!(
            "a disk limit of {disk} is too small (min: {least}). Home directories have files from the start",
            disk,
            least = amounts::LEAST_DISK
        );
        say(found, Field::Disk, why);
    }
    if request.agent.is_some() && size > 1 {
        let why = tr!("an agent can only be chosen for a session of one container");
        say(found, Field::Agent, why);
    }
}

/// With copies, each name gets a number: `job-1` is valid although `job` isn't.
fn check_names(name: &str, copies: u32) -> Result<(), String> {
    if copies < 2 {
        return name::check(name).map_err(|error| error.to_string());
    }
    let all = names(name, copies.min(MOST_COPIES));
    let ends = [all.first(), all.last()];
    let mut ends = ends.into_iter().flatten();
    ends.try_for_each(|name| name::check(name).map_err(|error| format!("{name}: {error}")))
}

fn check_batch(request: &LaunchRequest, now: Timestamp, found: &mut Problems) {
    let command = request.startup_command.as_deref().unwrap_or_default();
    if request.session_type == SessionType::Batch {
        if command.trim().is_empty() {
            say(
                found,
                Field::StartupCommand,
                tr!("a batch session needs a command"),
            );
        }
        let outcome = script::check(command, tr!("the command"));
        add(found, Field::StartupCommand, outcome);
        if request.starts_at.is_some_and(|at| !at.is_after(now)) {
            say(
                found,
                Field::StartTime,
                tr!("the start time has passed. Choose a later one, for example +10m"),
            );
        }
        if request.timeout.is_some_and(|it| it.0 == 0) {
            say(
                found,
                Field::Timeout,
                tr!("the timeout must be at least 1 second"),
            );
        }
        return;
    }
    if !matches!(request.session_type, SessionType::Interactive) {
        let why =
            tr!("only interactive and batch sessions can be launched. Choose one of these types");
        say(found, Field::SessionType, why);
    }
    for (given, field, why) in [
        (
            !command.is_empty(),
            Field::StartupCommand,
            tr!("only a batch session can have a startup command"),
        ),
        (
            request.starts_at.is_some(),
            Field::StartTime,
            tr!("only a batch session can have a start time"),
        ),
        (
            request.timeout.is_some(),
            Field::Timeout,
            tr!("only a batch session can have a timeout"),
        ),
    ] {
        if given {
            say(found, field, why);
        }
    }
}

fn check_idle(request: &LaunchRequest, found: &mut Problems) {
    for (given, field) in [
        (request.idle_timeout, Field::IdleTimeout),
        (request.lifetime, Field::Lifetime),
    ] {
        if given.is_some_and(|it| it.0 == 0) {
            say(
                found,
                field,
                tr!("must be at least 1 second. For no limit, leave the setting out"),
            );
        }
    }
    if request.session_type == SessionType::Batch && request.idle_timeout.is_some() {
        let why =
            tr!("a batch session can't have an idle timeout. Set a timeout or a lifetime instead");
        say(found, Field::IdleTimeout, why);
    }
}
