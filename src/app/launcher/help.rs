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
        | Field::LastWill
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
            "The engine the session runs on: this machine's own or a cluster. Everything else that can be chosen is of that engine.",
            "",
            "one that answers and is not read-only",
        ),
        Field::SessionType => entry(
            "Session type",
            "An interactive session stays until somebody ends it, for shells and notebooks. A batch session runs one command and ends by itself, with success or failure.",
            "",
            "interactive or batch",
        ),
        Field::Name => entry(
            "Name",
            "What the session is called in the list and on the command line. Left empty, one is generated: eight letters and digits and -session.",
            "",
            "4 to 64 letters, digits, _ - and .; the first and the last a letter, a digit or _; not that of another session that has not ended",
        ),
        Field::Priority => entry(
            "Priority",
            "Who goes first when several sessions wait in one queue: the highest number. Among equal ones the queue's own order counts.",
            "a whole number",
            "0 to 100; 10 where nothing is said",
        ),
        _ => entry(
            "Owner",
            "Whose session it is to be, where an administrator launches for somebody else. Enter looks the address up; then one of that person's keys and projects is chosen.",
            "an e-mail address",
            "somebody of this context with a key that is in force",
        ),
    }
}

fn of_its_work(field: Field) -> Entry {
    match field {
        Field::StartupCommand => entry(
            "Command",
            "What a batch session runs, in /home/work, by a shell. Its exit code decides: 0 is success, anything else failure. Its output is the log.",
            "shell, one line or several",
            "batch sessions only, and they need one",
        ),
        Field::StartTime => entry(
            "Start time",
            "A batch session does not start before. It waits in the queue until then, and longer when there is no room.",
            "+2h, 09:30, 2026-11-22 09:30",
            "ahead of now; batch sessions only",
        ),
        Field::Timeout => entry(
            "Timeout",
            "A batch session that runs longer is ended and counts as failed.",
            "a whole number and s, m, h, d or w, as in 90m",
            "1 second at least; batch sessions only",
        ),
        Field::BootstrapScript => entry(
            "Bootstrap script",
            "Run in each container before anything else of the session, for what has to be set up first.",
            "shell, one line or several",
            "",
        ),
        Field::IdleTimeout => entry(
            "Idle timeout",
            "The session is ended when nobody used it for so long: no keys typed, no command and no connection open. Watching it is no use. It is warned of before.",
            "a whole number and s, m, h, d or w, as in 90m",
            "within the limit of the site; not for batch sessions",
        ),
        Field::Lifetime => entry(
            "Lifetime",
            "The session is ended after so long, whatever it does. Time in the queue does not count. It is warned of before.",
            "a whole number and s, m, h, d or w, as in 2d",
            "within the limit of the site",
        ),
        Field::LastWill => entry(
            "Last will",
            "Run in the session before it is ended by terminate or an idle check, not by force; what became of it is in the history. The command line can also save files: --save.",
            "shell, one line or several",
            "a minute when nothing else was said; a kill from outside runs none",
        ),
        Field::Folders => entry(
            "Folders",
            "Files in a folder outlive the session, and the next session can use them. The session's home is deleted some days after it ends (setting history.keep-days, 7 by default; on a cluster at once). Folders whose name begins with a dot are mounted automatically.",
            "a path: empty is /home/work/NAME, a relative one is below /home/work",
            "letters, digits, _ . - and / in a path; no . or .. in it; no two at one place; not over a directory of the system",
        ),
        _ => entry(
            "Open ports",
            "Ports a program inside listens on, to be reached from outside. It must listen on 0.0.0.0.",
            "8080, 9000-9003",
            "1024 to 65535, none twice, none of a service of the environment, not 2000 to 2003, 2200 or 7681",
        ),
    }
}

fn of_its_place(field: Field) -> Entry {
    match field {
        Field::Project => entry(
            "Project",
            "Whose resources are used: the project's limits count, and its folders and groups can be chosen.",
            "",
            "one that you belong to",
        ),
        Field::Environment => entry(
            "Environment",
            "The programs inside: an image and its version, or this machine's own.",
            "type to search: any part of the name, the version or a label",
            "one that this engine can run",
        ),
        Field::Image => entry(
            "Image by hand",
            "An image by its full reference, instead of an environment of the list.",
            "registry/name:tag, as in docker pull",
            "no blanks; the engine must have it",
        ),
        Field::Variables => entry(
            "Environment variables",
            "Set in every container, over what the image sets. Values of names that sound secret (PASSWORD, TOKEN, _KEY and the like) are masked, stored nowhere, and asked for again.",
            "name and value; pasted NAME=VALUE lines fill several",
            "letters, digits and _ in a name, not beginning with a digit; none twice; each with a value",
        ),
        Field::ResourceGroup => entry(
            "Resource group",
            "A share of the machines with a queue of its own.",
            "",
            "one that your project may use",
        ),
        Field::Preset => entry(
            "Preset",
            "Amounts somebody put together for a purpose. Changing a number by hand turns it to Custom.",
            "",
            "one that fits the environment and the group",
        ),
        Field::Agent => entry(
            "Agent",
            "The machine it must run on. Usually the engine knows best.",
            "",
            "sessions of one container only",
        ),
        Field::OpenMp => entry(
            "OMP_NUM_THREADS",
            "Threads of programs that use OpenMP. Automatic is the number of cores; some programs are faster with 1 or 2.",
            "a whole number",
            "1 at least",
        ),
        _ => entry(
            "OPENBLAS_NUM_THREADS",
            "Threads of programs that use OpenBLAS. Automatic is the number of cores.",
            "a whole number",
            "1 at least",
        ),
    }
}

fn of_amounts(field: Field) -> Entry {
    match field {
        Field::Cpu => entry(
            "CPU",
            "Cores of each container. More than is free now is no mistake: the session waits for it.",
            "cores: 0.5, 1, 2",
            "at least what the environment needs, at most what one container may have",
        ),
        Field::Memory => entry(
            "Memory",
            "Memory of each container, its shared memory in it. A program that wants more is killed.",
            "512m, 4g, 1.5 GiB",
            "at least what the environment needs and the shared memory, at most what one container may have",
        ),
        Field::SharedMemory => entry(
            "Shared memory",
            "The part of the memory that processes share (/dev/shm), as data loaders need it. Automatic is 64 MiB, and 1 GiB from 4 GiB of memory on.",
            "64m, 1g",
            "less than the memory",
        ),
        Field::Accelerator => entry(
            "Accelerators",
            "GPUs and their like, of each container. A device is a whole one; shares are parts of one.",
            "devices: 1, 2; shares: 0.5",
            "a multiple of the smallest step; whole ones in a cluster; a kind the environment can use",
        ),
        Field::Count => entry(
            "Sessions",
            "So many sessions made alike, NAME-1 to NAME-n, each on its own.",
            "a whole number",
            "1 or more; 1 where it is a cluster",
        ),
        Field::ClusterMode => entry(
            "Cluster mode",
            "Whether the containers of a cluster lie on one node or on several.",
            "",
            "several nodes only where the engine can",
        ),
        _ => entry(
            "Cluster size",
            "Containers of the session: main1, sub1, sub2 and so on, which reach one another by these names. Amounts are of each.",
            "a whole number",
            "1 or more, at most what the policy allows; all of it must fit the group",
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
        None => format!("{least} at least"),
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
            most.map(|most| format!("{most} at most"))
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
            (!all.is_empty()).then(|| format!("{} at most", all.join(", ")))
        }
        Field::Count => Some(format!("{MOST_COPIES} at most")),
        Field::ClusterSize => {
            let most = policy.and_then(|it| it.max_containers_per_session);
            most.map(|most| format!("{most} at most"))
        }
        Field::PreopenPorts => {
            let most = policy.and_then(|it| it.max_preopen_ports);
            Some(format!("{} at most", most.unwrap_or(ports::MOST)))
        }
        _ => None,
    }
}
