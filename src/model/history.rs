//! The record of what happened to a session and why.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{id::SessionId, status::Status, text::Clean};

/// How an attempt ended; the words of the manager's scheduling history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Outcome {
    Success,
    Failure,
    NeedRetry,
    GiveUp,
    Expired,
    Stale,
    Skipped,
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
}
