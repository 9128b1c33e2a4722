//! A compute session as every side of workbay sees it.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{
    environment::EnvironmentRef,
    id::{ContextName, SessionId},
    kernel::Kernel,
    resources::{Bytes, ResourceSlots},
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
    /// Something was asked and is not done yet ("terminating", "renaming to x"): shown as asked.
    pub pending_request: Option<Clean>,
}

impl Session {
    pub fn tab(&self) -> Tab {
        self.status.tab()
    }

    pub fn main_kernel(&self) -> Option<&Kernel> {
        self.kernels.first()
    }

    /// Seconds from creation to its end or `now`; what the Elapsed column shows.
    pub fn elapsed_seconds(&self, now: Timestamp) -> i64 {
        let end = self.terminated_at.unwrap_or(now);
        (end.as_second() - self.created_at.as_second()).max(0)
    }
}
