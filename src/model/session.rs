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
    pub tag: Option<Clean>,
}

/// Another session that it waits for, or that waits for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Linked {
    pub id: SessionId,
    pub name: Clean,
    pub status: Status,
}

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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_will: Option<Clean>,
    /// How it came out, once it was carried out: its word and its last words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_will_end: Option<(Outcome, Clean)>,
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
            last_will: None,
            last_will_end: None,
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

    /// What stands in `status_info` of a paused one.
    pub const PAUSED: &str = "paused";

    pub fn tab(&self) -> Tab {
        self.status.tab()
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

/// The order of lists where nobody asked for another; those launched together by their names.
pub fn newest_first(a: &Session, b: &Session) -> Ordering {
    let by_name = || natural::compare(a.name.as_str(), b.name.as_str());
    b.created_at.cmp(&a.created_at).then_with(by_name)
}
