//! The machine is restarted while sessions run.

use super::{batch, play::Play};
use crate::engine::api::{ContainerState, Sighting};
use crate::model::{
    id::SessionId, session::BatchResult, spec::LaunchRequest, status::Status, text::Clean,
};

/// The first boot of the machine.
fn play() -> Play {
    let mut play = Play::new();
    play.scheduler.set_boot(Some("first".into()));
    play
}

/// The machine restarts, and the daemon hasn't started yet. `left` sets what the engine shows of
/// the containers then.
fn restart(play: &mut Play, left: impl Fn(&mut Sighting)) {
    play.there.values_mut().for_each(left);
    play.restart();
    play.scheduler.set_boot(Some("second".into()));
}

fn exited(code: i64) -> impl Fn(&mut Sighting) {
    move |sight| {
        sight.state = ContainerState::Exited {
            exit_code: code,
            oom_killed: false,
            finished_at: None,
        };
    }
}

fn info(play: &Play, id: SessionId) -> Clean {
    play.session(id).status_info.clone().unwrap()
}

#[test]
fn what_ran_ended_with_the_machine_whatever_the_engine_shows_of_it() {
    for code in [0, 1, 137, 143, 255] {
        let mut play = play();
        let id = play.comes(LaunchRequest::default());
        restart(&mut play, exited(code));
        play.work_off();
        assert_eq!(play.status(id), Status::Terminated);
        assert_eq!(info(&play, id), "host-reboot", "exit code {code}");
        assert_eq!(play.why(id), "this machine restarted while the session ran");
    }
    let mut play = play();
    let id = play.comes(LaunchRequest::default());
    play.there.clear();
    restart(&mut play, |_| ());
    play.work_off();
    assert_eq!(info(&play, id), "host-reboot", "its container is gone");
}

#[test]
fn a_command_that_had_ended_before_keeps_its_result() {
    for (code, word, result) in [
        (0, "task-finished", BatchResult::Success),
        (3, "task-failed", BatchResult::Failure),
        (143, "host-reboot", BatchResult::Failure),
    ] {
        let mut play = play();
        let id = play.comes(batch::request(None));
        restart(&mut play, exited(code));
        play.work_off();
        assert_eq!(info(&play, id), word, "exit code {code}");
        assert_eq!(play.session(id).result, result);
    }
}

#[test]
fn the_reason_outlives_daemons_that_never_reached_the_engine() {
    let mut play = play();
    let id = play.comes(LaunchRequest::default());
    restart(&mut play, exited(143));
    // The daemon is killed twice before the engine responds.
    for _ in 0..2 {
        play.restart();
        play.scheduler.set_boot(Some("second".into()));
    }
    play.work_off();
    assert_eq!(info(&play, id), "host-reboot");
}

#[test]
fn what_runs_again_or_is_on_another_machine_is_not_concerned() {
    let mut play = play();
    let id = play.comes(LaunchRequest::default());
    restart(&mut play, |_| ());
    play.work_off();
    assert_eq!(
        play.status(id),
        Status::Running,
        "it was started again by another program"
    );
    // From then on, the session belongs to this boot.
    play.there.clear();
    play.restart();
    play.scheduler.set_boot(Some("second".into()));
    play.work_off();
    assert_eq!(info(&play, id), "container-removed");

    let mut play = self::play();
    play.info.endpoint = "ssh://far.example.com".into();
    play.restart();
    play.scheduler.set_boot(Some("first".into()));
    play.work_off();
    let id = play.comes(LaunchRequest::default());
    restart(&mut play, exited(1));
    play.work_off();
    assert_eq!(info(&play, id), "self-terminated");
}
