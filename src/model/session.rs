//! A session, as the daemon, its clients and the engines share it.

use std::cmp::Ordering;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{
    environment::EnvironmentRef,
    history::Outcome,
    id::{ContextName, SessionId, SessionKey},
    idle::{Activity, IdleCheck, Reprieve},
    kernel::Kernel,
    natural,
    pull::Pull,
    resources::{Bytes, ResourceSlots},
    service::Service,
    span::Span,
    spec::Mounted,
    status::{Status, Tab},
    text::Clean,
};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum SessionType {
    #[default]
    Interactive,
    Batch,
    Inference,
    System,
}

/// How a batch command ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum BatchResult {
    /// It isn't a batch session, or it hasn't ended.
    #[default]
    Undefined,
    Success,
    Failure,
}

/// Whether an image is being created from the session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum CommitStatus {
    #[default]
    Ready,
    Ongoing,
}

/// How the containers of a session are distributed over machines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum ClusterMode {
    #[default]
    SingleNode,
    MultiNode,
}

/// Where a session is in a cluster. Every field is empty on an engine without a cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Placement {
    pub project: Option<Clean>,
    pub resource_group: Option<Clean>,
    pub agents: Vec<Clean>,
    pub cluster_mode: ClusterMode,
    /// The requested number of containers; 0 = not reported.
    pub cluster_size: u32,
    pub priority: Option<i32>,
    /// Position in the queue of its resource group, from 0.
    pub queue_position: Option<u32>,
    /// For a PENDING session, the latest time it starts, where timeouts and lifetimes show it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub starts_by: Option<Timestamp>,
    pub tag: Option<Clean>,
}

/// A session that this one depends on, or that depends on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Linked {
    pub id: SessionId,
    pub name: Clean,
    pub status: Status,
}

/// The `status_info` of a session that ended before it ran, unless another reason is known.
pub const FAILED_TO_START: &str = "failed-to-start";

/// The `status_info` values of engines that schedule, for sessions that ended before they ran.
pub const NEVER_STARTED: [&str; 6] = [
    FAILED_TO_START,
    "failed-to-create",
    "creation-failed",
    "already-terminated",
    "exceeded-max-retries",
    "no-available-instances",
];

/// A session. Its JSON field names are part of the contract of the command line (docs/cli.md).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Session {
    pub id: SessionId,
    pub context: ContextName,
    pub name: Clean,
    #[serde(rename = "type")]
    pub session_type: SessionType,
    pub status: Status,
    /// The reason behind the status: `user-requested`, `self-terminated`, `failed-to-start`, …
    pub status_info: Option<Clean>,
    /// One sentence that explains to the user why it failed or ended.
    pub status_message: Option<Clean>,
    pub environment: EnvironmentRef,
    pub requested_slots: ResourceSlots,
    /// Shared memory in bytes, a part of `requested_slots.mem`.
    pub shmem: Bytes,
    /// The limit of each container's home directory, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disk_limit: Option<Bytes>,
    pub owner: Clean,
    pub created_at: Timestamp,
    /// When it reached RUNNING for the first time.
    pub started_at: Option<Timestamp>,
    pub terminated_at: Option<Timestamp>,
    pub kernels: Vec<Kernel>,
    /// The path of its home directory on this machine, if it is on this machine.
    #[serde(alias = "scratch")]
    pub home: Option<String>,
    #[serde(default)]
    pub placement: Placement,
    /// What the engine has allocated to it, where it reports that. Empty before that.
    #[serde(default)]
    pub occupied_slots: ResourceSlots,
    /// Names of the folders mounted in the session.
    #[serde(default)]
    pub folders: Vec<Clean>,
    /// Where folders are mounted in the session, as far as that is known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mounts: Vec<Mounted>,
    /// Sessions that must end successfully before this one starts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<Linked>,
    /// Sessions that wait until this one ends.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depended_by: Vec<Linked>,
    #[serde(default)]
    pub services: Vec<Service>,
    #[serde(default)]
    pub idle_checks: Vec<IdleCheck>,
    /// What a batch session runs.
    #[serde(default)]
    pub startup_command: Option<Clean>,
    /// The earliest time at which a batch session starts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub starts_at: Option<Timestamp>,
    /// A batch session that runs longer is stopped and counts as failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Span>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub preopen_ports: Vec<u16>,
    #[serde(default)]
    pub result: BatchResult,
    #[serde(default)]
    pub commit: CommitStatus,
    /// When the session was last used, where the engine reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub activity: Option<Activity>,
    /// A one-line description of its stop hook.
    #[serde(default, alias = "last_will", skip_serializing_if = "Option::is_none")]
    pub stop_hook: Option<Clean>,
    /// The outcome of the stop hook and its last output, once it has run.
    #[serde(
        default,
        alias = "last_will_end",
        skip_serializing_if = "Option::is_none"
    )]
    pub stop_hook_end: Option<(Outcome, Clean)>,
    /// How it was extended or exempted from idle checks.
    #[serde(default)]
    pub reprieve: Reprieve,
    /// The progress of its image, while it is PULLING.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pull: Option<Box<Pull>>,
    /// A request that isn't done yet, as it is shown: "terminating", "renaming to x".
    pub pending_request: Option<Clean>,
}

impl Session {
    /// Creates a PENDING interactive session with defaults for all other fields.
    #[must_use]
    pub fn new(
        key: SessionKey,
        name: Clean,
        environment: EnvironmentRef,
        created_at: Timestamp,
    ) -> Self {
        Self {
            id: key.id,
            context: key.context,
            name,
            session_type: SessionType::default(),
            status: Status::Pending,
            status_info: None,
            status_message: None,
            environment,
            requested_slots: ResourceSlots::default(),
            shmem: Bytes::default(),
            disk_limit: None,
            owner: Clean::default(),
            created_at,
            started_at: None,
            terminated_at: None,
            kernels: Vec::new(),
            home: None,
            placement: Placement::default(),
            occupied_slots: ResourceSlots::default(),
            folders: Vec::new(),
            mounts: Vec::new(),
            depends_on: Vec::new(),
            depended_by: Vec::new(),
            services: Vec::new(),
            idle_checks: Vec::new(),
            startup_command: None,
            starts_at: None,
            timeout: None,
            preopen_ports: Vec::new(),
            result: BatchResult::default(),
            commit: CommitStatus::default(),
            activity: None,
            stop_hook: None,
            stop_hook_end: None,
            reprieve: Reprieve::default(),
            pull: None,
            pending_request: None,
        }
    }

    /// The session's id among all contexts.
    pub fn key(&self) -> SessionKey {
        SessionKey::new(self.context, self.id)
    }

    /// Whether its container is paused, by workbay or by someone else. A paused container doesn't run until
    /// it is unpaused.
    pub fn is_paused(&self) -> bool {
        let reported = self.status_info.as_ref();
        self.status.is_live() && reported.is_some_and(|info| info.as_str() == Self::PAUSED)
    }

    /// Whether it is over: it holds nothing, and its result doesn't change any more. ERROR is an end only where
    /// it has an end time. An engine that schedules can still terminate such a session, and one whose container
    /// couldn't be removed has none.
    pub fn has_ended(&self) -> bool {
        let failed = self.status == Status::Error && self.terminated_at.is_some();
        failed || self.status.is_final()
    }

    /// Whether it holds the resources that it requested: it has left the queue, and isn't over.
    pub fn holds_resources(&self) -> bool {
        !self.has_ended() && !self.status.is_waiting()
    }

    /// Whether it requests accelerators.
    pub fn has_accelerators(&self) -> bool {
        let mut amounts = self.requested_slots.accelerators.values();
        amounts.any(|amount| *amount > 0)
    }

    /// Whether an image is being created from it, or was requested.
    pub fn is_committed(&self) -> bool {
        let asked = self.pending_request.as_ref();
        let asked = asked.is_some_and(|it| it.as_str().starts_with(Self::COMMITTING));
        self.status.is_live() && (asked || self.commit == CommitStatus::Ongoing)
    }

    /// How `pending_request` begins while an image is requested.
    pub const COMMITTING: &str = "creating image";

    /// The `status_info` of a paused session.
    pub const PAUSED: &str = "paused";

    /// The folders of the session, each with its path and mode where they are known.
    pub fn mounted(&self) -> Vec<Clean> {
        let named = |name: &Clean| {
            let mount = self.mounts.iter().find(|it| *name == *it.folder.as_str());
            mount.map_or_else(|| name.clone(), |it| Clean::new(&it.to_string()))
        };
        self.folders.iter().map(named).collect()
    }

    /// The tab that lists it. A session that failed to start is listed with those in error.
    pub fn tab(&self) -> Tab {
        if self.failed_to_start() {
            Tab::Others
        } else {
            self.status.tab()
        }
    }

    /// Whether it ended before it ran, although no one requested that.
    pub fn failed_to_start(&self) -> bool {
        let info = self.status_info.as_ref().map(Clean::as_str);
        self.status == Status::Terminated
            && self.started_at.is_none()
            && info.is_some_and(|info| NEVER_STARTED.contains(&info))
    }

    /// How many containers it has or requested, as far as that is known.
    pub fn containers(&self) -> usize {
        let size = usize::try_from(self.placement.cluster_size).unwrap_or(usize::MAX);
        self.kernels.len().max(size)
    }

    /// The container that terminals and logs use by default. The main container is the first of `kernels`.
    pub fn main_kernel(&self) -> Option<&Kernel> {
        self.kernels.first()
    }

    /// Seconds it ran, until its end or `now`; `None` = it never ran. Time in the queue doesn't count.
    pub fn run_seconds(&self, now: Timestamp) -> Option<i64> {
        let end = self.terminated_at.unwrap_or(now).as_second();
        Some((end - self.started_at?.as_second()).max(0))
    }

    /// The run time, or the time it waited if it never ran.
    pub fn elapsed_seconds(&self, now: Timestamp) -> i64 {
        let end = self.terminated_at.unwrap_or(now).as_second();
        let waited = (end - self.created_at.as_second()).max(0);
        self.run_seconds(now).unwrap_or(waited)
    }
}

/// Orders by run time, shortest first. Sessions that never ran come first, and running sessions come after
/// ended ones.
pub fn by_run_time(a: &Session, b: &Session) -> Ordering {
    let key = |session: &Session| {
        let ran = session.run_seconds(Timestamp::MAX)?;
        Some((session.terminated_at.is_none(), ran))
    };
    key(a).cmp(&key(b))
}

/// Whether the sessions belong to several users.
pub fn has_several_owners<'a>(sessions: impl IntoIterator<Item = &'a Session>) -> bool {
    let mut sessions = sessions.into_iter();
    let first = sessions.next();
    first.is_some_and(|first| sessions.any(|it| it.owner != first.owner))
}

/// Owner, project and agents, separated by spaces. They distinguish sessions of several owners.
pub fn placement_words(session: &Session) -> String {
    let placement = &session.placement;
    let words = [&session.owner].into_iter().chain(&placement.project);
    let words: Vec<&str> = words.chain(&placement.agents).map(Clean::as_str).collect();
    words.join(" ")
}

/// The default order of lists. Sessions that were launched together are ordered by name.
pub fn newest_first(a: &Session, b: &Session) -> Ordering {
    let by_name = || natural::compare(a.name.as_str(), b.name.as_str());
    b.created_at.cmp(&a.created_at).then_with(by_name)
}
