//! What the TUI remembers for the next one.

use workbay::{
    app::{
        app::App,
        effect::Effect,
        msg::{Link, Msg},
        saved::SavedState,
        sessions::sort::{Column, SortOrder},
    },
    keymap::Keymap,
    model::status::Status,
    protocol::message::StreamOpen,
};

use crate::{
    screen::{Screen, facts},
    world::{session, snapshot},
};

fn keeping(kept: SavedState) -> Screen {
    let mut screen = Screen::new(140, 40);
    screen.app = App::new(facts(), Keymap::default()).saving_state(kept);
    screen
}

fn kept(screen: &Screen) -> Option<SavedState> {
    let kept = |effect: &Effect| match effect {
        Effect::SaveState(kept) => Some((**kept).clone()),
        _ => None,
    };
    screen.effects().iter().rev().find_map(kept)
}

fn tags(screen: &Screen) -> Vec<String> {
    let tag = |effect: &Effect| match effect {
        Effect::Open {
            open: StreamOpen::Terminal { tag, .. },
            ..
        } => Some(tag.clone()),
        _ => None,
    };
    screen.effects().iter().filter_map(tag).collect()
}

fn two() -> Vec<workbay::model::session::Session> {
    vec![
        session(1, "work", Status::Running, 30),
        session(2, "other", Status::Running, 20),
    ]
}

#[test]
fn splits_and_orders_come_back_after_the_tui_was_left() {
    let screen = keeping(SavedState::default()).daemon(snapshot(two()));
    let screen = screen.press("o o").press("s ctrl-] | ctrl-] d");
    let first = tags(&screen);
    assert_eq!(first.len(), 2, "{first:?}");
    let screen = screen.press("q");
    assert!(screen.has_left());
    assert_eq!(screen.app.shells_left(), 2);
    let left = kept(&screen).unwrap();
    // Nothing is opened before a user looks.
    let screen = keeping(left.clone()).daemon(snapshot(two()));
    assert_eq!(screen.app.sessions.order(), SortOrder::by(Column::Status));
    assert_eq!((screen.app.panes.count(), tags(&screen).len()), (2, 0));
    let screen = screen.press("t");
    assert_eq!(tags(&screen), first);
    // Its session has ended meanwhile.
    let mut ended = two();
    ended[1] = session(2, "other", Status::Terminated, 20);
    let screen = keeping(left).daemon(snapshot(ended));
    assert!(screen.app.panes.is_empty());
    assert!(
        screen.press("t").sees("No shell is open. Press s"),
        "t says so"
    );
}

#[test]
fn a_connection_that_breaks_forgets_nothing() {
    let screen = keeping(SavedState::default())
        .daemon(snapshot(two()))
        .press("s ctrl-] d");
    let left = kept(&screen).unwrap();
    assert_eq!(left.pane_tabs.len(), 1);
    // Left before the daemon answered: what was remembered stays.
    let screen = keeping(left.clone()).press("q");
    assert!(screen.has_left());
    assert_eq!(kept(&screen), None);
    let down = Msg::Daemon(Link::Down {
        why: "gone".into(),
        attempt: 1,
    });
    let screen = keeping(left.clone())
        .daemon(snapshot(two()))
        .send(down)
        .press("q");
    assert_eq!(kept(&screen).unwrap().pane_tabs, left.pane_tabs);
}
