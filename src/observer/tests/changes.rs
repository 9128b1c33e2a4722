//! Launch, rename, terminate, create an image.

use super::{
    super::{
        fact::{Fact, ObserverRequest},
        order::Order,
    },
    Play, info, launch,
};
use crate::{
    engine::manager::TaskProgress,
    model::{
        capability::{Capability, EngineInfo},
        failure::FailureKind,
        id::SessionId,
        idle::Keep,
        notice::Level,
        request::{ContextRequest, SessionRequest},
        status::Status,
    },
    state_machine::Answer,
};

#[test]
fn a_launch_is_answered_at_once_and_followed() {
    let mut play = Play::watched(0);
    play.has_events = false;
    let ticket = play.ask(launch("first"));
    play.work_off();
    let Ok(Answer::Launched(session)) = &play.answers[&ticket] else {
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
fn a_failed_launch_reports_why() {
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
fn no_notification_when_a_session_is_terminated_before_it_runs() {
    let mut play = Play::watched(0);
    play.ask(launch("first"));
    play.settle();
    let id = *play.there.keys().next().unwrap();
    play.ask(ObserverRequest::session(
        id,
        SessionRequest::Terminate { force: false },
    ));
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
    // The catalog, and then the launch.
    play.carry_out(0, None);
    play.carry_out(0, None);
    let id = *play.there.keys().next().unwrap();
    play.carry_out(0, Some(FailureKind::Failed));
    let Ok(Answer::Launched(session)) = &play.answers[&ticket] else {
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
fn an_end_is_shown_as_asked_until_the_engine_shows_it() {
    let mut play = Play::watched(1);
    let id = *play.there.keys().next().unwrap();
    let first = play.ask(ObserverRequest::session(
        id,
        SessionRequest::Terminate { force: false },
    ));
    assert_eq!(play.pending(id).unwrap(), "terminating");
    let second = play.ask(ObserverRequest::session(
        id,
        SessionRequest::Terminate { force: false },
    ));
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
    let again = play.ask(ObserverRequest::session(
        id,
        SessionRequest::Terminate { force: false },
    ));
    assert_eq!(
        play.failed(again).message(),
        "session session-1 has already ended (TERMINATED)"
    );
}

#[test]
fn a_forced_end_overtakes_a_gentle_one() {
    let mut play = Play::watched(1);
    let id = *play.there.keys().next().unwrap();
    play.ask(ObserverRequest::session(
        id,
        SessionRequest::Terminate { force: false },
    ));
    play.ask(ObserverRequest::session(
        id,
        SessionRequest::Terminate { force: true },
    ));
    assert_eq!(play.requests_of("terminate"), 2);
}

#[test]
fn a_session_that_vanished_between_list_and_click_is_a_sentence_and_its_row_goes() {
    let mut play = Play::watched(1);
    let id = *play.there.keys().next().unwrap();
    play.there.clear();
    let ticket = play.ask(ObserverRequest::session(
        id,
        SessionRequest::Terminate { force: false },
    ));
    play.carry_out(0, Some(FailureKind::NotFound));
    let failure = play.failed(ticket);
    assert_eq!(failure.kind, FailureKind::NotFound);
    assert!(
        failure.message().as_str().contains("any more"),
        "{failure:?}"
    );
    play.settle();
    assert!(play.mirror.is_empty());
    let ticket = play.ask(ObserverRequest::session(id, SessionRequest::Detail));
    play.work_off();
    assert_eq!(play.failed(ticket).kind, FailureKind::NotFound);
}

#[test]
fn a_rename_without_an_event_is_seen() {
    let mut play = Play::watched(1);
    let id = *play.there.keys().next().unwrap();
    let name = "renamed".to_owned();
    let wrong = play.ask(ObserverRequest::session(
        id,
        SessionRequest::Rename { name: "-".into() },
    ));
    assert_eq!(play.failed(wrong).kind, FailureKind::Usage);
    let ticket = play.ask(ObserverRequest::session(
        id,
        SessionRequest::Rename { name },
    ));
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
    play.ask(ObserverRequest::session(
        id,
        SessionRequest::Rename {
            name: "renamed".into(),
        },
    ));
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
    let commit = ObserverRequest::session(
        id,
        SessionRequest::Commit {
            image_name: "mine".into(),
            pause: false,
        },
    );
    let ticket = play.ask(commit.clone());
    assert_eq!(play.pending(id).unwrap(), "creating image mine");
    let Some((_, Order::Run { number, .. })) = play.orders.first().cloned() else {
        panic!("no order");
    };
    let progress = TaskProgress {
        message: "Committed image".into(),
        done: 1.0,
        total: 3.0,
    };
    play.report(Fact::Progressed { number, progress });
    assert_eq!(
        play.pending(id).unwrap(),
        "creating image mine: 1/3 Committed image"
    );
    assert_eq!(play.answers[&ticket], Ok(Answer::Done));
    let twice = play.ask(commit);
    assert!(play.failed(twice).message().as_str().contains("already"));
    play.carry_out(0, None);
    assert_eq!(play.pending(id), None);
    let expected = (
        Level::Success,
        "the image mine was created from session-1".to_owned(),
    );
    assert_eq!(play.messages(), [expected]);
}

#[test]
fn a_request_that_cannot_be_recorded_leaves_no_trace() {
    let mut play = Play::watched(1);
    let id = *play.there.keys().next().unwrap();
    for ask in [
        ObserverRequest::session(id, SessionRequest::Terminate { force: false }),
        launch("first"),
    ] {
        // The catalog was read before.
        play.ask(ObserverRequest::Context(ContextRequest::Catalogue {
            project: None,
            refresh: false,
        }));
        play.work_off();
        let fact = Fact::Asked { ticket: 900, ask };
        let turn = play.observer.handle(play.time(), fact);
        assert_eq!(turn.audits.len(), 1);
        play.observer.take_back(900);
        assert_eq!(play.observer.session(id).unwrap().pending_request, None);
        assert!(play.observer.under_way.is_empty() && play.observer.pending.is_empty());
    }
}

#[test]
fn a_change_that_needs_what_the_manager_lacks_is_refused_with_the_reason() {
    let mut play = Play::with(1);
    let id = *play.there.keys().next().unwrap();
    let priority = SessionRequest::Priority { priority: 70 };
    let early = play.ask(ObserverRequest::session(id, priority));
    let mut poor: EngineInfo = info();
    poor.capabilities.missing = vec![(Capability::Priority, "not for you".into())];
    let connection = 1;
    play.report(Fact::Connected {
        connection,
        info: poor,
    });
    assert_eq!(play.failed(early).message(), "not for you");
}

#[test]
fn what_no_manager_does_is_refused_without_a_connection() {
    let mut play = Play::with(0);
    let id = SessionId::from_u128(1);
    let keep = SessionRequest::Keep { keep: Keep::Extend };
    let asks = [
        ObserverRequest::session(id, keep),
        ObserverRequest::session(id, SessionRequest::Delete),
        ObserverRequest::session(id, SessionRequest::CancelCommit),
        ObserverRequest::Context(ContextRequest::Pull {
            image: "busybox".to_owned(),
        }),
    ];
    let reasons = ["idle checks", "keeps them", "can't cancel", "automatically"];
    for (ask, reason) in asks.into_iter().zip(reasons) {
        let ticket = play.ask(ask);
        let said = play.failed(ticket).message().to_string();
        assert!(said.contains(reason), "{said}");
    }
}

#[test]
fn another_priority_is_shown_as_asked_until_the_row_has_it() {
    let mut play = Play::watched(1);
    let id = *play.there.keys().next().unwrap();
    let ask = |priority| ObserverRequest::session(id, SessionRequest::Priority { priority });
    let running = play.ask(ask(70));
    let said = play.failed(running).message().to_string();
    assert!(said.contains("of a waiting session"), "{said}");

    play.set(id, "PENDING");
    play.event(id);
    play.settle();
    let out_of_range = play.ask(ask(101));
    assert_eq!(play.failed(out_of_range).kind, FailureKind::Usage);
    let ticket = play.ask(ask(70));
    assert_eq!(play.pending(id).unwrap(), "changing its priority to 70");
    let twice = play.ask(ask(80));
    assert!(play.failed(twice).message().as_str().contains("already"));
    play.settle();
    assert_eq!(play.answers[&ticket], Ok(Answer::Done));
    let shown = play.observer.session(id).unwrap();
    assert_eq!(shown.placement.priority, Some(70));
    assert_eq!(shown.pending_request, None);

    let refused = play.ask(ask(90));
    play.carry_out(0, Some(FailureKind::Failed));
    let said = play.failed(refused).message().to_string();
    assert!(
        said.starts_with("the priority of session-1 couldn't be changed: "),
        "{said}"
    );
    assert_eq!(play.pending(id), None);
}
