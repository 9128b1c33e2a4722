//! Idle checks: who would reclaim a session, when, and by what rule. Judged by our controller, or by
//! the engine where it decides.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{span::Span, text::Clean};

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

impl IdleChecker {
    /// The name people know from the web pages of Backend.AI.
    pub fn title(&self) -> &str {
        match self {
            Self::NetworkTimeout => "Network Idle Timeout",
            Self::SessionLifetime => "Max Session Lifetime",
            Self::Utilization => "Utilization Checker",
            Self::Other(word) => word.as_str(),
        }
    }

    /// Whose reason the word behind a status is.
    pub fn of_reason(info: &str) -> Option<Self> {
        Some(match info {
            "idle-timeout" => Self::NetworkTimeout,
            "idle-session-lifetime" => Self::SessionLifetime,
            "idle-utilization" => Self::Utilization,
            _ => Self::Other(Clean::new(info.strip_prefix("idle-")?)),
        })
    }
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Join {
    #[default]
    And,
    Or,
}

/// The average of a resource that has no value.
pub const NO_DATA: i64 = -1;

/// The resources that the utilization checker can watch on this machine's own engines.
pub const UTILIZATION_RESOURCES: [&str; 4] = ["cpu_util", "mem", "cuda_util", "cuda_mem"];

/// One resource of the utilization checker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IdleResource {
    /// `cpu_util`, `mem`, `cuda_util`, …
    pub resource: Clean,
    /// Average over the window, in hundredths of a percent; [`NO_DATA`] = there is none.
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
    /// How long may pass before it ends the session; of the utilization checker its time window.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<Span>,
    /// Of the utilization checker only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub join: Option<Join>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resources: Vec<IdleResource>,
}

impl IdleCheck {
    /// An end to come, and nothing more known.
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

/// What counts as use of a session by a person. Watching is none: lists, logs, figures and an open
/// pane that nobody types in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ActivityKind {
    /// It began to run: the clock starts there.
    Started,
    /// Keys or a paste in a terminal.
    Typed,
    /// A command run in it from outside.
    Exec,
    /// A connection to one of its services.
    App,
    /// A person extended it.
    Extended,
}

/// When a session was last used, as the network checker counts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Activity {
    pub at: Timestamp,
    pub kind: ActivityKind,
    /// Commands and connections that are open: while there is one the clock stands still.
    #[serde(default)]
    pub open: u32,
}

/// What a person did against idle checks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Reprieve {
    /// No checker ends it.
    pub exempt: bool,
    /// How often its end was put off.
    pub extended: u32,
    /// No checker ends it before.
    pub until: Option<Timestamp>,
}

/// What a person asks against idle checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Keep {
    /// Puts the end off by the policy's span, counted from now or from the end that is due, whichever
    /// is later.
    Extend,
    /// No checker ends it any more.
    Exempt,
    /// The checkers count again.
    Include,
}

/// The rules of the checkers, of a site, a preset or one launch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct IdleRules {
    /// Without use by a person for so long it is idle; `None` = never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network_timeout: Option<Span>,
    /// From its start on; `None` = no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_lifetime: Option<Span>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub utilization: Option<UtilizationRules>,
}

/// The utilization checker: below its thresholds over a whole window a session is idle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UtilizationRules {
    pub time_window: Span,
    /// From its start on; no figure counts before.
    #[serde(default)]
    pub initial_grace_period: Span,
    /// `and` = idle when all watched resources are below, `or` = when any is.
    pub operator: Join,
    /// By resource (`cpu_util`, `mem`, `cuda_util`, `cuda_mem`): the least average in hundredths of a
    /// percent of what was asked for.
    pub thresholds: BTreeMap<String, i64>,
}

/// What a person may do against the checkers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReprieveRules {
    /// How often an end may be put off.
    pub extensions: u32,
    /// By how long each time.
    pub extend_by: Span,
    /// Whether a session may be exempted by its person.
    pub exempt: bool,
    /// Who is to be asked for what is not allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contact: Option<Clean>,
}

impl IdleRules {
    /// Of each limit the tighter one; the utilization rules are those of `other` where it has some.
    pub fn tighten(&mut self, other: &Self) {
        self.network_timeout = shorter(self.network_timeout, other.network_timeout);
        self.session_lifetime = shorter(self.session_lifetime, other.session_lifetime);
        if other.utilization.is_some() {
            self.utilization.clone_from(&other.utilization);
        }
    }

    /// No checker has anything to count.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

fn shorter(one: Option<Span>, other: Option<Span>) -> Option<Span> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}
