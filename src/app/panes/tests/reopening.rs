//! Tests of panes whose shell has ended, broke or couldn't be opened.

use super::*;
use crate::model::notice::Level;

#[test]
fn a_shell_that_ended_is_reopened_or_closed() {
    let mut world = World::live(1);
    world.happens(StreamEvent::Ended(StreamEnd::Exited { exit_code: Some(0) }));
    assert_eq!(
        world.state(),
        &PaneState::Ended {
            why: "shell ended".into()
        }
    );
    assert_eq!(world.panes.scope(), Scope::Panes);
    assert_eq!(world.panes.open_in(session(1)), 0);
    assert_eq!(world.press("x"), None, "free for the global keys");
    let again = world.press("enter").unwrap();
    assert_eq!(opened(&again), [("face-1".to_owned(), 80, 22)]);
    world.happens(StreamEvent::Opened);
    world.happens(StreamEvent::Ended(StreamEnd::Exited { exit_code: None }));
    assert_eq!(world.press("esc"), Some(vec![Step::Go(Go::Sessions)]));
    assert!(world.panes.is_empty());
}

#[test]
fn a_broken_connection_is_opened_again_after_growing_delays() {
    let mut world = World::live(1);
    let mut waits = Vec::new();
    for _ in 0..7 {
        world.happens(lost());
        assert_eq!(
            world.press("x"),
            Some(Vec::new()),
            "nothing is typed blindly"
        );
        let due = world.panes.wake_at().unwrap();
        waits.push(due.as_second() - world.now.as_second());
        assert_eq!(world.after(0), []);
        world.now = due;
        let again = world.after(0);
        assert_eq!(opened(&again), [("face-1".to_owned(), 80, 22)]);
    }
    assert_eq!(waits, [1, 2, 4, 8, 16, 30, 30]);
    world.happens(StreamEvent::Opened);
    world.prints("$ ");
    world.happens(lost());
    let due = world.panes.wake_at().unwrap();
    assert_eq!(due.as_second() - world.now.as_second(), 1);
    let now = world.press("enter").unwrap();
    assert_eq!(opened(&now).len(), 1, "Enter does not wait");
}

#[test]
fn keys_without_an_answer_are_reported_after_a_broken_connection() {
    let mut world = World::live(1);
    world.prints("$ ");
    for key in ["l", "s"] {
        world.press(key);
    }
    world.prints("ls");
    for key in ["-", "a", "l"] {
        world.press(key);
    }
    world.happens(lost());
    world.press("x");
    world.now = world.panes.wake_at().unwrap();
    world.after(0);
    world.press("y");
    world.happens(lost());
    world.press("enter");
    let report = |count: &str| {
        let text = format!("connection restored: your last {count} may not have arrived");
        [Step::toast(Level::Warning, text)]
    };
    assert_eq!(
        world.happens(StreamEvent::Opened),
        report("4 keys or pastes")
    );
    world.prints("$ ls");
    world.happens(lost());
    world.press("enter");
    assert_eq!(world.happens(StreamEvent::Opened), [], "all were answered");
    world.press("z");
    world.happens(lost());
    world.press("enter");
    assert_eq!(world.happens(StreamEvent::Opened), report("key or paste"));
}

#[test]
fn a_killed_terminal_client_is_no_ended_shell() {
    let mut world = World::live(1);
    world.happens(StreamEvent::Ended(StreamEnd::Exited {
        exit_code: Some(137),
    }));
    assert!(matches!(
        world.state(),
        PaneState::Lost {
            retry_at: Some(_),
            ..
        }
    ));
}

#[test]
fn what_cannot_be_opened_says_why_and_how() {
    let mut world = World::new();
    world.open(1);
    let failure = Failure::refused("work-1 is not running").hint("launch it");
    world.happens(StreamEvent::Ended(StreamEnd::Failed { failure }));
    let why = "work-1 is not running. launch it".into();
    assert_eq!(world.state(), &PaneState::Ended { why });
}

#[test]
fn while_the_daemon_is_disconnected_panes_wait_for_it() {
    let mut world = World::live(1);
    world.panes.open_host("here", &mut world.ids);
    world.panes.set_page(PAGE);
    world.happens(StreamEvent::Opened);
    world
        .panes
        .action(Action::PanePrevious, None, &mut world.ids, world.now);
    let old = world.stream();
    world
        .panes
        .link_down(&"the daemon went away".into(), world.now);
    assert!(matches!(
        world.state(),
        PaneState::Lost { retry_at: None, .. }
    ));
    assert_eq!(
        world.panes.wake_at(),
        None,
        "no timer while nothing can be done"
    );
    let late = world.panes.stream(old, &lost(), world.now);
    assert_eq!(late, Some(Vec::new()));
    assert_eq!(world.panes.wake_at(), None);
    let steps = world.panes.link_up(&mut world.ids, world.now);
    assert_eq!(
        opened(&steps),
        [("face-1".to_owned(), 80, 22)],
        "the host's shell never went away"
    );
    assert_eq!(world.panes.stream(old, &lost(), world.now), None);
}

#[test]
fn what_a_paused_container_refused_is_opened_when_it_resumes() {
    let mut world = World::live(1);
    let name = Clean::new("work-1");
    world.session_changed(1, &name, Some(Session::PAUSED));
    let failure = Failure::refused("the container is paused");
    world.happens(StreamEvent::Ended(StreamEnd::Failed { failure }));
    assert!(matches!(world.state(), PaneState::Lost { .. }));
    let steps = world.session_changed(1, &name, None);
    assert_eq!(opened(&steps), [("face-1".to_owned(), 80, 22)]);
    assert_eq!(world.session_changed(1, &name, None), [], "once");
}

#[test]
fn an_environment_without_a_shell_gets_the_toolbox_s_by_enter() {
    let mut world = World::live(1);
    let no_shell = StreamEvent::Ended(StreamEnd::Exited {
        exit_code: Some(crate::model::inside::NO_SHELL.into()),
    });
    world.happens(no_shell.clone());
    let PaneState::Ended { why } = world.state() else {
        panic!("{:?}", world.state());
    };
    assert!(
        why.to_string()
            .contains("no shell in this environment: Enter opens workbay's own"),
        "{why}"
    );
    let steps = world.press("enter").unwrap();
    let toolbox = steps.iter().any(|step| match step {
        Step::Do(Effect::Open {
            open: StreamOpen::Terminal { start, .. },
            ..
        }) => start.toolbox,
        _ => false,
    });
    assert!(toolbox, "{steps:?}");
    // If the bundled shell is missing too, it isn't offered again.
    world.happens(no_shell);
    let PaneState::Ended { why } = world.state() else {
        panic!("{:?}", world.state());
    };
    assert!(why.to_string().contains("ended with code 69"), "{why}");
}
