//! The machine's clock is set while sessions run, wait and end.

use jiff::SignedDuration;

use super::{
    batch,
    play::{Play, at, fault},
    pulling,
};
use crate::{
    model::{failure::FailureKind, request::SessionRequest, spec::LaunchRequest, status::Status},
    scheduler::fact::{Fact, SchedulerRequest},
};

const HOUR: i64 = 3600;

fn set(play: &mut Play, seconds: i64) {
    play.now += seconds;
    let set_by = SignedDuration::from_secs(seconds);
    play.handle(Fact::Jumped { set_by });
    play.work_off();
}

#[test]
fn a_timeout_counts_the_time_that_passed() {
    for seconds in [-HOUR, HOUR] {
        let mut play = Play::new();
        let id = play.comes(batch::request(Some(1000)));
        let begun = play.now;
        set(&mut play, seconds);
        assert_eq!(play.status(id), Status::Running, "set by {seconds}");
        // A restarted daemon knows it, too.
        play.restart();
        play.work_off();
        assert_eq!(play.status(id), Status::Running, "set by {seconds}");
        // Nothing else is due at such a late time.
        let due = play.scheduler.next_deadline().unwrap();
        let passed = due.as_second() - at(begun + seconds).as_second();
        assert!((900..=1000).contains(&passed), "set by {seconds}: {passed}");
        play.wait(1000);
        play.wait(10);
        assert_eq!(play.status(id), Status::Terminated, "set by {seconds}");
    }
}

#[test]
fn a_connection_that_was_lost_is_not_waited_for_an_hour() {
    let mut play = Play::new();
    play.connected = false;
    let connection = play.connection;
    let lost = fault(FailureKind::Unreachable);
    play.handle(Fact::EngineDown {
        connection,
        failure: lost,
    });
    let waits = play.scheduler.next_deadline().unwrap();
    play.now -= HOUR;
    let set_by = SignedDuration::from_secs(-HOUR);
    play.handle(Fact::Jumped { set_by });
    let due = play.scheduler.next_deadline().unwrap();
    assert!(due < waits && due <= at(play.now + 1), "{due}");
}

#[test]
fn a_pull_that_broke_off_is_not_waited_for_an_hour() {
    let mut play = Play::new();
    let id = pulling::pulls(&mut play, "tool:1");
    play.carry_out(0, Some(FailureKind::RegistryBroken));
    assert!(play.orders.is_empty(), "the next attempt comes by and by");
    play.now -= HOUR;
    let set_by = SignedDuration::from_secs(-HOUR);
    play.handle(Fact::Jumped { set_by });
    play.now += 1;
    play.handle(Fact::Tick);
    play.work_off();
    assert_eq!(play.status(id), Status::Running);
}

#[test]
fn history_stays_in_the_order_in_which_things_happened() {
    let mut play = Play::new();
    let id = play.comes(LaunchRequest::default());
    set(&mut play, -HOUR);
    let force = false;
    play.ask(SchedulerRequest::session(
        id,
        SessionRequest::Terminate { force },
    ));
    play.work_off();
    let steps: Vec<&str> = play.history.iter().map(|it| it.to.word()).collect();
    let order = ["RUNNING", "TERMINATING", "TERMINATED"];
    assert_eq!(steps[steps.len() - order.len()..], order);
}
