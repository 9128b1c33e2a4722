//! Derives notifications from the changes of sessions, in the same way for both kinds of engines. Pure.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;

use crate::model::{
    change::Change,
    id::SessionKey,
    idle::IdleChecker,
    notice::{Level, Notice, NoticeKind},
    session::{BatchResult, Session, SessionType},
    status::Status,
    text::Clean,
};

/// Status infos of ends that a user requested.
const ASKED: [&str; 2] = ["user-requested", "force-terminated"];

/// The last known state of a session that has not ended.
#[derive(Clone, Debug)]
struct KnownSession {
    status: Status,
    /// The session was seen running.
    ran: bool,
    /// The session was launched by this daemon. For such a session, an engine that schedules explains a
    /// failed launch on its own.
    launched: bool,
    /// A notification about the session's end was already sent, when the end was decided.
    end_is_reported: bool,
}

impl KnownSession {
    fn new(session: &Session) -> Self {
        Self {
            status: session.status.clone(),
            ran: session.started_at.is_some() || session.status.is_live(),
            launched: false,
            end_is_reported: false,
        }
    }
}

/// Tracks every session that has not ended.
#[derive(Debug, Default)]
pub(in crate::daemon) struct Noticing {
    known: HashMap<SessionKey, KnownSession>,
}

/// What happened in one step of the daemon.
pub(in crate::daemon) struct Happened<'a> {
    pub changes: &'a [Change],
    /// Sessions that were launched in this step.
    pub launched: Vec<&'a Session>,
    /// The engine schedules, and explains launches that failed.
    pub observed: bool,
    /// The user whose sessions get notifications, if the engine also shows sessions of others.
    pub me: Option<&'a Clean>,
}

impl Noticing {
    /// Sessions as they are when the daemon starts. They cause no notifications: the previous daemon already
    /// reported those that are terminating.
    pub fn begin<'a>(sessions: impl Iterator<Item = &'a Session>) -> Self {
        let open = sessions.filter(|session| !session.status.is_final());
        let known = open.map(|session| {
            let known = KnownSession {
                end_is_reported: session.status == Status::Terminating,
                ..KnownSession::new(session)
            };
            (session.key(), known)
        });
        Self {
            known: known.collect(),
        }
    }

    /// The notifications that follow from a step. They are sent after its changes.
    pub fn derive(&mut self, happened: &Happened<'_>, now: Timestamp) -> Vec<Notice> {
        let mut notices = Vec::new();
        let new: HashSet<SessionKey> = happened.launched.iter().map(|it| it.key()).collect();
        for session in &happened.launched {
            let text = tr_sent!("{name} was launched", name = session.name);
            notices.push(notice(
                session,
                now,
                NoticeKind::Launched,
                Level::Info,
                &text,
            ));
            let known = self.known.entry(session.key());
            known.or_insert_with(|| KnownSession::new(session)).launched = true;
        }
        // Notifications in this step can report an end before the session shows it.
        for change in happened.changes {
            if let Change::Notice { notice } = change {
                self.note_reported_end(notice);
            }
        }
        for change in happened.changes {
            match change {
                Change::Session { session } => {
                    notices.extend(self.follow(session, happened, &new, now));
                }
                Change::Gone { session } => drop(self.known.remove(session)),
                _ => {}
            }
        }
        notices
    }

    fn note_reported_end(&mut self, notice: &Notice) {
        let reclaimed = matches!(notice.kind, NoticeKind::Reclaimed { .. });
        if let Some(key) = notice.session.filter(|_| reclaimed)
            && let Some(known) = self.known.get_mut(&key)
        {
            known.end_is_reported = true;
        }
    }

    fn follow(
        &mut self,
        session: &Session,
        happened: &Happened<'_>,
        new: &HashSet<SessionKey>,
        now: Timestamp,
    ) -> Option<Notice> {
        let key = session.key();
        // A session seen for the first time causes no notification, unless it was launched in this step.
        let before = self.known.remove(&key);
        let launched = new.contains(&key) || before.as_ref().is_some_and(|it| it.launched);
        if !session.status.is_final() {
            let known = KnownSession {
                ran: before.as_ref().is_some_and(|it| it.ran) || session.status.is_live(),
                launched,
                end_is_reported: before.as_ref().is_some_and(|it| it.end_is_reported),
                ..KnownSession::new(session)
            };
            self.known.insert(key, known);
        }
        let before = before?;
        let theirs = happened.me.is_some_and(|me| session.owner != *me);
        if theirs && !launched {
            return None;
        }
        let ran = before.ran || session.started_at.is_some();
        let explained = happened.observed && launched && !ran;
        let (kind, level, text) = notice_of(&before, session, explained)?;
        Some(notice(session, now, kind, level, &text))
    }
}

fn notice(session: &Session, at: Timestamp, kind: NoticeKind, level: Level, text: &str) -> Notice {
    Notice {
        at,
        kind,
        level,
        session: Some(session.key()),
        text: Clean::new(text),
    }
}

type NoticeParts = (NoticeKind, Level, String);

/// `explained` = the scheduler or observer of the engine already reports why the session never ran.
fn notice_of(before: &KnownSession, session: &Session, explained: bool) -> Option<NoticeParts> {
    let (name, status) = (&session.name, &session.status);
    if before.status == *status {
        return None;
    }
    if status.is_live() {
        let text = tr_sent!("{name} is running", name);
        let begun = before.status.is_starting();
        return begun.then_some((NoticeKind::Running, Level::Success, text));
    }
    // A session that was in ERROR was already reported as failed.
    let reported = before.status == Status::Error;
    match status {
        Status::Error if !explained => Some(failed(session, tr_sent!("{name} failed", name))),
        Status::Terminated | Status::Cancelled if !reported => end(before, session, explained),
        _ => None,
    }
}

fn end(before: &KnownSession, session: &Session, explained: bool) -> Option<NoticeParts> {
    let name = &session.name;
    let info = session.status_info.as_ref().map_or("", Clean::as_str);
    if ASKED.contains(&info) {
        let waited = !before.ran && session.status == Status::Cancelled;
        let text = if waited {
            tr_sent!("{name} left the queue as requested", name)
        } else {
            tr_sent!("{name} was terminated as requested", name)
        };
        return Some((NoticeKind::Ended, Level::Info, text));
    }
    if let Some(checker) = IdleChecker::of_reason(info) {
        let kind = NoticeKind::Reclaimed { checker };
        let text = with_reason(session, tr_sent!("{name} was reclaimed", name));
        return (!before.end_is_reported).then_some((kind, Level::Warning, text));
    }
    if !before.ran && session.started_at.is_none() {
        let what = match session.status {
            Status::Cancelled => tr_sent!("{name} was cancelled", name),
            _ => tr_sent!("{name} ended before it ran", name),
        };
        return (!explained).then(|| failed(session, what));
    }
    let exit_code = session.main_kernel().and_then(|kernel| kernel.exit_code);
    if session.session_type == SessionType::Batch && session.result != BatchResult::Undefined {
        let (level, what) = match session.result {
            BatchResult::Success => (Level::Success, tr_sent!("{name} succeeded", name)),
            _ => (Level::Error, tr_sent!("{name} failed", name)),
        };
        let kind = NoticeKind::BatchEnded { exit_code };
        return Some((kind, level, with_reason(session, what)));
    }
    let usual = matches!(info, "" | "self-terminated") && exit_code.unwrap_or(0) == 0;
    let level = if usual { Level::Info } else { Level::Warning };
    let text = with_reason(session, tr_sent!("{name} ended", name));
    Some((NoticeKind::Ended, level, text))
}

fn failed(session: &Session, what: String) -> NoticeParts {
    let level = match session.status {
        Status::Cancelled => Level::Warning,
        _ => Level::Error,
    };
    (NoticeKind::Failed, level, with_reason(session, what))
}

/// `train failed: no space left on device`.
fn with_reason(session: &Session, what: String) -> String {
    let why = session.status_message.as_ref();
    let why = why.or(session.status_info.as_ref());
    match why {
        Some(why) => format!("{what}: {why}"),
        None => what,
    }
}

#[cfg(test)]
mod tests;
