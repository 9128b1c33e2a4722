//! Waits for sessions: until they run, or until they have ended.

use std::{collections::BTreeMap, time::Duration};

use jiff::{SignedDuration, Timestamp};

use super::{
    connection::Connection,
    fail::{Fail, code},
    find, now, output,
    progress::Progress,
};
use crate::{
    model::{
        change::Change,
        id::SessionKey,
        session::{Session, SessionType},
        span::Span,
        status::Status,
        text::Clean,
    },
    protocol::message::Snapshot,
};

/// What to wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// The session runs, or the batch session has started.
    Begun,
    Ended,
}

impl Goal {
    /// Whether the goal is reached or can't be reached anymore. If a session ends before it ran, the reason
    /// is known only at its end.
    fn is_settled(self, session: &Session) -> bool {
        let fails = session.status == Status::Terminating && session.started_at.is_none();
        match self {
            Self::Begun => !session.status.is_starting() && !fails,
            Self::Ended => is_over(session),
        }
    }
}

/// Whether nothing of the session runs, now or later.
pub fn is_over(session: &Session) -> bool {
    session.status.is_final() || session.status == Status::Error
}

/// A batch command may have ended before the first snapshot. How it ended doesn't matter here.
pub fn has_begun(session: &Session) -> bool {
    let ran = session.session_type == SessionType::Batch && session.started_at.is_some();
    ran || session.status.is_live()
}

/// How many daemons in a row may end soon after they started. More of them don't come to an end.
const SHORT_LIVED: u32 = 3;
/// A daemon that ends within this time is short-lived.
const SOON: SignedDuration = SignedDuration::from_secs(10);

/// The restarts of the daemon during one wait.
pub struct Restarts {
    since: Timestamp,
    short: u32,
}

impl Restarts {
    pub fn begin(now: Timestamp) -> Self {
        let (since, short) = (now, 0);
        Self { since, short }
    }

    /// Counts a connection that broke. Returns whether to wait for the next daemon.
    pub fn may_follow(&mut self, now: Timestamp) -> bool {
        let is_short = now.duration_since(self.since) < SOON;
        self.short = if is_short { self.short + 1 } else { 0 };
        self.since = now;
        self.short <= SHORT_LIVED
    }
}

/// The sessions to wait for, in the order in which they were named.
pub struct Watch {
    pub sessions: Vec<Session>,
    goal: Goal,
    progress: Progress,
    /// The last printed reason for waiting.
    printed: BTreeMap<SessionKey, Reason>,
}

impl Watch {
    pub fn new(sessions: Vec<Session>, goal: Goal) -> Self {
        Self {
            sessions,
            goal,
            progress: Progress::new(),
            printed: BTreeMap::new(),
        }
    }

    /// Waits until all are settled, also while the daemon restarts. Calls `settled` with each session when it is.
    pub async fn follow(
        &mut self,
        connection: &mut Connection,
        mut settled: impl FnMut(&Session) -> Result<(), Fail>,
    ) -> Result<(), Fail> {
        let early = self.sessions.iter().filter(|it| self.goal.is_settled(it));
        early.cloned().try_for_each(|session| settled(&session))?;
        let mut seen = self.begin(connection.subscribe().await?, &mut settled)?;
        let mut restarts = Restarts::begin(now());
        while !self.is_over() {
            match connection.next_change(seen).await {
                Ok((seq, change)) => {
                    seen = seq;
                    if let Some(session) = self.apply(change)? {
                        settled(session)?;
                    }
                }
                Err(fail) if connection.is_broken() && restarts.may_follow(now()) => {
                    seen = self.reconnect(connection, &fail, &mut settled).await?;
                }
                Err(fail) => return Err(fail),
            }
        }
        Ok(())
    }

    /// Continues on a new connection. Returns the number after which changes come.
    pub async fn reconnect(
        &mut self,
        connection: &mut Connection,
        why: &Fail,
        settled: &mut impl FnMut(&Session) -> Result<(), Fail>,
    ) -> Result<u64, Fail> {
        let why = why.message().unwrap_or_default();
        output::remark(&tr!("workbay: {why}. Reconnecting", why));
        let snapshot = connection.resubscribe().await?;
        output::remark(tr!("workbay: reconnected"));
        let missing: Vec<SessionKey> = self
            .open()
            .map(Session::key)
            .filter(|key| snapshot.sessions.iter().all(|it| it.key() != *key))
            .collect();
        let seen = self.begin(snapshot, &mut *settled)?;
        for key in missing {
            match find::detail(connection, key).await {
                Ok(Some(session)) => {
                    if let Some(session) = self.update(session) {
                        settled(session)?;
                    }
                }
                Ok(None) => return Err(deleted()),
                // A cluster that isn't connected yet reports the session later.
                Err(_) => {}
            }
        }
        Ok(seen)
    }

    /// Reads what the daemon knows now. Returns the number after which changes come.
    pub fn begin(
        &mut self,
        snapshot: Snapshot,
        mut settled: impl FnMut(&Session) -> Result<(), Fail>,
    ) -> Result<u64, Fail> {
        for session in snapshot.sessions {
            if let Some(session) = self.update(session) {
                settled(session)?;
            }
        }
        Ok(snapshot.seq)
    }

    /// Handles a change. Returns the session that it settles.
    pub fn apply(&mut self, change: Change) -> Result<Option<&Session>, Fail> {
        match change {
            Change::Session { session } => Ok(self.update(*session)),
            Change::Gone { session } if self.is_awaited(session) => Err(deleted()),
            _ => Ok(None),
        }
    }

    /// A settled session keeps the state that it had when it settled.
    fn update(&mut self, session: Session) -> Option<&Session> {
        let key = session.key();
        let goal = self.goal;
        let mut known = self.sessions.iter_mut();
        let place = known.find(|known| known.key() == key && !goal.is_settled(known))?;
        match &session.pull {
            Some(pull) => {
                let who = tr!(
                    "workbay: {name} is {status}",
                    name = session.name,
                    status = session.status
                );
                self.progress.pull(&who, pull);
            }
            None => self.progress.clear(),
        }
        print_reason(&session, &mut self.printed);
        *place = session;
        goal.is_settled(place).then_some(place)
    }

    fn is_awaited(&self, key: SessionKey) -> bool {
        let mut open = self.open();
        open.any(|session| session.key() == key)
    }

    pub fn is_over(&self) -> bool {
        self.open().next().is_none()
    }

    fn open(&self) -> impl Iterator<Item = &Session> {
        let goal = self.goal;
        let sessions = self.sessions.iter();
        sessions.filter(move |session| !goal.is_settled(session))
    }

    /// Waits until all are settled, or until the time limit.
    pub async fn follow_within(
        &mut self,
        connection: &mut Connection,
        limit: Option<Span>,
        settled: impl FnMut(&Session) -> Result<(), Fail>,
    ) -> Result<(), Fail> {
        let Some(limit) = limit else {
            return self.follow(connection, settled).await;
        };
        let time = Duration::from_secs(limit.seconds());
        let done = tokio::time::timeout(time, self.follow(connection, settled)).await;
        done.unwrap_or_else(|_| Err(self.late(limit)))
    }

    /// The error for sessions that aren't settled at the time limit.
    fn late(&self, limit: Span) -> Fail {
        let mut open: Vec<String> = self
            .open()
            .map(|session| {
                tr!(
                    "{name} is still {status}",
                    name = session.name,
                    status = session.status
                )
            })
            .collect();
        let what = match (open.len(), self.open().next()) {
            (1, Some(session)) => {
                let option = match self.goal {
                    Goal::Begun => "--for running ",
                    Goal::Ended => "",
                };
                let name = &session.name;
                tr!(
                    "the session continues. To wait again, run `workbay wait {option}{name}`",
                    option,
                    name
                )
            }
            _ => tr!("the sessions continue. To see them, run `workbay ls`").to_owned(),
        };
        if let Some(last) = open.last_mut() {
            *last = tr!("{last} after {limit}", last, limit);
        }
        Fail::new(code::TIMEOUT, open.join(", ")).hint(what)
    }
}

/// What must change before a reason is printed again.
#[derive(Debug, PartialEq, Eq)]
struct Reason {
    position: Option<u32>,
    words: String,
}

impl Reason {
    /// Leaves the numbers out, because the amounts in use change with each session that starts or ends.
    fn of(session: &Session, why: &Clean) -> Self {
        let words = why.as_str().split_whitespace();
        let words: Vec<&str> = words
            .filter(|it| !it.starts_with(|c: char| c.is_ascii_digit()))
            .collect();
        Self {
            position: session.placement.queue_position,
            words: words.join(" "),
        }
    }
}

/// Prints why the session still waits, once for each reason and position.
fn print_reason(session: &Session, printed: &mut BTreeMap<SessionKey, Reason>) {
    let Some(why) = &session.status_message else {
        return;
    };
    let reason = Reason::of(session, why);
    if !session.status.is_starting() || printed.get(&session.key()) == Some(&reason) {
        return;
    }
    output::remark(&tr!(
        "workbay: {name} is {status}: {why}",
        name = session.name,
        status = session.status,
        why
    ));
    printed.insert(session.key(), reason);
}

fn deleted() -> Fail {
    let why = tr!("the session was deleted while workbay waited for it");
    Fail::new(code::NOT_FOUND, why)
}

/// The error for a session that won't run, with the reason.
pub fn not_running(session: &Session) -> Fail {
    let (name, status) = (&session.name, &session.status);
    let fail = Fail::new(
        code::FAILED,
        tr!("session {name} is {status}", name, status),
    );
    match session
        .status_message
        .as_ref()
        .or(session.status_info.as_ref())
    {
        Some(why) => fail.hint(why.clone()),
        None => fail,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_ends_with_a_daemon_that_never_lives_long() {
        let at = |second| Timestamp::from_second(second).unwrap();
        let mut restarts = Restarts::begin(at(0));
        // Each of these lived for a minute.
        assert!((1..20).all(|minute| restarts.may_follow(at(60 * minute))));
        let next = 60 * 19;
        assert!((1..=3).all(|second| restarts.may_follow(at(next + second))));
        assert!(!restarts.may_follow(at(next + 4)));
    }

    use crate::model::testing;

    fn waiting(why: &str, position: u32) -> Session {
        let mut session = testing::session(1, "big-1");
        session.status = Status::Pending;
        session.status_message = Some(why.into());
        session.placement.queue_position = Some(position);
        session
    }

    #[test]
    fn a_reason_is_printed_again_only_if_more_than_an_amount_changes() {
        let mut printed = BTreeMap::new();
        let mut prints = |why: &str, position| {
            let session = waiting(why, position);
            let before = printed.get(&session.key()).map(|it| format!("{it:?}"));
            print_reason(&session, &mut printed);
            before != printed.get(&session.key()).map(|it| format!("{it:?}"))
        };
        assert!(prints("waits for 4 CPU in group default: 3 of 4 in use", 0));
        assert!(!prints(
            "waits for 4 CPU in group default: 2.5 of 4 in use",
            0
        ));
        assert!(prints("waits for 4 CPU in group default: 2 of 4 in use", 1));
        assert!(prints("position 2 in queue, behind large", 1));
    }

    #[test]
    fn a_wait_that_ends_too_early_is_repeated_for_the_same_goal() {
        let hint = |goal| {
            let watch = Watch::new(vec![waiting("", 0)], goal);
            let failure = watch.late(Span(5)).failure.unwrap();
            failure.hint.unwrap().into_string()
        };
        assert!(hint(Goal::Begun).ends_with("run `workbay wait --for running big-1`"));
        assert!(hint(Goal::Ended).ends_with("run `workbay wait big-1`"));
    }
}
