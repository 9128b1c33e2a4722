//! The latest notifications, kept for clients that connect later.

use std::collections::VecDeque;

use jiff::SignedDuration;
use serde::{Deserialize, Serialize};

use crate::{
    model::{
        change::Change,
        notice::{Notice, NoticeKind, NoticesEdit},
    },
    protocol::message::Reply,
};

/// How many notifications are kept.
const KEPT: usize = 200;

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(in crate::daemon) struct RecentNotifications {
    /// Oldest first.
    notices: VecDeque<Notice>,
    /// The number of the newest notifications that nobody has seen.
    unseen: usize,
}

impl RecentNotifications {
    pub fn record(&mut self, change: &Change) {
        if let Change::Notice { notice } = change {
            if self.notices.len() == KEPT {
                self.notices.pop_front();
            }
            self.notices.push_back((**notice).clone());
            self.unseen = (self.unseen + 1).min(self.notices.len());
        }
    }

    /// Whether another context reported the same for the same session shortly before: two contexts may use
    /// the same cluster.
    pub fn is_reported_elsewhere(&self, notice: &Notice) -> bool {
        let Some(session) = notice.session else {
            return false;
        };
        let same = |known: &Notice| {
            let near = notice.at.duration_since(known.at).abs() < ELSEWHERE;
            let elsewhere = known
                .session
                .is_some_and(|it| it.id == session.id && it.context != session.context);
            near && elsewhere && known.text == notice.text && alike(&known.kind, &notice.kind)
        };
        self.notices.iter().rev().any(same)
    }

    pub fn all(&self) -> Reply {
        Reply::Notices {
            notices: self.notices.iter().cloned().collect(),
            unseen: self.unseen,
        }
    }

    pub fn edit(&mut self, edit: NoticesEdit) {
        match edit {
            NoticesEdit::Seen => self.unseen = 0,
            NoticesEdit::Forget { notice } => {
                self.notices.retain(|it| *it != *notice);
                self.unseen = self.unseen.min(self.notices.len());
            }
            NoticesEdit::Clear => *self = Self::default(),
        }
    }
}

/// Two contexts report the same event within this time.
const ELSEWHERE: SignedDuration = SignedDuration::from_mins(2);

/// Two contexts read the reclaim time a little apart, so warnings of the same idle check are equal.
fn alike(one: &NoticeKind, other: &NoticeKind) -> bool {
    match (one, other) {
        (
            NoticeKind::IdleWarning { checker: one, .. },
            NoticeKind::IdleWarning { checker: other, .. },
        ) => one == other,
        (one, other) => one == other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{
        id::{ContextName, SessionId, SessionKey},
        idle::IdleChecker,
        notice::Level,
    };

    fn notice(number: usize) -> Notice {
        let text = format!("notice {number}");
        Notice::message(jiff::Timestamp::UNIX_EPOCH, Level::Info, text)
    }

    fn counts(recent: &RecentNotifications) -> (usize, usize) {
        let Reply::Notices { notices, unseen } = recent.all() else {
            panic!("no notices");
        };
        (notices.len(), unseen)
    }

    #[test]
    fn one_session_through_two_contexts_is_reported_once() {
        let warning = |context: &str, second: i64| {
            let at = jiff::Timestamp::from_second(second).unwrap();
            let context = ContextName::new(context).unwrap();
            let checker = IdleChecker::SessionLifetime;
            Notice {
                kind: NoticeKind::IdleWarning { checker, until: at },
                session: Some(SessionKey::new(context, SessionId::from_u128(1))),
                ..Notice::message(at, Level::Warning, "train will be ended")
            }
        };
        let mut recent = RecentNotifications::default();
        assert!(!recent.is_reported_elsewhere(&warning("one", 0)));
        recent.record(&warning("one", 0).into());
        assert!(recent.is_reported_elsewhere(&warning("two", 7)));
        // Neither the same context nor a much later warning of another one counts as a repetition.
        assert!(!recent.is_reported_elsewhere(&warning("one", 7)));
        assert!(!recent.is_reported_elsewhere(&warning("two", 600)));
    }

    #[test]
    fn so_many_are_kept_and_those_since_the_last_look_are_counted() {
        let mut recent = RecentNotifications::default();
        for number in 0..250 {
            recent.record(&notice(number).into());
        }
        assert_eq!(counts(&recent), (KEPT, KEPT));
        recent.edit(NoticesEdit::Seen);
        recent.record(&notice(250).into());
        assert_eq!(counts(&recent), (KEPT, 1));
        let notice = Box::new(notice(249));
        recent.edit(NoticesEdit::Forget { notice });
        assert_eq!(counts(&recent), (KEPT - 1, 1));
        recent.edit(NoticesEdit::Clear);
        assert_eq!(counts(&recent), (0, 0));
    }
}
