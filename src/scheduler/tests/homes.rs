//! Home directories that a later session takes over.

use super::{
    batch,
    play::{Play, at},
};
use crate::{
    model::{failure::FailureKind, id::SessionId, spec::LaunchRequest, status::Status},
    scheduler::{
        fact::Fact,
        order::{Order, OrderKind},
    },
};

const HOUR: i64 = 60 * 60;
const DAY: i64 = 24 * HOUR;

/// An ended session whose home directory is kept for seven days, and one that begins in it after
/// nine.
fn two(play: &mut Play) -> (SessionId, SessionId) {
    let earlier = play.comes(LaunchRequest::default());
    play.terminate(earlier);
    let later = play.comes(LaunchRequest {
        home_of: Some(earlier),
        starts_at: Some(at(play.now + 9 * DAY).into()),
        ..batch::request(None)
    });
    assert_eq!(play.status(later), Status::Pending);
    (earlier, later)
}

#[test]
fn a_home_is_kept_while_a_launch_waits_for_it() {
    let mut play = Play::new();
    let (earlier, later) = two(&mut play);
    play.wait(8 * DAY);
    assert!(!play.scheduler.is_forgotten(earlier));
    play.restart();
    play.work_off();
    assert!(!play.scheduler.is_forgotten(earlier));
    assert!(play.session(earlier).home.is_some());
    play.wait(DAY);
    assert_eq!(play.status(later), Status::Running);
    assert_eq!(play.session(earlier).home, None, "it is the later one's");
    play.wait(DAY);
    assert!(play.scheduler.is_forgotten(earlier));
}

#[test]
fn a_home_that_nobody_waits_for_any_more_goes() {
    let mut play = Play::new();
    let (earlier, later) = two(&mut play);
    play.wait(8 * DAY);
    play.terminate(later);
    play.wait(DAY);
    assert!(play.scheduler.is_forgotten(earlier));
    assert_eq!(play.session(earlier).home, None);
}

/// Lets time pass. Returns whether deleting is tried.
fn is_tried(play: &mut Play, seconds: i64) -> bool {
    play.now += seconds;
    play.handle(Fact::Tick);
    let kinds: Vec<OrderKind> = play.orders.iter().map(Order::kind).collect();
    kinds.contains(&OrderKind::Forget)
}

#[test]
fn files_that_cannot_be_deleted_are_reported_once_and_tried_with_growing_pauses() {
    let mut play = Play::new();
    let id = play.comes(LaunchRequest::default());
    play.terminate(id);
    assert!(is_tried(&mut play, 8 * DAY));
    let reported = |play: &Play| {
        let texts = play.notices.iter().map(|it| it.text.as_str());
        texts.filter(|text| text.ends_with(": no")).count()
    };
    let before = reported(&play);
    for hours in [1, 2, 4, 8, 16, 24, 24] {
        play.carry_out(0, Some(FailureKind::Failed));
        assert_eq!(reported(&play), before + 1);
        assert_eq!(play.session(id).home, None, "it was moved aside");
        assert!(!is_tried(&mut play, hours * HOUR - 60), "{hours}");
        assert!(is_tried(&mut play, 120), "{hours}");
    }
    play.carry_out(0, None);
    assert!(play.scheduler.is_forgotten(id));
    assert!(!is_tried(&mut play, 2 * DAY));
}

#[test]
fn a_home_belongs_to_the_last_session_that_took_it_over() {
    let mut play = Play::new();
    let named = |name: &str, home_of| LaunchRequest {
        name: Some(name.to_owned()),
        home_of,
        ..LaunchRequest::default()
    };
    let first = play.comes(named("first", None));
    let why = play.refused(named("early", Some(first)));
    assert!(why.to_string().contains("hasn't ended"), "{why}");
    play.terminate(first);
    let second = play.comes(named("second", Some(first)));
    let why = play.refused(named("late", Some(first)));
    assert!(why.to_string().contains("second has taken over"), "{why}");
    // It stays with the second session after its end, and then moves to the third.
    play.terminate(second);
    let why = play.refused(named("late", Some(first)));
    assert!(why.to_string().contains("second has taken over"), "{why}");
    let third = play.comes(named("third", Some(second)));
    let why = play.refused(named("late", Some(first)));
    assert!(why.to_string().contains("third has taken over"), "{why}");
    play.terminate(third);
    play.wait(8 * DAY);
    let why = play.refused(named("late", Some(first)));
    assert!(why.to_string().contains("already deleted"), "{why}");
}
