//! The rows of resources, and of the number and place of containers.

use super::{
    Argument, FieldRow, Only, Widget, section,
    text_value::{CLUSTER_SIZE, COUNT, value, word},
};
use crate::{
    model::{capability::Capability, launch_field::LaunchField, resources::Cpu},
    rules::launch::{amounts, page::Page},
};

pub(super) const ROWS: [FieldRow; 12] = [
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
        title: tr_later!("Project"),
        meaning: tr_later!(
            "The project whose limits apply, and whose folders and resource groups you can use."
        ),
        form: "",
        rule: tr_later!("one of your projects"),
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
        title: tr_later!("Resource group"),
        meaning: tr_later!("A share of the machines with its own queue."),
        form: "",
        rule: tr_later!("one that your project may use"),
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
        title: tr_later!("Preset"),
        meaning: tr_later!(
            "A named set of resources. If you change a value, the preset becomes Custom."
        ),
        form: "",
        rule: tr_later!("one that fits the environment and the group"),
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
        meaning: tr_later!(
            "CPU of each container. If that isn't free now, the session waits in the queue."
        ),
        form: "0.5, 1, 2",
        rule: tr_later!("min: the environment's minimum; max: the limit of one container"),
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
        title: tr_later!("Memory"),
        meaning: tr_later!(
            "Memory of each container, including its shared memory. If programs use more, one is killed."
        ),
        form: tr_later!("512m, 4g, 1.5 GiB"),
        rule: tr_later!(
            "min: the environment's minimum and the shared memory; max: the limit of one container"
        ),
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
        title: tr_later!("Shared memory"),
        meaning: tr_later!(
            "The part of the memory that processes can share (/dev/shm), for example data loaders. Automatic: 64 MiB, or 1 GiB if the memory is 4 GiB or more."
        ),
        form: "64m, 1g",
        rule: tr_later!("less than the memory"),
        text: Some(value!(shmem: Memory, |bytes| amounts::exact(*bytes))),
        widget: Widget::Own,
        only: Only::Any,
        needs: None,
    },
    FieldRow {
        field: LaunchField::Disk,
        option: "--disk",
        argument: Some(Argument {
            section: section::RESOURCES,
            value: "SIZE",
            help: "Limit of the home directory (10g; default: none; `workbay doctor` shows whether it is enforced)",
            key: "disk",
        }),
        page: Page::Allocation,
        title: tr_later!("Disk"),
        meaning: tr_later!(
            "The most that the session may write to its home directory, and to the other files of its container where the engine can limit them. Mounted folders don't count."
        ),
        form: "512m, 10g",
        rule: tr_later!("min: 16 MiB"),
        text: Some(value!(disk: Memory, |bytes| amounts::exact(*bytes))),
        widget: Widget::Own,
        only: Only::Any,
        needs: Some(Capability::DiskLimit),
    },
    FieldRow {
        field: LaunchField::Accelerator,
        option: "--accelerator",
        argument: None,
        page: Page::Allocation,
        title: tr_later!("Accelerators"),
        meaning: tr_later!(
            "Accelerators (for example GPUs) of each container. A device is a whole one, a share is a part."
        ),
        form: tr_later!("devices: 1, 2; shares: 0.5"),
        rule: tr_later!(
            "a multiple of the step; whole devices in a cluster session; a type that the environment supports"
        ),
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
        title: tr_later!("Sessions"),
        meaning: tr_later!("The number of equal sessions to launch: NAME-1 to NAME-n."),
        form: tr_later!("a whole number"),
        rule: tr_later!("1 or more; only 1 for a cluster session"),
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
        title: tr_later!("Cluster size"),
        meaning: tr_later!(
            "Number of containers: main1, sub1, sub2 and so on. They reach each other by these names. Each gets the resources above."
        ),
        form: tr_later!("a whole number"),
        rule: tr_later!("1 or more; max: your limit; all containers must fit the group"),
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
        title: tr_later!("Cluster mode"),
        meaning: tr_later!("Whether the containers run on one machine or on several."),
        form: "",
        rule: tr_later!("several machines only if the engine supports them"),
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
        title: tr_later!("Agent"),
        meaning: tr_later!("The agent that must run the session. By default, the engine chooses."),
        form: "",
        rule: tr_later!("only for sessions of one container"),
        text: Some(word!(agent)),
        widget: Widget::Own,
        only: Only::Any,
        needs: None,
    },
];
