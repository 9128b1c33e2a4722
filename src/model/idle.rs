//! Idle checks: which rule would reclaim a session, and when. The scheduler evaluates them, or the engine
//! where it decides.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{catalogue::lower, span::Span, text::Clean};

/// The three checkers of Backend.AI. An unknown name is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum IdleChecker {
    NetworkTimeout,
    SessionLifetime,
    Utilization,
    #[serde(untagged)]
    Other(Clean),
}

impl IdleChecker {
    /// The name in the web pages of Backend.AI.
    pub fn title(&self) -> &str {
        match self {
            Self::NetworkTimeout => tr!("Network Idle Timeout"),
            Self::SessionLifetime => tr!("Max Session Lifetime"),
            Self::Utilization => tr!("Utilization Checker"),
            Self::Other(word) => word.as_str(),
        }
    }

    /// The checker that a `status_info` value belongs to.
    pub fn of_reason(info: &str) -> Option<Self> {
        Some(match info {
            "idle-timeout" => Self::NetworkTimeout,
            "idle-session-lifetime" => Self::SessionLifetime,
            "idle-utilization" => Self::Utilization,
            _ => Self::Other(Clean::new(info.strip_prefix("idle-")?)),
        })
    }
}

/// What happens at the projected time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum IdleBasis {
    /// The session is reclaimed then.
    #[default]
    ExpireAfter,
    /// The averages start to count then.
    GracePeriod,
}

/// The state of a checker for a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum IdleState {
    /// There is no limit, or it wasn't computed.
    NotCounting,
    /// What `basis` describes happens at this time.
    Counting { until: Timestamp },
    /// Over the limit. The session will be reclaimed next.
    Over,
}

/// How the resources of the utilization checker are combined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Join {
    #[default]
    And,
    Or,
}

/// The average of a resource that has no value.
pub const NO_DATA: i64 = -1;

/// The resources that the utilization checker can watch on the engines of this machine.
pub const UTILIZATION_RESOURCES: [&str; 4] = ["cpu_util", "mem", "cuda_util", "cuda_mem"];

/// One resource of the utilization checker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct IdleResource {
    /// `cpu_util`, `mem`, `cuda_util`, …
    pub resource: Clean,
    /// Average over the window, in hundredths of a percent; [`NO_DATA`] = no value.
    pub average: i64,
    /// The session counts as idle below this average, in hundredths of a percent.
    pub threshold: i64,
}

/// One checker of one session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct IdleCheck {
    pub checker: IdleChecker,
    pub basis: IdleBasis,
    #[serde(flatten)]
    pub state: IdleState,
    /// The time after which it reclaims the session, or the time window of the utilization checker.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<Span>,
    /// Set for the utilization checker only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub join: Option<Join>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resources: Vec<IdleResource>,
}

impl IdleCheck {
    /// Creates a check without a limit or resources.
    #[must_use]
    pub fn new(checker: IdleChecker, state: IdleState) -> Self {
        Self {
            checker,
            basis: IdleBasis::default(),
            state,
            limit: None,
            join: None,
            resources: Vec::new(),
        }
    }
}

/// What counts as use of a session. Watching isn't use: lists, logs, figures, and an open pane without
/// typing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum ActivityKind {
    /// The session started to run, so the idle time counts from then.
    Started,
    /// Typing or pasting in a terminal.
    Typed,
    /// A command that `exec` runs in it.
    Exec,
    /// A connection to one of its services.
    App,
    /// A user extended the session.
    Extended,
}

/// When a session was last used, as the network idle timeout counts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Activity {
    pub at: Timestamp,
    pub kind: ActivityKind,
    /// The number of open commands and connections. The idle time doesn't count while one is open.
    #[serde(default)]
    pub open: u32,
}

/// Extensions and exemption of a session from idle checks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Reprieve {
    /// Whether idle checks never reclaim the session.
    pub exempt: bool,
    /// How many times it was extended.
    pub extended: u32,
    /// Idle checks don't reclaim it before this time.
    pub until: Option<Timestamp>,
}

/// A user's request about the idle checks of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Keep {
    /// Moves the reclaim time later by the span of the policy, counted from now or from the current reclaim
    /// time, whichever is later.
    Extend,
    /// Switches the idle checks off for the session.
    Exempt,
    /// Switches the idle checks on again.
    Include,
}

/// The rules of the idle checks, from the system-wide files, a preset or a launch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct IdleRules {
    /// A session is idle after this time without use; `None` = never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network_timeout: Option<Span>,
    /// The longest time from its start; `None` = no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_lifetime: Option<Span>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub utilization: Option<UtilizationRules>,
}

/// The utilization checker: a session is idle if it is below the thresholds over a whole window.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct UtilizationRules {
    pub time_window: Span,
    /// The time from the session's start in which no figure counts.
    #[serde(default)]
    pub initial_grace_period: Span,
    /// `and` = idle when all watched resources are below their thresholds, `or` = when any is.
    pub operator: Join,
    /// By resource (`cpu_util`, `mem`, `cuda_util`, `cuda_mem`): the lowest average that isn't idle, in
    /// hundredths of a percent of the requested amount.
    pub thresholds: BTreeMap<String, i64>,
}

/// What a user may do about the idle checks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ReprieveRules {
    /// How many times a session may be extended.
    pub extensions: u32,
    /// How much time each extension adds.
    pub extend_by: Span,
    /// Whether the owner of a session may exempt it.
    pub exempt: bool,
    /// Whom to ask for what the rules don't allow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contact: Option<Clean>,
}

impl IdleRules {
    /// Keeps the tighter of each two limits. The utilization rules of `other` replace these, if it has any.
    pub fn tighten(&mut self, other: &Self) {
        self.network_timeout = lower(self.network_timeout, other.network_timeout);
        self.session_lifetime = lower(self.session_lifetime, other.session_lifetime);
        if other.utilization.is_some() {
            self.utilization.clone_from(&other.utilization);
        }
    }

    /// Whether there are no rules.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
