//! Tests of broadcast: which panes get the keys, and what ends it.

use super::*;

/// Two live panes of one session, side by side. The second one has the focus.
fn two() -> World {
    let mut world = World::live(1);
    world.act(Action::PaneSplitRight);
    world.happens(StreamEvent::Opened);
    world
}

fn begin(world: &mut World) -> Vec<Step> {
    world.panes.toggle_broadcast(|_| false)
}

/// The streams that got something.
fn reached(steps: &[Step]) -> Vec<StreamId> {
    let stream = |step: &Step| match step {
        Step::Do(Effect::Send { stream, .. }) => Some(*stream),
        _ => None,
    };
    steps.iter().filter_map(stream).collect()
}

fn said(steps: &[Step]) -> String {
    let text = |step: &Step| match step {
        Step::Toast { text, .. } => Some(text.to_string()),
        _ => None,
    };
    steps.iter().filter_map(text).collect()
}

fn look(world: &mut World, on_page: bool) -> Vec<Step> {
    world.panes.look(on_page, &mut world.ids, world.now)
}

#[test]
fn keys_and_pastes_reach_all_panes_of_the_screen() {
    let mut world = two();
    assert_eq!(reached(&world.press("x").unwrap()).len(), 1);
    assert_eq!(said(&begin(&mut world)), "keys and pastes go to 2 panes");
    assert_eq!(world.panes.broadcast_count(), Some(2));
    let typed = world.press("x").unwrap();
    assert_eq!((sent(&typed), reached(&typed).len()), ("xx".to_owned(), 2));
    let pasted = world.panes.paste("ls");
    assert_eq!(sent(&pasted), "lsls");
    assert_eq!(said(&begin(&mut world)), "broadcast off");
    assert_eq!(reached(&world.press("x").unwrap()).len(), 1);
}

#[test]
fn each_pane_gets_the_key_in_its_own_mode() {
    let mut world = two();
    // The second program wants application cursor keys.
    world.prints("\x1b[?1h");
    begin(&mut world);
    assert_eq!(sent(&world.press("up").unwrap()), "\x1b[A\x1bOA");
}

#[test]
fn a_paste_that_would_run_in_any_of_them_is_confirmed() {
    let mut world = two();
    world.prints("\x1b[?2004h");
    assert_eq!(sent(&world.panes.paste("a\nb")), "\x1b[200~a\rb\x1b[201~");
    begin(&mut world);
    assert_eq!(world.panes.paste("a\nb"), []);
    assert!(world.panes.prompt().is_some());
    assert_eq!(
        sent(&world.act(Action::ConfirmYes)),
        "a\rb\x1b[200~a\rb\x1b[201~"
    );
}

#[test]
fn marked_panes_are_chosen_also_on_other_tabs() {
    let mut world = two();
    world.act(Action::PaneMark);
    assert!(world.panes.is_marked(PaneId(2)));
    world.open(2);
    world.happens(StreamEvent::Opened);
    begin(&mut world);
    assert_eq!(world.panes.broadcast_count(), Some(2));
    assert_eq!(world.panes.broadcast_hidden(), 1);
    assert!(world.panes.is_broadcast(PaneId(2)) && world.panes.is_broadcast(PaneId(3)));
    assert!(!world.panes.is_broadcast(PaneId(1)));
    // A changed mark ends it.
    world.act(Action::PaneMark);
    let ended = said(&world.act(Action::PaneMark));
    assert!(
        ended.is_empty() || world.panes.broadcast_count().is_none(),
        "{ended}"
    );
}

#[test]
fn what_cannot_take_keys_is_left_out_with_the_reason() {
    let mut world = two();
    let message = said(&world.panes.toggle_broadcast(|it| it == session(1).context));
    assert!(message.contains("work-1 is read-only"), "{message}");
    assert_eq!(world.panes.broadcast_count(), None);
    world.happens(lost());
    let message = said(&begin(&mut world));
    assert!(
        message.contains("the shell of work-1 isn't connected"),
        "{message}"
    );
    assert_eq!(world.panes.broadcast_count(), None);
}

#[test]
fn it_ends_when_the_view_or_a_marked_pane_is_left_or_a_shell_is_lost() {
    let mut world = two();
    begin(&mut world);
    assert_eq!(look(&mut world, true), []);
    assert_eq!(said(&look(&mut world, false)), "broadcast off");
    begin(&mut world);
    world.happens(lost());
    assert!(said(&look(&mut world, true)).contains("isn't connected"));
    let mut world = two();
    begin(&mut world);
    world.act(Action::PaneClose);
    assert!(said(&look(&mut world, true)).contains("a pane was closed"));
    let mut world = two();
    begin(&mut world);
    world.open(2);
    assert!(said(&look(&mut world, true)).contains("isn't part of it"));
    assert_eq!(world.panes.broadcast_count(), None);
}
