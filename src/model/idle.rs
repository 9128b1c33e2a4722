//! Idle checks: who would reclaim a session, when, and by what rule. Judged by the engine.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::text::Clean;

/// The three checkers of Backend.AI; a word we do not know is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IdleChecker {
    NetworkTimeout,
    SessionLifetime,
    Utilization,
    #[serde(untagged)]
    Other(Clean),
}

/// What the projected end means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IdleBasis {
    /// The session ends then.
    #[default]
    ExpireAfter,
    /// The averages begin to count then.
    GracePeriod,
}

/// Where a checker stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum IdleState {
    /// No limit, or not computed: nothing is counted.
    NotCounting,
    /// What `basis` says happens at this time.
    Counting { until: Timestamp },
    /// Over the limit; the sweeper comes.
    Over,
}

/// How the resources of the utilization checker are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Join {
    And,
    Or,
}

/// One resource of the utilization checker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IdleResource {
    /// `cpu_util`, `mem`, `cuda_util`, …
    pub resource: Clean,
    /// Average over the window, in hundredths of a percent.
    pub average: i64,
    /// Below it the session counts as idle, in hundredths of a percent.
    pub threshold: i64,
}

/// One checker of one session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IdleCheck {
    pub checker: IdleChecker,
    pub basis: IdleBasis,
    #[serde(flatten)]
    pub state: IdleState,
    /// Of the utilization checker only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub join: Option<Join>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resources: Vec<IdleResource>,
}
