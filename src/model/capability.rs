//! What an engine can and can't do, as data, so that no code branches on the kind of engine.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    context::EngineKind,
    resources::{Bytes, Cpu},
    text::Clean,
};

/// One row: what it is, its name, and the kinds of engines that always lack it, with the reason that a disabled
/// action shows. What only some engines of a kind lack is found when workbay connects.
macro_rules! capabilities {
    ($(
        $(#[doc = $doc:literal])*
        $name:ident $({ $($kind:ident: $why:expr,)+ })?,
    )+) => {
        /// A feature that not every engine has.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        #[cfg_attr(test, derive(schemars::JsonSchema))]
        pub enum Capability { $( $(#[doc = $doc])* $name, )+ }

        impl Capability {
            pub const ALL: &'static [Self] = &[$(Self::$name),+];

            /// Why no engine of this kind has it, `None` if engines of the kind can have it.
            pub const fn lack_of(self, kind: EngineKind) -> Option<&'static str> {
                match (self, kind) {
                    $($($((Self::$name, EngineKind::$kind) => Some($why),)+)?)+
                    _ => None,
                }
            }
        }
    };
}

capabilities! {
    HostEnvironment {
        Backendai: tr_later!("the host environment isn't available on a cluster. Choose an image"),
    },
    Exec,
    Rename,
    LiveUsage,
    Logs,
    /// The time at which each line of a log was printed.
    LogTimes {
        Backendai: tr_later!("the cluster keeps its logs without times"),
    },
    Terminal,
    /// A TCP stream to a service in a session.
    Dial,
    /// Apps at a proxy of the engine, which browsers reach without workbay.
    AppProxy {
        Docker: tr_later!("only Backend.AI clusters have an app proxy. Enter opens a port of this machine"),
    },
    /// An image created from a running session.
    Commit,
    /// Projects, resource groups, presets and folders to choose from.
    Catalogue,
    SchedulingHistory,
    /// The attempts and steps in a scheduling history. Without them it has only the time of each status.
    SchedulingSteps,
    /// The timeout of a batch session is reported.
    BatchTimeout,
    /// Why a session failed to start is reported.
    StartFailures,
    /// The variables and the bootstrap script of another user's session are reported.
    LaunchRecord,
    IdleChecks {
        Docker: tr_later!("this engine has no idle checks. workbay runs the idle checks of resources.toml"),
    },
    /// Terminals and connections count for the network idle check.
    NetworkIdle,
    /// Idle checks set for one launch.
    IdleRules {
        Backendai: tr_later!("the cluster sets idle checks by the policy of the user, not by the session"),
    },
    /// Extending a session, or exempting it from idle checks.
    Reprieve {
        Backendai: tr_later!("the manager runs the idle checks. Ask the cluster's administrator to exempt a session"),
    },
    /// A new priority for a session that waits.
    Priority,
    /// A stop hook that runs before a session is terminated.
    StopHook {
        Backendai: tr_later!("a cluster can't run a stop hook before it terminates a session"),
    },
    /// A limit of what a session writes to its own storage (`--disk`).
    DiskLimit {
        Backendai: tr_later!("a cluster has no disk limit for one session. Its administrator sets the size of scratch \
                    directories on the agents"),
    },
    /// The file systems of home directories and folders enforce limits. Without it, they are only measured.
    DiskEnforcement,
    /// Folders that outlive sessions, created and mounted by workbay.
    Folders,
    /// Folders that are shared with other users: permissions, invitations, projects.
    FolderSharing {
        Docker: tr_later!("folders of this machine are yours alone. To share files, ask the administrator for a \
                 host path"),
    },
    /// Sessions that an administrator launches for another user.
    Owners {
        Docker: tr_later!("this engine has sessions of one user only"),
    },
    /// The choice of an agent for a session.
    AgentChoice {
        Docker: tr_later!("this engine has one machine only"),
    },
    /// Cluster sessions that span several agents.
    MultiNode {
        Docker: tr_later!("this engine has one machine only. Cluster sessions on several machines need a \
                 Backend.AI context"),
    },
    /// The engine itself decides when a session starts, and workbay only observes.
    Schedules {
        Docker: tr_later!("this engine has no scheduler. workbay decides when a session starts"),
    },
    /// Sessions can't reach each other over the network.
    SessionIsolation,
    /// Sessions can't reach programs that listen on the engine's machine.
    HostProtection,
}

impl Capability {
    /// The capabilities that are only known once a session starts.
    pub const OF_NETWORK: [Self; 2] = [Self::SessionIsolation, Self::HostProtection];
}

/// The capabilities that an engine lacks, each with the reason that a disabled action shows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Capabilities {
    pub missing: Vec<(Capability, Clean)>,
    /// An open terminal or service connection counts as use and stops the network idle timeout, so clients
    /// don't keep one open that isn't watched.
    #[serde(default)]
    pub open_streams_keep_alive: bool,
}

impl Capabilities {
    /// What all engines of this kind lack.
    #[must_use]
    pub fn of(kind: EngineKind) -> Self {
        let lacks = |it: &Capability| Some((*it, Clean::new(it.lack_of(kind)?)));
        Self {
            missing: Capability::ALL.iter().filter_map(lacks).collect(),
            open_streams_keep_alive: false,
        }
    }

    pub fn has(&self, capability: Capability) -> bool {
        self.why_not(capability).is_none()
    }

    /// Replaces the missing network capabilities and returns whether they changed.
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

/// A device of the engine's machine. Samples of usage name it in the same way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AcceleratorDevice {
    /// `GPU 0`.
    pub name: Clean,
    /// 0 = unknown.
    pub mem: Bytes,
}

/// What the engine reported about itself when workbay connected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct EngineInfo {
    /// `Docker`, `Podman` or `Backend.AI`.
    pub kind: Clean,
    /// `20.10.24`.
    pub version: Clean,
    /// The negotiated API version, `1.41`.
    pub api_version: Clean,
    /// The address of the engine: `unix:///var/run/docker.sock`.
    pub endpoint: Clean,
    /// The total of the machine or cluster; 0 where the engine doesn't report it.
    pub cpus: Cpu,
    pub memory: Bytes,
    /// Accelerators found on the machine, in thousandths by slot name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub accelerators: BTreeMap<String, u64>,
    /// The devices of these, where the engine knows them one by one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<AcceleratorDevice>,
    /// The user as which the engine authenticated workbay, where it has users.
    #[serde(default)]
    pub user: Option<super::catalogue::User>,
    pub capabilities: Capabilities,
}

impl EngineInfo {
    /// Creates the info of an engine that hasn't reported anything yet and lacks nothing.
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
            devices: Vec::new(),
            user: None,
            capabilities: Capabilities::default(),
        }
    }
}

/// The state of the connection to an engine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "lowercase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum EngineState {
    Connecting,
    Connected {
        info: EngineInfo,
    },
    /// Disconnected. The daemon retries automatically, except if the login needs a one-time password.
    Lost {
        why: Clean,
        /// What the user can do, if anything.
        hint: Option<Clean>,
        /// The number of attempts so far.
        attempt: u32,
        /// Whether the login needs a one-time password. The daemon doesn't retry without one.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        needs_code: bool,
    },
}

impl EngineState {
    /// Whether the login needs a one-time password.
    pub const fn needs_code(&self) -> bool {
        matches!(
            self,
            Self::Lost {
                needs_code: true,
                ..
            }
        )
    }
}
