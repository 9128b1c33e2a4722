//! Actions on several sessions at once: what will happen, the requests, and their results.

mod job;

pub use self::job::{BulkJob, BulkReport};

use std::collections::BTreeMap;

use crate::{
    action::Action,
    model::{id::SessionKey, session::Session, status::Status, text::Clean},
};

/// What happens to each session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BulkVerb {
    Terminate {
        force: bool,
    },
    Relaunch,
    Extend,
    /// The new priority, 0 to 100.
    Priority(i32),
}

impl BulkVerb {
    /// The action that does the same with one session. Its conditions apply to each session.
    pub fn action(self) -> Action {
        match self {
            Self::Terminate { .. } => Action::SessionTerminate,
            Self::Relaunch => Action::SessionAgain,
            Self::Extend => Action::SessionExtend,
            Self::Priority(_) => Action::SessionPriority,
        }
    }

    /// `Terminate`, on the button.
    pub fn button(self) -> &'static str {
        match self {
            Self::Terminate { .. } => tr!("Terminate"),
            Self::Relaunch => tr!("Relaunch"),
            Self::Extend => tr!("Extend"),
            Self::Priority(_) => tr!("Change"),
        }
    }

    /// `Terminate 60 sessions?`
    pub fn question(self, count: usize) -> String {
        let sessions = counted(count);
        match self {
            Self::Priority(priority) => {
                tr!(
                    "Change the priority of {sessions} to {priority}?",
                    sessions,
                    priority
                )
            }
            Self::Terminate { .. } => tr!("Terminate {sessions}?", sessions),
            Self::Relaunch => tr!("Relaunch {sessions}?", sessions),
            Self::Extend => tr!("Extend {sessions}?", sessions),
        }
    }

    /// `terminating`, while it happens.
    pub fn under_way(self) -> &'static str {
        match self {
            Self::Terminate { .. } => tr!("terminating"),
            Self::Relaunch => tr!("relaunching"),
            Self::Extend => tr!("extending"),
            Self::Priority(_) => tr!("changing priority"),
        }
    }

    /// `terminated`, when it is done.
    pub fn done(self) -> &'static str {
        match self {
            Self::Terminate { .. } => tr!("terminated"),
            Self::Relaunch => tr!("relaunched"),
            Self::Extend => tr!("extended"),
            Self::Priority(_) => tr!("changed"),
        }
    }
}

/// A session of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BulkTarget {
    pub key: SessionKey,
    pub name: Clean,
    pub status: Status,
}

impl From<&Session> for BulkTarget {
    fn from(session: &Session) -> Self {
        Self {
            key: session.key(),
            name: session.name.clone(),
            status: session.status.clone(),
        }
    }
}

/// What will happen to which sessions, and to which it can't happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BulkPlan {
    pub verb: BulkVerb,
    pub targets: Vec<BulkTarget>,
    /// Sessions that are left out, each with a sentence that names it.
    pub refused: Vec<String>,
}

impl BulkPlan {
    /// Divides the sessions by whether `why_not` has a reason.
    pub fn new<'a>(
        verb: BulkVerb,
        sessions: impl IntoIterator<Item = &'a Session>,
        why_not: impl Fn(&Session) -> Option<String>,
    ) -> Self {
        let (mut targets, mut refused) = (Vec::new(), Vec::new());
        for session in sessions {
            match why_not(session) {
                None => targets.push(session.into()),
                Some(why) => refused.push(with_name(&session.name, &why)),
            }
        }
        Self {
            verb,
            targets,
            refused,
        }
    }

    /// `52 RUNNING, 8 PENDING`, the most frequent state first.
    pub fn states(&self) -> String {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for target in &self.targets {
            *counts.entry(target.status.word()).or_default() += 1;
        }
        let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let words = counts.iter();
        let words: Vec<String> = words
            .map(|(status, count)| tr!("{count} {status}", count, status))
            .collect();
        words.join(", ")
    }
}

/// The actions that are being carried out, and the results of the last one.
#[derive(Clone, Debug, Default)]
pub struct BulkState {
    pub jobs: Vec<BulkJob>,
    pub report: Option<BulkReport>,
}

/// `1 session`, `60 sessions`.
pub fn counted(count: usize) -> String {
    tr_plural!(count, "{count} session", "{count} sessions", count)
}

/// A reason that says which session it is about.
pub fn with_name(name: &Clean, why: &str) -> String {
    if why.starts_with(name.as_str()) {
        why.to_owned()
    } else {
        format!("{name}: {why}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::testing::session;

    #[test]
    fn a_plan_counts_states_and_names_who_is_left_out() {
        let mut pending = session(2, "waits");
        pending.status = Status::Pending;
        let sessions = [session(1, "a"), pending, session(3, "b"), session(4, "no")];
        let why_not = |it: &Session| (it.name == *"no").then(|| "read-only".to_owned());
        let plan = BulkPlan::new(BulkVerb::Extend, &sessions, why_not);
        assert_eq!(plan.states(), "2 RUNNING, 1 PENDING");
        assert_eq!(plan.refused, ["no: read-only"]);
        let verb = BulkVerb::Terminate { force: false };
        assert_eq!(verb.question(60), "Terminate 60 sessions?");
        assert_eq!(verb.question(1), "Terminate 1 session?");
    }
}
