//! The connection: lost, refused, restored, and requests that come too early.

use super::{
    super::{
        fact::{Fact, ObserverRequest},
        order::Order,
    },
    Play, fault, info, launch,
};
use crate::{
    model::{
        capability::EngineState, failure::FailureKind, one_time_code::OneTimeCode,
        request::ContextRequest, status::Tab,
    },
    state_machine::Answer,
};

#[test]
fn the_connection_is_lost_and_sessions_stay_as_they_were() {
    let mut play = Play::watched(3);
    let reach = ObserverRequest::Context(ContextRequest::Reach {
        tab: Tab::Running,
        text: Some("x".into()),
        count: 10,
    });
    let reading = play.ask(reach.clone());
    play.lose();
    assert_eq!(play.mirror.len(), 3);
    assert_eq!(play.failed(reading).kind, FailureKind::Unreachable);
    let refused = play.ask(reach);
    assert_eq!(play.failed(refused).kind, FailureKind::Unreachable);
    let mut pauses = Vec::new();
    for _ in 0..7 {
        let pause = play.due_in().unwrap();
        pauses.push(pause / 1000);
        play.now += pause;
        play.report(Fact::Tick);
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
    play.report(Fact::Watched(true));
    play.carry_out(0, Some(FailureKind::Denied));
    let EngineState::Lost { hint, .. } = play.observer.engine() else {
        panic!("it is not lost");
    };
    assert_eq!(hint.as_ref().unwrap(), "do this");
    assert_eq!(play.due_in(), Some(300_000));
    let refused = play.ask(launch("first"));
    assert_eq!(play.failed(refused).kind, FailureKind::Denied);
    let hasty = play.ask(ObserverRequest::Context(ContextRequest::Refresh));
    assert_eq!(play.orders, [], "each attempt is a login");
    assert_eq!(play.failed(hasty).kind, FailureKind::Denied);
    play.now += 20_000;
    let ticket = play.ask(ObserverRequest::Context(ContextRequest::Refresh));
    let Order::Connect { new_login, .. } = play.orders[0].1 else {
        panic!("{:?}", play.orders);
    };
    assert!(new_login, "keys may have changed");
    play.settle();
    assert_eq!(play.answers[&ticket], Ok(Answer::Done));
    assert_eq!(play.mirror.len(), 1);
}

#[test]
fn a_login_that_needs_a_code_waits_for_it() {
    let log_in = || {
        let code = OneTimeCode::parse("492039").unwrap();
        ObserverRequest::Context(ContextRequest::LogIn { code })
    };
    let mut play = Play::with(1);
    play.report(Fact::Watched(true));
    play.carry_out(0, Some(FailureKind::NeedsCode));
    assert!(play.observer.engine().needs_code());
    assert_eq!(play.due_in(), None, "it would fail again without a code");
    let refused = play.ask(launch("first"));
    assert_eq!(play.failed(refused).kind, FailureKind::NeedsCode);

    // A wrong one. There is no pause before the next.
    let wrong = play.ask(log_in());
    let Order::Connect {
        code: Some(code), ..
    } = &play.orders[0].1
    else {
        panic!("{:?}", play.orders);
    };
    assert_eq!(code.expose(), "492039");
    let second = play.ask(log_in());
    assert_eq!(play.failed(second).kind, FailureKind::Refused);
    play.carry_out(0, Some(FailureKind::NeedsCode));
    assert_eq!(play.failed(wrong).kind, FailureKind::NeedsCode);

    let right = play.ask(log_in());
    play.settle();
    assert_eq!(play.answers[&right], Ok(Answer::Done));
    assert_eq!(play.mirror.len(), 1);
}

#[test]
fn a_code_that_is_not_needed_is_refused() {
    let mut play = Play::watched(1);
    play.lose();
    let code = OneTimeCode::parse("492039").unwrap();
    let ticket = play.ask(ObserverRequest::Context(ContextRequest::LogIn { code }));
    assert_eq!(play.failed(ticket).kind, FailureKind::Refused);
}

#[test]
fn after_a_night_a_request_tries_the_engine_before_it_is_refused() {
    let mut play = Play::watched(1);
    play.lose();
    play.report(Fact::Watched(false));
    play.pass(8 * 3600);
    assert_eq!(play.orders, [], "nobody looks");
    play.connected = true;
    let ticket = play.ask(launch("first"));
    play.settle();
    assert!(
        matches!(play.answers[&ticket], Ok(Answer::Launched(_))),
        "{:?}",
        play.answers
    );
}

#[test]
fn what_is_asked_before_the_first_answer_waits_for_it() {
    let mut play = Play::with(1);
    let early = play.ask(launch("first"));
    let refresh = play.ask(ObserverRequest::Context(ContextRequest::Refresh));
    let passing = play.ask(ObserverRequest::RefreshOrRetry);
    assert_eq!(play.answers.keys().collect::<Vec<_>>(), [&passing]);
    play.settle();
    assert!(play.answers[&early].is_ok() && play.answers[&refresh].is_ok());
    let mut play = Play::with(1);
    let early = [
        play.ask(launch("first")),
        play.ask(ObserverRequest::Context(ContextRequest::Refresh)),
    ];
    play.carry_out(0, Some(FailureKind::Unreachable));
    for ticket in early {
        assert_eq!(play.failed(ticket).kind, FailureKind::Unreachable);
    }
    assert_eq!(play.orders, [], "they do not try again and again");
}

#[test]
fn lost_events_are_listened_to_again_and_the_list_is_read_whole() {
    let mut play = Play::watched(1);
    play.pass(100);
    let connection = play.connection;
    play.listening = false;
    let quiet = play.make("RUNNING");
    play.report(Fact::EventsEnded {
        connection,
        failure: Some(fault(FailureKind::Failed)),
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
fn another_users_keys_bring_another_users_sessions() {
    let mut play = Play::watched(2);
    play.lose();
    play.connected = true;
    play.there.clear();
    let theirs = play.make("RUNNING");
    play.ask(ObserverRequest::Context(ContextRequest::Refresh));
    let Order::Connect { connection, .. } = play.orders.remove(0).1 else {
        panic!("no attempt");
    };
    play.connection = connection;
    let mut other = info();
    other.user = Some(crate::model::catalogue::User {
        email: "other@example.com".into(),
        full_name: None,
        domain: "default".into(),
        role: "user".into(),
    });
    play.report(Fact::Connected {
        connection,
        info: other,
    });
    assert!(
        play.mirror.is_empty(),
        "the other's are not shown for a moment"
    );
    play.settle();
    assert_eq!(play.mirror.keys().collect::<Vec<_>>(), [&theirs]);
}
