//! A notification: a toast, and a line of `workbay events`.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{
    id::{ContextName, SessionId, SessionKey},
    idle::IdleChecker,
    text::Clean,
};

/// What a notification is about. The words are part of the contract of the command line (docs/cli.md).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum NoticeKind {
    /// An idle check will reclaim the session soon.
    IdleWarning {
        checker: IdleChecker,
        until: Timestamp,
    },
    /// An idle check reclaimed the session.
    Reclaimed { checker: IdleChecker },
    /// The session is in the queue.
    Launched,
    /// The session is ready for use.
    Running,
    /// A batch session's command ended.
    BatchEnded { exit_code: Option<i64> },
    /// The session couldn't be started, or ended in an error.
    Failed,
    /// The session ended in another way.
    Ended,
    /// An app that was opened ended on its own.
    AppEnded { app: Clean },
    /// Anything else.
    Message,
}

/// The words of all kinds that are about the life of a session.
pub const EVENTS: [&str; 8] = [
    "launched",
    "running",
    "batch-ended",
    "failed",
    "ended",
    "app-ended",
    "idle-warning",
    "reclaimed",
];

impl NoticeKind {
    /// The word in JSON.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::IdleWarning { .. } => "idle-warning",
            Self::Reclaimed { .. } => "reclaimed",
            Self::Launched => "launched",
            Self::Running => "running",
            Self::BatchEnded { .. } => "batch-ended",
            Self::Failed => "failed",
            Self::Ended => "ended",
            Self::AppEnded { .. } => "app-ended",
            Self::Message => "message",
        }
    }
}

/// How important a notification is, and whether it is good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Level {
    Info,
    Success,
    Warning,
    Error,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Notice {
    pub at: Timestamp,
    #[serde(flatten)]
    pub kind: NoticeKind,
    pub level: Level,
    pub session: Option<SessionKey>,
    /// One sentence.
    pub text: Clean,
}

/// A change to the notifications that the daemon keeps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "edit", rename_all = "kebab-case")]
pub enum NoticesEdit {
    /// The user has seen all of them.
    Seen,
    Forget {
        notice: Box<Notice>,
    },
    Clear,
}

impl Notice {
    /// Creates a notification of a context, and of one of its sessions if there is one.
    #[must_use]
    pub fn within(
        context: ContextName,
        (at, kind, level): (Timestamp, NoticeKind, Level),
        session: Option<SessionId>,
        text: &str,
    ) -> Self {
        Self {
            at,
            kind,
            level,
            session: session.map(|id| SessionKey::new(context, id)),
            text: Clean::new(text),
        }
    }

    /// Whether to list it for later. The results of the user's own actions aren't listed.
    #[must_use]
    pub fn is_listed(&self) -> bool {
        match self.kind {
            NoticeKind::Launched => false,
            NoticeKind::Ended => self.level != Level::Info,
            _ => true,
        }
    }

    /// Creates a notification that is only a sentence.
    #[must_use]
    pub fn message(at: Timestamp, level: Level, text: impl Into<Clean>) -> Self {
        Self {
            at,
            kind: NoticeKind::Message,
            level,
            session: None,
            text: text.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_of_a_kind_is_the_one_in_json() {
        let until = Timestamp::UNIX_EPOCH;
        let checker = IdleChecker::Utilization;
        let all = [
            NoticeKind::Launched,
            NoticeKind::Running,
            NoticeKind::BatchEnded { exit_code: None },
            NoticeKind::Failed,
            NoticeKind::Ended,
            NoticeKind::AppEnded {
                app: "jupyter".into(),
            },
            NoticeKind::IdleWarning {
                checker: checker.clone(),
                until,
            },
            NoticeKind::Reclaimed { checker },
        ];
        assert_eq!(all.each_ref().map(NoticeKind::word), EVENTS);
        for kind in all.into_iter().chain([NoticeKind::Message]) {
            assert_eq!(serde_json::to_value(&kind).unwrap()["event"], kind.word());
        }
    }
}
