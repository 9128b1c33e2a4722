//! What is known about running sessions beyond their records, and when to check them next.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use jiff::Timestamp;

use super::averages::UsageWindow;
use crate::{
    model::{
        id::SessionId,
        idle::{Activity, ActivityKind},
        session::Session,
    },
    state_machine::warnings::Warner,
};

/// One running session.
#[derive(Debug)]
pub(super) struct Clock {
    /// The latest activity, to the second. The record gets it together with the checks.
    pub activity: Activity,
    pub window: UsageWindow,
    /// How often usage figures are needed; `None` if not now.
    pub period: Option<Duration>,
    /// When the user included the session again after an exemption.
    pub included_at: Option<Timestamp>,
    /// When checks and activity were last reported.
    pub reported_at: Option<Timestamp>,
    look_at: Option<Timestamp>,
}

impl Clock {
    /// What was open under an earlier daemon isn't open now, so it counts as use until now. Without
    /// any recorded use, the session isn't known to be idle.
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
            window: UsageWindow::default(),
            period: None,
            included_at: None,
            reported_at: None,
            look_at: None,
        }
    }
}

/// The clocks of all sessions.
#[derive(Debug, Default)]
pub(in crate::scheduler) struct Idle {
    /// Since when users could be warned without a gap: the daemon runs, the engine is connected,
    /// and the machine doesn't sleep.
    pub(super) since: Option<Timestamp>,
    pub(super) clocks: BTreeMap<SessionId, Clock>,
    pub(super) warner: Warner,
    /// When each session is checked next.
    due_at: BTreeSet<(Timestamp, SessionId)>,
}

impl Idle {
    /// Gives everything that was due by now a new notice and new warnings.
    pub fn restart(&mut self, now: Timestamp) {
        self.since = Some(now);
        self.warner = Warner::default();
    }

    pub(super) fn clock(&mut self, session: &Session, now: Timestamp) -> &mut Clock {
        let clock = || Clock::of(session, now);
        self.clocks.entry(session.id).or_insert_with(clock)
    }

    /// Forgets a session that doesn't run any more.
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
            self.due_at.remove(&(old, id));
        }
        self.due_at.extend(at.map(|at| (at, id)));
    }

    /// The known state is outdated: checks the session at the next tick.
    pub fn mark_outdated(&mut self, id: SessionId) {
        self.plan(id, self.since);
    }

    /// The sessions to check or warn by now.
    pub fn due(&self, now: Timestamp) -> BTreeSet<SessionId> {
        let due_at = self.due_at.iter().take_while(|(at, _)| *at <= now);
        let mut due: BTreeSet<SessionId> = due_at.map(|(_, id)| *id).collect();
        due.extend(self.warner.due(now));
        due
    }

    pub fn next_deadline(&self) -> Option<Timestamp> {
        let look = self.due_at.first().map(|(at, _)| *at);
        look.into_iter().chain(self.warner.next_deadline()).min()
    }
}
