//! The record of what happened to a session and why.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{id::SessionId, status::Status, text::Clean};

/// How an attempt ended; the words of the manager's scheduling history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Outcome {
    Success,
    Failure,
    NeedRetry,
    GiveUp,
    Expired,
    Stale,
    Skipped,
    /// A word we do not know is kept.
    #[serde(untagged)]
    Other(Clean),
}

/// One step in a session's life.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryEntry {
    pub session: SessionId,
    pub at: Timestamp,
    /// `start-sessions`, `terminate-sessions`, `promote-to-running`, …
    pub phase: Clean,
    pub from: Option<Status>,
    pub to: Status,
    pub result: Outcome,
    pub message: Option<Clean>,
    /// The manager's word for what failed (`session_schedule_no-agent`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_code: Option<Clean>,
    /// Attempts that were merged into this entry.
    #[serde(default = "one")]
    pub attempts: u32,
    /// When the last of them ended, where there was more than one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<SubStep>,
}

fn one() -> u32 {
    1
}

/// One step within a phase: a validator, a selector, a pull.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubStep {
    pub step: Clean,
    pub result: Outcome,
    pub error_code: Option<Clean>,
    pub message: Option<Clean>,
    pub started_at: Option<Timestamp>,
    pub ended_at: Option<Timestamp>,
}
