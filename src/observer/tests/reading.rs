//! What is read, how often, and what is reported.

use std::collections::BTreeSet;

use super::{
    super::{
        fact::{Fact, ManagerReply, ObserverRequest},
        order::{ManagerRequest, Order},
        testing::at,
    },
    Play,
};
use crate::{
    model::{
        capability::EngineState,
        change::Change,
        failure::FailureKind,
        id::SessionId,
        idle::{IdleCheck, IdleChecker, IdleState},
        notice::{Level, NoticeKind},
        request::{ContextRequest, SessionRequest},
        status::{Status, Tab},
    },
    state_machine::Answer,
};

#[test]
fn at_the_start_unfinished_sessions_and_the_newest_finished_ones_are_read() {
    let mut play = Play::with(250);
    for _ in 0..300 {
        play.make("TERMINATED");
    }
    play.make("ERROR");
    play.report(Fact::Watched(true));
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
fn no_client_watches_and_nothing_is_asked() {
    let mut play = Play::watched(3);
    play.report(Fact::Watched(false));
    play.work_off();
    assert!(!play.listening);
    let before = play.requests.len();
    play.pass(24 * 3600);
    assert_eq!(play.requests.len(), before);
    assert_eq!(play.due_in(), None, "no timer runs");
    play.make("RUNNING");
    play.report(Fact::Watched(true));
    play.settle();
    assert_eq!(play.mirror.len(), 4);
}

#[test]
fn beside_events_a_list_a_minute_and_without_them_one_every_refresh() {
    for (has_events, lists) in [(true, 10), (false, 40)] {
        let mut play = Play::with(3);
        play.has_events = has_events;
        play.report(Fact::Watched(true));
        play.pass(60);
        play.requests.clear();
        play.reported.clear();
        play.pass(600);
        assert_eq!(play.requests_of("totals"), lists);
        let counted = play.requests_of("statistics");
        assert!((9..=11).contains(&counted), "{counted}");
        assert_eq!(
            play.requests.len(),
            3 * lists + counted,
            "{:?}",
            play.requests
        );
        assert_eq!(play.reported, [], "nothing changed, so nothing is reported");
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
            play.report(Fact::Tick);
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
fn ten_thousand_sessions_are_loaded_as_far_as_requested() {
    let mut play = Play::with(0);
    for _ in 0..10_000 {
        play.make("TERMINATED");
    }
    play.report(Fact::Watched(true));
    play.settle();
    assert_eq!(play.mirror.len(), 100);
    play.requests.clear();
    let reach = |tab, text: Option<&str>, count| {
        ObserverRequest::Context(ContextRequest::Reach {
            tab,
            text: text.map(Into::into),
            count,
        })
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
    play.report(Fact::Watched(false));
    assert_eq!(play.mirror.len(), 2_000, "nobody needs so many at night");
    play.report(Fact::Watched(true));
    play.settle();
    let ticket = play.ask(reach(Tab::Finished, None, 2_500));
    play.work_off();
    assert_eq!(play.answers[&ticket], Ok(Answer::Reached(10_000)));
    assert!(play.mirror.len() >= 2_500);
}

#[test]
fn what_was_missed_while_a_list_was_read_is_read_soon() {
    let mut play = Play::watched(1);
    play.pass(10);
    let ticket = play.ask(ObserverRequest::RefreshOrRetry);
    play.observer.times.wide_reading = None;
    play.now += 4_000;
    play.report(Fact::Tick);
    play.work_off();
    assert_eq!(play.answers[&ticket], Ok(Answer::Done));
    play.requests.clear();
    play.pass(5);
    assert_eq!(play.requests_of("page"), 2, "the unfinished sessions");
    play.requests.clear();
    play.pass(30);
    assert_eq!(play.requests_of("page"), 0);
}

/// A change of an idle check has no event.
#[test]
fn beside_events_a_session_far_down_is_read_when_it_may_end_soon() {
    let mut play = Play::with(950);
    let ids: Vec<SessionId> = play.there.keys().copied().collect();
    let oldest = |at: usize| {
        let mut ids = ids.clone();
        ids.sort_by_key(|id| play.there[id].created_at);
        ids[at]
    };
    let (ending, silent) = (oldest(0), oldest(1));
    let clock = |until| {
        let until = at(until);
        IdleCheck::new(IdleChecker::NetworkTimeout, IdleState::Counting { until })
    };
    play.there.get_mut(&ending).unwrap().idle_checks = vec![clock(1_500)];
    play.report(Fact::Watched(true));
    play.pass(20);
    play.requests.clear();
    play.there.get_mut(&ending).unwrap().idle_checks = vec![clock(9_000)];
    play.there.get_mut(&silent).unwrap().idle_checks = vec![clock(9_000)];
    play.pass(70);
    assert_eq!(play.mirror[&ending].idle_checks, [clock(9_000)]);
    assert_eq!(play.mirror[&silent].idle_checks, []);
    assert_eq!(play.requests_of("page"), 2, "the newest of each tab");
    play.pass(300);
    assert_eq!(play.mirror[&silent].idle_checks, [clock(9_000)]);
}

#[test]
fn a_trembling_idle_clock_is_no_news() {
    let mut play = Play::watched(1);
    let id = *play.there.keys().next().unwrap();
    let clock = |until| {
        let until = at(until);
        IdleCheck::new(IdleChecker::NetworkTimeout, IdleState::Counting { until })
    };
    play.there.get_mut(&id).unwrap().idle_checks = vec![clock(1000)];
    play.pass(60);
    play.reported.clear();
    for tremble in [-12, 10, 1, 0] {
        play.there.get_mut(&id).unwrap().idle_checks = vec![clock(1000 + tremble)];
        play.pass(60);
    }
    assert_eq!(play.reported, []);
    play.there.get_mut(&id).unwrap().idle_checks = vec![clock(2000)];
    play.pass(60);
    assert_eq!(play.reported.len(), 1);
}

#[test]
fn a_user_is_warned_of_an_end_that_the_engine_reports() {
    let mut play = Play::watched(1);
    let id = *play.there.keys().next().unwrap();
    let state = IdleState::Counting { until: at(2_000) };
    play.there.get_mut(&id).unwrap().idle_checks =
        vec![IdleCheck::new(IdleChecker::SessionLifetime, state)];
    play.pass(2_500);
    let warned = play.reported.iter().filter_map(|change| match change {
        Change::Notice { notice } => {
            assert!(matches!(notice.kind, NoticeKind::IdleWarning { .. }));
            Some(notice.at.as_second() - at(0).as_second())
        }
        _ => None,
    });
    assert_eq!(warned.collect::<Vec<_>>(), [200, 1_400, 1_700, 1_940]);
    // No client watches, so there are no warnings and no timers.
    play.report(Fact::Watched(false));
    assert_eq!(play.observer.next_deadline(), None);
}

#[test]
fn an_answer_of_an_older_request_does_not_undo_a_newer_one() {
    let mut play = Play::watched(1);
    play.pass(10);
    let id = *play.there.keys().next().unwrap();
    let ticket = play.ask(ObserverRequest::session(id, SessionRequest::Detail));
    let (_, Order::Run { number, .. }) = play.orders.remove(0) else {
        panic!("no order");
    };
    let old = play.there[&id].clone();
    play.set(id, "TERMINATING");
    play.event(id);
    play.settle();
    let result = Ok(ManagerReply::Session(Some(Box::new(old))));
    play.report(Fact::Answered { number, result });
    assert_eq!(play.status(id), "TERMINATING");
    assert!(play.answers[&ticket].is_ok());
}

#[test]
fn catalogues_are_kept_a_minute_for_each_project() {
    let mut play = Play::watched(0);
    let ask = |project: Option<&str>, refresh| {
        ObserverRequest::Context(ContextRequest::Catalogue {
            project: project.map(Into::into),
            refresh,
        })
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
fn a_list_that_fails_is_reported_once_and_retried() {
    let mut play = Play::watched(1);
    for _ in 0..3 {
        play.pass(20);
        let is_list = |(_, order): &(i64, Order)| {
            matches!(
                order,
                Order::Run {
                    request: ManagerRequest::Page(_),
                    ..
                }
            )
        };
        while !play.orders.iter().any(is_list) {
            let due = play.due_in().unwrap();
            play.now += due;
            play.report(Fact::Tick);
        }
        while !play.orders.is_empty() {
            play.carry_out(0, Some(FailureKind::Failed));
        }
    }
    let expected = (
        Level::Warning,
        "the sessions of prod can't be read: no: do this".to_owned(),
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
fn too_many_events_become_one_list() {
    let mut play = Play::watched(0);
    let connection = play.connection;
    for number in 0..10_000 {
        let session = SessionId::from_u128(number);
        play.report(Fact::Events {
            connection,
            sessions: BTreeSet::from([session]),
        });
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
    play.report(Fact::Watched(true));
    play.carry_out(0, None);
    let mut short = 0;
    while !play.orders.is_empty() {
        let (_, order) = play.orders.remove(0);
        match order {
            Order::Run {
                number,
                request: ManagerRequest::Page(query),
            } => {
                let mut page = play.page(&query);
                short += usize::from(page.sessions.len() > 30);
                page.sessions.truncate(30);
                play.report(Fact::Answered {
                    number,
                    result: Ok(ManagerReply::Page(page)),
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
