//! A session whose image is being pulled.

use workbay::{
    model::{
        change::Change,
        pull::{Pull, PullFigures},
        request::SessionRequest,
        resources::Bytes,
        session::Session,
        status::Status,
    },
    protocol::message::{Reply, Request},
};

use crate::{
    screen::Screen,
    steps::changed,
    world::{image, session, snapshot},
};

fn pulling() -> Session {
    Session {
        environment: image("jupyter", "python-3.12"),
        pull: Some(Box::new(Pull {
            registry: "quay.io".into(),
            reference: "quay.io/jupyter/scipy-notebook:python-3.12".into(),
            figures: PullFigures {
                layers: 7,
                layers_done: 3,
                bytes: Bytes::mib(400),
                bytes_done: Bytes::mib(120),
                unsized_layers: 0,
                more_layers: false,
            },
            rate: Some(Bytes::mib(7)),
            seconds_left: Some(40),
            attempt: 1,
            broken: None,
        })),
        ..session(1, "notebook", Status::Pulling, 2)
    }
}

fn screen(columns: u16, rows: u16) -> Screen {
    Screen::new(columns, rows).daemon(snapshot(vec![pulling()]))
}

#[test]
fn the_list_shows_how_much_has_come() {
    let screen = screen(80, 24);
    assert!(screen.sees("PULLING 30%"), "{}", screen.text());
}

#[test]
fn the_details_show_from_where_how_much_how_fast_and_how_long() {
    for (columns, rows) in [(80, 24), (200, 50)] {
        let screen = screen(columns, rows).press("enter");
        insta::assert_snapshot!(screen.text());
        for expected in [
            "From",
            "quay.io",
            "3 of 7 layers",
            "120 MiB of 400 MiB",
            "7 MiB/s",
        ] {
            assert!(screen.sees(expected), "{expected}: {}", screen.text());
        }
    }
}

/// Podman does not say how many layers there will be.
#[test]
fn no_share_is_reported_without_a_known_end() {
    let session = with(|pull| pull.figures.more_layers = true);
    let screen = changed(screen(80, 24).press("enter"), session.clone());
    assert!(screen.sees("3 of at least 7 layers"), "{}", screen.text());
    assert!(!screen.sees("30%"), "{}", screen.text());
    let dialog = changed(launched(80, 24, pending()), session);
    assert!(dialog.sees("3 of at least 7 layers"), "{}", dialog.text());
    assert!(!dialog.sees("30%"), "{}", dialog.text());
}

#[test]
fn a_connection_that_broke_is_reported() {
    let mut session = pulling();
    if let Some(pull) = &mut session.pull {
        pull.broken = Some("connection reset by peer".into());
        pull.attempt = 2;
    }
    let screen = screen(80, 24).press("enter").notice(Change::Session {
        session: Box::new(session),
    });
    assert!(
        screen.sees("connection lost, retrying"),
        "{}",
        screen.text()
    );
}

/// Launched from the wizard, and the answer has come.
fn launched(columns: u16, rows: u16, session: Session) -> Screen {
    let reply = Reply::Launched {
        sessions: vec![session],
        failure: None,
    };
    Screen::new(columns, rows)
        .daemon(snapshot(Vec::new()))
        .press("n")
        .press("alt-enter enter")
        .answer(|r| matches!(r, Request::Launch { .. }), Ok(reply))
}

fn with(change: impl FnOnce(&mut Pull)) -> Session {
    let mut session = pulling();
    change(session.pull.as_mut().expect("it is pulled"));
    session
}

fn pending() -> Session {
    Session {
        status: Status::Pending,
        pull: None,
        ..pulling()
    }
}

fn running() -> Session {
    Session {
        status: Status::Running,
        pull: None,
        ..pulling()
    }
}

const TITLE: &str = "Pulling the image for notebook";

/// A launch from here whose pull is shown.
fn shown(columns: u16, rows: u16) -> Screen {
    changed(launched(columns, rows, pending()), pulling())
}

fn terminated(screen: &Screen) -> usize {
    let wishes = screen.wishes().into_iter();
    let ends = wishes.filter(|it| {
        matches!(
            it.of_session(),
            Some(SessionRequest::Terminate { force: false })
        )
    });
    ends.count()
}

#[test]
fn a_launch_that_has_to_pull_shows_it_until_it_is_here() {
    let screen = launched(80, 24, pending());
    assert!(!screen.sees(TITLE));
    let asking = with(|pull| pull.figures = PullFigures::default());
    let screen = changed(screen, asking);
    insta::assert_snapshot!("asking_80x24", screen.text());
    let screen = changed(screen, pulling());
    insta::assert_snapshot!("launched_80x24", screen.text());
    let broken = with(|pull| {
        pull.attempt = 2;
        pull.broken = Some("the connection to quay.io broke (connection reset by peer)".into());
    });
    let screen = changed(screen, broken);
    insta::assert_snapshot!("broken_80x24", screen.text());
    let screen = changed(screen, running());
    assert!(!screen.sees(TITLE), "{}", screen.text());
    insta::assert_snapshot!("launched_200x50", shown(200, 50).text());
}

#[test]
fn esc_gives_the_launch_up_and_enter_leaves_it_going_on() {
    let screen = shown(80, 24).press("esc");
    assert!(!screen.sees(TITLE));
    assert_eq!(terminated(&screen), 1);
    for key in ["enter", "q", "ctrl-c"] {
        let screen = shown(80, 24).press(key);
        assert!(!screen.sees(TITLE), "{key}");
        assert_eq!(terminated(&screen), 0, "{key}");
        // It does not come again on its own.
        let screen = changed(screen, with(|pull| pull.seconds_left = Some(30)));
        assert!(!screen.sees(TITLE), "{key}");
        assert!(screen.sees("PULLING 30%"), "{}", screen.text());
    }
}

#[test]
fn all_that_was_launched_together_is_given_up() {
    let second = Session {
        name: "other".into(),
        ..session(2, "other", Status::Pending, 0)
    };
    let reply = Reply::Launched {
        sessions: vec![pending(), second.clone()],
        failure: None,
    };
    let screen = Screen::new(80, 24)
        .daemon(snapshot(Vec::new()))
        .press("n")
        .press("alt-enter enter")
        .answer(|r| matches!(r, Request::Launch { .. }), Ok(reply));
    let screen = changed(changed(screen, second), pulling());
    assert!(
        screen.sees("Pulling the image for 2 sessions"),
        "{}",
        screen.text()
    );
    assert_eq!(terminated(&screen.press("esc")), 2);
}

#[test]
fn it_does_not_open_under_the_fingers_of_a_user_who_kept_typing() {
    let screen = launched(80, 24, pending()).press("down");
    assert!(!changed(screen, pulling()).sees(TITLE));
    // Another user's launch doesn't either.
    let screen = Screen::new(80, 24).daemon(snapshot(Vec::new()));
    assert!(!changed(screen, pulling()).sees(TITLE));
}

#[test]
fn it_goes_with_its_session() {
    let cancelled = Session {
        status: Status::Cancelled,
        ..running()
    };
    assert!(!changed(shown(80, 24), cancelled).sees(TITLE));
    let gone = Change::Gone {
        session: pulling().key(),
    };
    assert!(!shown(80, 24).notice(gone).sees(TITLE));
}
