//! Image pulls: shared, cancelled, retried and restarted.

use super::play::Play;
use crate::{
    model::{
        failure::FailureKind,
        id::SessionId,
        pull::PullFigures,
        request::{ContextRequest, SessionRequest},
        resources::Bytes,
        spec::LaunchRequest,
        status::Status,
    },
    scheduler::{
        fact::{Fact, SchedulerRequest},
        order::{Order, OrderKind},
    },
    state_machine::Answer,
};

pub fn of_image(image: &str) -> LaunchRequest {
    LaunchRequest {
        image: Some(image.to_owned()),
        ..LaunchRequest::default()
    }
}

/// A launch whose image is being pulled. Everything but the pull is carried out.
pub fn pulls(play: &mut Play, image: &str) -> SessionId {
    let ticket = play.launch_with(of_image(image));
    while let Some(at) = first_but_pulls(play) {
        play.carry_out(at, None);
    }
    match &play.answered[&ticket] {
        Ok(Answer::Launched(session)) => session.id,
        other => panic!("it was not launched: {other:?}"),
    }
}

fn first_but_pulls(play: &Play) -> Option<usize> {
    let orders = play.orders.iter();
    orders
        .map(Order::kind)
        .position(|kind| kind != OrderKind::Pull)
}

fn numbers(play: &Play) -> Vec<u64> {
    let numbers = play.orders.iter().filter_map(|order| match order {
        Order::Pull { number, .. } => Some(*number),
        _ => None,
    });
    numbers.collect()
}

fn terminate(play: &mut Play, session: SessionId) {
    let force = false;
    play.ask(SchedulerRequest::session(
        session,
        SessionRequest::Terminate { force },
    ));
}

#[test]
fn a_session_waits_for_its_image_and_then_runs() {
    let mut play = Play::new();
    let id = pulls(&mut play, "quay.io/team/tool:1");
    assert_eq!(play.status(id), Status::Pulling);
    let pull = play.session(id).pull.clone().unwrap();
    assert_eq!((pull.registry.as_str(), pull.attempt), ("quay.io", 1));
    let written = play.written;
    let figures = PullFigures {
        layers: 4,
        bytes: Bytes(400),
        bytes_done: Bytes(100),
        ..PullFigures::default()
    };
    let number = numbers(&play)[0];
    play.handle(Fact::Pulling { number, figures });
    let figures = PullFigures {
        bytes_done: Bytes(200),
        ..figures
    };
    play.handle(Fact::Pulling { number, figures });
    let pull = play.session(id).pull.clone().unwrap();
    assert_eq!(pull.figures, figures);
    assert_eq!((pull.rate, pull.seconds_left), (Some(Bytes(100)), Some(2)));
    assert_eq!(play.written, written, "how far it is is not written");
    play.work_off();
    play.check_rest();
    assert_eq!(play.status(id), Status::Running);
    let phases: Vec<&str> = play.history.iter().map(|it| it.phase.as_str()).collect();
    assert!(phases.contains(&"pull-images"), "{phases:?}");
    // The image exists now.
    play.comes(of_image("quay.io/team/tool:1"));
    assert!(play.images.contains("quay.io/team/tool:1"));
}

#[test]
fn sessions_of_one_image_share_a_pull() {
    let mut play = Play::new();
    let first = pulls(&mut play, "tool");
    let second = pulls(&mut play, "tool:latest");
    let ticket = play.ask(SchedulerRequest::Context(ContextRequest::Pull {
        image: "tool".to_owned(),
    }));
    assert_eq!(numbers(&play).len(), 1);
    terminate(&mut play, first);
    assert_eq!(play.status(first), Status::Cancelled);
    assert_eq!(numbers(&play).len(), 1, "others want it still");
    play.work_off();
    play.check_rest();
    assert_eq!(play.status(second), Status::Running);
    assert_eq!(play.answered[&ticket], Ok(Answer::Done));
    assert!(!play.pulls.is_empty());
}

#[test]
fn a_pull_that_nothing_needs_is_cancelled() {
    let mut play = Play::new();
    let id = pulls(&mut play, "tool:1");
    terminate(&mut play, id);
    let kinds: Vec<OrderKind> = play.orders.iter().map(Order::kind).collect();
    assert_eq!(kinds, [OrderKind::Pull, OrderKind::CancelPull]);
    play.carry_out(1, None);
    assert!(play.orders.is_empty());
    play.work_off();
    play.check_rest();
    assert!(play.images.is_empty());
    // The client of the `pull` request has disconnected.
    play.ask(SchedulerRequest::Context(ContextRequest::Pull {
        image: "tool:1".to_owned(),
    }));
    play.leave(play.asked);
    assert_eq!(
        play.orders.last().map(Order::kind),
        Some(OrderKind::CancelPull)
    );
}

#[test]
fn a_connection_that_breaks_is_opened_again_a_few_times() {
    let mut play = Play::new();
    let id = pulls(&mut play, "tool:1");
    for attempt in 1..5 {
        assert_eq!(play.session(id).pull.as_ref().unwrap().attempt, attempt);
        play.carry_out(0, Some(FailureKind::RegistryBroken));
        assert!(play.orders.is_empty(), "the next attempt comes by and by");
        let pull = play.session(id).pull.clone().unwrap();
        assert_eq!(pull.broken, Some("no".into()));
        play.now += 40;
        play.handle(Fact::Tick);
    }
    play.carry_out(0, Some(FailureKind::RegistryBroken));
    assert_eq!(play.status(id), Status::Error);
    assert_eq!(play.why(id), "no (tried 5 times)");
    assert_eq!(play.session(id).status_info, Some("pull-failed".into()));
    play.work_off();
    play.check_rest();
}

/// The only pull fails for good: no data had arrived before the network failed.
fn fails(play: &mut Play) {
    let number = numbers(play)[0];
    play.orders.clear();
    let result = Err(super::play::fault(FailureKind::RegistryUnreachable));
    play.handle(Fact::Pulled { number, result });
}

#[test]
fn what_cannot_be_is_reported_at_once() {
    let mut play = Play::new();
    let id = pulls(&mut play, "tool:1");
    fails(&mut play);
    assert_eq!(play.status(id), Status::Error);
    assert_eq!(play.why(id), "no");
}

#[test]
fn a_launch_that_failed_holds_nothing_and_keeps_its_reason() {
    let mut play = Play::new();
    let id = pulls(&mut play, "tool:1");
    fails(&mut play);
    play.work_off();
    let failed = play.session(id).clone();
    assert!(failed.has_ended(), "{failed:?}");
    let ticket = play.asked + 1;
    play.terminate(id);
    let refusal = play.answered[&ticket].as_ref().unwrap_err();
    assert!(
        refusal.message().as_str().contains("already ended"),
        "{refusal:?}"
    );
    assert_eq!(*play.session(id), failed);
    let again = play.comes(LaunchRequest {
        name: Some(failed.name.to_string()),
        ..of_image("tool:2")
    });
    assert_eq!(play.status(again), Status::Running, "its name is free");
    play.check_rest();
    let ticket = play.ask(SchedulerRequest::session(id, SessionRequest::Delete));
    play.work_off();
    assert_eq!(play.answered[&ticket], Ok(Answer::Done));
}

#[test]
fn a_failed_pull_is_recorded_as_a_failure_and_its_begin_as_a_begin() {
    let mut play = Play::new();
    let id = pulls(&mut play, "tool:1");
    fails(&mut play);
    let own = play.history.iter().filter(|entry| entry.session == id);
    let said = own.map(|entry| {
        let why = entry.message.as_ref().map(ToString::to_string);
        let (phase, to, result) = (&entry.phase, &entry.to, entry.result.word());
        format!("{phase} {to} {result} {}", why.unwrap_or_default())
    });
    let said: Vec<String> = said.collect();
    let [.., begun, failed] = said.as_slice() else {
        panic!("{said:?}");
    };
    assert_eq!(begun, "begin-pull PULLING SUCCESS ");
    assert_eq!(failed, "pull-images ERROR FAILURE no");
}

#[test]
fn a_daemon_that_restarts_repeats_it() {
    let mut play = Play::new();
    let id = pulls(&mut play, "tool:1");
    play.restart();
    play.work_off();
    play.check_rest();
    assert_eq!(play.status(id), Status::Running);
    // The image arrived by other means.
    let id = pulls(&mut play, "tool:2");
    play.images.insert("tool:2".to_owned());
    play.restart();
    play.carry_out(0, None);
    assert!(numbers(&play).is_empty(), "it is here already");
    play.work_off();
    assert_eq!(play.status(id), Status::Running);
}

#[test]
fn an_image_that_is_gone_after_all_is_pulled() {
    let mut play = Play::new();
    play.images.insert("tool:1".to_owned());
    play.wait(1);
    play.ask(SchedulerRequest::Context(ContextRequest::Refresh));
    play.work_off();
    let ticket = play.launch_with(of_image("tool:1"));
    while play.orders.first().map(Order::kind) != Some(OrderKind::Create) {
        play.carry_out(0, None);
    }
    let Ok(Answer::Launched(session)) = &play.answered[&ticket] else {
        panic!("it was not launched");
    };
    let id = session.id;
    play.carry_out(0, Some(FailureKind::NoImage));
    assert_eq!(play.status(id), Status::Pulling);
    play.work_off();
    play.check_rest();
    assert_eq!(play.status(id), Status::Running);
}
