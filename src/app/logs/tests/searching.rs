//! Tests of searches, and of moving from error to error.

use super::*;
use crate::app::step::Go;

#[test]
fn searching_goes_from_hit_to_hit() {
    let mut world = LogTest::numbered(100);
    world.act(Action::LogsSearch);
    assert_eq!(world.logs.scope(), Scope::Input);
    world.types("line 5");
    assert_eq!(world.matches(), Some(11));
    assert!(world.rows().contains(&"line 5".to_owned()));
    world.act(Action::InputSubmit);
    world.act(Action::LogsNext);
    assert_eq!(world.current(), Some(50));
    assert!(world.rows().contains(&"line 50".to_owned()));
    world.act(Action::LogsPreviousHit);
    world.act(Action::LogsPreviousHit);
    assert_eq!(world.current(), Some(59), "round to the last");
    world.prints("line 5 again\n");
    assert_eq!(world.matches(), Some(12));
    assert_eq!(world.act(Action::Back), [], "the search ends first");
    assert_eq!(world.act(Action::Back), [Step::Go(Go::Sessions)]);
}

#[test]
fn a_key_goes_to_the_first_error_and_then_to_the_next() {
    let mut world = LogTest::numbered(100);
    let press = |world: &mut LogTest| world.does(Action::LogsError);
    let steps = press(&mut world);
    assert!(format!("{steps:?}").contains("no error found"), "{steps:?}");
    world.prints("epoch 1: 0 errors, error_rate 0.1\n");
    world.prints("Traceback (most recent call last):\n  File \"a.py\"\nValueError: no\n");
    for n in 0..200 {
        world.prints(&format!("after {n}\n"));
    }
    assert!(press(&mut world).is_empty());
    assert_eq!(world.current(), Some(101));
    assert!(world.logs.visible().iter().any(|row| row.number == 101));
    assert!(!world.logs.is_following());
    press(&mut world);
    assert_eq!(world.current(), Some(103));
    press(&mut world);
    assert_eq!(world.current(), Some(101), "from the top again");
}

#[test]
fn a_search_in_a_log_that_is_being_read_waits_for_the_rest() {
    let mut world = LogTest::new();
    world.prints("one\ntwo\n");
    world.act(Action::LogsSearch);
    world.types("three");
    let state = world.logs.search.as_ref().unwrap().state;
    assert!(!state.complete && state.matches == 0);
    world.prints("three\n");
    assert_eq!(world.current(), Some(2));
    world.act(Action::InputSubmit);
    world.act(Action::LogsNext);
    world.is_idle();
    let state = world.logs.search.as_ref().unwrap().state;
    assert_eq!(
        (state.complete, state.matches, state.position),
        (true, 1, Some(1))
    );
}
