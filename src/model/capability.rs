//! What an engine can and cannot do, as data: the difference between engines is never an `if`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    resources::{Bytes, Cpu},
    text::Clean,
};

/// Something a person may want that not every engine offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Capability {
    HostEnvironment,
    Exec,
    Rename,
    LiveUsage,
    Logs,
    /// Each line of a log with the time at which it was printed.
    LogTimes,
    Terminal,
    /// A TCP stream to a service in a session.
    Dial,
    /// An image made of a running session.
    Commit,
    /// Projects, resource groups, presets, folders to choose from.
    Catalogue,
    SchedulingHistory,
    IdleChecks,
    /// Idle checks of its own for one launch.
    IdleRules,
    /// An end put off, or a session exempted from idle checks.
    Reprieve,
    /// Another priority for a session that waits.
    Priority,
    /// Something done in a session before it is ended.
    StopHook,
    /// Folders that survive sessions, made and mounted.
    Folders,
    /// Sessions made for somebody else, by an administrator.
    Owners,
    /// A machine chosen by the person.
    AgentChoice,
    /// Clusters that span machines.
    MultiNode,
    /// The engine decides itself when a session starts; our controller only observes.
    Schedules,
    /// Sessions do not reach each other over the network.
    SessionIsolation,
    /// Sessions do not reach programs that listen on the engine's machine.
    HostProtection,
}

impl Capability {
    /// Those that are found out only when a session starts.
    pub const OF_NETWORK: [Self; 2] = [Self::SessionIsolation, Self::HostProtection];
}

/// Each capability an engine lacks, with the reason a disabled action shows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Capabilities {
    pub missing: Vec<(Capability, Clean)>,
    /// An open terminal or service connection counts as use: the session's network idle clock
    /// stands still while one is open, so none is held that nobody looks at.
    #[serde(default)]
    pub open_streams_keep_alive: bool,
}

impl Capabilities {
    pub fn has(&self, capability: Capability) -> bool {
        self.why_not(capability).is_none()
    }

    /// Takes what is known of the network by now; whether that is another thing than before.
    pub fn take_network(&mut self, lacks: Vec<(Capability, Clean)>) -> bool {
        let is_of_network = |lack: &&(Capability, Clean)| Capability::OF_NETWORK.contains(&lack.0);
        if self.missing.iter().filter(is_of_network).eq(&lacks) {
            return false;
        }
        self.missing.retain(|lack| !is_of_network(&lack));
        self.missing.extend(lacks);
        true
    }

    pub fn why_not(&self, capability: Capability) -> Option<&Clean> {
        self.missing
            .iter()
            .find(|(c, _)| *c == capability)
            .map(|(_, why)| why)
    }
}

/// What the engine told about itself when we connected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineInfo {
    /// `Docker`, `Podman` or `Backend.AI`.
    pub kind: Clean,
    /// `20.10.24`.
    pub version: Clean,
    /// The API version that was agreed on, `1.41`.
    pub api_version: Clean,
    /// Where it answers: `unix:///var/run/docker.sock`.
    pub endpoint: Clean,
    /// All of the machine or cluster; 0 where it does not tell.
    pub cpus: Cpu,
    pub memory: Bytes,
    /// Accelerators found on the machine, in thousandths by slot name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub accelerators: BTreeMap<String, u64>,
    /// Whom the engine takes us for, where it has users.
    #[serde(default)]
    pub user: Option<super::catalogue::User>,
    pub capabilities: Capabilities,
}

impl EngineInfo {
    /// One that has told nothing of itself yet, and lacks nothing.
    #[must_use]
    pub fn new(kind: Clean, endpoint: Clean) -> Self {
        Self {
            kind,
            version: Clean::default(),
            api_version: Clean::default(),
            endpoint,
            cpus: Cpu::default(),
            memory: Bytes::default(),
            accelerators: BTreeMap::new(),
            user: None,
            capabilities: Capabilities::default(),
        }
    }
}

/// The state of the line to an engine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "lowercase")]
pub enum EngineState {
    Connecting,
    Connected {
        info: EngineInfo,
    },
    /// Lost; a new attempt is made by itself.
    Lost {
        why: Clean,
        /// What a person can do, when there is something.
        hint: Option<Clean>,
        /// Attempts so far.
        attempt: u32,
    },
}
