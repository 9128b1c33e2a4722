//! A compute session as every side of workbay sees it.

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
pub enum BatchResult {
    /// No batch session, or it has not ended.
    #[default]
    Undefined,
    Success,
    Failure,
}

/// Whether an image is being made of the session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CommitStatus {
    #[default]
    Ready,
    Ongoing,
}

/// How a session's kernels lie on machines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClusterMode {
    #[default]
    SingleNode,
    MultiNode,
}

/// Where in a cluster a session belongs. All of it is empty on an engine without such things.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Placement {
    pub project: Option<Clean>,
    pub resource_group: Option<Clean>,
    pub agents: Vec<Clean>,
    pub cluster_mode: ClusterMode,
    /// Kernels asked for; 0 = not told.
    pub cluster_size: u32,
    pub priority: Option<i32>,
    /// Place in the queue of its resource group, the first is 0.
    pub queue_position: Option<u32>,
    /// While it waits for room: when it starts at the latest, where timeouts and lifetimes tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub starts_by: Option<Timestamp>,
    pub tag: Option<Clean>,
}

/// Another session that it waits for, or that waits for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Linked {
    pub id: SessionId,
    pub name: Clean,
    pub status: Status,
}

/// What stands in `status_info` of one that ended before it ran, where nothing else is told.
pub const FAILED_TO_START: &str = "failed-to-start";

/// Reasons of engines that schedule for an end before a session ran.
pub const NEVER_STARTED: [&str; 6] = [
    FAILED_TO_START,
    "failed-to-create",
    "creation-failed",
    "already-terminated",
    "exceeded-max-retries",
    "no-available-instances",
];

/// One session. The JSON field names are part of the command line's contract (docs/cli.md).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    pub id: SessionId,
    pub context: ContextName,
    pub name: Clean,
    #[serde(rename = "type")]
    pub session_type: SessionType,
    pub status: Status,
    /// The reason behind the status: `user-requested`, `self-terminated`, `failed-to-start`, …
    pub status_info: Option<Clean>,
    /// The same for a person: one sentence, why it failed or ended.
    pub status_message: Option<Clean>,
    pub environment: EnvironmentRef,
    pub requested_slots: ResourceSlots,
    /// Shared memory in bytes, a part of `requested_slots.mem`.
    pub shmem: Bytes,
    pub owner: Clean,
    pub created_at: Timestamp,
    /// When it reached RUNNING for the first time.
    pub started_at: Option<Timestamp>,
    pub terminated_at: Option<Timestamp>,
    pub kernels: Vec<Kernel>,
    /// Where its `/home/work` lies on this machine, if it does.
    pub scratch: Option<String>,
    #[serde(default)]
    pub placement: Placement,
    /// What the engine has given it, where it tells; empty before that.
    #[serde(default)]
    pub occupied_slots: ResourceSlots,
    /// Names of the folders mounted in it.
    #[serde(default)]
    pub folders: Vec<Clean>,
    /// Where folders are mounted in it, as far as that is known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mounts: Vec<Mounted>,
    /// Sessions that have to end well before it begins.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<Linked>,
    /// Sessions that wait for its end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depended_by: Vec<Linked>,
    #[serde(default)]
    pub services: Vec<Service>,
    #[serde(default)]
    pub idle_checks: Vec<IdleCheck>,
    /// What a batch session runs.
    #[serde(default)]
    pub startup_command: Option<Clean>,
    /// A batch session does not start before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub starts_at: Option<Timestamp>,
    /// A batch session that runs longer is ended as failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Span>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub preopen_ports: Vec<u16>,
    #[serde(default)]
    pub result: BatchResult,
    #[serde(default)]
    pub commit: CommitStatus,
    /// When it was last used, where the engine tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub activity: Option<Activity>,
    /// What is done in it before it is ended, in one line.
    #[serde(default, alias = "last_will", skip_serializing_if = "Option::is_none")]
    pub stop_hook: Option<Clean>,
    /// How it came out, once it was carried out: its word and its last words.
    #[serde(
        default,
        alias = "last_will_end",
        skip_serializing_if = "Option::is_none"
    )]
    pub stop_hook_end: Option<(Outcome, Clean)>,
    /// What was done against idle checks.
    #[serde(default)]
    pub reprieve: Reprieve,
    /// Its image on its way, while it is PULLING.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pull: Option<Box<Pull>>,
    /// Something was asked and is not done yet ("terminating", "renaming to x"): shown as asked.
    pub pending_request: Option<Clean>,
}

impl Session {
    /// An interactive session that waits, with nothing known of it but what stands here.
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
            owner: Clean::default(),
            created_at,
            started_at: None,
            terminated_at: None,
            kernels: Vec::new(),
            scratch: None,
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

    /// Its id among all contexts.
    pub fn key(&self) -> SessionKey {
        SessionKey::new(self.context, self.id)
    }

    /// Its container was paused, by whomever: nothing in it moves until it is unpaused.
    pub fn is_paused(&self) -> bool {
        let told = self.status_info.as_ref();
        self.status.is_live() && told.is_some_and(|info| info.as_str() == Self::PAUSED)
    }

    /// It was given any, or asks for them.
    pub fn has_accelerators(&self) -> bool {
        let mut amounts = self.requested_slots.accelerators.values();
        amounts.any(|amount| *amount > 0)
    }

    /// An image is being made of it.
    pub fn is_committed(&self) -> bool {
        let asked = self.pending_request.as_ref();
        let asked = asked.is_some_and(|it| it.as_str().starts_with(Self::COMMITTING));
        self.status.is_live() && (asked || self.commit == CommitStatus::Ongoing)
    }

    /// How `pending_request` begins where an image was asked for.
    pub const COMMITTING: &str = "creating image";

    /// What stands in `status_info` of a paused one.
    pub const PAUSED: &str = "paused";

    /// The folders in it, each with its path and mode where they are known.
    pub fn mounted(&self) -> Vec<Clean> {
        let named = |name: &Clean| {
            let mount = self.mounts.iter().find(|it| *name == *it.folder.as_str());
            mount.map_or_else(|| name.clone(), |it| Clean::new(&it.to_string()))
        };
        self.folders.iter().map(named).collect()
    }

    /// One that did not start is among those with errors.
    pub fn tab(&self) -> Tab {
        if self.failed_to_start() {
            Tab::Others
        } else {
            self.status.tab()
        }
    }

    /// It ended before it ran, and nobody asked for that.
    pub fn failed_to_start(&self) -> bool {
        let info = self.status_info.as_ref().map(Clean::as_str);
        self.status == Status::Terminated
            && self.started_at.is_none()
            && info.is_some_and(|info| NEVER_STARTED.contains(&info))
    }

    /// The kernel a terminal or a log without further word is of; kernels are kept main first.
    pub fn main_kernel(&self) -> Option<&Kernel> {
        self.kernels.first()
    }

    /// Seconds it ran, until its end or `now`; `None` = it never did. Time in the queue does not count.
    pub fn run_seconds(&self, now: Timestamp) -> Option<i64> {
        let end = self.terminated_at.unwrap_or(now).as_second();
        Some((end - self.started_at?.as_second()).max(0))
    }

    /// The same; of one that has not run, how long it waits or waited.
    pub fn elapsed_seconds(&self, now: Timestamp) -> i64 {
        let end = self.terminated_at.unwrap_or(now).as_second();
        let waited = (end - self.created_at.as_second()).max(0);
        self.run_seconds(now).unwrap_or(waited)
    }
}

/// The order by run time: those that never ran, the shortest, the longest; one that runs is longer than
/// one that has ended.
pub fn by_run_time(a: &Session, b: &Session) -> Ordering {
    let key = |session: &Session| {
        let ran = session.run_seconds(Timestamp::MAX)?;
        Some((session.terminated_at.is_none(), ran))
    };
    key(a).cmp(&key(b))
}

/// Whether they are of more than one person.
pub fn has_several_owners<'a>(sessions: impl IntoIterator<Item = &'a Session>) -> bool {
    let mut sessions = sessions.into_iter();
    let first = sessions.next();
    first.is_some_and(|first| sessions.any(|it| it.owner != first.owner))
}

/// Owner, project and agents, separated by spaces: what tells sessions of several owners apart.
pub fn placement_words(session: &Session) -> String {
    let placement = &session.placement;
    let words = [&session.owner].into_iter().chain(&placement.project);
    let words: Vec<&str> = words.chain(&placement.agents).map(Clean::as_str).collect();
    words.join(" ")
}

/// The order of lists where nobody asked for another; those launched together by their names.
pub fn newest_first(a: &Session, b: &Session) -> Ordering {
    let by_name = || natural::compare(a.name.as_str(), b.name.as_str());
    b.created_at.cmp(&a.created_at).then_with(by_name)
}
