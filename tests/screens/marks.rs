//! Marks in the list, and actions on all marked sessions.

use workbay::{
    app::{effect::Effect, panels::bulk::BulkDialog},
    model::{
        change::Change, failure::Failure, id::SessionKey, request::SessionRequest,
        session::Session, spec::LaunchRequest, status::Status,
    },
    protocol::message::{Reply, Request},
};

use crate::{
    screen::Screen,
    world::{self, day, key, many, session, snapshot},
};

fn list(count: u128) -> Screen {
    Screen::new(80, 24).daemon(snapshot(many(count)))
}

fn marked(screen: &Screen) -> Vec<SessionKey> {
    screen.app.sessions.marks.keys().collect()
}

/// The sessions whose termination was requested, and whether with force.
fn terminations(screen: &Screen) -> Vec<(SessionKey, bool)> {
    let wishes = screen.wishes().into_iter();
    let ends = wishes.filter_map(|request| match request {
        Request::Session {
            session,
            request: SessionRequest::Terminate { force },
        } => Some((*session, *force)),
        _ => None,
    });
    ends.collect()
}

fn ended(mut session: Session) -> Change {
    session.status = Status::Terminated;
    session.terminated_at = Some(world::ago(0));
    Change::Session {
        session: Box::new(session),
    }
}

#[test]
fn space_marks_and_escape_removes_the_marks_first() {
    let screen = list(20).press("space space");
    assert_eq!(marked(&screen), [key(0), key(1)]);
    assert!(screen.sees("2 marked"), "{}", screen.text());
    insta::assert_snapshot!(screen.text());
    let screen = screen.press("k space");
    assert_eq!(marked(&screen), [key(0)]);
    // The filter is still there after the first Esc.
    let screen = screen.press("/").typed("worker").press("enter esc");
    assert!(marked(&screen).is_empty() && screen.sees("/worker"));
    assert!(!screen.press("esc").sees("/worker"));
}

#[test]
fn a_range_and_all_that_match_are_marked_at_once() {
    let screen = list(30).press("space j j j v");
    assert_eq!(marked(&screen).len(), 5);
    let screen = screen.press("u shift-down shift-down");
    assert_eq!(marked(&screen).len(), 3);
    let screen = screen
        .press("u /")
        .typed("name:worker-01*")
        .press("enter *");
    assert_eq!(marked(&screen).len(), 10);
    assert!(marked(&screen.press("ctrl-a")).is_empty());
}

#[test]
fn marks_follow_sessions_to_other_tabs_and_end_with_them() {
    let screen = list(3).press("*").press("2");
    assert!(screen.sees("3 marked"), "{}", screen.text());
    let broken = session(1, "worker-001", Status::RunningDegraded, 9);
    let screen = screen.notice(Change::Session {
        session: Box::new(broken),
    });
    let screen = screen.notice(ended(many(3)[2].clone()));
    assert_eq!(marked(&screen), [key(0), key(1)]);
    let screen = screen.notice(Change::Gone { session: key(0) });
    assert_eq!(marked(&screen), [key(1)]);
}

#[test]
fn sixty_sessions_end_with_three_keys() {
    let mut sessions = many(60);
    for waiting in &mut sessions[52..] {
        waiting.status = Status::Pending;
        waiting.started_at = None;
    }
    let screen = Screen::new(80, 24).daemon(snapshot(sessions.clone()));
    let screen = screen.press("* x");
    assert!(screen.sees("Terminate 60 sessions?"), "{}", screen.text());
    assert!(screen.sees("52 RUNNING, 8 PENDING."), "{}", screen.text());
    insta::assert_snapshot!(screen.text());
    let mut screen = screen.press("y");
    // Eight requests wait for their answers at a time, and each answer brings the next.
    assert_eq!(terminations(&screen).len(), 8);
    for answered in 0..60 {
        let (asked, _) = terminations(&screen)[answered];
        let refused = asked == key(3) || asked == key(4);
        let result = if refused {
            Err(Failure::lost("the engine is disconnected"))
        } else {
            Ok(Reply::Done)
        };
        screen = screen.answer(
            |it| matches!(it, Request::Session { session, request: SessionRequest::Terminate { .. } } if *session == asked),
            result,
        );
    }
    assert_eq!(terminations(&screen).len(), 60);
    // Accepted isn't terminated.
    assert!(screen.sees("terminating 2 of 60"), "{}", screen.text());
    for session in &sessions {
        if session.key() != key(3) && session.key() != key(4) {
            screen = screen.notice(ended(session.clone()));
        }
    }
    let text = screen.text();
    assert!(screen.sees("58 terminated, 2 failed"), "{text}");
    // Those that failed stay marked.
    assert_eq!(marked(&screen), [key(3), key(4)]);
    let screen = screen.press("V");
    assert!(
        screen.sees("Results: 58 terminated, 2 failed"),
        "{}",
        screen.text()
    );
    insta::assert_snapshot!(screen.text());
}

#[test]
fn sessions_are_killed_only_if_force_is_on() {
    let screen = list(2).press("* x f y");
    let asked = terminations(&screen);
    assert_eq!(asked, [(key(0), true), (key(1), true)]);
}

#[test]
fn enter_alone_and_no_change_nothing() {
    for keys in ["* x enter", "* x n", "* x esc"] {
        let screen = list(5).press(keys);
        assert!(!screen.app.panels.is_open::<BulkDialog>(), "{keys}");
        assert!(terminations(&screen).is_empty(), "{keys}");
        assert_eq!(marked(&screen).len(), 5, "{keys}");
    }
}

#[test]
fn those_to_which_it_cannot_happen_are_listed_before() {
    let screen = Screen::new(80, 24).daemon(snapshot(day())).press("*");
    // None of them has idle checks.
    let refused = screen.press("E");
    assert!(!refused.app.panels.is_open::<BulkDialog>());
    let text = refused.text();
    let count = marked(&refused).len();
    let why = format!("Not possible for the {count} marked sessions:");
    assert!(count > 1 && refused.sees(&why), "{text}");
    let mut sessions = many(3);
    sessions[1].status = Status::Pending;
    sessions[1].started_at = None;
    let mut screen = Screen::new(80, 24).daemon(snapshot(sessions)).press("*");
    screen = screen.press("p");
    assert!(screen.sees("Priority of 3 sessions"), "{}", screen.text());
    screen = screen.typed("70").press("enter");
    let text = screen.text();
    assert!(
        screen.sees("Change the priority of 1 session to 70?"),
        "{text}"
    );
    assert!(screen.sees("worker-000 is RUNNING. Only PENDING"), "{text}");
    let screen = screen.press("y");
    let asked = screen.wishes().into_iter().any(|it| {
        let wanted = SessionRequest::Priority { priority: 70 };
        matches!(it, Request::Session { session, request } if *session == key(1) && *request == wanted)
    });
    assert!(asked);
}

#[test]
fn relaunched_sessions_get_their_settings_and_free_names() {
    let screen = list(1).press("space .");
    assert!(screen.sees("Relaunch 1 session?"), "{}", screen.text());
    let screen = screen.press("y").answer(
        |it| {
            matches!(
                it,
                Request::Session {
                    request: SessionRequest::Again,
                    ..
                }
            )
        },
        Ok(Reply::Again {
            launch: Box::new(LaunchRequest {
                environment: Some("busybox".to_owned()),
                ..LaunchRequest::default()
            }),
            missing: Vec::new(),
        }),
    );
    let launched = screen.wishes().into_iter().find_map(|it| match it {
        Request::Launch { launch, .. } => Some(launch.clone()),
        _ => None,
    });
    let launched = launched.unwrap();
    assert_eq!(launched.name.as_deref(), Some("worker-000-2"));
    assert_eq!(launched.environment.as_deref(), Some("busybox"));
}

#[test]
fn ids_are_copied_and_sessions_exported() {
    let screen = list(3).press("* y");
    let copied = screen.effects().iter().find_map(|effect| match effect {
        Effect::Copy { text, .. } => Some(text.clone()),
        _ => None,
    });
    assert_eq!(copied.unwrap().lines().count(), 3);
    let screen = screen.press("u space e");
    assert!(
        screen.sees("Export 1 session to: sessions.csv"),
        "{}",
        screen.text()
    );
    let screen = screen.press("ctrl-u").typed("a.txt");
    assert!(
        screen.sees("Use NAME.csv or NAME.json"),
        "{}",
        screen.text()
    );
    let screen = screen.press("ctrl-u").typed("a.json").press("enter");
    let saved = screen.effects().iter().find_map(|effect| match effect {
        Effect::SaveFile { path, contents, .. } => Some((path.clone(), contents.clone())),
        _ => None,
    });
    let (path, contents) = saved.unwrap();
    assert_eq!(path.to_str(), Some("/home/kim/a.json"));
    let read: serde_json::Value = serde_json::from_slice(&contents).unwrap();
    assert_eq!(read[0]["name"], "worker-000");
    assert_eq!(read.as_array().unwrap().len(), 1);
}

#[test]
fn a_read_only_tui_says_why() {
    let mut facts = crate::screen::facts();
    facts.read_only = true;
    let screen = Screen::with(80, 24, facts).daemon(snapshot(many(2)));
    let screen = screen.press("* x");
    assert!(!screen.app.panels.is_open::<BulkDialog>());
    assert!(screen.sees("ui.read-only"), "{}", screen.text());
}

#[test]
fn ctrl_click_marks_a_row() {
    use workbay::app::msg::{Button, Mouse, MouseKind, Msg};
    let click = |row| {
        Msg::Mouse(Mouse {
            kind: MouseKind::Press(Button::Left),
            column: 10,
            row,
            ctrl: true,
            alt: false,
            shift: false,
        })
    };
    let screen = list(9).send(click(7)).send(click(9));
    assert_eq!(marked(&screen).len(), 2, "{}", screen.text());
    assert_eq!(marked(&screen.send(click(9))).len(), 1);
}
