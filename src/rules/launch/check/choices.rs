//! Checks that the choices of a launch exist and that the engine supports them.

use crate::{
    model::{
        capability::Capability,
        catalogue::{Catalogue, Preset},
        folder::Folder,
        launch_field::{FieldProblem, LaunchField as Field},
        name,
        nearest::nearest,
        ports,
        session::ClusterMode,
        spec::LaunchRequest,
        text::Clean,
    },
    rules::launch::{
        amounts,
        check::{Ground, MOST_COPIES, Problems, add, names, say, say_at},
        environment, folders,
    },
};

/// A manager allows fewer names than the other engines, where workbay names the containers itself.
pub(super) fn check_name(request: &LaunchRequest, ground: &Ground<'_>, found: &mut Problems) {
    let Some(name) = request
        .name
        .as_deref()
        .filter(|_| ground.is_scheduled() == Some(true))
    else {
        return;
    };
    if let Some(c) = name::foreign(name) {
        let why = name::NameError::Foreign(c).to_string();
        say(found, Field::Name, why);
    }
}

pub(super) fn check_taken(request: &LaunchRequest, ground: &Ground<'_>, found: &mut Problems) {
    let (Some(name), Some(taken)) = (&request.name, ground.taken) else {
        return;
    };
    let copies = request.copies().min(MOST_COPIES);
    if let Some(name) = names(name, copies).into_iter().find(|name| taken(name)) {
        let why = tr!(
            "the name '{name}' is taken by a session that hasn't ended. Choose \
                           another name",
            name
        );
        say(found, Field::Name, why);
    }
}

/// Checks for features that this engine doesn't have.
pub(super) fn check_capabilities(
    request: &LaunchRequest,
    ground: &Ground<'_>,
    found: &mut Problems,
) {
    let Some(capabilities) = ground.capabilities else {
        return;
    };
    let multi = request.cluster_mode == ClusterMode::MultiNode;
    for (asked, capability, field) in [
        (multi, Capability::MultiNode, Field::ClusterMode),
        (
            request.agent.is_some(),
            Capability::AgentChoice,
            Field::Agent,
        ),
        (request.owner.is_some(), Capability::Owners, Field::Owner),
        (
            request.idle_timeout.is_some(),
            Capability::IdleRules,
            Field::IdleTimeout,
        ),
        (
            request.lifetime.is_some(),
            Capability::IdleRules,
            Field::Lifetime,
        ),
        (request.disk.is_some(), Capability::DiskLimit, Field::Disk),
        (
            request.stop_hook.is_some(),
            Capability::StopHook,
            Field::StopHook,
        ),
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

/// A launch can only tighten the system-wide rules.
pub(super) fn check_idle(request: &LaunchRequest, ground: &Ground<'_>, found: &mut Problems) {
    let Some(site) = ground.offer.map(|offer| &offer.idle) else {
        return;
    };
    for (asked, limit, field) in [
        (
            request.idle_timeout,
            site.network_timeout,
            Field::IdleTimeout,
        ),
        (request.lifetime, site.session_lifetime, Field::Lifetime),
    ] {
        if let Some((asked, limit)) = asked.zip(limit).filter(|(asked, limit)| asked > limit) {
            say(
                found,
                field,
                tr!("{asked} is too long. The limit is {limit}", asked, limit),
            );
        }
    }
}

/// An environment must be one that was reported. An image may be one that wasn't reported.
pub(super) fn check_environment(
    request: &LaunchRequest,
    ground: &Ground<'_>,
    found: &mut Problems,
) {
    if let Some(chosen) = ground.environment {
        return found.extend(environment::unavailable(request, chosen));
    }
    let all = ground.environments;
    let asked = request.environment.as_deref().unwrap_or_default();
    if request.image.is_none() && !asked.is_empty() && !all.is_empty() {
        found.push(environment::missing(request, all, asked));
    }
}

pub(super) fn check_group(request: &LaunchRequest, ground: &Ground<'_>, found: &mut Problems) {
    let Some(offer) = ground.offer else {
        return;
    };
    // The projects of another user are only known to the code that looked them up.
    if let Some(wanted) = &request.project
        && request.owner.is_none()
        && !offer.projects.iter().any(|it| it.name == *wanted.as_str())
    {
        let names = offer.projects.iter().map(|it| &it.name);
        say(
            found,
            Field::Project,
            none_such(tr!("project"), wanted, names),
        );
    }
    if let Some(wanted) = &request.resource_group
        && ground.group(request).is_none()
    {
        let names = offer.resource_groups.iter().map(|it| &it.name);
        let why = none_such(tr!("resource group"), wanted, names);
        say(found, Field::ResourceGroup, why);
    }
    found.extend(check_agent(request, offer));
    if let Some(wanted) = &request.preset {
        check_preset(request, wanted, offer, ground, found);
    }
    if offer.presets_only && is_by_hand(request, ground.preset(request)) {
        say(found, Field::Preset, by_hand_refused(offer));
    }
}

/// A manager accepts the name of an agent that it doesn't have, that is drained or that is in another group, and
/// chooses another one. Where agents are
/// hidden from the user, none is reported.
pub fn check_agent(request: &LaunchRequest, offer: &Catalogue) -> Option<FieldProblem> {
    let wanted = request.agent.as_deref()?;
    if offer.agents.is_empty() {
        return None;
    }
    let Some(agent) = offer.agents.iter().find(|it| it.id == *wanted) else {
        let names = offer.agents.iter().map(|it| &it.id);
        let why = none_such(tr!("agent"), wanted, names);
        return Some(FieldProblem::new(Field::Agent, why));
    };
    let group = request.resource_group.as_deref();
    let why = if !agent.schedulable {
        tr!(
            "agent '{id}' accepts no sessions now. Choose another one, or none",
            id = agent.id
        )
    } else if group.is_some_and(|group| agent.resource_group != *group) {
        tr!(
            "agent '{id}' belongs to resource group {resource_group}",
            id = agent.id,
            resource_group = agent.resource_group
        )
    } else {
        return None;
    };
    Some(FieldProblem::new(Field::Agent, why))
}

fn by_hand_refused(offer: &Catalogue) -> String {
    let names: Vec<&str> = offer.presets.iter().map(|it| it.name.as_str()).collect();
    if names.is_empty() {
        return tr!(
            "custom resources aren't allowed on this engine, and it has no preset. Ask an administrator to add one"
        )
        .to_owned();
    }
    let shown = names.iter().take(MOST_NAMES).copied().collect::<Vec<_>>();
    let more = if shown.len() < names.len() {
        ", …"
    } else {
        ""
    };
    tr!(
        "custom resources aren't allowed on this engine. Choose a preset ({names}{more})",
        names = shown.join(", "),
        more
    )
}

/// Whether any amount differs from that of the preset.
fn is_by_hand(request: &LaunchRequest, preset: Option<&Preset>) -> bool {
    let Some(preset) = preset else {
        // An unknown preset is reported elsewhere.
        return request.preset.is_none();
    };
    let slots = &preset.slots;
    let differs = |(slot, amount): (&String, &u64)| {
        slots.accelerators.get(slot).copied().unwrap_or(0) != *amount
    };
    request.cpu.is_some_and(|cpu| cpu != slots.cpu)
        || request.mem.is_some_and(|mem| mem != slots.mem)
        || (preset.shmem.is_some() && request.shmem.is_some() && request.shmem != preset.shmem)
        || request.accelerators.iter().any(differs)
}

/// A list of more names doesn't help.
const MOST_NAMES: usize = 12;

fn none_such<'a>(what: &str, wanted: &str, names: impl Iterator<Item = &'a Clean>) -> String {
    let names: Vec<&str> = names.map(Clean::as_str).collect();
    let shown = names.iter().take(MOST_NAMES).copied().collect::<Vec<_>>();
    let there = match names.len() {
        0 => tr!("none exists").to_owned(),
        n if n > MOST_NAMES => tr!(
            "available: {names}, … {n} in total",
            names = shown.join(", "),
            n
        ),
        _ => tr!("available: {names}", names = shown.join(", ")),
    };
    let wanted = Clean::new(wanted);
    match nearest(wanted.as_str(), &names) {
        Some(name) => tr!(
            "{what} '{wanted}' not found ({there}). Did you mean {name}?",
            what,
            wanted,
            there,
            name
        ),
        None => tr!("{what} '{wanted}' not found ({there})", what, wanted, there),
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
        let names = offer.presets.iter().map(|it| &it.name);
        return say(
            found,
            Field::Preset,
            none_such(tr!("preset"), wanted, names),
        );
    };
    let elsewhere = preset.resource_group.as_ref().filter(|only| {
        let chosen = group.map(|group| &group.name);
        chosen.is_some_and(|chosen| chosen != *only)
    });
    if let Some(only) = elsewhere {
        say(
            found,
            Field::Preset,
            tr!("preset {wanted} is only for group {only}", wanted, only),
        );
    } else if let Some(why) =
        amounts::why_not_preset(preset, ground.environment, ground.offer, group)
    {
        say(
            found,
            Field::Preset,
            tr!("preset {wanted} isn't available: {why}", wanted, why),
        );
    }
}

pub(super) fn check_folders(request: &LaunchRequest, ground: &Ground<'_>, found: &mut Problems) {
    let Some(offer) = ground.offer else {
        return;
    };
    for (at, mount) in request.mounts.iter().enumerate() {
        let known = |it: &&Folder| it.name == *mount.folder.as_str();
        let Some(folder) = offer.folders.iter().find(known) else {
            let why = tr!(
                "folder '{folder}' not found",
                folder = Clean::new(&mount.folder)
            );
            say_at(found, Field::Folders, at, why);
            continue;
        };
        if folder.is_auto_mounted() {
            let why = tr!(
                "folder {name} is mounted automatically. Remove it from the launch",
                name = folder.name
            );
            say_at(found, Field::Folders, at, why);
        } else if folder.permission == *"ro" && !mount.read_only {
            let why = tr!(
                "folder {name} can only be mounted read-only",
                name = folder.name
            );
            say_at(found, Field::Folders, at, why);
        }
    }
    let automatic = offer.folders.iter().filter(|it| it.is_auto_mounted());
    let automatic: Vec<String> = automatic.map(|it| it.name.to_string()).collect();
    // The check of the words has already reported problems without these folders.
    let reported = folders::check(&request.mounts, &[]);
    for (at, why) in folders::check(&request.mounts, &automatic) {
        if !reported.iter().any(|(it, _)| *it == at) {
            say_at(found, Field::Folders, at, why);
        }
    }
}

pub(super) fn check_ports(request: &LaunchRequest, ground: &Ground<'_>, found: &mut Problems) {
    let services = ground.environment.map_or(&[][..], |it| &it.facts.services);
    let taken: Vec<u16> = services.iter().flat_map(|it| it.ports.clone()).collect();
    let most = ground
        .offer
        .and_then(|offer| offer.policy.max_preopen_ports);
    // The check of the words has already covered the ports without these.
    if ports::check(&request.preopen_ports, &[], u32::MAX).is_ok() {
        let outcome = ports::check(&request.preopen_ports, &taken, most.unwrap_or(ports::MOST));
        add(found, Field::PreopenPorts, outcome);
    }
}
