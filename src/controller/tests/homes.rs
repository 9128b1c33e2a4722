//! Homes that are taken over by a later session.

use super::{
    batch,
    play::{Play, at},
};
use crate::model::{id::SessionId, spec::LaunchRequest, status::Status};

const DAY: i64 = 24 * 60 * 60;

/// One that has ended, whose home is kept for seven days, and one that begins in its home after nine.
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
fn a_home_is_kept_while_somebody_waits_for_it() {
    let mut play = Play::new();
    let (earlier, later) = two(&mut play);
    play.wait(8 * DAY);
    assert!(!play.controller.is_forgotten(earlier));
    play.restart();
    play.work_off();
    assert!(!play.controller.is_forgotten(earlier));
    assert!(play.session(earlier).scratch.is_some());
    play.wait(DAY);
    assert_eq!(play.status(later), Status::Running);
    assert_eq!(play.session(earlier).scratch, None, "it is the later one's");
    play.wait(DAY);
    assert!(play.controller.is_forgotten(earlier));
}

#[test]
fn a_home_that_nobody_waits_for_any_more_goes() {
    let mut play = Play::new();
    let (earlier, later) = two(&mut play);
    play.wait(8 * DAY);
    play.terminate(later);
    play.wait(DAY);
    assert!(play.controller.is_forgotten(earlier));
    assert_eq!(play.session(earlier).scratch, None);
}
