//! The line to one engine, and what is known about the engine at its other end.

use std::{
    path::PathBuf,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use bollard::{API_DEFAULT_VERSION, Docker, models::SystemInfo};
use tokio::net::UnixStream;

use super::{
    connect::{self, Endpoint, Surroundings},
    fault,
};
use crate::{
    engine::{api::Result, error::EngineError},
    model::{
        capability::{Capabilities, Capability, EngineInfo},
        resources::{Bytes, Cpu},
        text::Clean,
    },
};

/// Seconds one request may take.
const TIMEOUT: u64 = 120;

/// Whose container program it is; they differ in small things only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Docker,
    Podman,
}

/// How the engine maps the users of its containers to those of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UserMapping {
    /// Not at all.
    None,
    /// Rootless Docker: root inside is the caller outside.
    RootIsCaller,
    /// Rootless Podman: can be told to keep the caller's ids.
    KeepId,
    /// Docker with userns-remap: can be told to leave a container out.
    Remapped,
}

/// An engine that answered.
pub(super) struct Line {
    pub(super) docker: Docker,
    endpoint: Endpoint,
    pub(super) kind: Kind,
    pub(super) mapping: UserMapping,
    pub(super) cpus: u32,
    pub(super) selinux: bool,
    /// Files a session may have open at most.
    pub(super) open_files: i64,
    /// Why files and processes of this machine are not the engine's; `None` = they are.
    pub(super) remote: Option<String>,
    info: Mutex<EngineInfo>,
}

impl Line {
    /// Finds the engine and asks what it is.
    pub(super) async fn open(configured: Option<&str>) -> Result<Self> {
        let endpoint = connect::find(configured, &Surroundings::of_process())?;
        let url = endpoint.url();
        let peer = peer_pid(&endpoint).await?;
        let docker = Docker::connect_with_unix(&url, TIMEOUT, API_DEFAULT_VERSION)
            .map_err(|error| fault::translate(error, &url))?;
        let docker = docker
            .negotiate_version()
            .await
            .map_err(|error| fault::translate(error, &url))?;
        let known = ask(&docker, &url).await?;
        let remote = why_remote(peer, known.kernel.as_deref(), &url);
        let info = engine_info(&docker, &known, &url, remote.as_deref());
        Ok(Self {
            docker,
            endpoint,
            kind: known.kind,
            mapping: mapping(known.kind, &known.info),
            cpus: known.info.ncpu.and_then(|n| n.try_into().ok()).unwrap_or(1),
            selinux: has_security(&known.info, "selinux"),
            open_files: open_files(peer, mapping(known.kind, &known.info)),
            remote,
            info: Mutex::new(info),
        })
    }

    pub(super) fn url(&self) -> String {
        self.endpoint.url()
    }

    pub(super) fn socket(&self) -> &PathBuf {
        &self.endpoint.socket
    }

    /// What the engine told last.
    pub(super) fn info(&self) -> EngineInfo {
        self.info
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Asks again; an error means the line is gone.
    pub(super) async fn refresh(&self) -> Result<EngineInfo> {
        let known = ask(&self.docker, &self.url()).await?;
        let info = engine_info(&self.docker, &known, &self.url(), self.remote.as_deref());
        *self.info.lock().unwrap_or_else(PoisonError::into_inner) = info.clone();
        Ok(info)
    }

    /// Sorts an error of this line's client.
    pub(super) fn fault(&self, error: bollard::errors::Error) -> EngineError {
        fault::translate(error, &self.url())
    }

    /// Refuses what needs the engine to share this machine's files.
    pub(super) fn must_be_local(&self) -> Result<()> {
        match &self.remote {
            None => Ok(()),
            Some(why) => Err(EngineError::Unsupported(why.clone())),
        }
    }
}

/// What an engine says about itself.
struct Known {
    kind: Kind,
    version: String,
    kernel: Option<String>,
    info: SystemInfo,
}

async fn ask(docker: &Docker, url: &str) -> Result<Known> {
    let translate = |error| fault::translate(error, url);
    let version = docker.version().await.map_err(translate)?;
    let info = docker.info().await.map_err(translate)?;
    let names = version.components.unwrap_or_default();
    let podman = names.iter().any(|part| part.name.contains("Podman"));
    Ok(Known {
        kind: if podman { Kind::Podman } else { Kind::Docker },
        version: version.version.unwrap_or_default(),
        kernel: version
            .kernel_version
            .or_else(|| info.kernel_version.clone()),
        info,
    })
}

/// What this engine does not do.
const LACKS: [(Capability, &str); 7] = [
    (
        Capability::Dial,
        "connections to a port in a session are not there yet on this engine",
    ),
    (
        Capability::Commit,
        "an image cannot be made of a session on this engine yet",
    ),
    (Capability::Owners, "sessions on this engine are yours only"),
    (
        Capability::AgentChoice,
        "this engine is one machine: there is nothing to choose",
    ),
    (
        Capability::MultiNode,
        "this engine is one machine: clusters that span machines need a Backend.AI context",
    ),
    (
        Capability::IdleChecks,
        "nothing reclaims idle sessions on this engine",
    ),
    (
        Capability::Schedules,
        "workbay itself decides when a session starts on this engine",
    ),
];

fn engine_info(docker: &Docker, known: &Known, url: &str, remote: Option<&str>) -> EngineInfo {
    let api = docker.client_version();
    let of_this_machine = [Capability::HostEnvironment, Capability::Folders];
    let remote = remote
        .into_iter()
        .flat_map(|why| of_this_machine.map(|capability| (capability, Clean::new(why))));
    let lacks = LACKS.map(|(capability, why)| (capability, Clean::new(why)));
    let kind = Clean::new(match known.kind {
        Kind::Docker => "Docker",
        Kind::Podman => "Podman",
    });
    EngineInfo {
        // Debian adds `+dfsg1`, which tells a person nothing.
        version: Clean::new(known.version.split('+').next().unwrap_or_default()),
        api_version: Clean::new(&format!("{}.{}", api.major_version, api.minor_version)),
        cpus: Cpu::from_millis(known.info.ncpu.unwrap_or(0).max(0).unsigned_abs() * 1000),
        memory: Bytes(known.info.mem_total.unwrap_or(0).max(0).unsigned_abs()),
        capabilities: Capabilities {
            missing: remote.chain(lacks).collect(),
            open_streams_keep_alive: false,
        },
        ..EngineInfo::new(kind, Clean::new(url))
    }
}

fn has_security(info: &SystemInfo, word: &str) -> bool {
    let wanted = format!("name={word}");
    let options = info.security_options.as_deref().unwrap_or_default();
    options
        .iter()
        .any(|option| option.split(',').any(|part| part == wanted))
}

fn mapping(kind: Kind, info: &SystemInfo) -> UserMapping {
    match kind {
        Kind::Podman if has_security(info, "rootless") => UserMapping::KeepId,
        Kind::Docker if has_security(info, "rootless") => UserMapping::RootIsCaller,
        Kind::Docker if has_security(info, "userns") => UserMapping::Remapped,
        _ => UserMapping::None,
    }
}

/// Files a session may have open, as in Backend.AI.
const OPEN_FILES: i64 = 1_048_576;

/// Not more than the engine itself may: an engine without the right to raise its own limit could not
/// start the session at all.
fn open_files(peer: Option<i32>, mapping: UserMapping) -> i64 {
    if matches!(mapping, UserMapping::RootIsCaller | UserMapping::KeepId) {
        return 4096;
    }
    // The first process made the socket for the engine; its own limits say nothing.
    let engine = peer.filter(|pid| *pid > 1).map(|pid| pid.to_string());
    ["self"]
        .into_iter()
        .chain(engine.as_deref())
        .filter_map(|who| std::fs::read_to_string(format!("/proc/{who}/limits")).ok())
        .filter_map(|limits| hard_limit(&limits))
        .fold(OPEN_FILES, i64::min)
}

/// The hard limit of open files in /proc/PID/limits; `None` when there is no limit.
fn hard_limit(limits: &str) -> Option<i64> {
    let line = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max open files"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// Connects once by hand: it tells exactly what is wrong with the socket, and who made it.
async fn peer_pid(endpoint: &Endpoint) -> Result<Option<i32>> {
    let url = endpoint.url();
    let dial = UnixStream::connect(&endpoint.socket);
    let stream = tokio::time::timeout(Duration::from_secs(5), dial)
        .await
        .map_err(|_| fault::unreachable(&url, &std::io::ErrorKind::TimedOut.into()))?
        .map_err(|error| fault::unreachable(&url, &error))?;
    Ok(stream.peer_cred().ok().and_then(|peer| peer.pid()))
}

/// An engine shares our files and processes when it runs under our kernel and its process can be seen
/// from here (in another machine, a virtual machine or outside of our container it cannot).
fn why_remote(peer: Option<i32>, kernel: Option<&str>, url: &str) -> Option<String> {
    let ours = rustix::system::uname()
        .release()
        .to_string_lossy()
        .into_owned();
    let elsewhere = match (peer, kernel) {
        (_, Some(theirs)) if theirs != ours => true,
        (Some(pid), _) => pid <= 0,
        (None, _) => false,
    };
    elsewhere.then(|| {
        format!(
            "the engine at {url} runs on another machine, in a virtual machine or outside of this \
             container, so it cannot see the files here: run workbay beside it, or set \
             engine.endpoint to an engine of this machine"
        )
    })
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

    #[test]
    fn user_mappings_are_recognised() {
        let plain = info(&["name=seccomp,profile=default"]);
        assert_eq!(mapping(Kind::Docker, &plain), UserMapping::None);
        let rootless = info(&["name=seccomp,profile=default", "name=rootless"]);
        assert_eq!(mapping(Kind::Docker, &rootless), UserMapping::RootIsCaller);
        assert_eq!(mapping(Kind::Podman, &rootless), UserMapping::KeepId);
        let remapped = info(&["name=userns"]);
        assert_eq!(mapping(Kind::Docker, &remapped), UserMapping::Remapped);
    }

    #[test]
    fn the_hard_limit_is_the_second_number() {
        let limits = "Limit  Soft Limit  Hard Limit  Units\n\
                      Max open files            1024                 4096                 files\n";
        assert_eq!(hard_limit(limits), Some(4096));
        assert_eq!(
            hard_limit("Max open files  unlimited unlimited files"),
            None
        );
    }

    #[test]
    fn an_engine_elsewhere_is_told_apart() {
        let ours = rustix::system::uname()
            .release()
            .to_string_lossy()
            .into_owned();
        assert_eq!(why_remote(Some(7), Some(&ours), "unix:///x"), None);
        assert!(why_remote(Some(0), Some(&ours), "unix:///x").is_some());
        assert!(why_remote(Some(7), Some("5.15-linuxkit"), "unix:///x").is_some());
    }
}
