//! Tests what programs in a pane can request, and what they get.

use super::*;

#[test]
fn questions_of_the_program_are_answered_to_it_alone() {
    let mut world = World::live(1);
    assert_eq!(sent(&world.prints("\x1b[c")), "\x1b[?62;22c");
    let steps = world.prints("\x07\x07\x1b]52;c;aGk=\x07");
    assert!(steps.contains(&Step::Do(Effect::Bell)));
    assert_eq!(world.prints("\x07"), [], "a bell a second is enough");
}

#[test]
fn links_of_the_program_lead_where_the_settings_say() {
    let settings = TerminalSettings {
        link_schemes: ["ssh"].iter().map(|it| it.parse().unwrap()).collect(),
        ..TerminalSettings::default()
    };
    let mut world = World::new();
    world.panes = world.panes.with(&settings);
    world.open(1);
    // A reopened pane applies the same settings.
    for _ in 0..2 {
        world.happens(StreamEvent::Opened);
        world.prints("\x1b]8;;http://a.example\x07a\x1b]8;;ssh://b.example\x07b");
        let emulator = &world.panes.active().unwrap().emulator;
        let cells = (0..80).filter_map(|column| emulator.cell(column, 0));
        let links = cells.filter_map(|cell| cell.link);
        let addresses: Vec<&str> = links.map(|link| link.address()).collect();
        assert_eq!(addresses, ["ssh://b.example"]);
        world.happens(lost());
        world.after(60);
    }
}

#[test]
fn focus_is_reported_to_programs_that_asked() {
    let mut world = World::live(1);
    world.prints("\x1b[?1004h");
    assert_eq!(sent(&world.panes.focus(true)), "\x1b[I");
    assert_eq!(sent(&world.panes.focus(true)), "");
    world.open(2);
    assert_eq!(
        sent(
            &world
                .panes
                .action(Action::PanePrevious, None, &mut world.ids, world.now)
        ),
        "\x1b[I"
    );
    assert_eq!(
        sent(
            &world
                .panes
                .action(Action::PaneNext, None, &mut world.ids, world.now)
        ),
        "\x1b[O"
    );
    assert_eq!(
        sent(&world.panes.focus(false)),
        "",
        "the second did not ask"
    );
}

#[test]
fn pastes_are_bracketed_where_asked() {
    let mut world = World::live(1);
    assert_eq!(sent(&world.panes.paste("a b")), "a b");
    assert_eq!(
        world.panes.paste("a\nb"),
        [],
        "each line would run: asked first"
    );
    assert_eq!(world.panes.scope(), Scope::Confirm);
    let leave = world
        .panes
        .action(Action::ConfirmNo, None, &mut world.ids, world.now);
    assert_eq!(leave, []);
    world.panes.paste("a\nb");
    let paste = world
        .panes
        .action(Action::ConfirmPress, None, &mut world.ids, world.now);
    assert_eq!(sent(&paste), "a\rb");
    world.prints("\x1b[?2004h");
    assert_eq!(sent(&world.panes.paste("a\nb")), "\x1b[200~a\rb\x1b[201~");
}

#[test]
fn movement_is_wanted_only_by_a_program_that_asked() {
    let mut world = World::live(1);
    world.prints("\x1b[?1002h");
    assert!(!world.panes.want_moves());
    world.prints("\x1b[?1003h");
    assert!(world.panes.want_moves());
}
