//! Short messages in the corner. Their number is limited, they disappear automatically, and errors stay
//! longer. The toast of a launch follows its session, and appears again when the session runs.

use std::collections::VecDeque;

use jiff::{SignedDuration, Timestamp};

use crate::app::mirror::Mirror;
use crate::model::{
    id::SessionKey,
    notice::{Level, NoticeKind},
    session::Session,
    status::Status,
    text::Clean,
};

/// Maximum number of toasts. The oldest is dropped.
const MAX: usize = 4;

/// The number of remembered sessions that were launched from this TUI. The toast of their launch reports
/// their first states.
const OURS: usize = 256;

/// How long a launch is shown, and then again that the session runs.
const LAUNCH_STAYS: SignedDuration = SignedDuration::from_secs(8);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toast {
    pub what: ToastContent,
    pub until: Timestamp,
    /// What it reports of how many sessions.
    pub reports: Option<(SessionEvent, usize)>,
}

/// What can happen to many sessions at once. Its toasts are merged to one with their number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionEvent {
    Running,
    BatchEnded,
    Ended,
    Failed,
}

impl SessionEvent {
    /// The event of a notification, `None` if its text is about more than that.
    pub fn of(kind: &NoticeKind) -> Option<Self> {
        match kind {
            NoticeKind::Running => Some(Self::Running),
            NoticeKind::BatchEnded { .. } => Some(Self::BatchEnded),
            NoticeKind::Ended => Some(Self::Ended),
            NoticeKind::Failed => Some(Self::Failed),
            NoticeKind::IdleWarning { .. }
            | NoticeKind::Reclaimed { .. }
            | NoticeKind::Launched
            | NoticeKind::AppEnded { .. }
            | NoticeKind::Message => None,
        }
    }

    fn of_several(self, count: usize) -> Clean {
        Clean::new(&match self {
            Self::Running => tr!("{count} sessions are running", count),
            Self::BatchEnded => tr!("{count} batch sessions have ended", count),
            Self::Ended => tr!("{count} sessions have ended", count),
            Self::Failed => tr!("{count} sessions failed", count),
        })
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToastContent {
    Said {
        level: Level,
        text: Clean,
    },
    /// The text is read from the session when the toast is drawn.
    Launch(Launched),
}

/// Sessions that were launched together. The toast is about the first one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launched {
    pub first: SessionKey,
    pub all: Vec<SessionKey>,
    /// The name in the answer, until the session itself is known.
    pub name: Clean,
    pub status: Status,
}

impl Launched {
    /// Returns `None` if there are no sessions.
    pub fn new(sessions: &[Session]) -> Option<Self> {
        let first = sessions.first()?;
        Some(Self {
            first: first.key(),
            all: sessions.iter().map(Session::key).collect(),
            name: first.name.clone(),
            status: first.status.clone(),
        })
    }
}

#[derive(Clone, Debug, Default)]
pub struct Toasts {
    shown: VecDeque<Toast>,
    /// Launches whose sessions haven't run yet, shown or not.
    starting: VecDeque<Launched>,
    /// The newest sessions that were launched from this TUI.
    ours: VecDeque<SessionKey>,
}

impl Toasts {
    /// The oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Toast> {
        self.shown.iter()
    }

    /// Shows `text`. The same text again only stays longer.
    pub fn push(&mut self, level: Level, text: Clean, now: Timestamp) {
        self.show(Self::said(level, text), stay(level), now);
    }

    fn said(level: Level, text: Clean) -> ToastContent {
        ToastContent::Said { level, text }
    }

    /// Shows what happened to a session. If a toast already reports the same of others, it becomes a toast
    /// about all of them, so that many sessions don't cover the list.
    pub fn report(&mut self, event: SessionEvent, level: Level, text: Clean, now: Timestamp) {
        let what = Self::said(level, text);
        let same = |toast: &Toast| {
            let same_level =
                matches!(&toast.what, ToastContent::Said { level: it, .. } if *it == level);
            let reports = toast.reports.filter(|(it, _)| *it == event && same_level);
            reports
                .map(|(_, count)| count)
                .filter(|_| toast.what != what)
        };
        let before = self.shown.iter().position(|it| same(it).is_some());
        let before = before.and_then(|at| self.shown.remove(at));
        let count = 1 + before.and_then(|it| same(&it)).unwrap_or(0);
        let what = match count {
            1 => what,
            _ => Self::said(level, event.of_several(count)),
        };
        self.show(what, stay(level), now);
        if let Some(toast) = self.shown.back_mut() {
            toast.reports = Some((event, count));
        }
    }

    /// Shows the progress of a launch.
    pub fn launched(&mut self, launched: Launched, now: Timestamp) {
        self.ours.extend(&launched.all);
        let surplus = self.ours.len().saturating_sub(OURS);
        self.ours.drain(..surplus);
        if !launched.status.is_live() {
            if self.starting.len() == MAX {
                self.starting.pop_front();
            }
            self.starting.push_back(launched.clone());
        }
        self.show(ToastContent::Launch(launched), LAUNCH_STAYS, now);
    }

    /// Whether a session was launched from this TUI. Its own toast reports that it is in the queue and that
    /// it runs.
    pub fn follows(&self, session: SessionKey) -> bool {
        self.ours.contains(&session)
    }

    fn show(&mut self, what: ToastContent, stay: SignedDuration, now: Timestamp) {
        if let ToastContent::Said { text, .. } = &what {
            let same = |it: &ToastContent| matches!(it, ToastContent::Said { text: said, .. } if said == text);
            self.shown.retain(|toast| !same(&toast.what));
        }
        if self.shown.len() == MAX {
            self.shown.pop_front();
        }
        let until = now.saturating_add(stay).unwrap_or(Timestamp::MAX);
        self.shown.push_back(Toast {
            what,
            until,
            reports: None,
        });
    }

    /// Takes a change of a session. The toast reports once that the session runs. Its end or failure is in
    /// other notifications or in its row.
    pub fn follow(&mut self, session: &Session, now: Timestamp) {
        let (key, status) = (session.key(), &session.status);
        if status.is_final() || *status == Status::Error {
            return self.gone(key);
        }
        let at = self.starting.iter().position(|it| it.first == key);
        let Some(at) = at.filter(|_| status.is_live()) else {
            return;
        };
        if let Some(launched) = self.starting.remove(at) {
            self.forget(key);
            self.show(ToastContent::Launch(launched), LAUNCH_STAYS, now);
        }
    }

    /// All sessions have been loaded again.
    pub fn catch_up(&mut self, mirror: &Mirror, now: Timestamp) {
        let shown = self.shown.iter().filter_map(|toast| match &toast.what {
            ToastContent::Launch(launched) => Some(launched.first),
            ToastContent::Said { .. } => None,
        });
        let waited = self.starting.iter().map(|it| it.first);
        let all: Vec<SessionKey> = shown.chain(waited).collect();
        for key in all {
            match mirror.session(key) {
                Some(session) => self.follow(session, now),
                None => self.gone(key),
            }
        }
    }

    /// A session isn't known anymore.
    pub fn gone(&mut self, key: SessionKey) {
        self.starting.retain(|it| it.first != key);
        self.forget(key);
    }

    fn forget(&mut self, key: SessionKey) {
        self.shown
            .retain(|toast| !matches!(&toast.what, ToastContent::Launch(it) if it.first == key));
    }

    /// Removes expired toasts. Returns `true` if there were any.
    pub fn expire(&mut self, now: Timestamp) -> bool {
        let before = self.shown.len();
        self.shown.retain(|toast| toast.until > now);
        before != self.shown.len()
    }

    /// Removes all toasts when the list of notifications opens, because they would cover the same texts
    /// there.
    pub fn clear(&mut self) {
        self.shown.clear();
    }

    /// Removes the newest toast. Returns `false` if there was none.
    pub fn dismiss(&mut self) -> bool {
        self.shown.pop_back().is_some()
    }

    pub fn wake_at(&self) -> Option<Timestamp> {
        self.shown.iter().map(|toast| toast.until).min()
    }
}

fn stay(level: Level) -> SignedDuration {
    SignedDuration::from_secs(match level {
        Level::Info | Level::Success => 4,
        Level::Warning => 8,
        Level::Error => 15,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{app::testing::session, protocol::message::Snapshot};

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(seconds).unwrap()
    }

    fn pending() -> Session {
        Session {
            status: Status::Pending,
            ..session(1, "train")
        }
    }

    fn launched(session: &Session) -> Launched {
        Launched::new(std::slice::from_ref(session)).unwrap()
    }

    fn mirror(sessions: Vec<Session>) -> Mirror {
        let mut mirror = Mirror::default();
        let snapshot = Snapshot {
            seq: 0,
            sessions,
            contexts: Vec::new(),
            forwards: Vec::new(),
        };
        mirror.replace(snapshot, at(0));
        mirror
    }

    #[test]
    fn toasts_are_bounded_and_go() {
        let mut toasts = Toasts::default();
        for n in 0..9 {
            toasts.push(Level::Info, Clean::new(&format!("toast {n}")), at(0));
        }
        toasts.push(Level::Error, Clean::new("bad"), at(0));
        assert_eq!(toasts.iter().count(), MAX);
        assert!(toasts.expire(at(5)));
        let bad = ToastContent::Said {
            level: Level::Error,
            text: Clean::new("bad"),
        };
        assert_eq!(toasts.iter().map(|t| &t.what).collect::<Vec<_>>(), [&bad]);
        assert_eq!(toasts.wake_at(), Some(at(15)));
    }

    #[test]
    fn the_same_of_several_sessions_is_one_toast() {
        let mut toasts = Toasts::default();
        let mut report = |event, level, text: &str| {
            toasts.report(event, level, Clean::new(text), at(0));
            let texts = toasts.iter().map(|toast| match &toast.what {
                ToastContent::Said { text, .. } => text.to_string(),
                ToastContent::Launch(_) => panic!("nothing was launched"),
            });
            texts.collect::<Vec<_>>()
        };
        let (running, failed) = (SessionEvent::Running, SessionEvent::Failed);
        let one = report(running, Level::Success, "jobs-1 is running");
        assert_eq!(one, ["jobs-1 is running"]);
        assert_eq!(
            report(running, Level::Success, "jobs-1 is running"),
            ["jobs-1 is running"]
        );
        report(failed, Level::Error, "broken failed");
        report(running, Level::Success, "jobs-2 is running");
        assert_eq!(
            report(running, Level::Success, "jobs-3 is running"),
            ["broken failed", "3 sessions are running"]
        );
    }

    #[test]
    fn a_launch_is_reported_again_when_it_runs_and_only_once() {
        let mut toasts = Toasts::default();
        let mut train = pending();
        toasts.launched(launched(&train), at(0));
        train.status = Status::Preparing;
        toasts.follow(&train, at(2));
        assert_eq!(toasts.wake_at(), Some(at(8)), "nothing new to show");
        toasts.expire(at(8));
        train.status = Status::Running;
        toasts.follow(&train, at(100));
        toasts.follow(&train, at(101));
        assert_eq!(
            (toasts.iter().count(), toasts.wake_at()),
            (1, Some(at(108)))
        );
    }

    #[test]
    fn the_toast_of_a_launch_goes_with_its_session() {
        for end in [Status::Cancelled, Status::Terminated, Status::Error] {
            let mut toasts = Toasts::default();
            let mut train = pending();
            toasts.launched(launched(&train), at(0));
            train.status = Status::Running;
            toasts.follow(&train, at(1));
            assert_eq!(toasts.iter().count(), 1);
            train.status = end;
            toasts.follow(&train, at(2));
            assert_eq!(toasts.iter().count(), 0);
        }
    }

    #[test]
    fn what_happened_while_the_daemon_wasnt_running_is_caught_up_with() {
        let mut toasts = Toasts::default();
        toasts.launched(launched(&pending()), at(0));
        toasts.expire(at(60));
        toasts.catch_up(&mirror(vec![session(1, "train")]), at(60));
        assert_eq!(toasts.wake_at(), Some(at(68)));
        toasts.catch_up(&mirror(Vec::new()), at(61));
        assert_eq!(toasts.iter().count(), 0);
    }
}
