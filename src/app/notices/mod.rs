//! The latest notifications, the number of new ones, and how they are announced: toasts, the bell, the
//! desktop.

pub mod toast;

use std::collections::{BTreeSet, VecDeque};

use jiff::{SignedDuration, Timestamp};

use super::mirror::Mirror;
use crate::{
    model::{
        id::SessionKey,
        notice::{Level, Notice, NoticeKind},
        session::Session,
    },
    rules::reclaim::nearest,
};

/// Maximum number of notifications. The oldest is dropped.
const KEPT: usize = 200;
/// From this time before a reclaim, it is shown all the time.
const SOON: SignedDuration = SignedDuration::from_mins(30);
/// The bell rings up to `RINGS` times within `RINGS_IN`.
const RINGS: usize = 3;
const RINGS_IN: SignedDuration = SignedDuration::from_secs(10);

#[derive(Clone, Debug, Default)]
pub struct Notices {
    /// The newest first.
    entries: VecDeque<Notice>,
    unread: usize,
    /// Only warnings and errors show toasts, and the bell is off.
    pub quiet: bool,
    /// Sessions that idle checks warned about.
    warned: BTreeSet<SessionKey>,
    /// The times of the last rings.
    rung: VecDeque<Timestamp>,
    /// Notifications from before this TUI started are loaded.
    pub caught_up: bool,
}

/// How a notice is announced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Announced {
    pub toast: bool,
    pub bell: bool,
    pub desktop: bool,
}

/// What you look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attention {
    /// The outer terminal has the focus.
    pub in_front: bool,
    /// You look at a program in a terminal.
    pub in_terminal: bool,
    /// Another toast reports this session's start.
    pub is_followed: bool,
}

impl Notices {
    #[must_use]
    pub fn new(quiet: bool) -> Self {
        Self {
            quiet,
            ..Self::default()
        }
    }

    /// The newest first.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Notice> {
        self.entries.iter()
    }

    pub fn get(&self, at: usize) -> Option<&Notice> {
        self.entries.get(at)
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The number of notifications since you last opened the list.
    pub fn unread(&self) -> usize {
        self.unread
    }

    pub fn mark_read(&mut self) {
        self.unread = 0;
    }

    /// Takes a new notification. Returns `false` if it is already known.
    pub fn receive(&mut self, notice: &Notice, attention: Attention) -> bool {
        if self.entries.contains(notice) {
            return false;
        }
        let followed = notice.kind == NoticeKind::Running && attention.is_followed;
        if notice.is_listed() && !followed {
            self.unread += 1;
        }
        self.keep(notice.clone());
        true
    }

    /// Takes the daemon's earlier notifications, oldest first. `unseen` of the newest haven't been seen.
    pub fn catch_up(&mut self, notices: Vec<Notice>, unseen: usize) {
        self.caught_up = true;
        let seen = notices.len().saturating_sub(unseen);
        for (at, notice) in notices.into_iter().enumerate() {
            if !self.entries.contains(&notice) {
                self.unread += usize::from(at >= seen && notice.is_listed());
                self.keep(notice);
            }
        }
        self.unread = self.unread.min(self.entries.len());
    }

    /// Inserts a notification by its time.
    fn keep(&mut self, notice: Notice) {
        if let (NoticeKind::IdleWarning { .. }, Some(key)) = (&notice.kind, notice.session) {
            self.warned.insert(key);
        }
        let at = self.entries.iter().position(|it| it.at <= notice.at);
        self.entries
            .insert(at.unwrap_or(self.entries.len()), notice);
        self.entries.truncate(KEPT);
    }

    pub fn forget(&mut self, notice: &Notice) {
        self.entries.retain(|it| it != notice);
    }

    pub fn forget_all(&mut self) {
        self.entries.clear();
        self.unread = 0;
    }

    /// How a notice is announced now.
    pub fn announce(&mut self, notice: &Notice, attention: Attention, now: Timestamp) -> Announced {
        let followed = match notice.kind {
            // The client that launched the session already has the answer.
            NoticeKind::Launched => true,
            NoticeKind::Running => attention.is_followed,
            _ => false,
        };
        let is_serious = matches!(notice.level, Level::Warning | Level::Error);
        let toast = !followed && (is_serious || !self.quiet);
        let rings = !self.quiet && rings(notice, attention) && self.may_ring(now);
        Announced {
            toast,
            bell: rings,
            desktop: rings && (!attention.in_front || is_about_an_end(&notice.kind)),
        }
    }

    fn may_ring(&mut self, now: Timestamp) -> bool {
        let recent = |at: &Timestamp| now.duration_since(*at) < RINGS_IN;
        self.rung.retain(recent);
        let may = self.rung.len() < RINGS;
        if may {
            self.rung.push_back(now);
        }
        may
    }

    /// The session that will be reclaimed next, if that is soon.
    pub fn next_end<'a>(
        &self,
        mirror: &'a Mirror,
        now: Timestamp,
    ) -> Option<(&'a Session, Timestamp)> {
        let warned = self.warned.iter().filter_map(|key| {
            let session = mirror.session(*key).filter(|it| it.status.is_live())?;
            let (_, until) = nearest(&session.idle_checks)?;
            let left = until.duration_since(now);
            (left > SignedDuration::ZERO && left <= SOON).then_some((session, until))
        });
        warned.min_by_key(|(_, until)| *until)
    }

    /// Stops warning about a session that has ended.
    pub fn follow(&mut self, session: &Session) {
        if session.status.is_final() {
            self.warned.remove(&session.key());
        }
    }
}

fn is_about_an_end(kind: &NoticeKind) -> bool {
    matches!(
        kind,
        NoticeKind::IdleWarning { .. } | NoticeKind::Reclaimed { .. }
    )
}

/// Whether the bell rings: always for reclaims, and for failures and ended commands if you look elsewhere.
fn rings(notice: &Notice, attention: Attention) -> bool {
    let elsewhere = !attention.in_front || attention.in_terminal;
    match notice.kind {
        NoticeKind::IdleWarning { .. } | NoticeKind::Reclaimed { .. } => true,
        NoticeKind::BatchEnded { .. } | NoticeKind::Failed => elsewhere,
        NoticeKind::AppEnded { .. } => elsewhere,
        NoticeKind::Ended => elsewhere && notice.level >= Level::Warning,
        NoticeKind::Launched | NoticeKind::Running | NoticeKind::Message => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{id::SessionId, idle::IdleChecker};

    const HERE: Attention = Attention {
        in_front: true,
        in_terminal: false,
        is_followed: false,
    };
    const AWAY: Attention = Attention {
        in_front: false,
        ..HERE
    };

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn notice(second: i64, kind: NoticeKind, level: Level) -> Notice {
        Notice {
            kind,
            session: Some(SessionKey::local(SessionId::from_u128(1))),
            ..Notice::message(at(second), level, format!("notice {second}"))
        }
    }

    fn warning(second: i64) -> Notice {
        let checker = IdleChecker::NetworkTimeout;
        let until = at(second + 300);
        notice(
            second,
            NoticeKind::IdleWarning { checker, until },
            Level::Warning,
        )
    }

    #[test]
    fn ends_ring_always_and_failures_where_they_would_be_missed() {
        let failed = notice(1, NoticeKind::Failed, Level::Error);
        let in_terminal = Attention {
            in_terminal: true,
            ..HERE
        };
        let how = |notice: &Notice, attention, quiet| {
            let announced = Notices::new(quiet).announce(notice, attention, at(0));
            (announced.toast, announced.bell, announced.desktop)
        };
        assert_eq!(how(&warning(1), HERE, false), (true, true, true));
        assert_eq!(how(&failed, HERE, false), (true, false, false));
        assert_eq!(how(&failed, in_terminal, false), (true, true, false));
        assert_eq!(how(&failed, AWAY, false), (true, true, true));
        // While quiet, warnings still show a toast.
        assert_eq!(how(&warning(1), AWAY, true), (true, false, false));
        let running = notice(1, NoticeKind::Running, Level::Success);
        assert_eq!(how(&running, HERE, false), (true, false, false));
        assert_eq!(how(&running, HERE, true), (false, false, false));
        let followed = Attention {
            is_followed: true,
            ..HERE
        };
        assert_eq!(how(&running, followed, false), (false, false, false));
        let launched = notice(1, NoticeKind::Launched, Level::Info);
        assert_eq!(how(&launched, HERE, false), (false, false, false));
    }

    #[test]
    fn a_flood_rings_three_times() {
        let mut notices = Notices::default();
        let mut ring = |second| {
            let announced = notices.announce(&warning(second), AWAY, at(second));
            announced.bell
        };
        let rung: Vec<bool> = (0..5).map(&mut ring).collect();
        assert_eq!(rung, [true, true, true, false, false]);
        assert!(ring(11));
    }

    #[test]
    fn what_comes_twice_is_kept_once_and_in_the_order_of_time() {
        let mut notices = Notices::default();
        let (old, new) = (warning(1), warning(3));
        notices.receive(&new, HERE);
        notices.catch_up(vec![old.clone(), warning(2), new.clone()], 2);
        let times: Vec<i64> = notices.iter().map(|it| it.at.as_second()).collect();
        assert_eq!(times, [3, 2, 1]);
        assert_eq!(notices.unread(), 2, "the oldest was looked at before");
        notices.mark_read();
        notices.catch_up(vec![old, new], 0);
        assert_eq!((notices.unread(), notices.len()), (0, 3));
        for second in 10..400 {
            notices.receive(&warning(second), HERE);
        }
        assert_eq!(notices.len(), KEPT);
    }
}
