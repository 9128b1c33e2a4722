//! A container of a session.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{id::KernelId, status::Status, text::Clean};

/// A container. A session has one, a cluster session several (`main1`, `sub1`, …).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Kernel {
    pub id: KernelId,
    /// `main1`.
    pub hostname: Clean,
    pub status: Status,
    /// The engine's id of the container, hexadecimal; `None` before it exists.
    pub container_id: Option<Clean>,
    pub exit_code: Option<i64>,
    pub oom_killed: bool,
    pub started_at: Option<Timestamp>,
    pub terminated_at: Option<Timestamp>,
    /// The agent that it runs on, where the engine reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<Clean>,
    /// Its address on the engine's network while it runs, if the engine's machine can reach it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<Clean>,
    /// The reason for its status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status_info: Option<Clean>,
}

impl Kernel {
    /// Creates a container with defaults for all other fields.
    #[must_use]
    pub fn new(id: KernelId, hostname: Clean, status: Status) -> Self {
        Self {
            id,
            hostname,
            status,
            container_id: None,
            exit_code: None,
            oom_killed: false,
            started_at: None,
            terminated_at: None,
            agent: None,
            address: None,
            status_info: None,
        }
    }
}
