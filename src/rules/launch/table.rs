//! The table of launch fields. The launcher, its help, the options of the command line, recipes and the printed
//! command derive from it.

use jiff::{Timestamp, tz::TimeZone};

use crate::model::{
    capability::Capability,
    resources::Cpu,
    span::Span,
    spec::{LaunchRequest, Owner},
};
use crate::{
    model::{launch_field::LaunchField, ports, priority, start_time},
    rules::launch::{amounts, page::Page},
};

/// A launch field.
#[derive(Debug)]
pub struct FieldRow {
    pub field: LaunchField,
    /// The option of the command line.
    pub option: &'static str,
    /// How the command line and recipes name its value, if it is one text.
    pub argument: Option<Argument>,
    /// The page of the launcher.
    pub page: Page,
    /// The title of its help.
    pub title: &'static str,
    /// Its purpose.
    pub meaning: &'static str,
    /// How a value is typed; empty if it is chosen.
    pub form: &'static str,
    /// Which values are allowed.
    pub rule: &'static str,
    /// How its value is read and written, if it is one text.
    pub text: Option<TextValue>,
    /// How the launcher shows it.
    pub widget: Widget,
    /// The types of sessions that have it.
    pub only: Only,
    /// The capability that the engine must have.
    pub needs: Option<Capability>,
}

/// The value of a field in the help of the command line and in recipes.
#[derive(Debug)]
pub struct Argument {
    /// The heading of the help that it is listed under.
    pub section: &'static str,
    /// The name of the value.
    pub value: &'static str,
    pub help: &'static str,
    /// The key in recipes.
    pub key: &'static str,
}

/// The headings of the launch options in the help of the command line.
pub mod section {
    pub const SESSION: &str = "Session";
    pub const RESOURCES: &str = "Resources of each container";
    pub const INSIDE: &str = "Environment variables, storage and network";
    pub const END: &str = "Idle checks and stop hook";
    pub const ALL: [&str; 4] = [SESSION, RESOURCES, INSIDE, END];
}

/// What a text must be. The command line refuses other words at once, and a recipe may have a value that isn't
/// a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// Any text, which `read` checks.
    Text,
    Owner,
    Duration,
    Cpu,
    Memory,
    /// A number of copies or containers.
    Count,
    Priority,
    Ports,
}

/// How the launcher shows a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Widget {
    /// A text of one line. `empty` is shown while nothing is typed, `note` beside it.
    Line {
        label: &'static str,
        empty: &'static str,
        note: &'static str,
    },
    /// A text of several lines.
    Script {
        label: &'static str,
        empty: &'static str,
    },
    /// The page of the launcher has its own widget for it.
    Own,
}

/// The sessions that have a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Only {
    Any,
    Batch,
    Interactive,
}

/// The time and the time zone in which a text is read.
#[derive(Clone, Copy, Debug)]
pub struct TimeContext<'a> {
    pub now: Timestamp,
    pub zone: &'a TimeZone,
}

/// A value that is typed as one text.
#[derive(Debug)]
pub struct TextValue {
    pub kind: ValueKind,
    /// Sets the field of the request, or returns a sentence about the text.
    pub read: fn(&mut LaunchRequest, &str, TimeContext<'_>) -> Result<(), String>,
    /// Unsets the field.
    pub clear: fn(&mut LaunchRequest),
    /// The text that `read` reads back. `None` if the field isn't set.
    pub write: fn(&LaunchRequest) -> Option<String>,
}

impl FieldRow {
    /// The value of a field that is one text.
    pub fn written(&self, request: &LaunchRequest) -> Option<String> {
        (self.text.as_ref()?.write)(request)
    }
}

impl LaunchField {
    /// Its row in the table.
    pub fn row(self) -> &'static FieldRow {
        &TABLE[self as usize]
    }
}

/// A field that is any text.
macro_rules! word {
    ($field:ident) => {
        TextValue {
            kind: ValueKind::Text,
            read: |request, text, _| {
                request.$field = Some(text.to_owned());
                Ok(())
            },
            clear: |request| request.$field = None,
            write: |request| request.$field.clone(),
        }
    };
}

/// A field with a type that reads text.
macro_rules! value {
    ($field:ident: $kind:ident, $write:expr) => {
        TextValue {
            kind: ValueKind::$kind,
            read: |request, text, _| {
                request.$field = Some(text.parse()?);
                Ok(())
            },
            clear: |request| request.$field = None,
            write: |request| request.$field.as_ref().map($write),
        }
    };
}

const START_TIME: TextValue = TextValue {
    kind: ValueKind::Text,
    read: |request, text, reading| {
        request.starts_at = Some(start_time::read(text, reading.now, reading.zone)?);
        Ok(())
    },
    clear: |request| request.starts_at = None,
    write: |request| request.starts_at.map(|start| start.to_string()),
};

const PRIORITY: TextValue = TextValue {
    kind: ValueKind::Priority,
    read: |request, text, _| {
        request.priority = Some(priority::parse(text)?);
        Ok(())
    },
    clear: |request| request.priority = None,
    write: |request| request.priority.map(|it| it.to_string()),
};

const COUNT: TextValue = TextValue {
    kind: ValueKind::Count,
    read: |request, text, _| {
        request.count = Some(whole(text)?);
        Ok(())
    },
    clear: |request| request.count = None,
    write: |request| request.count.map(|it| it.to_string()),
};

const CLUSTER_SIZE: TextValue = TextValue {
    kind: ValueKind::Count,
    read: |request, text, _| {
        request.cluster_size = Some(whole(text)?);
        Ok(())
    },
    clear: |request| request.cluster_size = None,
    write: |request| request.cluster_size.map(|it| it.to_string()),
};

const PREOPEN_PORTS: TextValue = TextValue {
    kind: ValueKind::Ports,
    read: |request, text, _| {
        request.preopen_ports = ports::read(text)?;
        Ok(())
    },
    clear: |request| request.preopen_ports.clear(),
    write: |request| {
        let ports = ports::write(&request.preopen_ports).replace(", ", ",");
        (!ports.is_empty()).then_some(ports)
    },
};

fn whole(text: &str) -> Result<u32, String> {
    let number = text.trim().parse();
    number.map_err(|_| format!("invalid number '{text}'. Use a whole number like 2"))
}

/// The rows, in the order of [`LaunchField`] and of the options of a printed command.
pub static TABLE: [FieldRow; 30] = [
    FieldRow {
        field: LaunchField::Context,
        option: "--context",
        argument: None,
        page: Page::Kind,
        title: "Context",
        meaning: "The engine that runs the session: Docker or Podman of this machine, or a cluster. All other choices depend on it.",
        form: "",
        rule: "connected and not read-only",
        text: None,
        widget: Widget::Own,
        only: Only::Any,
        needs: None,
    },
    FieldRow {
        field: LaunchField::Name,
        option: "--name",
        argument: Some(Argument {
            section: section::SESSION,
            value: "N",
            help: "Name, 4 to 64 letters, digits, _ - and . (default: generated; on a cluster, only Latin letters)",
            key: "name",
        }),
        page: Page::Kind,
        title: "Name",
        meaning: "The name in the list and on the command line. If empty, a name is generated: eight letters and digits, then -session.",
        form: "",
        rule: "4 to 64 letters, digits, _ - and .; begins and ends with a letter, a digit or _; unique among sessions that haven't ended",
        text: Some(word!(name)),
        widget: Widget::Line {
            label: "Name",
            empty: "generated if empty",
            note: "",
        },
        only: Only::Any,
        needs: None,
    },
    FieldRow {
        field: LaunchField::Environment,
        option: "--env",
        argument: Some(Argument {
            section: section::SESSION,
            value: "NAME[:VERSION]",
            help: "Environment, as listed by `workbay env ls`",
            key: "environment",
        }),
        page: Page::Allocation,
        title: "Environment",
        meaning: "The programs of the session: an image and its version, or this machine's own programs.",
        form: "type to search for a part of the name, version or label",
        rule: "one that this engine can run",
        text: Some(word!(environment)),
        widget: Widget::Own,
        only: Only::Any,
        needs: None,
    },
    FieldRow {
        field: LaunchField::Image,
        option: "--image",
        argument: Some(Argument {
            section: section::SESSION,
            value: "REF",
            help: "Image reference, instead of an environment",
            key: "image",
        }),
        page: Page::Allocation,
        title: "Manual image",
        meaning: "An image reference, instead of an environment from the list.",
        form: "registry/name:tag, as for docker pull",
        rule: "no spaces; the image must be on the engine",
        text: Some(word!(image)),
        widget: Widget::Own,
        only: Only::Any,
        needs: None,
    },
    FieldRow {
        field: LaunchField::SessionType,
        option: "--batch",
        argument: None,
        page: Page::Kind,
        title: "Session type",
        meaning: "An interactive session runs until it is terminated: for shells and notebooks. A batch session runs one command and ends with success or failure.",
        form: "",
        rule: "interactive or batch",
        text: None,
        widget: Widget::Own,
        only: Only::Any,
        needs: None,
    },
    FieldRow {
        field: LaunchField::StartupCommand,
        option: "--command",
        argument: Some(Argument {
            section: section::SESSION,
            value: "CMD",
            help: "Command of a batch session, run by a shell in the home directory",
            key: "command",
        }),
        page: Page::Kind,
        title: "Command",
        meaning: "The command of a batch session. A shell runs it in /home/work. Exit code 0 is success, any other code is failure. Its output is the log.",
        form: "shell, one line or several",
        rule: "required for batch sessions, not for others",
        text: Some(word!(startup_command)),
        widget: Widget::Script {
            label: "Command",
            empty: "what it runs, in /home/work",
        },
        only: Only::Batch,
        needs: None,
    },
    FieldRow {
        field: LaunchField::StartTime,
        option: "--start-at",
        argument: Some(Argument {
            section: section::SESSION,
            value: "TIME",
            help: "Earliest start of a batch session (+2h, 09:30, '2026-11-22 09:30')",
            key: "start-at",
        }),
        page: Page::Kind,
        title: "Start time",
        meaning: "The earliest start of a batch session. Until then it waits in the queue, and longer if there isn't enough room.",
        form: "+2h, 09:30, 2026-11-22 09:30",
        rule: "in the future; batch sessions only",
        text: Some(START_TIME),
        widget: Widget::Line {
            label: "Start time",
            empty: "at once",
            note: "+2h, 09:30, 2026-11-22 09:30",
        },
        only: Only::Batch,
        needs: None,
    },
    FieldRow {
        field: LaunchField::Timeout,
        option: "--timeout",
        argument: Some(Argument {
            section: section::SESSION,
            value: "SPAN",
            help: "Time limit of a batch session, which then ends as failed (90s, 30m, 2h; a number is seconds)",
            key: "timeout",
        }),
        page: Page::Kind,
        title: "Timeout",
        meaning: "A batch session that runs longer is terminated and counts as failed.",
        form: "a whole number and s, m, h, d or w: 90m",
        rule: "min 1 second; batch sessions only",
        text: Some(value!(timeout: Duration, Span::to_string)),
        widget: Widget::Line {
            label: "Timeout",
            empty: "none",
            note: "90m, 2h, 1d",
        },
        only: Only::Batch,
        needs: None,
    },
    FieldRow {
        field: LaunchField::Project,
        option: "--project",
        argument: Some(Argument {
            section: section::SESSION,
            value: "NAME",
            help: "Project of the session",
            key: "project",
        }),
        page: Page::Allocation,
        title: "Project",
        meaning: "The project whose limits apply, and whose folders and resource groups you can use.",
        form: "",
        rule: "one of your projects",
        text: Some(word!(project)),
        widget: Widget::Own,
        only: Only::Any,
        needs: None,
    },
    FieldRow {
        field: LaunchField::ResourceGroup,
        option: "--group",
        argument: Some(Argument {
            section: section::RESOURCES,
            value: "NAME",
            help: "Resource group, in whose queue the session waits",
            key: "group",
        }),
        page: Page::Allocation,
        title: "Resource group",
        meaning: "A share of the machines with its own queue.",
        form: "",
        rule: "one that your project may use",
        text: Some(word!(resource_group)),
        widget: Widget::Own,
        only: Only::Any,
        needs: None,
    },
    FieldRow {
        field: LaunchField::Preset,
        option: "--preset",
        argument: Some(Argument {
            section: section::RESOURCES,
            value: "NAME",
            help: "Preset of resources (--cpu, --mem and others override it)",
            key: "preset",
        }),
        page: Page::Allocation,
        title: "Preset",
        meaning: "A named set of resources. If you change a value, the preset becomes Custom.",
        form: "",
        rule: "one that fits the environment and the group",
        text: Some(word!(preset)),
        widget: Widget::Own,
        only: Only::Any,
        needs: None,
    },
    FieldRow {
        field: LaunchField::Cpu,
        option: "--cpu",
        argument: Some(Argument {
            section: section::RESOURCES,
            value: "CORES",
            help: "CPU (0.5, 1, 2)",
            key: "cpu",
        }),
        page: Page::Allocation,
        title: "CPU",
        meaning: "CPU of each container. If that isn't free now, the session waits in the queue.",
        form: "0.5, 1, 2",
        rule: "min: the environment's minimum; max: the limit of one container",
        text: Some(value!(cpu: Cpu, Cpu::to_string)),
        widget: Widget::Own,
        only: Only::Any,
        needs: None,
    },
    FieldRow {
        field: LaunchField::Memory,
        option: "--mem",
        argument: Some(Argument {
            section: section::RESOURCES,
            value: "SIZE",
            help: "Memory (256m, 1.5g)",
            key: "mem",
        }),
        page: Page::Allocation,
        title: "Memory",
        meaning: "Memory of each container, including its shared memory. If programs use more, one is killed.",
        form: "512m, 4g, 1.5 GiB",
        rule: "min: the environment's minimum and the shared memory; max: the limit of one container",
        text: Some(value!(mem: Memory, |bytes| amounts::exact(*bytes))),
        widget: Widget::Own,
        only: Only::Any,
        needs: None,
    },
    FieldRow {
        field: LaunchField::SharedMemory,
        option: "--shm",
        argument: Some(Argument {
            section: section::RESOURCES,
            value: "SIZE",
            help: "Shared memory, which is a part of the memory (64m)",
            key: "shmem",
        }),
        page: Page::Allocation,
        title: "Shared memory",
        meaning: "The part of the memory that processes can share (/dev/shm), for example data loaders. Automatic: 64 MiB, or 1 GiB if the memory is 4 GiB or more.",
        form: "64m, 1g",
        rule: "less than the memory",
        text: Some(value!(shmem: Memory, |bytes| amounts::exact(*bytes))),
        widget: Widget::Own,
        only: Only::Any,
        needs: None,
    },
    FieldRow {
        field: LaunchField::Accelerator,
        option: "--accelerator",
        argument: None,
        page: Page::Allocation,
        title: "Accelerators",
        meaning: "Accelerators (for example GPUs) of each container. A device is a whole one, a share is a part.",
        form: "devices: 1, 2; shares: 0.5",
        rule: "a multiple of the step; whole devices in a cluster session; a type that the environment supports",
        text: None,
        widget: Widget::Own,
        only: Only::Any,
        needs: None,
    },
    FieldRow {
        field: LaunchField::Count,
        option: "--count",
        argument: Some(Argument {
            section: section::SESSION,
            value: "N",
            help: "Launch N copies: NAME-1, NAME-2, …",
            key: "count",
        }),
        page: Page::Allocation,
        title: "Sessions",
        meaning: "The number of equal sessions to launch: NAME-1 to NAME-n.",
        form: "a whole number",
        rule: "1 or more; only 1 for a cluster session",
        text: Some(COUNT),
        widget: Widget::Own,
        only: Only::Any,
        needs: None,
    },
    FieldRow {
        field: LaunchField::ClusterSize,
        option: "--cluster-size",
        argument: Some(Argument {
            section: section::RESOURCES,
            value: "N",
            help: "Number of containers of the session (main1, sub1, sub2, …)",
            key: "cluster-size",
        }),
        page: Page::Allocation,
        title: "Cluster size",
        meaning: "Number of containers: main1, sub1, sub2 and so on. They reach each other by these names. Each gets the resources above.",
        form: "a whole number",
        rule: "1 or more; max: your limit; all containers must fit the group",
        text: Some(CLUSTER_SIZE),
        widget: Widget::Own,
        only: Only::Any,
        needs: None,
    },
    FieldRow {
        field: LaunchField::ClusterMode,
        option: "--cluster-mode",
        argument: None,
        page: Page::Allocation,
        title: "Cluster mode",
        meaning: "Whether the containers run on one machine or on several.",
        form: "",
        rule: "several machines only if the engine supports them",
        text: None,
        widget: Widget::Own,
        only: Only::Any,
        needs: None,
    },
    FieldRow {
        field: LaunchField::Agent,
        option: "--agent",
        argument: Some(Argument {
            section: section::RESOURCES,
            value: "ID",
            help: "Agent to run on",
            key: "agent",
        }),
        page: Page::Allocation,
        title: "Agent",
        meaning: "The agent that must run the session. By default, the engine chooses.",
        form: "",
        rule: "only for sessions of one container",
        text: Some(word!(agent)),
        widget: Widget::Own,
        only: Only::Any,
        needs: None,
    },
    FieldRow {
        field: LaunchField::Priority,
        option: "--priority",
        argument: Some(Argument {
            section: section::SESSION,
            value: "N",
            help: "Priority in the queue, 0 to 100, highest first (default: 10)",
            key: "priority",
        }),
        page: Page::Kind,
        title: "Priority",
        meaning: "Of several sessions in a queue, the one with the highest priority starts first. With equal priorities, the order of the queue counts.",
        form: "a whole number",
        rule: "0 to 100 (default: 10)",
        text: Some(PRIORITY),
        widget: Widget::Line {
            label: "Priority",
            empty: "10",
            note: "0 to 100",
        },
        only: Only::Any,
        needs: None,
    },
    FieldRow {
        field: LaunchField::Variables,
        option: "-e",
        argument: None,
        page: Page::Allocation,
        title: "Environment variables",
        meaning: "Set in every container. They override the image's variables. Values of secret names (PASSWORD, TOKEN, _KEY and others) are masked and not stored. A relaunch asks for them again.",
        form: "name and value; you can paste several NAME=VALUE lines",
        rule: "letters, digits and _ in a name, no digit first; each name once and with a value",
        text: None,
        widget: Widget::Own,
        only: Only::Any,
        needs: None,
    },
    FieldRow {
        field: LaunchField::OpenMp,
        option: "-e OMP_NUM_THREADS",
        argument: None,
        page: Page::Allocation,
        title: "OMP_NUM_THREADS",
        meaning: "Number of threads of programs that use OpenMP. Automatic: one per core. Some programs are faster with 1 or 2.",
        form: "a whole number",
        rule: "min 1",
        text: None,
        widget: Widget::Own,
        only: Only::Any,
        needs: None,
    },
    FieldRow {
        field: LaunchField::OpenBlas,
        option: "-e OPENBLAS_NUM_THREADS",
        argument: None,
        page: Page::Allocation,
        title: "OPENBLAS_NUM_THREADS",
        meaning: "Number of threads of programs that use OpenBLAS. Automatic: one per core.",
        form: "a whole number",
        rule: "min 1",
        text: None,
        widget: Widget::Own,
        only: Only::Any,
        needs: None,
    },
    FieldRow {
        field: LaunchField::Folders,
        option: "--mount",
        argument: None,
        page: Page::Storage,
        title: "Folders",
        meaning: "Files in a folder outlive the session, and the next session can use them. The session's home is deleted some days after it ends (setting history.keep-days, 7 by default; on a cluster at once). Folders whose name begins with a dot are mounted automatically.",
        form: "a path: empty is /home/work/NAME, a relative one is below /home/work",
        rule: "letters, digits, _ . - and / in a path, without . and .. parts; one folder per path; not a system directory",
        text: None,
        widget: Widget::Own,
        only: Only::Any,
        needs: None,
    },
    FieldRow {
        field: LaunchField::PreopenPorts,
        option: "--preopen",
        argument: Some(Argument {
            section: section::INSIDE,
            value: "PORTS",
            help: "Ports to open at launch (8080,9000-9002)",
            key: "preopen",
        }),
        page: Page::Network,
        title: "Open ports",
        meaning: "Ports of programs in the session that you want to reach. The programs must listen on 0.0.0.0.",
        form: "8080, 9000-9003",
        rule: "1024 to 65535, each once; not a service port of the environment, not 2000 to 2003, 2200 or 7681",
        text: Some(PREOPEN_PORTS),
        widget: Widget::Own,
        only: Only::Any,
        needs: None,
    },
    FieldRow {
        field: LaunchField::Owner,
        option: "--owner",
        argument: Some(Argument {
            section: section::SESSION,
            value: "EMAIL[/KEY]",
            help: "Owner of the session, for administrators (KEY: if the user has several access keys)",
            key: "owner",
        }),
        page: Page::Kind,
        title: "Owner",
        meaning: "For administrators who launch for another user. Enter looks the address up. Then choose one of the user's access keys and projects.",
        form: "an e-mail address",
        rule: "a user of this context with an active access key",
        text: Some(value!(owner: Owner, Owner::to_string)),
        widget: Widget::Own,
        only: Only::Any,
        needs: Some(Capability::Owners),
    },
    FieldRow {
        field: LaunchField::BootstrapScript,
        option: "--bootstrap",
        argument: Some(Argument {
            section: section::INSIDE,
            value: "TEXT|@FILE",
            help: "Script to run in each container before its services (@FILE: read from a file)",
            key: "bootstrap",
        }),
        page: Page::Kind,
        title: "Bootstrap script",
        meaning: "A script that runs in each container before the session's shells, command and services.",
        form: "shell, one line or several",
        rule: "",
        text: Some(word!(bootstrap_script)),
        widget: Widget::Script {
            label: "Bootstrap",
            empty: "no script",
        },
        only: Only::Any,
        needs: None,
    },
    FieldRow {
        field: LaunchField::IdleTimeout,
        option: "--idle-timeout",
        argument: Some(Argument {
            section: section::END,
            value: "SPAN",
            help: "Reclaim the session after this time without use (30m; a number is seconds; max: the limit)",
            key: "idle-timeout",
        }),
        page: Page::Kind,
        title: "Idle timeout",
        meaning: "The session is reclaimed after this time without use: no typing, no running command, no open connection. Watching doesn't count as use. You get a warning first.",
        form: "a whole number and s, m, h, d or w: 90m",
        rule: "within the system-wide limit; not for batch sessions",
        text: Some(value!(idle_timeout: Duration, Span::to_string)),
        widget: Widget::Line {
            label: "Idle timeout",
            empty: "none",
            note: "90m, 2h, 1d",
        },
        only: Only::Interactive,
        needs: Some(Capability::IdleRules),
    },
    FieldRow {
        field: LaunchField::Lifetime,
        option: "--lifetime",
        argument: Some(Argument {
            section: section::END,
            value: "SPAN",
            help: "Reclaim the session after this time, even in use (2h; a number is seconds; max: the limit)",
            key: "lifetime",
        }),
        page: Page::Kind,
        title: "Lifetime",
        meaning: "The session is reclaimed after this time, even if in use. Time in the queue doesn't count. You get a warning first.",
        form: "a whole number and s, m, h, d or w: 2d",
        rule: "within the system-wide limit",
        text: Some(value!(lifetime: Duration, Span::to_string)),
        widget: Widget::Line {
            label: "Lifetime",
            empty: "none",
            note: "90m, 2h, 1d",
        },
        only: Only::Any,
        needs: Some(Capability::IdleRules),
    },
    FieldRow {
        field: LaunchField::StopHook,
        option: "--stop-hook",
        argument: None,
        page: Page::Kind,
        title: "Stop hook",
        meaning: "A command that runs before the session is terminated or reclaimed, but not before a kill. The scheduling history has its result. The command line can also save files: --save.",
        form: "shell, one line or several",
        rule: "time limit 60s by default; doesn't run if something else kills the container",
        text: None,
        widget: Widget::Script {
            label: "Stop hook",
            empty: "runs before it is terminated",
        },
        only: Only::Any,
        needs: Some(Capability::StopHook),
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_field_finds_its_own_row() {
        for (at, row) in TABLE.iter().enumerate() {
            assert_eq!(row.field as usize, at, "{:?}", row.field);
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let zone = TimeZone::UTC;
        let reading = TimeContext {
            now: Timestamp::UNIX_EPOCH,
            zone: &zone,
        };
        for (field, text) in [
            (LaunchField::Name, "train-1"),
            (LaunchField::StartTime, "+2h"),
            (LaunchField::Timeout, "90m"),
            (LaunchField::Cpu, "0.5"),
            (LaunchField::Memory, "1536m"),
            (LaunchField::Count, "3"),
            (LaunchField::ClusterSize, "2"),
            (LaunchField::Priority, "70"),
            (LaunchField::PreopenPorts, "8080,9000-9002"),
            (LaunchField::Owner, "a@example.org/KEY"),
        ] {
            let value = field.row().text.as_ref().unwrap();
            let mut request = LaunchRequest::default();
            (value.read)(&mut request, text, reading).unwrap();
            let written = (value.write)(&request);
            assert_eq!(written.as_deref(), Some(text), "{field:?}");
        }
    }
}
