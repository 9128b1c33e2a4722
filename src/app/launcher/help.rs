//! What each field of a launch means: one entry a field, and one a card of the review.

mod cards;

use super::{Offer, Page};
use crate::model::{
    catalogue::unit,
    launch::{LaunchField as Field, amounts, check::MOST_COPIES, ports},
    spec::LaunchRequest,
};

/// What can be explained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
    Field(Field),
    /// A page's card on the review; of the review itself the launch.
    Card(Page),
}

/// What a person is told of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    pub title: &'static str,
    /// What it is for.
    pub meaning: &'static str,
    /// How it is written; empty = it is chosen.
    pub unit: &'static str,
    /// What can be taken.
    pub rule: &'static str,
}

const fn entry(
    title: &'static str,
    meaning: &'static str,
    unit: &'static str,
    rule: &'static str,
) -> Entry {
    Entry {
        title,
        meaning,
        unit,
        rule,
    }
}

pub fn entry_on(topic: Topic) -> Entry {
    match topic {
        Topic::Field(field) => entry_of(field),
        Topic::Card(page) => cards::entry_of(page),
    }
}

pub fn entry_of(field: Field) -> Entry {
    match field {
        Field::Context | Field::SessionType | Field::Name | Field::Priority | Field::Owner => {
            of_the_session(field)
        }
        Field::StartupCommand
        | Field::StartTime
        | Field::Timeout
        | Field::BootstrapScript
        | Field::IdleTimeout
        | Field::Lifetime
        | Field::StopHook
        | Field::Folders
        | Field::PreopenPorts => of_its_work(field),
        Field::Project
        | Field::Environment
        | Field::Image
        | Field::Variables
        | Field::ResourceGroup
        | Field::Preset
        | Field::Agent
        | Field::OpenMp
        | Field::OpenBlas => of_its_place(field),
        Field::Cpu
        | Field::Memory
        | Field::SharedMemory
        | Field::Accelerator
        | Field::Count
        | Field::ClusterMode
        | Field::ClusterSize => of_amounts(field),
    }
}

fn of_the_session(field: Field) -> Entry {
    match field {
        Field::Context => entry(
            "Context",
            "The engine that runs the session: Docker or Podman of this machine, or a cluster. All other choices depend on it.",
            "",
            "connected and not read-only",
        ),
        Field::SessionType => entry(
            "Session type",
            "An interactive session runs until it is terminated: for shells and notebooks. A batch session runs one command and ends with success or failure.",
            "",
            "interactive or batch",
        ),
        Field::Name => entry(
            "Name",
            "The name in the list and on the command line. If empty, a name is generated: eight letters and digits, then -session.",
            "",
            "4 to 64 letters, digits, _ - and .; begins and ends with a letter, a digit or _; unique among sessions that haven't ended",
        ),
        Field::Priority => entry(
            "Priority",
            "Of several sessions in a queue, the one with the highest priority starts first. With equal priorities, the order of the queue counts.",
            "a whole number",
            "0 to 100 (default: 10)",
        ),
        _ => entry(
            "Owner",
            "For administrators who launch for another user. Enter looks the address up. Then choose one of the user's access keys and projects.",
            "an e-mail address",
            "a user of this context with an active access key",
        ),
    }
}

fn of_its_work(field: Field) -> Entry {
    match field {
        Field::StartupCommand => entry(
            "Command",
            "The command of a batch session. A shell runs it in /home/work. Exit code 0 is success, any other code is failure. Its output is the log.",
            "shell, one line or several",
            "required for batch sessions, not for others",
        ),
        Field::StartTime => entry(
            "Start time",
            "The earliest start of a batch session. Until then it waits in the queue, and longer if there isn't enough room.",
            "+2h, 09:30, 2026-11-22 09:30",
            "in the future; batch sessions only",
        ),
        Field::Timeout => entry(
            "Timeout",
            "A batch session that runs longer is terminated and counts as failed.",
            "a whole number and s, m, h, d or w: 90m",
            "min 1 second; batch sessions only",
        ),
        Field::BootstrapScript => entry(
            "Bootstrap script",
            "A script that runs in each container before the session's shells, command and services.",
            "shell, one line or several",
            "",
        ),
        Field::IdleTimeout => entry(
            "Idle timeout",
            "The session is reclaimed after this time without use: no typing, no running command, no open connection. Watching doesn't count as use. You get a warning first.",
            "a whole number and s, m, h, d or w: 90m",
            "within the system-wide limit; not for batch sessions",
        ),
        Field::Lifetime => entry(
            "Lifetime",
            "The session is reclaimed after this time, even if in use. Time in the queue doesn't count. You get a warning first.",
            "a whole number and s, m, h, d or w: 2d",
            "within the system-wide limit",
        ),
        Field::StopHook => entry(
            "Stop hook",
            "A command that runs before the session is terminated or reclaimed, but not before a kill. The scheduling history has its result. The command line can also save files: --save.",
            "shell, one line or several",
            "time limit 60s by default; doesn't run if something else kills the container",
        ),
        Field::Folders => entry(
            "Folders",
            "Files in a folder outlive the session, and the next session can use them. The session's home is deleted some days after it ends (setting history.keep-days, 7 by default; on a cluster at once). Folders whose name begins with a dot are mounted automatically.",
            "a path: empty is /home/work/NAME, a relative one is below /home/work",
            "letters, digits, _ . - and / in a path, without . and .. parts; one folder per path; not a system directory",
        ),
        _ => entry(
            "Open ports",
            "Ports of programs in the session that you want to reach. The programs must listen on 0.0.0.0.",
            "8080, 9000-9003",
            "1024 to 65535, each once; not a service port of the environment, not 2000 to 2003, 2200 or 7681",
        ),
    }
}

fn of_its_place(field: Field) -> Entry {
    match field {
        Field::Project => entry(
            "Project",
            "The project whose limits apply, and whose folders and resource groups you can use.",
            "",
            "one of your projects",
        ),
        Field::Environment => entry(
            "Environment",
            "The programs of the session: an image and its version, or this machine's own programs.",
            "type to search for a part of the name, version or label",
            "one that this engine can run",
        ),
        Field::Image => entry(
            "Manual image",
            "An image reference, instead of an environment from the list.",
            "registry/name:tag, as for docker pull",
            "no spaces; the image must be on the engine",
        ),
        Field::Variables => entry(
            "Environment variables",
            "Set in every container. They override the image's variables. Values of secret names (PASSWORD, TOKEN, _KEY and others) are masked and not stored. A relaunch asks for them again.",
            "name and value; you can paste several NAME=VALUE lines",
            "letters, digits and _ in a name, no digit first; each name once and with a value",
        ),
        Field::ResourceGroup => entry(
            "Resource group",
            "A share of the machines with its own queue.",
            "",
            "one that your project may use",
        ),
        Field::Preset => entry(
            "Preset",
            "A named set of resources. If you change a value, the preset becomes Custom.",
            "",
            "one that fits the environment and the group",
        ),
        Field::Agent => entry(
            "Agent",
            "The agent that must run the session. By default, the engine chooses.",
            "",
            "only for sessions of one container",
        ),
        Field::OpenMp => entry(
            "OMP_NUM_THREADS",
            "Number of threads of programs that use OpenMP. Automatic: one per core. Some programs are faster with 1 or 2.",
            "a whole number",
            "min 1",
        ),
        _ => entry(
            "OPENBLAS_NUM_THREADS",
            "Number of threads of programs that use OpenBLAS. Automatic: one per core.",
            "a whole number",
            "min 1",
        ),
    }
}

fn of_amounts(field: Field) -> Entry {
    match field {
        Field::Cpu => entry(
            "CPU",
            "CPU of each container. If that isn't free now, the session waits in the queue.",
            "0.5, 1, 2",
            "min: the environment's minimum; max: the limit of one container",
        ),
        Field::Memory => entry(
            "Memory",
            "Memory of each container, including its shared memory. If programs use more, one is killed.",
            "512m, 4g, 1.5 GiB",
            "min: the environment's minimum and the shared memory; max: the limit of one container",
        ),
        Field::SharedMemory => entry(
            "Shared memory",
            "The part of the memory that processes can share (/dev/shm), for example data loaders. Automatic: 64 MiB, or 1 GiB if the memory is 4 GiB or more.",
            "64m, 1g",
            "less than the memory",
        ),
        Field::Accelerator => entry(
            "Accelerators",
            "Accelerators (for example GPUs) of each container. A device is a whole one, a share is a part.",
            "devices: 1, 2; shares: 0.5",
            "a multiple of the step; whole devices in a cluster session; a type that the environment supports",
        ),
        Field::Count => entry(
            "Sessions",
            "The number of equal sessions to launch: NAME-1 to NAME-n.",
            "a whole number",
            "1 or more; only 1 for a cluster session",
        ),
        Field::ClusterMode => entry(
            "Cluster mode",
            "Whether the containers run on one machine or on several.",
            "",
            "several machines only if the engine supports them",
        ),
        _ => entry(
            "Cluster size",
            "Number of containers: main1, sub1, sub2 and so on. They reach each other by these names. Each gets the resources above.",
            "a whole number",
            "1 or more; max: your limit; all containers must fit the group",
        ),
    }
}

/// The limits in force for a field here and now.
pub fn limits(field: Field, offer: &Offer, request: &LaunchRequest) -> Option<String> {
    let catalogue = offer.catalogue.as_ref();
    let group = offer.group(request);
    let environment = offer.environment(request);
    let most = amounts::most(catalogue, group);
    let between = |least: String, most: Option<String>| match most {
        Some(most) => format!("{least} to {most}"),
        None => format!("min {least}"),
    };
    let policy = catalogue.map(|it| &it.policy);
    match field {
        Field::Cpu => {
            let least = amounts::least_cpu(environment).to_string();
            Some(between(least, most.cpu.map(|it| it.to_string())))
        }
        Field::Memory => {
            let least = amounts::least_memory(environment).to_string();
            Some(between(least, most.mem.map(|it| it.to_string())))
        }
        Field::SharedMemory => {
            let most = policy.and_then(|it| it.max_shmem);
            most.map(|most| format!("max {most}"))
        }
        Field::Accelerator => {
            let all: Vec<String> = most
                .accelerators
                .iter()
                .map(|(slot, most)| {
                    let most = amounts::thousandths(*most);
                    format!("{most} {}", unit(slot, catalogue))
                })
                .collect();
            (!all.is_empty()).then(|| format!("max {}", all.join(", ")))
        }
        Field::Count => Some(format!("max {MOST_COPIES}")),
        Field::ClusterSize => {
            let most = policy.and_then(|it| it.max_containers_per_session);
            most.map(|most| format!("max {most}"))
        }
        Field::PreopenPorts => {
            let most = policy.and_then(|it| it.max_preopen_ports);
            Some(format!("max {}", most.unwrap_or(ports::MOST)))
        }
        _ => None,
    }
}
