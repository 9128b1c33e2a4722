//! The observer played through in virtual time against an engine that answers (or not) when the test
//! says so.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;

use super::{
    Observer,
    fact::{Ask, Fact, Got},
    order::{Errand, ErrandNumber, Order},
    testing::{at, session},
    turn::Turn,
};
use crate::{
    controller::{
        fact::{Fault, FaultKind},
        turn::{Answer, Refusal, RefusalKind},
    },
    engine::scheduler::{Page, PageQuery, Progress},
    model::{
        capability::{Capabilities, EngineInfo, EngineState},
        change::{Change, Level},
        id::{ContextName, SessionId},
        idle::{IdleBasis, IdleCheck, IdleChecker, IdleState},
        resources::{Bytes, Cpu},
        session::Session,
        spec::LaunchRequest,
        status::{Status, Tab},
    },
};

const REFRESH: i64 = 15;

/// An engine with its sessions, a clock, and what a face was told.
struct Play {
    observer: Observer,
    /// Milliseconds.
    now: i64,
    /// Orders given and not carried out, with the time they were given.
    orders: Vec<(i64, Order)>,
    there: BTreeMap<SessionId, Session>,
    made: u32,
    /// What a face knows by notices alone.
    mirror: BTreeMap<SessionId, Session>,
    told: Vec<Change>,
    answers: BTreeMap<u64, Result<Answer, Refusal>>,
    asked: u64,
    line: u32,
    listening: bool,
    has_events: bool,
    connected: bool,
    /// Times at which something was asked of the engine without a person behind it.
    requests: Vec<(i64, &'static str)>,
    audits: usize,
}

fn fault(kind: FaultKind) -> Fault {
    Fault {
        kind,
        text: "no".into(),
        mend: Some("do this".into()),
    }
}

fn info() -> EngineInfo {
    EngineInfo {
        kind: "Play".into(),
        version: "1".into(),
        api_version: "1".into(),
        endpoint: "play:".into(),
        cpus: Cpu::from_millis(0),
        memory: Bytes(0),
        user: None,
        capabilities: Capabilities::default(),
    }
}

fn place(tab: Tab) -> usize {
    Tab::ALL.iter().position(|other| *other == tab).unwrap()
}

impl Play {
    /// So many running sessions; nobody looks, nothing is carried out yet.
    fn with(count: u32) -> Self {
        let refresh = SignedDuration::from_secs(REFRESH);
        let mut play = Self {
            observer: Observer::new(ContextName::new("prod").unwrap(), refresh),
            now: 0,
            orders: Vec::new(),
            there: BTreeMap::new(),
            made: 0,
            mirror: BTreeMap::new(),
            told: Vec::new(),
            answers: BTreeMap::new(),
            asked: 0,
            line: 0,
            listening: false,
            has_events: true,
            connected: true,
            requests: Vec::new(),
            audits: 0,
        };
        for _ in 0..count {
            play.make("RUNNING");
        }
        play.tell(Fact::Tick);
        play
    }

    /// The same with a face that looks, everything read.
    fn watched(count: u32) -> Self {
        let mut play = Self::with(count);
        play.tell(Fact::Watched(true));
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

    fn tell(&mut self, fact: Fact) {
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
                        "told though nothing changed"
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
            self.told.push(change);
        }
        let known: Vec<&Session> = self.observer.sessions().collect();
        assert_eq!(self.mirror.values().collect::<Vec<_>>(), known);
        for (ticket, answer) in turn.answers {
            let twice = self.answers.insert(ticket, answer);
            assert!(twice.is_none(), "ticket {ticket} was answered twice");
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
            self.tell(fact);
        }
    }

    /// The same thing is never asked twice at once.
    fn note_order(&mut self, order: &Order) {
        let Order::Run { what, .. } = order else {
            return;
        };
        self.requests.push((self.now, what.name()));
        let same = self.orders.iter().any(|(_, other)| {
            matches!(other, Order::Run { what: other, errand } if other == what && self.counts(*errand))
        });
        assert!(!same || what.is_deed(), "{what:?} is under way already");
    }

    /// Whether its answer is still waited for.
    fn counts(&self, errand: ErrandNumber) -> bool {
        self.observer.under_way.contains_key(&errand)
    }

    fn ask(&mut self, ask: Ask) -> u64 {
        self.asked += 1;
        let ticket = self.asked;
        self.tell(Fact::Asked { ticket, ask });
        ticket
    }

    fn page(&self, query: &PageQuery) -> Page {
        let wanted = query.text.clone().unwrap_or_default();
        let mut found: Vec<&Session> = self
            .there
            .values()
            .filter(|s| s.tab() == query.tab && s.name.as_str().contains(&wanted))
            .collect();
        found.sort_by_key(|s| std::cmp::Reverse(s.created_at));
        let total = found.len() as u64;
        let page = found.into_iter().skip(query.offset as usize);
        Page {
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

    fn act(&mut self, what: &Errand) -> Got {
        match what {
            Errand::Page(query) => Got::Page(self.page(query)),
            Errand::Totals => Got::Totals(self.totals()),
            Errand::Rows(ids) => Got::Rows(
                ids.iter()
                    .filter_map(|id| self.there.get(id))
                    .cloned()
                    .collect(),
            ),
            Errand::Detail(id) => Got::Session(self.there.get(id).cloned().map(Box::new)),
            Errand::Launch(_) => Got::Launched(self.make("PENDING")),
            Errand::Terminate { session, .. } => {
                if let Some(session) = self.there.get_mut(session)
                    && !session.status.is_final()
                {
                    session.status = Status::Terminating;
                }
                Got::Done
            }
            Errand::Rename { session, name } => {
                if let Some(session) = self.there.get_mut(session) {
                    session.name = name.as_str().into();
                }
                Got::Done
            }
            Errand::History(_) => Got::History(Vec::new()),
            Errand::Commit { .. } => Got::Done,
            Errand::Environments => Got::Environments(Vec::new()),
            Errand::Catalogue { .. } => Got::Catalogue(Box::default()),
        }
    }

    /// Carries one order out, or lets it fail.
    fn carry_out(&mut self, index: usize, failure: Option<FaultKind>) {
        let (_, order) = self.orders.remove(index);
        let failure = if self.connected {
            failure
        } else {
            Some(FaultKind::Lost)
        };
        let fact = match (order, failure) {
            (Order::Connect { line, .. }, None) => {
                self.line = line;
                Fact::LineUp { line, info: info() }
            }
            (Order::Connect { line, .. }, Some(kind)) => Fact::LineDown {
                line,
                fault: fault(kind),
            },
            (Order::Listen { line }, None) if self.has_events => {
                self.listening = true;
                Fact::Listening { line }
            }
            (Order::Listen { line }, failure) => Fact::Deaf {
                line,
                fault: failure.map(fault),
            },
            (Order::Rest, _) => return,
            (Order::Run { errand, what }, None) => Fact::Answered {
                errand,
                result: Ok(self.act(&what)),
            },
            (Order::Run { errand, .. }, Some(kind)) => Fact::Answered {
                errand,
                result: Err(fault(kind)),
            },
        };
        self.tell(fact);
    }

    fn event(&mut self, session: SessionId) {
        if self.listening && self.connected {
            let line = self.line;
            self.tell(Fact::Event { line, session });
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

    /// Lets so much time pass, everything carried out as it comes.
    fn pass(&mut self, seconds: i64) {
        let end = self.now + seconds * 1000;
        self.work_off();
        for _ in 0..100_000 {
            match self.due_in().filter(|left| self.now + left <= end) {
                Some(left) => {
                    self.now += left;
                    self.tell(Fact::Tick);
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

    /// Until what follows from the present is done; the next list does not count.
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

    fn failed(&self, ticket: u64) -> &Refusal {
        self.answers[&ticket].as_ref().unwrap_err()
    }

    fn messages(&self) -> Vec<(Level, String)> {
        let messages = self.told.iter().filter_map(|change| match change {
            Change::Message { level, text, .. } => Some((*level, text.to_string())),
            _ => None,
        });
        messages.collect()
    }

    fn lose(&mut self) {
        self.connected = false;
        self.listening = false;
        self.orders.clear();
        let line = self.line;
        self.tell(Fact::LineDown {
            line,
            fault: fault(FaultKind::Lost),
        });
    }
}

fn launch(name: &str) -> Ask {
    Ask::Launch(Box::new(LaunchRequest {
        name: Some(name.to_owned()),
        ..LaunchRequest::default()
    }))
}

#[test]
fn at_the_start_unfinished_sessions_and_the_newest_finished_ones_are_read() {
    let mut play = Play::with(250);
    for _ in 0..300 {
        play.make("TERMINATED");
    }
    play.make("ERROR");
    play.tell(Fact::Watched(true));
    play.settle();
    let of = |tab| play.mirror.values().filter(|s| s.tab() == tab).count();
    assert_eq!(Tab::ALL.map(of), [250, 100, 1]);
    assert_eq!(play.observer.totals(), Some([250, 300, 1]));
    assert_eq!(
        play.requests_of("page"),
        5 + 4,
        "and once more after it listens"
    );
}

#[test]
fn nobody_looks_and_nothing_is_asked() {
    let mut play = Play::watched(3);
    play.tell(Fact::Watched(false));
    play.work_off();
    assert!(!play.listening);
    let before = play.requests.len();
    play.pass(24 * 3600);
    assert_eq!(play.requests.len(), before);
    assert_eq!(play.due_in(), None, "no timer runs");
    play.make("RUNNING");
    play.tell(Fact::Watched(true));
    play.settle();
    assert_eq!(play.mirror.len(), 4);
}

#[test]
fn beside_events_a_list_a_minute_and_without_them_one_every_refresh() {
    for (has_events, lists) in [(true, 10), (false, 40)] {
        let mut play = Play::with(3);
        play.has_events = has_events;
        play.tell(Fact::Watched(true));
        play.pass(60);
        play.requests.clear();
        play.told.clear();
        play.pass(600);
        assert_eq!(play.requests_of("totals"), lists);
        assert_eq!(play.requests.len(), 3 * lists, "{:?}", play.requests);
        assert_eq!(play.told, [], "nothing changed, so nothing is told");
    }
}

#[test]
fn a_flock_of_events_is_one_request() {
    let mut play = Play::watched(50);
    play.pass(10);
    play.requests.clear();
    let ids: Vec<SessionId> = play.there.keys().copied().collect();
    for id in &ids {
        play.set(*id, "TERMINATING");
        play.event(*id);
    }
    play.settle();
    assert_eq!(play.requests_of("rows"), 1);
    assert!(
        play.mirror
            .values()
            .all(|s| s.status == Status::Terminating)
    );
    play.requests.clear();
    let begin = play.now;
    while play.now < begin + 10_000 {
        play.event(ids[0]);
        play.now += 10;
        if play.due_in() == Some(0) {
            play.tell(Fact::Tick);
        }
        play.work_off();
    }
    assert!(
        (18..=21).contains(&play.requests_of("rows")),
        "{:?}",
        play.requests
    );
}

#[test]
fn a_session_that_others_ended_or_deleted_is_noticed_without_any_event() {
    let mut play = Play::watched(3);
    let ids: Vec<SessionId> = play.there.keys().copied().collect();
    play.set(ids[0], "TERMINATED");
    play.there.remove(&ids[1]);
    play.pass(70);
    assert_eq!(play.status(ids[0]), "TERMINATED");
    assert!(!play.mirror.contains_key(&ids[1]));
    assert_eq!(play.observer.totals(), Some([1, 1, 0]));
}

#[test]
fn a_launch_is_answered_at_once_and_followed() {
    let mut play = Play::watched(0);
    play.has_events = false;
    let ticket = play.ask(launch("first"));
    play.work_off();
    let Ok(Answer::Session(session)) = &play.answers[&ticket] else {
        panic!("{:?}", play.answers);
    };
    let id = session.id;
    assert_eq!(session.status, Status::Pending);
    assert_eq!(play.audits, 1);
    play.set(id, "RUNNING");
    play.event(id);
    play.settle();
    assert_eq!(play.status(id), "RUNNING");
    assert_eq!(play.messages(), []);
}

#[test]
fn a_launch_that_comes_to_nothing_tells_why() {
    for (status, what) in [
        ("CANCELLED", "was cancelled before it ran"),
        ("ERROR", "failed"),
        ("TERMINATED", "ended before it ran"),
    ] {
        let mut play = Play::watched(0);
        play.ask(launch("first"));
        play.settle();
        let id = *play.there.keys().next().unwrap();
        play.set(id, status);
        play.there.get_mut(&id).unwrap().status_message = Some("no room".into());
        play.event(id);
        play.settle();
        let expected = (Level::Error, format!("session-1 {what}: no room"));
        assert_eq!(play.messages(), [expected]);
    }
}

#[test]
fn who_ends_a_session_before_it_runs_is_told_nothing() {
    let mut play = Play::watched(0);
    play.ask(launch("first"));
    play.settle();
    let id = *play.there.keys().next().unwrap();
    play.ask(Ask::Terminate {
        session: id,
        force: false,
    });
    play.settle();
    play.set(id, "CANCELLED");
    play.event(id);
    play.settle();
    assert_eq!(play.status(id), "CANCELLED");
    assert_eq!(play.messages(), []);
}

#[test]
fn a_launched_session_that_cannot_be_read_yet_has_a_row_all_the_same() {
    let mut play = Play::watched(0);
    let ticket = play.ask(launch("first"));
    play.carry_out(0, None);
    let id = *play.there.keys().next().unwrap();
    play.carry_out(0, Some(FaultKind::Failed));
    let Ok(Answer::Session(session)) = &play.answers[&ticket] else {
        panic!("{:?}", play.answers);
    };
    assert_eq!((session.id, session.name.as_str()), (id, "first"));
    let real = play.there.remove(&id).unwrap();
    play.pass(2);
    assert!(
        play.mirror.contains_key(&id),
        "it may not be in the list at once"
    );
    play.there.insert(id, real);
    play.settle();
    assert_eq!(play.mirror[&id].name, "session-1");
}

#[test]
fn why_a_session_waits_is_asked_now_and_then() {
    let mut play = Play::watched(0);
    let id = play.make("PENDING");
    play.event(id);
    play.settle();
    assert_eq!(play.requests_of("detail"), 1);
    play.there.get_mut(&id).unwrap().status_message = Some("no room".into());
    play.pass(20);
    assert_eq!(play.mirror[&id].status_message.as_ref().unwrap(), "no room");
    play.pass(600);
    assert!(
        play.requests_of("detail") <= 45,
        "{}",
        play.requests_of("detail")
    );
}

#[test]
fn an_end_is_shown_as_asked_until_the_engine_shows_it() {
    let mut play = Play::watched(1);
    let id = *play.there.keys().next().unwrap();
    let first = play.ask(Ask::Terminate {
        session: id,
        force: false,
    });
    assert_eq!(play.pending(id).unwrap(), "terminating");
    let second = play.ask(Ask::Terminate {
        session: id,
        force: false,
    });
    assert_eq!(play.requests_of("terminate"), 1, "it is asked once");
    play.work_off();
    assert_eq!(
        play.pending(id).unwrap(),
        "terminating",
        "no row says so yet"
    );
    play.settle();
    assert_eq!(
        (play.pending(id), play.status(id).as_str()),
        (None, "TERMINATING")
    );
    assert!(
        [first, second]
            .iter()
            .all(|t| play.answers[t] == Ok(Answer::Done))
    );
    play.set(id, "TERMINATED");
    play.event(id);
    play.settle();
    let again = play.ask(Ask::Terminate {
        session: id,
        force: false,
    });
    assert_eq!(
        play.failed(again).message,
        "session session-1 has ended already (TERMINATED)"
    );
}

#[test]
fn a_forced_end_overtakes_a_gentle_one() {
    let mut play = Play::watched(1);
    let id = *play.there.keys().next().unwrap();
    play.ask(Ask::Terminate {
        session: id,
        force: false,
    });
    play.ask(Ask::Terminate {
        session: id,
        force: true,
    });
    assert_eq!(play.requests_of("terminate"), 2);
}

#[test]
fn a_session_that_vanished_between_list_and_click_is_a_sentence_and_its_row_goes() {
    let mut play = Play::watched(1);
    let id = *play.there.keys().next().unwrap();
    play.there.clear();
    let ticket = play.ask(Ask::Terminate {
        session: id,
        force: false,
    });
    play.carry_out(0, Some(FaultKind::NotFound));
    let refusal = play.failed(ticket);
    assert_eq!(refusal.kind, RefusalKind::NotFound);
    assert!(refusal.message.as_str().contains("any more"), "{refusal:?}");
    play.settle();
    assert!(play.mirror.is_empty());
    let ticket = play.ask(Ask::Detail { session: id });
    play.work_off();
    assert_eq!(play.failed(ticket).kind, RefusalKind::NotFound);
}

#[test]
fn a_rename_that_no_event_tells_of_is_seen() {
    let mut play = Play::watched(1);
    let id = *play.there.keys().next().unwrap();
    let name = "renamed".to_owned();
    let wrong = play.ask(Ask::Rename {
        session: id,
        name: "-".into(),
    });
    assert_eq!(play.failed(wrong).kind, RefusalKind::Usage);
    let ticket = play.ask(Ask::Rename { session: id, name });
    assert_eq!(play.pending(id).unwrap(), "renaming to renamed");
    play.settle();
    assert_eq!(play.answers[&ticket], Ok(Answer::Done));
    assert_eq!(play.mirror[&id].name, "renamed");
    assert_eq!(play.pending(id), None);
}

#[test]
fn what_the_engine_took_and_never_shows_is_not_pending_for_ever() {
    let mut play = Play::watched(1);
    let id = *play.there.keys().next().unwrap();
    play.ask(Ask::Rename {
        session: id,
        name: "renamed".into(),
    });
    play.work_off();
    play.there.get_mut(&id).unwrap().name = "session-1".into();
    play.pass(10);
    assert!(play.pending(id).is_some());
    play.pass(70);
    assert_eq!(play.pending(id), None);
}

#[test]
fn an_image_in_the_making_shows_how_far_it_is() {
    let mut play = Play::watched(1);
    let id = *play.there.keys().next().unwrap();
    let commit = Ask::Commit {
        session: id,
        image_name: "mine".into(),
    };
    let ticket = play.ask(commit.clone());
    assert_eq!(play.pending(id).unwrap(), "making image mine");
    let Some((_, Order::Run { errand, .. })) = play.orders.first().cloned() else {
        panic!("no order");
    };
    let progress = Progress {
        message: "Committed image".into(),
        done: 1.0,
        total: 3.0,
    };
    play.tell(Fact::Progressed { errand, progress });
    assert_eq!(
        play.pending(id).unwrap(),
        "making image mine: 1/3 Committed image"
    );
    assert_eq!(play.answers[&ticket], Ok(Answer::Done));
    let twice = play.ask(commit);
    assert!(play.failed(twice).message.as_str().contains("already"));
    play.carry_out(0, None);
    assert_eq!(play.pending(id), None);
    let expected = (
        Level::Success,
        "the image mine was made of session-1".to_owned(),
    );
    assert_eq!(play.messages(), [expected]);
}

#[test]
fn the_line_is_lost_and_sessions_stay_as_they_were() {
    let mut play = Play::watched(3);
    let reach = Ask::Reach {
        tab: Tab::Running,
        text: Some("x".into()),
        count: 10,
    };
    let reading = play.ask(reach.clone());
    play.lose();
    assert_eq!(play.mirror.len(), 3);
    assert_eq!(play.failed(reading).kind, RefusalKind::Unreachable);
    let refused = play.ask(reach);
    assert_eq!(play.failed(refused).kind, RefusalKind::Unreachable);
    let mut pauses = Vec::new();
    for _ in 0..7 {
        let pause = play.due_in().unwrap();
        pauses.push(pause / 1000);
        play.now += pause;
        play.tell(Fact::Tick);
        assert_eq!(play.orders.len(), 1, "one attempt at a time");
        play.work_off();
    }
    let expected = [1..=1, 2..=2, 4..=5, 8..=10, 16..=20, 30..=37, 30..=37];
    let grows = pauses.iter().zip(expected);
    assert!(grows.clone().all(|(p, e)| e.contains(p)), "{pauses:?}");
    play.connected = true;
    play.make("RUNNING");
    play.pass(60);
    assert_eq!(play.mirror.len(), 4);
    assert!(play.listening, "events are listened to again");
}

#[test]
fn an_engine_that_denies_us_is_not_hammered() {
    let mut play = Play::with(1);
    play.tell(Fact::Watched(true));
    play.carry_out(0, Some(FaultKind::Denied));
    let EngineState::Lost { mend, .. } = play.observer.engine() else {
        panic!("it is not lost");
    };
    assert_eq!(mend.as_ref().unwrap(), "do this");
    assert_eq!(play.due_in(), Some(300_000));
    let refused = play.ask(launch("first"));
    assert_eq!(play.failed(refused).kind, RefusalKind::Denied);
    let hasty = play.ask(Ask::Refresh { wait: true });
    assert_eq!(play.orders, [], "each attempt is a login");
    assert_eq!(play.failed(hasty).kind, RefusalKind::Denied);
    play.now += 20_000;
    let ticket = play.ask(Ask::Refresh { wait: true });
    let Order::Connect { anew, .. } = play.orders[0].1 else {
        panic!("{:?}", play.orders);
    };
    assert!(anew, "keys may have changed");
    play.settle();
    assert_eq!(play.answers[&ticket], Ok(Answer::Done));
    assert_eq!(play.mirror.len(), 1);
}

#[test]
fn after_a_night_a_request_tries_the_engine_before_it_is_refused() {
    let mut play = Play::watched(1);
    play.lose();
    play.tell(Fact::Watched(false));
    play.pass(8 * 3600);
    assert_eq!(play.orders, [], "nobody looks");
    play.connected = true;
    let ticket = play.ask(launch("first"));
    play.settle();
    assert!(
        matches!(play.answers[&ticket], Ok(Answer::Session(_))),
        "{:?}",
        play.answers
    );
}

#[test]
fn what_is_asked_before_the_first_answer_waits_for_it() {
    let mut play = Play::with(1);
    let early = play.ask(launch("first"));
    let refresh = play.ask(Ask::Refresh { wait: true });
    let passing = play.ask(Ask::Refresh { wait: false });
    assert_eq!(play.answers.keys().collect::<Vec<_>>(), [&passing]);
    play.settle();
    assert!(play.answers[&early].is_ok() && play.answers[&refresh].is_ok());
    let mut play = Play::with(1);
    let early = [
        play.ask(launch("first")),
        play.ask(Ask::Refresh { wait: true }),
    ];
    play.carry_out(0, Some(FaultKind::Lost));
    for ticket in early {
        assert_eq!(play.failed(ticket).kind, RefusalKind::Unreachable);
    }
    assert_eq!(play.orders, [], "they do not try again and again");
}

#[test]
fn lost_events_are_listened_to_again_and_the_list_is_read_whole() {
    let mut play = Play::watched(1);
    play.pass(100);
    let line = play.line;
    play.listening = false;
    let quiet = play.make("RUNNING");
    play.tell(Fact::Deaf {
        line,
        fault: Some(fault(FaultKind::Failed)),
    });
    assert!(matches!(
        play.observer.engine(),
        EngineState::Connected { .. }
    ));
    play.pass(3);
    assert!(play.listening);
    assert_eq!(play.status(quiet), "RUNNING");
}

#[test]
fn ten_thousand_sessions_come_as_far_as_somebody_wants_them() {
    let mut play = Play::with(0);
    for _ in 0..10_000 {
        play.make("TERMINATED");
    }
    play.tell(Fact::Watched(true));
    play.settle();
    assert_eq!(play.mirror.len(), 100);
    play.requests.clear();
    let reach = |tab, text: Option<&str>, count| Ask::Reach {
        tab,
        text: text.map(Into::into),
        count,
    };
    let ticket = play.ask(reach(Tab::Finished, None, 100));
    assert_eq!(
        play.answers[&ticket],
        Ok(Answer::Reached(10_000)),
        "they are there already"
    );
    let ticket = play.ask(reach(Tab::Finished, None, 450));
    let under_way = |play: &Play| play.orders.len();
    play.carry_out(0, None);
    assert_eq!(under_way(&play), 3, "pages come three at a time");
    play.work_off();
    assert_eq!(play.answers[&ticket], Ok(Answer::Reached(10_000)));
    assert_eq!(play.mirror.len(), 450);
    assert_eq!(
        play.requests_of("page"),
        4,
        "what is there is not read again"
    );
    let ticket = play.ask(reach(Tab::Finished, Some("session-77"), 1000));
    play.work_off();
    assert_eq!(play.answers[&ticket], Ok(Answer::Reached(111)));
    let ticket = play.ask(reach(Tab::Finished, None, 1_000_000));
    play.work_off();
    assert_eq!(play.answers[&ticket], Ok(Answer::Reached(10_000)));
    assert_eq!(play.mirror.len(), 10_000);
    play.tell(Fact::Watched(false));
    assert_eq!(play.mirror.len(), 2_000, "nobody needs so many at night");
    play.tell(Fact::Watched(true));
    play.settle();
    let ticket = play.ask(reach(Tab::Finished, None, 2_500));
    play.work_off();
    assert_eq!(play.answers[&ticket], Ok(Answer::Reached(10_000)));
    assert!(play.mirror.len() >= 2_500);
}

#[test]
fn a_trembling_idle_clock_is_no_news() {
    let mut play = Play::watched(1);
    let id = *play.there.keys().next().unwrap();
    let clock = |until| IdleCheck {
        checker: IdleChecker::NetworkTimeout,
        basis: IdleBasis::ExpireAfter,
        state: IdleState::Counting { until: at(until) },
        join: None,
        resources: Vec::new(),
    };
    play.there.get_mut(&id).unwrap().idle_checks = vec![clock(1000)];
    play.pass(60);
    play.told.clear();
    for tremble in [-2, 2, 1, 0] {
        play.there.get_mut(&id).unwrap().idle_checks = vec![clock(1000 + tremble)];
        play.pass(60);
    }
    assert_eq!(play.told, []);
    play.there.get_mut(&id).unwrap().idle_checks = vec![clock(2000)];
    play.pass(60);
    assert_eq!(play.told.len(), 1);
}

#[test]
fn an_answer_of_an_older_request_does_not_undo_a_newer_one() {
    let mut play = Play::watched(1);
    play.pass(10);
    let id = *play.there.keys().next().unwrap();
    let ticket = play.ask(Ask::Detail { session: id });
    let (_, Order::Run { errand, .. }) = play.orders.remove(0) else {
        panic!("no order");
    };
    let old = play.there[&id].clone();
    play.set(id, "TERMINATING");
    play.event(id);
    play.settle();
    let result = Ok(Got::Session(Some(Box::new(old))));
    play.tell(Fact::Answered { errand, result });
    assert_eq!(play.status(id), "TERMINATING");
    assert!(play.answers[&ticket].is_ok());
}

#[test]
fn catalogues_are_kept_a_minute_for_each_project() {
    let mut play = Play::watched(0);
    let ask = |project: Option<&str>, anew| Ask::Catalogue {
        project: project.map(Into::into),
        anew,
    };
    for (step, (ask, read)) in [
        (ask(None, false), 1),
        (ask(None, false), 1),
        (ask(Some("other"), false), 2),
        (ask(None, true), 3),
    ]
    .into_iter()
    .enumerate()
    {
        let ticket = play.ask(ask);
        play.work_off();
        assert!(play.answers[&ticket].is_ok());
        assert_eq!(play.requests_of("catalogue"), read, "step {step}");
    }
    play.pass(61);
    play.ask(ask(None, false));
    assert_eq!(play.requests_of("catalogue"), 4);
}

#[test]
fn another_users_keys_bring_another_users_sessions() {
    let mut play = Play::watched(2);
    play.lose();
    play.connected = true;
    play.there.clear();
    let theirs = play.make("RUNNING");
    play.ask(Ask::Refresh { wait: true });
    let Order::Connect { line, .. } = play.orders.remove(0).1 else {
        panic!("no attempt");
    };
    play.line = line;
    let mut other = info();
    other.user = Some(crate::model::catalogue::User {
        email: "other@example.com".into(),
        full_name: None,
        domain: "default".into(),
        role: "user".into(),
    });
    play.tell(Fact::LineUp { line, info: other });
    assert!(
        play.mirror.is_empty(),
        "the other's are not shown for a moment"
    );
    play.settle();
    assert_eq!(play.mirror.keys().collect::<Vec<_>>(), [&theirs]);
}

#[test]
fn a_list_that_fails_is_told_once_and_tried_again() {
    let mut play = Play::watched(1);
    for _ in 0..3 {
        play.pass(20);
        while play.orders.is_empty() {
            let due = play.due_in().unwrap();
            play.now += due;
            play.tell(Fact::Tick);
        }
        while !play.orders.is_empty() {
            play.carry_out(0, Some(FaultKind::Failed));
        }
    }
    let expected = (
        Level::Warning,
        "the sessions of prod cannot be read: no: do this".to_owned(),
    );
    assert_eq!(play.messages(), [expected]);
    assert!(matches!(
        play.observer.engine(),
        EngineState::Connected { .. }
    ));
    play.make("RUNNING");
    play.pass(70);
    assert_eq!(play.mirror.len(), 2);
}

#[test]
fn a_request_that_cannot_be_recorded_leaves_no_trace() {
    let mut play = Play::watched(1);
    let id = *play.there.keys().next().unwrap();
    for ask in [
        Ask::Terminate {
            session: id,
            force: false,
        },
        launch("first"),
    ] {
        let fact = Fact::Asked { ticket: 900, ask };
        let turn = play.observer.handle(play.time(), fact);
        assert_eq!(turn.audits.len(), 1);
        play.observer.take_back(900);
        assert_eq!(play.observer.session(id).unwrap().pending_request, None);
        assert!(play.observer.under_way.is_empty() && play.observer.deeds.is_empty());
    }
}

/// One thing that a person, the engine or fate does.
#[derive(Clone, Debug)]
enum Deed {
    Launch,
    Terminate(usize, bool),
    Rename(usize),
    Commit(usize),
    Detail(usize),
    History(usize),
    Reach(usize, u8, bool),
    Refresh(bool),
    Environments,
    CarryOut(usize),
    Fail(usize, u8),
    /// The engine's own doing: a status, with or without an event.
    Become(usize, u8, bool),
    Appear(u8),
    Vanish(usize),
    Deafen,
    Cut,
    Return,
    Watch(bool),
    Wait(u16),
}

fn deed() -> impl Strategy<Value = Deed> {
    let which = 0..100_usize;
    prop_oneof![
        2 => Just(Deed::Launch),
        2 => (which.clone(), any::<bool>()).prop_map(|(n, force)| Deed::Terminate(n, force)),
        1 => which.clone().prop_map(Deed::Rename),
        1 => which.clone().prop_map(Deed::Commit),
        2 => which.clone().prop_map(Deed::Detail),
        1 => which.clone().prop_map(Deed::History),
        2 => (which.clone(), any::<u8>(), any::<bool>()).prop_map(|(n, t, x)| Deed::Reach(n, t, x)),
        1 => any::<bool>().prop_map(Deed::Refresh),
        1 => Just(Deed::Environments),
        12 => which.clone().prop_map(Deed::CarryOut),
        3 => (which.clone(), any::<u8>()).prop_map(|(n, kind)| Deed::Fail(n, kind)),
        4 => (which.clone(), any::<u8>(), any::<bool>()).prop_map(|(n, s, e)| Deed::Become(n, s, e)),
        2 => any::<u8>().prop_map(Deed::Appear),
        1 => which.prop_map(Deed::Vanish),
        1 => Just(Deed::Deafen),
        1 => Just(Deed::Cut),
        2 => Just(Deed::Return),
        1 => any::<bool>().prop_map(Deed::Watch),
        6 => (0..20_000_u16).prop_map(Deed::Wait),
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

    fn do_deed(&mut self, deed: Deed) {
        match deed {
            Deed::Launch => drop(self.ask(launch("first"))),
            Deed::Reach(number, tab, text) => {
                let tab = Tab::ALL[usize::from(tab) % 3];
                let text = text.then(|| "session-1".to_owned());
                self.ask(Ask::Reach {
                    tab,
                    text,
                    count: 10 * number as u32,
                });
            }
            Deed::Refresh(wait) => drop(self.ask(Ask::Refresh { wait })),
            Deed::Environments => drop(self.ask(Ask::Environments)),
            Deed::CarryOut(number) if !self.orders.is_empty() => {
                self.carry_out(number % self.orders.len(), None);
            }
            Deed::Fail(number, kind) if !self.orders.is_empty() => {
                let kinds = [
                    FaultKind::Failed,
                    FaultKind::Lost,
                    FaultKind::NotFound,
                    FaultKind::Denied,
                ];
                self.carry_out(
                    number % self.orders.len(),
                    Some(kinds[usize::from(kind) % 4]),
                );
            }
            Deed::Appear(status) => {
                let id = self.make(STATUSES[usize::from(status) % 8]);
                self.event(id);
            }
            Deed::Deafen => {
                self.listening = false;
                let line = self.line;
                self.tell(Fact::Deaf {
                    line,
                    fault: Some(fault(FaultKind::Failed)),
                });
            }
            Deed::Cut => {
                self.connected = false;
                self.listening = false;
            }
            Deed::Return => self.connected = true,
            Deed::Watch(watched) => self.tell(Fact::Watched(watched)),
            Deed::Wait(time) => {
                self.now += i64::from(time);
                self.tell(Fact::Tick);
            }
            deed => self.do_with_session(deed),
        }
    }

    fn do_with_session(&mut self, deed: Deed) {
        let (Deed::Terminate(number, _)
        | Deed::Rename(number)
        | Deed::Commit(number)
        | Deed::Detail(number)
        | Deed::History(number)
        | Deed::Become(number, ..)
        | Deed::Vanish(number)) = deed
        else {
            return;
        };
        let Some(session) = self.one_of(number) else {
            return;
        };
        match deed {
            Deed::Terminate(_, force) => drop(self.ask(Ask::Terminate { session, force })),
            Deed::Rename(_) => {
                let name = format!("name-{}", self.asked);
                self.ask(Ask::Rename { session, name });
            }
            Deed::Commit(_) => {
                let image_name = "mine".to_owned();
                self.ask(Ask::Commit {
                    session,
                    image_name,
                });
            }
            Deed::Detail(_) => drop(self.ask(Ask::Detail { session })),
            Deed::History(_) => drop(self.ask(Ask::History { session })),
            Deed::Become(_, status, told) if self.there.contains_key(&session) => {
                self.set(session, STATUSES[usize::from(status) % 8]);
                if told {
                    self.event(session);
                }
            }
            Deed::Vanish(_) => drop(self.there.remove(&session)),
            _ => {}
        }
    }

    /// What must be true when a face has looked on for some minutes and all went well.
    fn check_rest(&self) {
        for ticket in 1..=self.asked {
            assert!(self.answers.contains_key(&ticket), "ticket {ticket} waits");
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
    /// Whatever happens in whatever order: every request is answered once, nothing is asked twice at
    /// once, nothing is told twice, and when a face looks on for a while it sees what is there.
    #[test]
    fn any_order_of_events_ends_well(deeds in proptest::collection::vec(deed(), 1..80)) {
        let mut play = Play::with(3);
        for deed in deeds {
            play.do_deed(deed);
        }
        play.connected = true;
        play.tell(Fact::Watched(true));
        play.work_off();
        play.now += 30_000;
        play.ask(Ask::Refresh { wait: true });
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

#[test]
fn too_many_events_become_one_list() {
    let mut play = Play::watched(0);
    let line = play.line;
    for number in 0..10_000 {
        let session = SessionId::from_u128(number);
        play.tell(Fact::Event { line, session });
    }
    assert!(play.observer.hints.len() <= 2_000);
    play.requests.clear();
    play.pass(60);
    assert!(play.requests.len() < 60, "{}", play.requests.len());
}

#[test]
fn a_page_that_is_short_is_completed() {
    let mut play = Play::with(0);
    for _ in 0..120 {
        play.make("RUNNING");
    }
    play.tell(Fact::Watched(true));
    play.carry_out(0, None);
    let mut short = 0;
    while !play.orders.is_empty() {
        let (_, order) = play.orders.remove(0);
        match order {
            Order::Run {
                errand,
                what: Errand::Page(query),
            } => {
                let mut page = play.page(&query);
                short += usize::from(page.sessions.len() > 30);
                page.sessions.truncate(30);
                play.tell(Fact::Answered {
                    errand,
                    result: Ok(Got::Page(page)),
                });
            }
            other => {
                play.orders.insert(0, (0, other));
                play.carry_out(0, None);
            }
        }
    }
    assert!(short > 0);
    assert_eq!(play.mirror.len(), 120);
}
