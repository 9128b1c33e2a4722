//! Any order of events.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::{
    super::fact::{Fact, ObserverRequest},
    Play, fault, launch,
};
use crate::model::{
    capability::Capability,
    failure::FailureKind,
    id::SessionId,
    request::{ContextRequest, SessionRequest},
    status::Tab,
};

/// One action of the user or the engine, or an accident.
#[derive(Clone, Debug)]
enum Action {
    Launch,
    Terminate(usize, bool),
    Rename(usize),
    Commit(usize),
    Detail(usize),
    Query(usize),
    Reach(usize, u8, bool),
    Refresh(bool),
    Environments,
    CarryOut(usize),
    Fail(usize, u8),
    /// The engine changes a status, with or without an event.
    Become(usize, u8, bool),
    Appear(u8),
    Vanish(usize),
    Deafen,
    Cut,
    Return,
    Watch(bool),
    Wait(u16),
}

fn action() -> impl Strategy<Value = Action> {
    let which = 0..100_usize;
    prop_oneof![
        2 => Just(Action::Launch),
        2 => (which.clone(), any::<bool>()).prop_map(|(n, force)| Action::Terminate(n, force)),
        1 => which.clone().prop_map(Action::Rename),
        1 => which.clone().prop_map(Action::Commit),
        2 => which.clone().prop_map(Action::Detail),
        1 => which.clone().prop_map(Action::Query),
        2 => (which.clone(), any::<u8>(), any::<bool>()).prop_map(|(n, t, x)| Action::Reach(n, t, x)),
        1 => any::<bool>().prop_map(Action::Refresh),
        1 => Just(Action::Environments),
        12 => which.clone().prop_map(Action::CarryOut),
        3 => (which.clone(), any::<u8>()).prop_map(|(n, kind)| Action::Fail(n, kind)),
        4 => (which.clone(), any::<u8>(), any::<bool>()).prop_map(|(n, s, e)| Action::Become(n, s, e)),
        2 => any::<u8>().prop_map(Action::Appear),
        1 => which.prop_map(Action::Vanish),
        1 => Just(Action::Deafen),
        1 => Just(Action::Cut),
        2 => Just(Action::Return),
        1 => any::<bool>().prop_map(Action::Watch),
        6 => (0..20_000_u16).prop_map(Action::Wait),
    ]
}

const STATUSES: [&str; 8] = [
    "PENDING",
    "CREATING",
    "RUNNING",
    "TERMINATING",
    "TERMINATED",
    "CANCELLED",
    "ERROR",
    "ODD",
];

impl Play {
    fn one_of(&self, number: usize) -> Option<SessionId> {
        let ids: BTreeSet<SessionId> = self
            .there
            .keys()
            .chain(self.mirror.keys())
            .copied()
            .collect();
        ids.iter().nth(number % ids.len().max(1)).copied()
    }

    fn do_action(&mut self, action: Action) {
        match action {
            Action::Launch => drop(self.ask(launch("first"))),
            Action::Reach(number, tab, text) => {
                let tab = Tab::ALL[usize::from(tab) % 3];
                let text = text.then(|| "session-1".to_owned());
                self.ask(ObserverRequest::Context(ContextRequest::Reach {
                    tab,
                    text,
                    count: 10 * number as u32,
                }));
            }
            Action::Refresh(true) => {
                self.ask(ObserverRequest::Context(ContextRequest::Refresh));
            }
            Action::Refresh(false) => drop(self.ask(ObserverRequest::RefreshOrRetry)),
            Action::Environments => {
                self.ask(ObserverRequest::Context(ContextRequest::Environments));
            }
            Action::CarryOut(number) if !self.orders.is_empty() => {
                self.carry_out(number % self.orders.len(), None);
            }
            Action::Fail(number, kind) if !self.orders.is_empty() => {
                let kinds = [
                    FailureKind::Failed,
                    FailureKind::Unreachable,
                    FailureKind::NotFound,
                    FailureKind::Denied,
                ];
                self.carry_out(
                    number % self.orders.len(),
                    Some(kinds[usize::from(kind) % 4]),
                );
            }
            Action::Appear(status) => {
                let id = self.make(STATUSES[usize::from(status) % 8]);
                self.event(id);
            }
            Action::Deafen => {
                self.listening = false;
                let connection = self.connection;
                self.report(Fact::EventsEnded {
                    connection,
                    failure: Some(fault(FailureKind::Failed)),
                });
            }
            Action::Cut => {
                self.connected = false;
                self.listening = false;
            }
            Action::Return => self.connected = true,
            Action::Watch(watched) => self.report(Fact::Watched(watched)),
            Action::Wait(time) => {
                self.now += i64::from(time);
                self.report(Fact::Tick);
            }
            action => self.do_with_session(action),
        }
    }

    fn do_with_session(&mut self, action: Action) {
        let (Action::Terminate(number, _)
        | Action::Rename(number)
        | Action::Commit(number)
        | Action::Detail(number)
        | Action::Query(number)
        | Action::Become(number, ..)
        | Action::Vanish(number)) = action
        else {
            return;
        };
        let Some(session) = self.one_of(number) else {
            return;
        };
        match action {
            Action::Terminate(_, force) => {
                self.ask(ObserverRequest::session(
                    session,
                    SessionRequest::Terminate { force },
                ));
            }
            Action::Rename(_) => {
                let name = format!("name-{}", self.asked);
                self.ask(ObserverRequest::session(
                    session,
                    SessionRequest::Rename { name },
                ));
            }
            Action::Commit(_) => {
                let image_name = "mine".to_owned();
                self.ask(ObserverRequest::session(
                    session,
                    SessionRequest::Commit {
                        image_name,
                        pause: false,
                    },
                ));
            }
            Action::Detail(_) => {
                self.ask(ObserverRequest::session(session, SessionRequest::Detail));
            }
            Action::Query(_) => {
                let needs = Some(Capability::SchedulingHistory);
                self.ask(ObserverRequest::Admit { needs });
            }
            Action::Become(_, status, reported) if self.there.contains_key(&session) => {
                self.set(session, STATUSES[usize::from(status) % 8]);
                if reported {
                    self.event(session);
                }
            }
            Action::Vanish(_) => drop(self.there.remove(&session)),
            _ => {}
        }
    }

    /// What must be true after a client has watched for some minutes without failures.
    fn check_rest(&self) {
        for ticket in 1..=self.asked {
            let is_done = self.answers.contains_key(&ticket) || self.admitted.contains(&ticket);
            assert!(is_done, "ticket {ticket} waits");
        }
        for session in self.there.values().filter(|s| s.tab() != Tab::Finished) {
            let shown = self.mirror.get(&session.id);
            assert_eq!(
                shown.map(|s| &s.status),
                Some(&session.status),
                "a row was lost"
            );
        }
        for (id, shown) in &self.mirror {
            let there = self.there.get(id);
            let ended = there.is_none_or(|s| s.tab() == Tab::Finished);
            if shown.tab() != Tab::Finished {
                assert!(!ended, "{} is shown as {}", shown.name, shown.status);
            }
            assert_eq!(shown.pending_request, None);
        }
        assert_eq!(self.observer.totals(), Some(self.totals()));
        let under_way = &self.observer.under_way;
        assert!(under_way.is_empty(), "waits for ever: {under_way:?}");
        assert!(self.observer.sweeps.is_empty() && self.observer.reading.is_none());
    }
}

proptest! {
    /// Whatever happens in whatever order: every request is answered once, no request to the engine
    /// runs twice at once, nothing is reported twice, and a client that watches for a while sees
    /// what exists.
    #[test]
    fn any_order_of_events_ends_well(actions in proptest::collection::vec(action(), 1..80)) {
        let mut play = Play::with(3);
        for action in actions {
            play.do_action(action);
        }
        play.connected = true;
        play.report(Fact::Watched(true));
        play.work_off();
        play.now += 30_000;
        play.ask(ObserverRequest::Context(ContextRequest::Refresh));
        play.pass(300);
        play.check_rest();
        let begin = play.now;
        play.requests.clear();
        play.pass(600);
        let minutes = (play.now - begin) / 60_000;
        let allowed = usize::try_from(60 * minutes).unwrap();
        prop_assert!(play.requests.len() <= allowed, "{:?}", play.requests);
        play.check_rest();
    }
}
