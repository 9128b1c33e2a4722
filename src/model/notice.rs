//! Something a person should know: a toast, and a line of `workbay events`.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{
    id::{ContextName, SessionId, SessionKey},
    idle::IdleChecker,
    text::Clean,
};

/// What it is about. The words are part of the command line's contract (docs/cli.md).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum NoticeKind {
    /// A checker will end it soon.
    IdleWarning {
        checker: IdleChecker,
        until: Timestamp,
    },
    /// A checker ended it.
    Reclaimed { checker: IdleChecker },
    /// It stands in the queue.
    Launched,
    /// It can be used.
    Running,
    /// A batch session's command ended.
    BatchEnded { exit_code: Option<i64> },
    /// It could not be started, or ended in an error.
    Failed,
    /// It ended otherwise.
    Ended,
    /// Anything else.
    Message,
}

/// The words of all kinds that are about a session's life.
pub const EVENTS: [&str; 7] = [
    "launched",
    "running",
    "batch-ended",
    "failed",
    "ended",
    "idle-warning",
    "reclaimed",
];

impl NoticeKind {
    /// Its word, as in JSON.
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
            Self::Message => "message",
        }
    }
}

/// How much it matters, and whether it is good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    Info,
    Success,
    Warning,
    Error,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    pub at: Timestamp,
    #[serde(flatten)]
    pub kind: NoticeKind,
    pub level: Level,
    pub session: Option<SessionKey>,
    /// One sentence.
    pub text: Clean,
}

/// What is done with the notices that the daemon keeps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "edit", rename_all = "kebab-case")]
pub enum NoticesEdit {
    /// A person has looked at all of them.
    Seen,
    Forget {
        notice: Box<Notice>,
    },
    Clear,
}

impl Notice {
    /// What happened in a context, to one of its sessions where there is one.
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

    /// Whether it is worth being looked at later: not what its person has just done.
    #[must_use]
    pub fn is_news(&self) -> bool {
        match self.kind {
            NoticeKind::Launched => false,
            NoticeKind::Ended => self.level != Level::Info,
            _ => true,
        }
    }

    /// A sentence without more meaning.
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
