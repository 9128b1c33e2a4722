//! Tests of tabs: their labels, panes side by side, and the mouse on both.

use super::*;

/// The tags and sizes of resized panes.
fn resized(steps: &[Step]) -> Vec<(u16, u16)> {
    let size = |step: &Step| match step {
        Step::Do(Effect::ResizeStream { columns, rows, .. }) => Some((*columns, *rows)),
        _ => None,
    };
    steps.iter().filter_map(size).collect()
}

#[test]
fn a_pane_is_split_focused_moved_and_closed() {
    let mut world = World::live(1);
    let steps = world.act(Action::PaneSplitRight);
    // It gets a window of its own, because otherwise the two would mirror each other.
    let fresh = |step: &Step| match step {
        Step::Do(Effect::Open {
            open: StreamOpen::Terminal { start, .. },
            ..
        }) => start.fresh,
        _ => false,
    };
    assert!(steps.iter().any(fresh));
    assert_eq!(opened(&steps), [("face-2".to_owned(), 40, 22)]);
    assert_eq!(resized(&steps), [(39, 22)]);
    world.happens(StreamEvent::Opened);
    let opened_below = world.act(Action::PaneSplitBelow);
    assert_eq!(opened(&opened_below), [("face-3".to_owned(), 40, 11)]);
    assert_eq!(world.panes.tabs().len(), 1);
    let at = |world: &World| world.panes.active().unwrap().id.0;
    assert_eq!(at(&world), 3);
    world.act(Action::PaneUp);
    assert_eq!(at(&world), 2);
    world.act(Action::PaneLeft);
    assert_eq!(at(&world), 1);
    world.act(Action::PaneLeft);
    assert_eq!(at(&world), 1, "there is none on that side");

    let steps = world.act(Action::PaneGrowRight);
    assert!(resized(&steps).contains(&(43, 22)), "{steps:?}");
    assert!(world.panes.is_moving_border());
    world.press("left");
    let steps = world.panes.set_page(PAGE);
    assert!(resized(&steps).contains(&(39, 22)), "{steps:?}");
    assert_eq!(sent(&world.press("x").unwrap()), "x", "other keys go on");
    assert!(!world.panes.is_moving_border());

    let closed = world.act(Action::PaneClose);
    assert!(matches!(closed[0], Step::Do(Effect::Close { .. })));
    assert_eq!(world.panes.count(), 2);
    assert_eq!(resized(&closed), [(80, 10), (80, 11)]);
}

#[test]
fn a_pane_fills_the_page_and_comes_back() {
    let mut world = World::live(1);
    world.act(Action::PaneSplitRight);
    world.happens(StreamEvent::Opened);
    assert_eq!(resized(&world.act(Action::PaneZoom)), [(80, 23)]);
    assert_eq!(world.panes.place(PAGE).1.len(), 1);
    assert_eq!(resized(&world.act(Action::PaneLeft)), [(40, 22)]);
    assert_eq!(world.panes.place(PAGE).1.len(), 2);
    assert_eq!(world.panes.active().unwrap().id, PaneId(1));
}

#[test]
fn what_is_too_small_to_split_says_so() {
    let mut world = World::live(1);
    world.act(Action::PaneSplitRight);
    world.happens(StreamEvent::Opened);
    world.act(Action::PaneSplitRight);
    let steps = world.act(Action::PaneSplitRight);
    assert!(matches!(&steps[0], Step::Toast { .. }), "{steps:?}");
    assert_eq!(world.panes.count(), 2);
}

#[test]
fn a_drag_belongs_to_what_it_began_on() {
    let mut world = World::live(1);
    world.prints("\x1b[?1002h\x1b[?1006h");
    world.act(Action::PaneSplitRight);
    world.happens(StreamEvent::Opened);
    let left = Button::Left;
    assert_eq!(
        sent(&world.mouse(MouseKind::Press(left), 2, 3)),
        "\x1b[<0;3;3M"
    );
    assert_eq!(world.panes.active().unwrap().id, PaneId(1));
    // A drag over the border is reported at the edge of the pane where it began.
    assert_eq!(
        sent(&world.mouse(MouseKind::Drag(left), 70, 5)),
        "\x1b[<32;39;5M"
    );
    assert_eq!(
        sent(&world.mouse(MouseKind::Release(left), 70, 5)),
        "\x1b[<0;39;5m"
    );
    // The border itself.
    world.mouse(MouseKind::Press(left), 39, 5);
    let moved = world.mouse(MouseKind::Drag(left), 50, 5);
    assert_eq!(sent(&moved), "");
    assert!(resized(&moved).contains(&(50, 22)), "{moved:?}");
    world.mouse(MouseKind::Release(left), 50, 5);
    assert_eq!(sent(&world.mouse(MouseKind::Drag(left), 2, 3)), "");
}

#[test]
fn the_mouse_reaches_tabs_and_programs() {
    let mut world = World::live(1);
    world.open(2);
    world.happens(StreamEvent::Opened);
    world.prints("\x1b[?1000h\x1b[?1006h");
    let steps = world.mouse(MouseKind::Press(Button::Left), 4, 3);
    assert_eq!(sent(&steps), "\x1b[<0;5;3M");
    world.mouse(MouseKind::Release(Button::Left), 4, 3);
    world.mouse(MouseKind::Press(Button::Left), 2, 0);
    assert_eq!(world.panes.active_tab(), 0);
    assert_eq!(sent(&world.mouse(MouseKind::Press(Button::Left), 4, 3)), "");
}

#[test]
fn tabs_fit_and_the_one_on_top_is_among_them() {
    let mut world = World::new();
    for number in 0..20 {
        world.open(number);
    }
    for at in 0..20 {
        world.panes.show(world.panes.tabs[at].focus);
        for width in [10, 40, 80, 1000] {
            let tabs = world.panes.tab_labels(width);
            assert!(tabs.iter().any(|tab| tab.position == at));
            let end = tabs.last().map_or(0, |tab| tab.column + tab.width);
            assert!(end <= width.max(12), "{tabs:?}");
        }
    }
    assert_eq!(world.panes.tab_labels(1000).len(), 20);
    let long = Clean::new(&"가".repeat(40));
    world.session_changed(19, &long, None);
    let label = world.panes.label(19);
    assert!(label.width() < 40 && label.contains('…'), "{label}");
}
