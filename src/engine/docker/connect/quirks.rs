//! The differences between engines, as data, determined once when the connection is opened. No other module
//! checks which container program it is.

use std::{fs, path::Path};

use bollard::models::SystemInfo;
use serde::Deserialize;

use crate::engine::docker::quota;

/// The container program of the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine::docker) enum ContainerProgram {
    Docker,
    Podman,
}

impl ContainerProgram {
    pub(in crate::engine::docker) fn word(self) -> &'static str {
        match self {
            Self::Docker => "Docker",
            Self::Podman => "Podman",
        }
    }

    /// The name of the command-line program.
    pub(in crate::engine::docker) fn program(self) -> &'static str {
        match self {
            Self::Docker => "docker",
            Self::Podman => "podman",
        }
    }
}

/// How the engine maps the users of its containers to those of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine::docker) enum UserMapping {
    /// No mapping.
    None,
    /// Rootless Docker: root inside is the caller outside.
    RootIsCaller,
    /// Rootless Podman: has an option to keep the caller's ids.
    KeepId,
    /// Docker with userns-remap: has an option to exclude a container.
    Remapped,
}

/// The limits that the engine can set. Others aren't requested, because some engines then refuse the container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine::docker) struct SettableLimits {
    pub(in crate::engine::docker) cpu: bool,
    pub(in crate::engine::docker) cores: bool,
    pub(in crate::engine::docker) memory: bool,
    pub(in crate::engine::docker) swap: bool,
    pub(in crate::engine::docker) processes: bool,
}

impl SettableLimits {
    const ALL: Self = Self {
        cpu: true,
        cores: true,
        memory: true,
        swap: true,
        processes: true,
    };

    /// A warning about limits that the engine can't set.
    pub(in crate::engine::docker) fn warning(self) -> Option<String> {
        let missing: Vec<&str> = [
            (self.cpu, "CPU"),
            (self.memory, "memory"),
            (self.processes, "processes"),
        ]
        .into_iter()
        .filter_map(|(can, what)| (!can).then_some(what))
        .collect();
        (!missing.is_empty()).then(|| {
            tr_sent!("this engine can't limit {missing}: the session can use more than requested. A rootless \
                 engine needs control groups version 2, delegated to you", missing = missing.join(", "))
        })
    }
}

/// Everything that is specific to the connected engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::engine::docker) struct Quirks {
    pub(in crate::engine::docker) kind: ContainerProgram,
    pub(in crate::engine::docker) mapping: UserMapping,
    pub(in crate::engine::docker) limits: SettableLimits,
    /// Whether containers have their own control groups, from which usage can be read.
    pub(in crate::engine::docker) own_groups: bool,
    /// Whether the engine has an init program for containers; otherwise workbay's runner does its work.
    pub(in crate::engine::docker) init: bool,
    /// The log driver and its options, with a limit of 250 MiB: millions of lines.
    pub(in crate::engine::docker) log: (&'static str, &'static [(&'static str, &'static str)]),
    /// Process limits to set explicitly: the engine's defaults may be more than it is allowed to give.
    pub(in crate::engine::docker) ulimits: Vec<(&'static str, i64)>,
    /// Whether it accepts requests for devices.
    pub(in crate::engine::docker) gives_devices: bool,
    /// The engine's own network; networks of clusters copy its settings.
    pub(in crate::engine::docker) own_network: Option<&'static str>,
    pub(in crate::engine::docker) selinux: bool,
    /// Whether and how it can limit what a container writes outside its mounts.
    pub(in crate::engine::docker) layer: LayerLimit,
}

/// What a limit of a container's own files counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine::docker) enum LayerLimit {
    /// The engine can't set one.
    None,
    /// What the container writes.
    Written,
    /// The files of the image too.
    WithImage,
}

/// What an engine reports about itself.
pub(in crate::engine::docker) struct QuirkInputs<'a> {
    pub(in crate::engine::docker) info: &'a SystemInfo,
    /// Only Podman reports this.
    pub(in crate::engine::docker) podman: Option<&'a PodmanInfo>,
    /// The process that listens, if it runs on this machine.
    pub(in crate::engine::docker) process: Option<i32>,
}

/// The part of Podman's own `info` that is missing in its Docker-compatible API.
#[derive(Clone, Debug, Default, Deserialize)]
pub(in crate::engine::docker) struct PodmanInfo {
    #[serde(default)]
    host: PodmanHost,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct PodmanHost {
    cgroup_version: String,
    cgroup_controllers: Vec<String>,
    security: PodmanSecurity,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct PodmanSecurity {
    rootless: bool,
    selinux_enabled: bool,
}

/// The paths where Podman's init can be installed.
const PODMAN_INIT: [&str; 4] = [
    "/usr/libexec/podman/catatonit",
    "/usr/lib/podman/catatonit",
    "/usr/local/libexec/podman/catatonit",
    "/usr/bin/catatonit",
];

/// The maximum number of open files in a session, as in Backend.AI.
const OPEN_FILES: i64 = 1_048_576;
/// The value that every rootless engine can set.
const ROOTLESS: i64 = 4096;

impl Quirks {
    pub(in crate::engine::docker) fn of(said: &QuirkInputs<'_>) -> Self {
        match said.podman {
            Some(podman) => Self::of_podman(said, &podman.host),
            None => Self::of_docker(said),
        }
    }

    /// Whether the engine leaves out the end of a line of more than 16 KiB. Docker's log driver `local` does.
    pub(in crate::engine::docker) fn loses_line_ends(&self) -> bool {
        self.log.0 == "local"
    }

    fn of_docker(said: &QuirkInputs<'_>) -> Self {
        let info = said.info;
        let rootless = has_security(info, "rootless");
        let mapping = if rootless {
            UserMapping::RootIsCaller
        } else if has_security(info, "userns") {
            UserMapping::Remapped
        } else {
            UserMapping::None
        };
        let reported = |flag: Option<bool>| flag.unwrap_or(true);
        let limits = SettableLimits {
            cpu: reported(info.cpu_cfs_quota),
            cores: reported(info.cpu_set),
            memory: reported(info.memory_limit),
            swap: reported(info.swap_limit),
            processes: reported(info.pids_limit),
        };
        Self {
            kind: ContainerProgram::Docker,
            mapping,
            limits,
            own_groups: limits.memory || limits.processes,
            init: true,
            log: ("local", &[("max-size", "50m"), ("max-file", "5")]),
            ulimits: vec![("nofile", most(said, rootless, "Max open files"))],
            gives_devices: true,
            own_network: Some("bridge"),
            selinux: has_security(info, "selinux"),
            layer: layer_limit(info, said.process.is_some()),
        }
    }

    fn of_podman(said: &QuirkInputs<'_>, host: &PodmanHost) -> Self {
        let rootless = host.security.rootless;
        let limits = podman_limits(host);
        Self {
            kind: ContainerProgram::Podman,
            mapping: if rootless {
                UserMapping::KeepId
            } else {
                UserMapping::None
            },
            limits,
            own_groups: !rootless || host.cgroup_version != "v1",
            init: PODMAN_INIT
                .iter()
                .any(|path| said.process.is_some() && fs::exists(path).unwrap_or(false)),
            log: ("k8s-file", &[("max-size", "250m")]),
            ulimits: vec![
                ("nofile", most(said, rootless, "Max open files")),
                ("nproc", most(said, rootless, "Max processes")),
            ],
            gives_devices: false,
            own_network: None,
            selinux: host.security.selinux_enabled,
            layer: LayerLimit::None,
        }
    }
}

/// Docker limits containers with these storage drivers only. With overlay2, XFS with project quotas must be below it, which
/// only the mount of this machine shows.
fn layer_limit(info: &SystemInfo, is_here: bool) -> LayerLimit {
    match info.driver.as_deref() {
        Some("btrfs" | "zfs") => LayerLimit::WithImage,
        Some("overlay2") if is_here && is_on_xfs(info) => LayerLimit::Written,
        _ => LayerLimit::None,
    }
}

fn is_on_xfs(info: &SystemInfo) -> bool {
    let mut status = info.driver_status.iter().flatten();
    let is_xfs = status.any(|pair| pair[..] == ["Backing Filesystem", "xfs"]);
    let root = info.docker_root_dir.as_deref().unwrap_or_default();
    is_xfs && quota::has_project_quotas(Path::new(root))
}

/// A rootless Podman sets the limits delegated to its user, and none with control groups of version 1,
/// whatever its Docker-compatible API reports.
fn podman_limits(host: &PodmanHost) -> SettableLimits {
    if !host.security.rootless {
        return SettableLimits::ALL;
    }
    let delegated = |name: &str| {
        host.cgroup_version != "v1" && host.cgroup_controllers.iter().any(|one| one == name)
    };
    SettableLimits {
        cpu: delegated("cpu"),
        cores: delegated("cpuset"),
        memory: delegated("memory"),
        swap: delegated("memory"),
        processes: delegated("pids"),
    }
}

fn has_security(info: &SystemInfo, word: &str) -> bool {
    let wanted = format!("name={word}");
    let options = info.security_options.as_deref().unwrap_or_default();
    options
        .iter()
        .any(|option| option.split(',').any(|part| part == wanted))
}

/// The limit, capped at the engine's own: an engine that may not raise its limit couldn't start the session.
fn most(said: &QuirkInputs<'_>, rootless: bool, limit: &str) -> i64 {
    // Process 1 created the socket for the engine, so its limits aren't the engine's.
    let engine = said.process.filter(|pid| *pid > 1);
    let all = [Some("self".to_owned()), engine.map(|pid| pid.to_string())];
    all.into_iter()
        .flatten()
        .filter_map(|id| fs::read_to_string(format!("/proc/{id}/limits")).ok())
        .filter_map(|limits| hard_limit(&limits, limit))
        .fold(if rootless { ROOTLESS } else { OPEN_FILES }, i64::min)
}

/// Reads a hard limit from /proc/PID/limits; `None` when it is unlimited.
fn hard_limit(limits: &str, name: &str) -> Option<i64> {
    let line = limits.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(options: &[&str]) -> SystemInfo {
        SystemInfo {
            security_options: Some(options.iter().map(|&o| o.to_owned()).collect()),
            ..SystemInfo::default()
        }
    }

    fn docker(info: &SystemInfo) -> Quirks {
        Quirks::of(&QuirkInputs {
            info,
            podman: None,
            process: None,
        })
    }

    fn podman(text: &str) -> Quirks {
        let podman: PodmanInfo = serde_json::from_str(text).unwrap();
        Quirks::of(&QuirkInputs {
            info: &SystemInfo::default(),
            podman: Some(&podman),
            process: None,
        })
    }

    #[test]
    fn user_mappings_are_recognised() {
        let of = |options: &[&str]| docker(&info(options)).mapping;
        assert_eq!(of(&["name=seccomp,profile=default"]), UserMapping::None);
        assert_eq!(
            of(&["name=seccomp,profile=default", "name=rootless"]),
            UserMapping::RootIsCaller
        );
        assert_eq!(of(&["name=userns"]), UserMapping::Remapped);
        let rootless = podman(r#"{"host": {"security": {"rootless": true}}}"#);
        assert_eq!(rootless.mapping, UserMapping::KeepId);
        assert_eq!(podman("{}").mapping, UserMapping::None);
    }

    #[test]
    fn an_engine_says_which_limits_it_can_set() {
        let all = docker(&SystemInfo::default());
        assert_eq!(
            (all.limits, all.limits.warning()),
            (SettableLimits::ALL, None)
        );
        let none = docker(&SystemInfo {
            memory_limit: Some(false),
            pids_limit: Some(false),
            cpu_cfs_quota: Some(false),
            ..SystemInfo::default()
        });
        let warning = none.limits.warning().unwrap();
        assert!(warning.contains("CPU, memory, processes"), "{warning}");
        assert!(!none.own_groups);
    }

    #[test]
    fn a_rootless_podman_limits_what_is_delegated() {
        let host = |version: &str, controllers: &str| {
            podman(&format!(
                r#"{{"host": {{"cgroupVersion": "{version}", "cgroupControllers": [{controllers}],
                    "security": {{"rootless": true}}}}}}"#
            ))
        };
        let old = host("v1", r#""memory", "pids""#);
        assert!(!old.limits.memory && !old.limits.processes && !old.own_groups);
        let new = host("v2", r#""memory", "pids""#);
        assert!(new.limits.memory && new.limits.processes && !new.limits.cpu && new.own_groups);
        assert!(new.limits.warning().unwrap().contains("can't limit CPU"));
        assert_eq!(podman("{}").limits, SettableLimits::ALL);
    }

    #[test]
    fn a_rootless_engine_gives_no_more_than_it_has() {
        let rootless = podman(r#"{"host": {"security": {"rootless": true}}}"#);
        let names: Vec<&str> = rootless.ulimits.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, ["nofile", "nproc"]);
        assert!(rootless.ulimits.iter().all(|(_, most)| *most <= ROOTLESS));
    }

    #[test]
    fn the_hard_limit_is_the_second_number() {
        let limits = "Limit  Soft Limit  Hard Limit  Units\n\
                      Max open files            1024                 4096                 files\n";
        assert_eq!(hard_limit(limits, "Max open files"), Some(4096));
        let none = "Max open files  unlimited unlimited files";
        assert_eq!(hard_limit(none, "Max open files"), None);
    }
}
