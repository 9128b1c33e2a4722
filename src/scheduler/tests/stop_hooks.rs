//! Stop hooks: when they run, and that they don't block a session forever.

use super::{
    batch,
    play::{Play, settings},
};
use crate::{
    model::{
        failure::FailureKind, history::Outcome, id::SessionId, idle::IdleRules,
        request::SessionRequest, span::Span, spec::LaunchRequest, status::Status,
        stop_hook::StopHook,
    },
    scheduler::{
        fact::{ContainerEvent, Fact, SchedulerRequest, StopHookEnd},
        order::{Order, OrderKind},
    },
};

pub fn with_stop_hook(request: LaunchRequest) -> LaunchRequest {
    let stop_hook = StopHook {
        command: Some("git push".to_owned()),
        ..StopHook::default()
    };
    LaunchRequest {
        stop_hook: Some(stop_hook),
        ..request
    }
}

fn begun() -> (Play, SessionId) {
    let mut play = Play::new();
    let id = play.comes(with_stop_hook(LaunchRequest::default()));
    assert_eq!(play.status(id), Status::Running);
    (play, id)
}

fn asked(play: &mut Play, session: SessionId, force: bool) {
    play.ask(SchedulerRequest::session(
        session,
        SessionRequest::Terminate { force },
    ));
}

/// The results of its stop hooks in its history.
fn stop_hooks(play: &Play, id: SessionId) -> Vec<Outcome> {
    let mine = play.history.iter().filter(|it| it.session == id);
    let stop_hooks = mine.filter(|it| it.phase == "stop-hook");
    stop_hooks.map(|it| it.result.clone()).collect()
}

fn kinds(play: &Play) -> Vec<OrderKind> {
    play.orders.iter().map(Order::kind).collect()
}

#[test]
fn it_is_carried_out_before_the_session_is_asked_to_end() {
    let (mut play, id) = begun();
    asked(&mut play, id, false);
    assert_eq!(kinds(&play), [OrderKind::StopHook]);
    assert_eq!(play.status(id), Status::Terminating);
    let pending = play.session(id).pending_request.clone().unwrap();
    assert!(pending.as_str().contains("stop hook"), "{pending}");
    play.carry_out(0, None);
    assert_eq!(kinds(&play), [OrderKind::Stop]);
    play.work_off();
    assert_eq!(play.status(id), Status::Terminated);
    assert_eq!(stop_hooks(&play, id), [Outcome::Success]);
    play.check_rest();
}

#[test]
fn one_that_fails_is_reported_and_the_session_ends_anyway() {
    let (mut play, id) = begun();
    asked(&mut play, id, false);
    play.carry_out(0, Some(FailureKind::Failed));
    play.work_off();
    assert_eq!(play.status(id), Status::Terminated);
    assert_eq!(stop_hooks(&play, id), [Outcome::Failure]);
    let has_message = |text: &str| {
        play.notices
            .iter()
            .any(|it| it.text.as_str().contains(text))
    };
    assert!(has_message("failed: its last words"));
    let (outcome, words) = play.session(id).stop_hook_end.clone().unwrap();
    assert_eq!(outcome, Outcome::Failure);
    assert!(words.as_str().contains("its last words"), "{words}");
}

#[test]
fn force_skips_it_at_once_and_in_the_middle() {
    let (mut play, id) = begun();
    asked(&mut play, id, true);
    assert_eq!(kinds(&play), [OrderKind::Stop]);
    play.work_off();
    assert_eq!(stop_hooks(&play, id), []);

    let (mut play, id) = begun();
    asked(&mut play, id, false);
    let Order::StopHook { epoch, .. } = play.orders.remove(0) else {
        panic!("no stop hook was ordered");
    };
    asked(&mut play, id, true);
    assert_eq!(kinds(&play), [OrderKind::Stop]);
    // The answer arrives late.
    let words = "late".into();
    let outcome = Outcome::Success;
    play.handle(Fact::WillDone {
        session: id,
        epoch,
        end: StopHookEnd { outcome, words },
    });
    play.work_off();
    assert_eq!(play.status(id), Status::Terminated);
    assert_eq!(stop_hooks(&play, id), [Outcome::Skipped]);
}

#[test]
fn a_daemon_that_is_killed_in_the_middle_begins_it_once_more_and_no_more() {
    let (mut play, id) = begun();
    asked(&mut play, id, false);
    for times in 1..=2 {
        assert_eq!(kinds(&play), [OrderKind::StopHook], "for the {times}. time");
        play.restart();
        assert_eq!(kinds(&play), [OrderKind::Connect]);
        play.carry_out(0, None);
        play.orders
            .retain(|order| order.kind() != OrderKind::DetachAll);
    }
    assert_eq!(kinds(&play), [OrderKind::Stop]);
    play.work_off();
    assert_eq!(play.status(id), Status::Terminated);
    assert_eq!(stop_hooks(&play, id), [Outcome::GiveUp]);
}

#[test]
fn an_engine_that_is_lost_in_the_middle_does_not_have_it_done_again() {
    let (mut play, id) = begun();
    asked(&mut play, id, false);
    play.connected = false;
    let connection = play.connection;
    let failure = super::play::fault(FailureKind::Unreachable);
    play.handle(Fact::EngineDown {
        connection,
        failure,
    });
    // The connection broke together with the hook.
    play.carry_out(0, Some(FailureKind::Unreachable));
    play.work_off();
    assert_eq!(play.status(id), Status::Terminated);
    assert_eq!(
        (stop_hooks(&play, id), play.stop_hooks.len()),
        (vec![Outcome::Failure], 1)
    );
}

#[test]
fn a_container_that_dies_meanwhile_changes_nothing() {
    let (mut play, id) = begun();
    asked(&mut play, id, false);
    play.die(id, 1);
    play.handle(Fact::Happened {
        session: id,
        event: ContainerEvent::Died { exit_code: 1 },
    });
    play.carry_out(0, Some(FailureKind::Failed));
    play.work_off();
    assert_eq!(play.status(id), Status::Terminated);
    assert_eq!(play.session(id).status_info, Some("user-requested".into()));
}

#[test]
fn a_command_that_ends_on_its_own_has_none_one_whose_time_is_over_has() {
    let mut play = Play::new();
    let id = play.comes(with_stop_hook(batch::request(None)));
    play.die(id, 0);
    play.handle(Fact::Happened {
        session: id,
        event: ContainerEvent::Died { exit_code: 0 },
    });
    play.work_off();
    assert_eq!(
        (play.status(id), stop_hooks(&play, id)),
        (Status::Terminated, vec![])
    );

    let mut play = Play::new();
    let id = play.comes(with_stop_hook(batch::request(Some(1000))));
    play.wait(1100);
    assert_eq!(play.status(id), Status::Terminated);
    assert_eq!(stop_hooks(&play, id), [Outcome::Success]);
}

#[test]
fn a_session_that_is_reclaimed_has_it_carried_out() {
    let mut settings = settings();
    settings.resources.idle = IdleRules {
        session_lifetime: Some(Span(1000)),
        ..IdleRules::default()
    };
    let mut play = Play::with(settings);
    let id = play.comes(with_stop_hook(LaunchRequest::default()));
    play.wait(1100);
    assert_eq!(play.status(id), Status::Terminated);
    assert_eq!(stop_hooks(&play, id), [Outcome::Success]);
    let info = play.session(id).status_info.clone();
    assert_eq!(info, Some("idle-session-lifetime".into()));
}
