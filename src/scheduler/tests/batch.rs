//! Batch sessions: how they end, also while the daemon or the engine isn't running.

use super::play::{Play, fault};
use crate::{
    engine::api::ContainerState,
    model::{
        failure::FailureKind,
        id::SessionId,
        session::{BatchResult, SessionType},
        span::Span,
        spec::LaunchRequest,
        status::Status,
    },
    scheduler::fact::{ContainerEvent, Fact},
};

pub fn request(timeout: Option<u64>) -> LaunchRequest {
    LaunchRequest {
        session_type: SessionType::Batch,
        startup_command: Some("make".to_owned()),
        timeout: timeout.map(Span),
        ..LaunchRequest::default()
    }
}

/// Its status info, its message, its result and its exit code.
fn end(play: &Play, id: SessionId) -> (String, String, BatchResult, Option<i64>) {
    let session = play.session(id);
    assert_eq!(session.status, Status::Terminated);
    let info = session.status_info.clone().unwrap().into_string();
    let code = session.kernels[0].exit_code;
    (info, play.why(id), session.result, code)
}

fn dies(play: &mut Play, id: SessionId, exit_code: i64) {
    play.die(id, exit_code);
    play.handle(Fact::Happened {
        session: id,
        event: ContainerEvent::Died { exit_code },
    });
    play.work_off();
}

#[test]
fn the_exit_code_is_the_result() {
    for (code, info, why, result) in [
        (
            0,
            "task-finished",
            "its command ended with exit code 0",
            BatchResult::Success,
        ),
        (
            3,
            "task-failed",
            "its command ended with exit code 3",
            BatchResult::Failure,
        ),
        (
            127,
            "task-failed",
            "its command ended with exit code 127",
            BatchResult::Failure,
        ),
        (
            137,
            "task-failed",
            "its command was killed by signal 9 (exit code 137)",
            BatchResult::Failure,
        ),
    ] {
        let mut play = Play::new();
        let id = play.comes(request(None));
        dies(&mut play, id, code);
        let wanted = (info.to_owned(), why.to_owned(), result, Some(code));
        assert_eq!(end(&play, id), wanted);
        play.check_rest();
        assert!(play.there.is_empty());
    }
}

#[test]
fn a_command_that_needs_too_much_memory_is_reported() {
    let mut play = Play::new();
    let id = play.comes(request(None));
    play.there.get_mut(&id).unwrap().state = ContainerState::Exited {
        exit_code: 137,
        oom_killed: true,
        finished_at: None,
    };
    let event = ContainerEvent::Died { exit_code: 137 };
    play.handle(Fact::Happened { session: id, event });
    play.work_off();
    let (info, why, result, _) = end(&play, id);
    assert_eq!(
        (info.as_str(), result),
        ("task-failed", BatchResult::Failure)
    );
    assert_eq!(
        why,
        "its command used more memory than its 64 MiB and was killed (exit code 137)"
    );
}

#[test]
fn a_command_that_ends_before_its_start_is_answered_has_its_result() {
    let mut play = Play::new();
    play.launch_with(request(None));
    while play.orders.first().map(|order| order.kind().name()) != Some("start") {
        play.carry_out(0, None);
    }
    let id = play.launched[0];
    let start = play.orders.remove(0);
    play.act(&start);
    dies(&mut play, id, 0);
    let (session, epoch) = start.about().unwrap();
    play.handle(Fact::Done {
        session,
        epoch,
        order: start.kind(),
        result: Ok(None),
    });
    play.work_off();
    assert_eq!(end(&play, id).2, BatchResult::Success);
}

#[test]
fn a_session_that_runs_too_long_is_ended_as_failed() {
    let mut play = Play::new();
    let id = play.comes(request(Some(600)));
    let started = play.session(id).started_at.unwrap();
    assert_eq!(
        play.scheduler.next_deadline(),
        started.checked_add(Span(600).duration()).ok()
    );
    play.wait(290);
    assert_eq!(play.status(id), Status::Running);
    play.wait(310);
    let (info, why, result, code) = end(&play, id);
    assert_eq!(
        (info.as_str(), result, code),
        ("task-timeout", BatchResult::Failure, Some(-2))
    );
    assert_eq!(
        why,
        "its command ran longer than its timeout of 10m and was terminated"
    );
    play.check_rest();
    assert!(play.there.is_empty());
}

#[test]
fn a_daemon_that_wasnt_running_beyond_the_timeout_ends_it_at_once() {
    let mut play = Play::new();
    let id = play.comes(request(Some(600)));
    play.now += 5_000;
    play.restart();
    let before = play.now;
    play.work_off();
    assert_eq!(end(&play, id).0, "task-timeout");
    assert!(play.now - before < 20, "it was not waited for");
}

#[test]
fn a_timeout_without_an_engine_waits_for_it() {
    let mut play = Play::new();
    let id = play.comes(request(Some(100_000)));
    let connection = play.connection;
    play.connected = false;
    play.handle(Fact::EngineDown {
        connection,
        failure: fault(FailureKind::Unreachable),
    });
    play.now += 200_000;
    play.handle(Fact::Tick);
    assert_eq!(play.status(id), Status::Running);
    play.work_off();
    assert_eq!(end(&play, id).0, "task-timeout");
}

#[test]
fn a_session_that_ends_on_its_own_at_the_last_moment_has_not_run_too_long() {
    let mut play = Play::new();
    let id = play.comes(request(Some(600)));
    play.die(id, 0);
    let event = ContainerEvent::Died { exit_code: 0 };
    play.handle(Fact::Happened { session: id, event });
    play.now += 700;
    play.handle(Fact::Tick);
    play.work_off();
    assert_eq!(end(&play, id).2, BatchResult::Success);
}

#[test]
fn a_look_that_fails_does_not_make_it_live_for_ever() {
    let mut play = Play::new();
    let id = play.comes(request(Some(600)));
    let event = ContainerEvent::Other;
    play.handle(Fact::Happened { session: id, event });
    play.now += 700;
    play.handle(Fact::Tick);
    play.carry_out(0, Some(FailureKind::Failed));
    play.work_off();
    assert_eq!(end(&play, id).0, "task-timeout");
}

#[test]
fn what_happened_while_the_daemon_wasnt_running_is_reported_by_the_exit_code() {
    for (code, info, result) in [
        (0, "task-finished", BatchResult::Success),
        (3, "task-failed", BatchResult::Failure),
        (126, "task-failed", BatchResult::Failure),
        (137, "engine-restarted", BatchResult::Failure),
    ] {
        let mut play = Play::new();
        let id = play.comes(request(None));
        play.die(id, code);
        play.restart();
        play.work_off();
        let outcome = end(&play, id);
        assert_eq!((outcome.0.as_str(), outcome.2), (info, result), "{code}");
        assert!(
            outcome.1.contains("while workbay's daemon wasn't running"),
            "{outcome:?}"
        );
        assert_eq!(outcome.3, Some(code));
    }
}

#[test]
fn what_happened_while_the_connection_was_lost_is_reported_by_the_exit_code() {
    for (code, info) in [
        (0, "task-finished"),
        (3, "task-failed"),
        (137, "engine-restarted"),
    ] {
        let mut play = Play::new();
        let id = play.comes(request(None));
        let connection = play.connection;
        play.handle(Fact::EngineDown {
            connection,
            failure: fault(FailureKind::Unreachable),
        });
        play.die(id, code);
        play.work_off();
        assert_eq!(end(&play, id).0, info, "{code}");
    }
}

#[test]
fn a_command_that_a_user_ends_has_neither_succeeded_nor_failed() {
    let mut play = Play::new();
    let id = play.comes(request(Some(900)));
    play.terminate(id);
    // Its timeout doesn't matter any more.
    play.wait(1_000);
    let (info, _, result, code) = end(&play, id);
    assert_eq!(info, "user-requested");
    assert_eq!((result, code), (BatchResult::Undefined, None));
}

#[test]
fn a_lost_store_is_filled_again_and_knows_how_commands_ended() {
    let mut play = Play::new();
    let (done, over) = (
        play.comes(request(Some(100_000))),
        play.comes(request(Some(100_000))),
    );
    let running = play.comes(request(Some(100_000)));
    play.die(done, 0);
    play.die(over, 9);
    play.stored.clear();
    play.restart();
    play.work_off();
    assert_eq!(end(&play, done).2, BatchResult::Success);
    assert_eq!(end(&play, over).0, "task-failed");
    let session = play.session(running);
    assert_eq!(session.status, Status::Running);
    assert_eq!(session.startup_command, Some("make".into()));
    assert_eq!(session.timeout, Some(Span(100_000)));
    assert!(
        play.scheduler.next_deadline().is_some(),
        "its timeout counts"
    );
}
