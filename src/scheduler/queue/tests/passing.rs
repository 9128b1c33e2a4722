//! Smaller sessions that start before the first in the queue, and the reasons of those that don't.

use super::{cpus, group, named, settings};
use crate::{
    model::{
        id::SessionId,
        policy::{Backfill, ResourceRules},
        session::SessionType,
        span::Span,
        spec::LaunchRequest,
        status::Status,
    },
    scheduler::tests::play::{Play, at},
};

fn batch(name: &str, millis: u64, timeout: Option<u64>) -> LaunchRequest {
    LaunchRequest {
        session_type: SessionType::Batch,
        startup_command: Some("true".into()),
        timeout: timeout.map(Span),
        ..cpus(name, millis)
    }
}

/// 2 of 4 CPU are in use, and the first session in the queue waits for 4.
fn blocked(timeout: Option<u64>, change: impl FnOnce(&mut ResourceRules)) -> (Play, SessionId) {
    let mut play = Play::with(settings(change));
    play.comes(batch("runs", 2000, timeout));
    let first = play.comes(cpus("large", 4000));
    assert_eq!(play.status(first), Status::Pending);
    (play, first)
}

#[test]
fn a_session_that_ends_before_the_first_can_start_passes_it() {
    let (mut play, first) = blocked(Some(3600), |rules| group(rules).backfill = Backfill::Safe);
    let starts_by = play.session(first).placement.starts_by.unwrap();
    assert!(starts_by >= at(play.now + 3500), "{starts_by}");
    let short = play.comes(batch("short", 1000, Some(600)));
    assert_eq!(play.status(short), Status::Running, "it ends long before");
    let long = play.comes(batch("long", 1000, Some(3700)));
    assert_eq!(play.status(long), Status::Pending);
    let why = play.why(long);
    assert!(
        why.starts_with("position 2 in queue, behind large; there is room, but large starts by "),
        "{why}"
    );
    let endless = play.comes(named("endless"));
    assert_eq!(
        play.status(endless),
        Status::Pending,
        "{}",
        play.why(endless)
    );
    assert_eq!(play.session(first).placement.starts_by, Some(starts_by));
    play.terminate(play.launched[0]);
    play.terminate(short);
    assert_eq!(play.status(first), Status::Running);
    assert_eq!(play.session(first).placement.starts_by, None);
    play.check_rest();
}

#[test]
fn a_session_that_fits_beside_the_first_passes_it_whatever_it_takes() {
    let mut play = Play::with(settings(|rules| group(rules).backfill = Backfill::Safe));
    play.comes(batch("runs", 2000, Some(3600)));
    let first = play.comes(cpus("large", 3000));
    let beside = play.comes(named("beside"));
    assert_eq!(play.status(first), Status::Pending);
    assert_eq!(play.status(beside), Status::Running);
    let second = play.comes(named("second"));
    assert_eq!(
        play.status(second),
        Status::Pending,
        "two of them and the first are more than there is"
    );
    play.check_rest();
}

#[test]
fn where_the_start_is_not_known_a_setting_decides_and_the_first_is_not_passed_for_ever() {
    let (mut play, _) = blocked(None, |_| ());
    let small = play.comes(named("small"));
    assert_eq!(play.status(small), Status::Running, "on by default");
    play.wait(31 * 60);
    let late = play.comes(named("late"));
    assert_eq!(
        play.why(late),
        "position 2 in queue, behind large, which has waited for more than 30m, so no session may pass it"
    );
    play.check_rest();

    let (mut play, _) = blocked(None, |rules| group(rules).backfill = Backfill::Safe);
    let small = play.comes(named("small"));
    assert_eq!(
        play.why(small),
        "position 2 in queue, behind large; there is room, but group default lets no session pass one whose start isn't known"
    );

    let (mut play, _) = blocked(Some(3600), |rules| group(rules).backfill = Backfill::Off);
    let small = play.comes(batch("small", 1000, Some(60)));
    assert_eq!(
        play.why(small),
        "position 2 in queue, behind large; group default starts its sessions strictly in order"
    );
}

#[test]
fn a_lifetime_ends_a_session_for_certain_too() {
    let (mut play, first) = blocked(None, |rules| {
        rules.idle.session_lifetime = Some(Span(7200));
        group(rules).backfill = Backfill::Safe;
    });
    assert!(play.session(first).placement.starts_by.is_some());
    let short = play.comes(batch("short", 1000, Some(600)));
    assert_eq!(play.status(short), Status::Running);
    let long = play.comes(named("long"));
    assert_eq!(
        play.status(long),
        Status::Pending,
        "its lifetime ends later"
    );
    play.check_rest();
}

#[test]
fn a_session_that_does_not_fit_either_is_reported_so() {
    let (mut play, _) = blocked(None, |_| ());
    let wide = play.comes(cpus("wide", 3000));
    assert_eq!(
        play.why(wide),
        "position 2 in queue, behind large; needs 3 CPU, 2 of 4 free in group default"
    );
}
