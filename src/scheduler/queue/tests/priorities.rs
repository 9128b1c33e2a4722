//! Changed priorities of waiting sessions, and which sessions count as waiting.

use super::{cpus, full, named, settings};
use crate::{
    model::{
        id::SessionId, request::SessionRequest, session::SessionType, spec::LaunchRequest,
        status::Status,
    },
    scheduler::{
        fact::SchedulerRequest,
        tests::play::{Play, at},
    },
    state_machine::Answer,
};

fn change(play: &mut Play, session: SessionId, priority: i32) -> Result<(), String> {
    let ticket = play.ask(SchedulerRequest::session(
        session,
        SessionRequest::Priority { priority },
    ));
    match &play.answered[&ticket] {
        Ok(Answer::Done) => Ok(()),
        Err(refusal) => Err(refusal.message().to_string()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_waiting_session_with_a_higher_priority_starts_first() {
    let mut play = full();
    let first = play.comes(named("first"));
    let second = play.comes(named("second"));
    assert_eq!(play.session(second).placement.queue_position, Some(1));
    assert_eq!(change(&mut play, second, 50), Ok(()));
    assert_eq!(play.session(second).placement.priority, Some(50));
    assert_eq!(play.session(second).placement.queue_position, Some(0));
    assert_eq!(play.stored[&second].spec.priority, 50, "a restart keeps it");
    play.terminate(play.launched[0]);
    assert_eq!(play.status(second), Status::Running);
    assert_eq!(play.status(first), Status::Pending);
    play.check_rest();
}

#[test]
fn only_a_priority_in_range_of_a_waiting_session_is_taken() {
    let mut play = full();
    let waits = play.comes(named("waits"));
    let running = play.launched[0];
    let why = change(&mut play, running, 50).unwrap_err();
    assert!(why.contains("full-1 is RUNNING"), "{why}");
    for wrong in [-1, 101] {
        let why = change(&mut play, waits, wrong).unwrap_err();
        assert!(why.contains("0 to 100"), "{why}");
    }
    assert_eq!(play.session(waits).placement.priority, Some(10));
}

#[test]
fn a_session_that_waits_for_its_time_is_not_counted_among_those_in_line() {
    let mut play = Play::with(settings(|_| ()));
    play.comes(LaunchRequest {
        session_type: SessionType::Batch,
        startup_command: Some("true".into()),
        starts_at: Some(at(play.now + 3 * 3600).into()),
        ..named("later")
    });
    let waiting = |play: &Play| {
        let statistics = play.scheduler.statistics().unwrap();
        statistics.groups[0].waiting
    };
    assert_eq!(waiting(&play), Some(0));
    play.comes(cpus("runs", 4000));
    play.comes(named("waits"));
    assert_eq!(waiting(&play), Some(1));
    play.wait(3 * 3600 + 1);
    assert_eq!(waiting(&play), Some(2));
    play.check_rest();
}
