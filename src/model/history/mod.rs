//! The record of what happened to a session and why.

pub mod filter;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{id::SessionId, status::Status, text::Clean};

/// How an attempt ended, in the words of the manager's scheduling history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Outcome {
    Success,
    Failure,
    NeedRetry,
    GiveUp,
    Expired,
    Stale,
    Skipped,
    /// An unknown word is kept.
    #[serde(untagged)]
    Other(Clean),
}

/// One step in a session's life.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct HistoryEntry {
    pub session: SessionId,
    /// Its id, as the engine or workbay stores it; `None` = it has no id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<Clean>,
    pub at: Timestamp,
    /// `start-sessions`, `terminate-sessions`, `promote-to-running`, …
    pub phase: Clean,
    pub from: Option<Status>,
    pub to: Status,
    pub result: Outcome,
    pub message: Option<Clean>,
    /// The manager's code of the error (`session_schedule_no-agent`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_code: Option<Clean>,
    /// The number of attempts that were merged into this entry.
    #[serde(default = "one")]
    pub attempts: u32,
    /// When the last attempt ended, if there was more than one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<SubStep>,
}

impl HistoryEntry {
    /// Creates an entry of one successful attempt without a message.
    #[must_use]
    pub fn new(
        session: SessionId,
        at: Timestamp,
        phase: impl Into<Clean>,
        from: Option<Status>,
        to: Status,
    ) -> Self {
        Self {
            session,
            id: None,
            at,
            phase: phase.into(),
            from,
            to,
            result: Outcome::Success,
            message: None,
            error_code: None,
            attempts: 1,
            until: None,
            steps: Vec::new(),
        }
    }

    /// When its last attempt ended.
    pub fn updated_at(&self) -> Timestamp {
        self.until.unwrap_or(self.at)
    }
}

impl Outcome {
    /// `SUCCESS`, `NEED_RETRY`.
    pub fn word(&self) -> &str {
        match self {
            Self::Success => "SUCCESS",
            Self::Failure => "FAILURE",
            Self::NeedRetry => "NEED_RETRY",
            Self::GiveUp => "GIVE_UP",
            Self::Expired => "EXPIRED",
            Self::Stale => "STALE",
            Self::Skipped => "SKIPPED",
            Self::Other(word) => word.as_str(),
        }
    }
}

fn one() -> u32 {
    1
}

/// One step within a phase: a validator, a selector, a pull.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SubStep {
    pub step: Clean,
    pub result: Outcome,
    pub error_code: Option<Clean>,
    pub message: Option<Clean>,
    pub started_at: Option<Timestamp>,
    pub ended_at: Option<Timestamp>,
}
