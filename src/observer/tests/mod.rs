//! Runs the observer in simulated time against an engine that answers (or not) when the test says
//! so.

mod any_order;
mod changes;
mod checks;
mod connecting;
mod counting;
mod reading;

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};

use super::{
    Observer,
    fact::{Fact, ManagerReply, ObserverRequest},
    order::{ManagerRequest, Order, RequestNumber},
    testing::{at, session},
    turn::Turn,
};
use crate::{
    engine::manager::{PageQuery, SessionPage},
    model::{
        capability::EngineInfo,
        catalogue::Catalogue,
        change::Change,
        failure::{Failure, FailureKind},
        id::{ContextName, SessionId},
        launch_field::LaunchField,
        notice::Level,
        request::SessionChange,
        session::Session,
        spec::LaunchRequest,
        statistics::Statistics,
        status::{Status, Tab},
    },
    state_machine::Answer,
};

const REFRESH: i64 = 15;

/// An engine with its sessions, a clock, and what a client has received.
struct Play {
    observer: Observer,
    /// In milliseconds.
    now: i64,
    /// Orders that aren't carried out yet, with the time they were given.
    orders: Vec<(i64, Order)>,
    there: BTreeMap<SessionId, Session>,
    made: u32,
    /// What a client knows from changes alone.
    mirror: BTreeMap<SessionId, Session>,
    reported: Vec<Change>,
    answers: BTreeMap<u64, Result<Answer, Failure>>,
    /// The queries that may go to the engine.
    admitted: BTreeSet<u64>,
    asked: u64,
    connection: u32,
    listening: bool,
    has_events: bool,
    connected: bool,
    /// The times of requests to the engine that no user made.
    requests: Vec<(i64, &'static str)>,
    audits: usize,
    /// The available resources.
    offer: Catalogue,
    /// What the user's sessions use.
    held: Statistics,
}

fn fault(kind: FailureKind) -> Failure {
    Failure::new(kind, "no").hint("do this")
}

fn info() -> EngineInfo {
    EngineInfo::new("Play".into(), "play:".into())
}

fn place(tab: Tab) -> usize {
    Tab::ALL.iter().position(|other| *other == tab).unwrap()
}

impl Play {
    /// An observer for `count` running sessions. No client watches, and nothing is carried out yet.
    fn with(count: u32) -> Self {
        let refresh = SignedDuration::from_secs(REFRESH);
        let mut play = Self {
            observer: Observer::new(ContextName::new("prod").unwrap(), refresh),
            now: 0,
            orders: Vec::new(),
            there: BTreeMap::new(),
            made: 0,
            mirror: BTreeMap::new(),
            reported: Vec::new(),
            answers: BTreeMap::new(),
            admitted: BTreeSet::new(),
            asked: 0,
            connection: 0,
            listening: false,
            has_events: true,
            connected: true,
            requests: Vec::new(),
            audits: 0,
            offer: Catalogue::default(),
            held: Statistics::default(),
        };
        for _ in 0..count {
            play.make("RUNNING");
        }
        play.report(Fact::Tick);
        play
    }

    /// The same with a client that watches, after everything was read.
    fn watched(count: u32) -> Self {
        let mut play = Self::with(count);
        play.report(Fact::Watched(true));
        play.settle();
        play
    }

    fn time(&self) -> Timestamp {
        at(0)
            .checked_add(SignedDuration::from_millis(self.now))
            .unwrap()
    }

    fn make(&mut self, status: &str) -> SessionId {
        self.made += 1;
        let made = session(self.made, status);
        let id = made.id;
        self.there.insert(id, made);
        id
    }

    fn set(&mut self, id: SessionId, status: &str) {
        self.there.get_mut(&id).unwrap().status = Status::from(status);
    }

    fn report(&mut self, fact: Fact) {
        let turn = self.observer.handle(self.time(), fact);
        self.take(turn);
    }

    fn take(&mut self, turn: Turn) {
        self.audits += turn.audits.len();
        for change in turn.changes {
            match &change {
                Change::Session { session } => {
                    let before = self.mirror.insert(session.id, (**session).clone());
                    assert_ne!(
                        before.as_ref(),
                        Some(&**session),
                        "reported though nothing changed"
                    );
                }
                Change::Gone { session } => {
                    assert!(
                        self.mirror.remove(&session.id).is_some(),
                        "it was never there"
                    );
                }
                _ => {}
            }
            self.reported.push(change);
        }
        let known: Vec<&Session> = self.observer.sessions().collect();
        assert_eq!(self.mirror.values().collect::<Vec<_>>(), known);
        for (ticket, answer) in turn.answers {
            let twice = self.answers.insert(ticket, answer);
            assert!(twice.is_none(), "ticket {ticket} was answered twice");
        }
        for ticket in turn.admitted {
            let twice = self.answers.contains_key(&ticket);
            assert!(
                !twice && self.admitted.insert(ticket),
                "ticket {ticket} was answered twice"
            );
        }
        for order in turn.orders {
            if order == Order::Rest {
                self.listening = false;
                continue;
            }
            self.note_order(&order);
            self.orders.push((self.now, order));
        }
        for fact in turn.follow {
            self.report(fact);
        }
    }

    /// No request runs twice at once.
    fn note_order(&mut self, order: &Order) {
        let Order::Run { request, .. } = order else {
            return;
        };
        self.requests.push((self.now, request.name()));
        let same = self.orders.iter().any(|(_, other)| {
            matches!(other, Order::Run { request: other, number } if other == request && self.counts(*number))
        });
        assert!(
            !same || request.is_change(),
            "{request:?} is under way already"
        );
    }

    /// Whether the answer of the request is still expected.
    fn counts(&self, number: RequestNumber) -> bool {
        self.observer.under_way.contains_key(&number)
    }

    fn ask(&mut self, ask: ObserverRequest) -> u64 {
        self.asked += 1;
        let ticket = self.asked;
        self.report(Fact::Asked { ticket, ask });
        ticket
    }

    fn page(&self, query: &PageQuery) -> SessionPage {
        let wanted = query.text.clone().unwrap_or_default();
        let mut found: Vec<&Session> = self
            .there
            .values()
            .filter(|s| s.tab() == query.tab && s.name.as_str().contains(&wanted))
            .collect();
        found.sort_by_key(|s| std::cmp::Reverse(s.created_at));
        let total = found.len() as u64;
        let page = found.into_iter().skip(query.offset as usize);
        SessionPage {
            sessions: page.take(query.limit as usize).cloned().collect(),
            total,
        }
    }

    fn totals(&self) -> [u64; 3] {
        let mut totals = [0; 3];
        for session in self.there.values() {
            totals[place(session.tab())] += 1;
        }
        totals
    }

    fn act(&mut self, request: &ManagerRequest) -> ManagerReply {
        match request {
            ManagerRequest::Page(query) => ManagerReply::Page(self.page(query)),
            ManagerRequest::Totals => ManagerReply::Totals(self.totals()),
            ManagerRequest::Rows(ids) => ManagerReply::Rows(
                ids.iter()
                    .filter_map(|id| self.there.get(id))
                    .cloned()
                    .collect(),
            ),
            ManagerRequest::Detail(id) => {
                ManagerReply::Session(self.there.get(id).cloned().map(Box::new))
            }
            ManagerRequest::Launch(_) => ManagerReply::Launched(self.make("PENDING")),
            ManagerRequest::Change { session, change } => {
                if let Some(session) = self.there.get_mut(session) {
                    changed(session, change);
                }
                ManagerReply::Done
            }
            ManagerRequest::Environments => ManagerReply::Environments(Vec::new()),
            ManagerRequest::Statistics => ManagerReply::Statistics(Box::new(self.held.clone())),
            ManagerRequest::Catalogue { .. } => {
                ManagerReply::Catalogue(Box::new(self.offer.clone()))
            }
        }
    }

    /// Carries out one order, or lets it fail.
    fn carry_out(&mut self, index: usize, failure: Option<FailureKind>) {
        let (_, order) = self.orders.remove(index);
        let failure = if self.connected {
            failure
        } else {
            Some(FailureKind::Unreachable)
        };
        let fact = match (order, failure) {
            (Order::Connect { connection, .. }, None) => {
                self.connection = connection;
                Fact::Connected {
                    connection,
                    info: info(),
                }
            }
            (Order::Connect { connection, .. }, Some(kind)) => Fact::Disconnected {
                connection,
                failure: fault(kind),
            },
            (Order::Listen { connection }, None) if self.has_events => {
                self.listening = true;
                Fact::Listening { connection }
            }
            (Order::Listen { connection }, failure) => Fact::EventsEnded {
                connection,
                failure: failure.map(fault),
            },
            (Order::Rest, _) => return,
            (Order::Run { number, request }, None) => Fact::Answered {
                number,
                result: Ok(self.act(&request)),
            },
            (Order::Run { number, .. }, Some(kind)) => Fact::Answered {
                number,
                result: Err(fault(kind)),
            },
        };
        self.report(fact);
    }

    /// The engine refuses an order because of a field of the launch.
    fn refuse(&mut self, index: usize, field: LaunchField) {
        let (_, order) = self.orders.remove(index);
        let Order::Run { number, .. } = order else {
            panic!("{order:?} is about no field");
        };
        let result = Err(Failure::refused("no").about(field));
        self.report(Fact::Answered { number, result });
    }

    fn event(&mut self, session: SessionId) {
        if self.listening && self.connected {
            let connection = self.connection;
            self.report(Fact::Events {
                connection,
                sessions: BTreeSet::from([session]),
            });
        }
    }

    fn work_off(&mut self) {
        while !self.orders.is_empty() {
            self.carry_out(0, None);
        }
    }

    /// Milliseconds until the next deadline.
    fn due_in(&self) -> Option<i64> {
        let due = self.observer.next_deadline()?;
        Some((due.as_millisecond() - at(0).as_millisecond() - self.now).max(0))
    }

    /// Lets time pass, and carries everything out as it comes.
    fn pass(&mut self, seconds: i64) {
        let end = self.now + seconds * 1000;
        self.work_off();
        for _ in 0..100_000 {
            match self.due_in().filter(|left| self.now + left <= end) {
                Some(left) => {
                    self.now += left;
                    self.report(Fact::Tick);
                    self.work_off();
                }
                None => {
                    self.now = end;
                    return;
                }
            }
        }
        panic!("it never comes to rest at {}", self.now);
    }

    /// Lets the current work finish. The next list doesn't count.
    fn settle(&mut self) {
        self.pass(5);
    }

    fn requests_of(&self, name: &str) -> usize {
        self.requests
            .iter()
            .filter(|(_, made)| *made == name)
            .count()
    }

    fn status(&self, id: SessionId) -> String {
        self.mirror[&id].status.to_string()
    }

    fn pending(&self, id: SessionId) -> Option<String> {
        self.mirror[&id]
            .pending_request
            .as_ref()
            .map(ToString::to_string)
    }

    fn failed(&self, ticket: u64) -> &Failure {
        self.answers[&ticket].as_ref().unwrap_err()
    }

    fn messages(&self) -> Vec<(Level, String)> {
        let messages = self.reported.iter().filter_map(|change| match change {
            Change::Notice { notice } => Some((notice.level, notice.text.to_string())),
            _ => None,
        });
        messages.collect()
    }

    fn lose(&mut self) {
        self.connected = false;
        self.listening = false;
        self.orders.clear();
        let connection = self.connection;
        self.report(Fact::Disconnected {
            connection,
            failure: fault(FailureKind::Unreachable),
        });
    }
}

fn changed(session: &mut Session, change: &SessionChange) {
    match change {
        SessionChange::Terminate { .. } if !session.status.is_final() => {
            session.status = Status::Terminating;
        }
        SessionChange::Rename { name } => session.name = name.as_str().into(),
        SessionChange::Priority { priority } => session.placement.priority = Some(*priority),
        SessionChange::Terminate { .. } | SessionChange::Commit { .. } => {}
    }
}

fn launch(name: &str) -> ObserverRequest {
    ObserverRequest::Launch(Box::new(LaunchRequest {
        name: Some(name.to_owned()),
        ..LaunchRequest::default()
    }))
}
