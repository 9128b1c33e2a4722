//! Tests of logs that are longer than the part in memory.

use super::*;

#[test]
fn every_line_is_reached_from_the_end_page_by_page() {
    let mut world = LogTest::numbered(3_000);
    let mut lowest = 3_000;
    while lowest > 0 {
        let (first, last) = world.logs.position().unwrap();
        assert!(last >= lowest, "a gap before {lowest}: {first} to {last}");
        assert_eq!(world.edges(), lines(first as usize - 1, last as usize - 1));
        assert!(world.logs.window.end() - world.logs.window.first() < 400);
        lowest = first - 1;
        world.act(Action::ListPageUp);
    }
    world.act(Action::ListLast);
    assert!(world.logs.is_following());
    assert_eq!(world.edges(), lines(2_990, 2_999));
    world.act(Action::ListFirst);
    let mut highest = 0;
    while !world.logs.is_following() {
        let (first, last) = world.logs.position().unwrap();
        assert!(first <= highest + 1, "a gap after {highest}");
        highest = last;
        world.act(Action::ListPageDown);
    }
    let (first, last) = world.logs.position().unwrap();
    assert!(first <= highest + 1 && last == 3_000);
}

#[test]
fn keys_pressed_while_lines_are_read_are_not_lost() {
    let mut world = LogTest::numbered(3_000);
    world.busy = Some(VecDeque::new());
    for _ in 0..100 {
        world.act(Action::ListPageUp);
    }
    world.is_free();
    assert_eq!(world.edges(), lines(2_090, 2_099));
    world.busy = Some(VecDeque::new());
    world.act(Action::ListFirst);
    for _ in 0..3 {
        world.act(Action::ListDown);
    }
    assert_eq!(
        world.edges(),
        lines(2_090, 2_099),
        "until the lines are there"
    );
    world.is_free();
    assert_eq!(world.edges(), lines(3, 12));
}

#[test]
fn the_end_of_a_long_log_is_there_before_the_rest() {
    let mut world = LogTest::new();
    world.reader = LogReader::new(
        world.logs.stream,
        None,
        LogStoreLimits::default(),
        true,
        "2026-05-04T10:00:00Z".parse().unwrap(),
    );
    world.opens();
    let line = |n: usize| {
        let time = "2026-05-04T09:00:00Z".parse::<Timestamp>().unwrap();
        let time = time + jiff::SignedDuration::from_millis(n.try_into().unwrap());
        format!("{time} line {n}\n")
    };
    let text = |numbers: std::ops::Range<usize>| numbers.map(line).collect::<String>();
    world.prints(&text(0..40_000));
    assert!(world.reader.needs_preview());
    world.reader.preview_opened();
    world
        .reader
        .preview(LogSource::Stdout, text(98_000..100_000).as_bytes());
    world.settles();
    assert_eq!(world.edges(), lines(99_990, 99_999));
    assert_eq!(world.logs.position(), None, "the number is unknown");
    for _ in 0..200 {
        world.act(Action::ListPageUp);
    }
    let above = world.edges();
    world.act(Action::ListFirst);
    assert_eq!(world.edges(), lines(0, 9), "what was read is there");
    world.act(Action::ListLast);
    for _ in 0..200 {
        world.act(Action::ListPageUp);
    }
    assert_eq!(world.edges(), above);
    let new = world.logs.new_lines();
    world.prints(&text(40_000..98_500));
    assert!(world.reader.has_preview_enough());
    assert!(world.logs.extent().loading);
    world.prints(&text(98_500..100_005));
    assert!(!world.logs.extent().loading);
    assert_eq!(world.edges(), above, "what one reads stays");
    assert_eq!(world.logs.new_lines(), new + 5);
    let first = usize::try_from(world.logs.position().unwrap().0).unwrap() - 1;
    assert_eq!(world.edges().0, format!("line {first}"));
    world.act(Action::ListPageUp);
    assert_eq!(world.edges(), lines(first - 9, first));
    world.act(Action::ListLast);
    assert_eq!(world.edges(), lines(99_995, 100_004));
}
