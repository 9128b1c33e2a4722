//! Tests of recordings: what is recorded, and what ends one.

use super::*;
use crate::app::panes::recording::{RecordOrder, RecordingEnd};

fn orders(steps: &[Step]) -> Vec<&RecordOrder> {
    steps
        .iter()
        .filter_map(|step| match step {
            Step::Do(Effect::Record { order, .. }) => Some(order),
            _ => None,
        })
        .collect()
}

fn recorded() -> World {
    let mut world = World::live(1);
    world.panes = world.panes.recording_to("/data/recordings".into(), 1000);
    world.prints("\x1b[31mbefore\x1b[0m");
    world
}

#[test]
fn the_screen_the_output_and_the_sizes_are_recorded_but_no_keys() {
    let mut world = recorded();
    let begun = world.act(Action::PaneRecord);
    let RecordOrder::Start {
        path,
        columns,
        rows,
        screen,
        limit,
        ..
    } = orders(&begun)[0]
    else {
        panic!("{begun:?}");
    };
    assert_eq!(
        path.to_str(),
        Some("/data/recordings/work-1-19700101T000000Z.cast")
    );
    assert_eq!((*columns, *rows, *limit), (80, 22, 1000));
    assert!(String::from_utf8_lossy(screen).contains("before"));
    assert!(world.panes.is_recorded(PaneId(1)));
    let printed = world.prints("after");
    assert_eq!(
        orders(&printed),
        [&RecordOrder::Output(Bytes::from("after"))]
    );
    assert_eq!(
        orders(&world.press("x").unwrap()),
        Vec::<&RecordOrder>::new()
    );
    let resized = world.panes.set_page(Rect::new(0, 0, 100, 30));
    let size = RecordOrder::Resize {
        columns: 100,
        rows: 29,
    };
    assert_eq!(orders(&resized), [&size]);
    let stopped = world.act(Action::PaneRecord);
    assert!(orders(&stopped).contains(&&RecordOrder::Stop));
    assert!(!world.panes.is_recorded(PaneId(1)));
    assert_eq!(orders(&world.prints("more")), Vec::<&RecordOrder>::new());
}

#[test]
fn the_end_of_the_shell_or_the_pane_ends_it() {
    let mut world = recorded();
    world.act(Action::PaneRecord);
    world.happens(StreamEvent::Ended(StreamEnd::Exited { exit_code: Some(0) }));
    let steps = world.panes.look(true, &mut world.ids, world.now);
    assert_eq!(orders(&steps), [&RecordOrder::Stop]);
    let mut world = recorded();
    world.act(Action::PaneRecord);
    let steps = world.panes.close_all();
    assert_eq!(orders(&steps), [&RecordOrder::Stop]);
}

#[test]
fn a_broken_connection_does_not_end_it_and_a_full_disk_says_so() {
    let mut world = recorded();
    world.act(Action::PaneRecord);
    world.happens(lost());
    assert_eq!(
        orders(&world.panes.look(true, &mut world.ids, world.now)),
        Vec::<&RecordOrder>::new()
    );
    let end = RecordingEnd {
        path: Some("/data/recordings/a.cast".into()),
        problem: Some("the disk is full".into()),
    };
    let steps = world.panes.recording_ended(1, &end);
    let Step::Toast { text, .. } = &steps[0] else {
        panic!("{steps:?}");
    };
    assert!(text.as_str().contains("saved until then"), "{text}");
    assert!(!world.panes.is_recorded(PaneId(1)));
}
