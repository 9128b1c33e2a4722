//! The states of a session, and the table of allowed transitions.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::text::Clean;

/// The states of Backend.AI. An unknown state is kept and isn't an error.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    Pending,
    Deprioritizing,
    Scheduled,
    Reserved,
    Preempted,
    Rescheduling,
    Preparing,
    Pulling,
    Prepared,
    Creating,
    Running,
    RunningDegraded,
    Restarting,
    Terminating,
    Terminated,
    Cancelled,
    Error,
    Unknown(Clean),
}

/// The tab of the sessions list that shows a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tab {
    Running,
    Finished,
    Others,
}

impl Tab {
    pub const ALL: [Self; 3] = [Self::Running, Self::Finished, Self::Others];

    pub fn title(self) -> &'static str {
        match self {
            Self::Running => tr!("Running"),
            Self::Finished => tr!("Finished"),
            Self::Others => tr!("Others"),
        }
    }

    /// The word in options and filters.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Finished => "finished",
            Self::Others => "others",
        }
    }

    /// The tab `by` places further. The first tab follows the last one.
    #[must_use]
    pub fn next(self, by: isize) -> Self {
        let count = Self::ALL.len().cast_signed();
        let at = (self as isize + by).rem_euclid(count);
        Self::ALL[at.cast_unsigned()]
    }
}

/// The color family of a status, which the theme maps to a style.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tone {
    /// In a queue or being created.
    Progress,
    Good,
    Ending,
    Ended,
    Bad,
    Neutral,
}

/// Every known state, in the order of a normal life.
pub const KNOWN: [Status; 17] = [
    Status::Pending,
    Status::Deprioritizing,
    Status::Scheduled,
    Status::Reserved,
    Status::Preempted,
    Status::Rescheduling,
    Status::Preparing,
    Status::Pulling,
    Status::Prepared,
    Status::Creating,
    Status::Running,
    Status::RunningDegraded,
    Status::Restarting,
    Status::Terminating,
    Status::Terminated,
    Status::Cancelled,
    Status::Error,
];

impl Status {
    /// The manager's word for it, in uppercase.
    pub fn word(&self) -> &str {
        match self {
            Self::Pending => "PENDING",
            Self::Deprioritizing => "DEPRIORITIZING",
            Self::Scheduled => "SCHEDULED",
            Self::Reserved => "RESERVED",
            Self::Preempted => "PREEMPTED",
            Self::Rescheduling => "RESCHEDULING",
            Self::Preparing => "PREPARING",
            Self::Pulling => "PULLING",
            Self::Prepared => "PREPARED",
            Self::Creating => "CREATING",
            Self::Running => "RUNNING",
            Self::RunningDegraded => "RUNNING_DEGRADED",
            Self::Restarting => "RESTARTING",
            Self::Terminating => "TERMINATING",
            Self::Terminated => "TERMINATED",
            Self::Cancelled => "CANCELLED",
            Self::Error => "ERROR",
            Self::Unknown(word) => word.as_str(),
        }
    }

    pub fn tab(&self) -> Tab {
        match self {
            Self::Terminated | Self::Cancelled => Tab::Finished,
            Self::Error | Self::RunningDegraded | Self::Unknown(_) => Tab::Others,
            _ => Tab::Running,
        }
    }

    pub fn tone(&self) -> Tone {
        match self {
            Self::Pending
            | Self::Deprioritizing
            | Self::Scheduled
            | Self::Reserved
            | Self::Preempted
            | Self::Rescheduling
            | Self::Preparing
            | Self::Pulling
            | Self::Prepared
            | Self::Creating
            | Self::Restarting => Tone::Progress,
            Self::Running => Tone::Good,
            Self::Terminating => Tone::Ending,
            Self::Terminated | Self::Cancelled => Tone::Ended,
            Self::Error | Self::RunningDegraded => Tone::Bad,
            Self::Unknown(_) => Tone::Neutral,
        }
    }

    /// Whether a session is over in any case. [`Session::has_ended`](super::session::Session::has_ended) knows
    /// whether one in ERROR is, too.
    pub fn is_final(&self) -> bool {
        matches!(self, Self::Terminated | Self::Cancelled)
    }

    /// Whether a shell, a log stream or a rename makes sense.
    pub fn is_live(&self) -> bool {
        matches!(self, Self::Running | Self::RunningDegraded)
    }

    /// Whether the session waits in a queue.
    pub fn is_waiting(&self) -> bool {
        matches!(self, Self::Pending | Self::Deprioritizing)
    }

    /// The order in which several sessions are terminated: first those in a queue. Otherwise each session that ends
    /// makes room for one of them, which starts only to be terminated.
    pub fn termination_order(&self) -> u8 {
        u8::from(!self.is_waiting())
    }

    /// Whether the session is on its way to RUNNING.
    pub fn is_starting(&self) -> bool {
        self.tone() == Tone::Progress
    }

    /// Whether the local engine may change a session to `next`. Changes by an engine that schedules itself
    /// aren't checked.
    #[cfg(test)]
    pub fn may_become(&self, next: &Self) -> bool {
        STEPS
            .iter()
            .any(|(from, to)| from == self && to.contains(next))
    }
}

/// The allowed transitions on the local engine.
#[cfg(test)]
const STEPS: &[(Status, &[Status])] = &[
    (
        Status::Pending,
        &[
            Status::Scheduled,
            Status::Preparing,
            Status::Cancelled,
            Status::Error,
        ],
    ),
    (
        Status::Scheduled,
        &[Status::Preparing, Status::Cancelled, Status::Error],
    ),
    (
        Status::Preparing,
        &[
            Status::Pulling,
            Status::Prepared,
            Status::Creating,
            Status::Terminating,
            Status::Cancelled,
            Status::Error,
        ],
    ),
    (
        Status::Pulling,
        &[
            Status::Prepared,
            Status::Creating,
            Status::Terminating,
            Status::Cancelled,
            Status::Error,
        ],
    ),
    (
        Status::Prepared,
        &[
            Status::Creating,
            Status::Terminating,
            Status::Cancelled,
            Status::Error,
        ],
    ),
    (
        Status::Creating,
        &[
            Status::Running,
            Status::Terminating,
            Status::Terminated,
            Status::Cancelled,
            Status::Error,
        ],
    ),
    (
        Status::Running,
        &[
            Status::RunningDegraded,
            Status::Terminating,
            Status::Terminated,
            Status::Error,
            Status::Restarting,
        ],
    ),
    (
        Status::RunningDegraded,
        &[
            Status::Running,
            Status::Terminating,
            Status::Terminated,
            Status::Error,
        ],
    ),
    (
        Status::Restarting,
        &[
            Status::Running,
            Status::Terminating,
            Status::Terminated,
            Status::Error,
        ],
    ),
    (
        Status::Terminating,
        &[Status::Terminated, Status::Cancelled, Status::Error],
    ),
    (Status::Error, &[Status::Terminating, Status::Terminated]),
];

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

impl From<&str> for Status {
    fn from(word: &str) -> Self {
        let upper = word.to_ascii_uppercase();
        KNOWN
            .iter()
            .find(|s| s.word() == upper)
            .cloned()
            .unwrap_or_else(|| Self::Unknown(Clean::new(&upper)))
    }
}

impl Serialize for Status {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.word())
    }
}

impl<'de> Deserialize<'de> for Status {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self::from(String::deserialize(deserializer)?.as_str()))
    }
}

impl FromStr for Tab {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|tab| tab.word().eq_ignore_ascii_case(text))
            .ok_or_else(|| {
                tr!(
                    "unknown tab '{text}'. Use running, finished or others",
                    text
                )
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_reads_back_and_unknown_ones_are_kept() {
        for status in KNOWN {
            assert_eq!(Status::from(status.word()), status);
        }
        assert_eq!(Status::from("deprioritizing").tab(), Tab::Running);
        let odd = Status::from("hibernating");
        assert_eq!(odd.word(), "HIBERNATING");
        assert_eq!(odd.tab(), Tab::Others);
    }

    #[test]
    fn ended_sessions_never_come_back() {
        for next in KNOWN {
            assert!(!Status::Terminated.may_become(&next));
            assert!(!Status::Cancelled.may_become(&next));
        }
    }

    #[test]
    fn every_unfinished_status_can_end() {
        let ours = STEPS.iter().map(|(from, _)| from);
        for status in ours.filter(|status| !status.is_final()) {
            let ends = KNOWN
                .iter()
                .any(|next| next.is_final() && status.may_become(next));
            let can_error = status.may_become(&Status::Error);
            assert!(ends || can_error, "{status} is a dead end");
        }
    }
}
