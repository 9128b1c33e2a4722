//! What is known of the running sessions beyond their records, and when to judge them again.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use jiff::Timestamp;

use super::{figures::Window, warn::Warner};
use crate::model::{
    id::SessionId,
    idle::{Activity, ActivityKind},
    session::Session,
};

/// One running session.
#[derive(Debug)]
pub(super) struct Clock {
    /// To the second; the record follows with the checks.
    pub activity: Activity,
    pub window: Window,
    /// How often its figures are wanted; `None` = not now.
    pub period: Option<Duration>,
    /// Since when it is judged again, after its person had exempted it.
    pub included_at: Option<Timestamp>,
    /// When checks and activity were last told.
    pub told_at: Option<Timestamp>,
    look_at: Option<Timestamp>,
}

impl Clock {
    /// What an earlier daemon knew to be open is not: it was used until now. Of what nobody noted
    /// the use of it is not known that it was not.
    fn of(session: &Session, now: Timestamp) -> Self {
        let fresh = Activity {
            at: now,
            kind: ActivityKind::Started,
            open: 0,
        };
        let activity = match session.activity {
            Some(known) if known.open == 0 => known,
            Some(known) => Activity {
                kind: known.kind,
                ..fresh
            },
            None => fresh,
        };
        Self {
            activity,
            window: Window::default(),
            period: None,
            included_at: None,
            told_at: None,
            look_at: None,
        }
    }
}

/// All of them.
#[derive(Debug, Default)]
pub(in crate::controller) struct Idle {
    /// Since when people could be warned and do something about it: the daemon runs, the line to the
    /// engine stands, the machine does not sleep.
    pub(super) since: Option<Timestamp>,
    pub(super) clocks: BTreeMap<SessionId, Clock>,
    pub(super) warner: Warner,
    /// When who is judged again.
    looks: BTreeSet<(Timestamp, SessionId)>,
}

impl Idle {
    /// Whatever was due by now is due again after a notice, and warned of again.
    pub fn begin_anew(&mut self, now: Timestamp) {
        self.since = Some(now);
        self.warner = Warner::default();
    }

    pub(super) fn clock(&mut self, session: &Session, now: Timestamp) -> &mut Clock {
        let clock = || Clock::of(session, now);
        self.clocks.entry(session.id).or_insert_with(clock)
    }

    /// The session runs no more.
    pub fn forget(&mut self, id: SessionId) {
        self.plan(id, None);
        self.clocks.remove(&id);
        self.warner.forget(id);
    }

    pub(super) fn plan(&mut self, id: SessionId, at: Option<Timestamp>) {
        let Some(clock) = self.clocks.get_mut(&id) else {
            return;
        };
        if let Some(old) = std::mem::replace(&mut clock.look_at, at) {
            self.looks.remove(&(old, id));
        }
        self.looks.extend(at.map(|at| (at, id)));
    }

    /// What was known of it is not so: it is judged at the next tick.
    pub fn doubt(&mut self, id: SessionId) {
        self.plan(id, self.since);
    }

    /// Who is to be judged or warned by now.
    pub fn due(&self, now: Timestamp) -> BTreeSet<SessionId> {
        let looks = self.looks.iter().take_while(|(at, _)| *at <= now);
        let mut due: BTreeSet<SessionId> = looks.map(|(_, id)| *id).collect();
        due.extend(self.warner.due(now));
        due
    }

    pub fn next_deadline(&self) -> Option<Timestamp> {
        let look = self.looks.first().map(|(at, _)| *at);
        look.into_iter().chain(self.warner.next_deadline()).min()
    }
}
