//! The session that an open detail describes, the selected row and what a key is about are one.

use workbay::{
    app::panels::terminate::TerminateDialog,
    app::{app::App, detail::Detail},
    model::{
        change::Change, request::SessionRequest, session::Session, spec::LaunchRequest,
        status::Status, text::Clean,
    },
    protocol::message::{Reply, Request},
};

use crate::{
    screen::Screen,
    steps::changed,
    world::{key, session, snapshot},
};

fn died() -> Session {
    let mut it = session(1, "train-resnet", Status::Terminated, 90);
    it.kernels[0].oom_killed = true;
    it.kernels[0].exit_code = Some(137);
    it
}

fn some(columns: u16, rows: u16) -> Screen {
    Screen::new(columns, rows).daemon(snapshot(vec![
        died(),
        session(2, "notebook", Status::Terminated, 120),
        session(3, "worker-a", Status::Running, 30),
        session(4, "worker-b", Status::Running, 20),
    ]))
}

/// All three are `n`, and the list shows its tab.
fn is_about(screen: &Screen, n: u128) {
    let app: &App = &screen.app;
    let described = app.detail.as_ref().map(Detail::session);
    assert_eq!(described, Some(key(n)), "{}", screen.text());
    assert_eq!(app.sessions.selected(), Some(key(n)), "{}", screen.text());
    let current = app.current().unwrap();
    assert_eq!(current.key(), key(n));
    assert_eq!(current.tab(), app.sessions.tab());
}

#[test]
fn launched_again_from_its_details_the_new_session_is_described() {
    for (columns, rows) in [(80, 24), (140, 40)] {
        let focus = if columns >= 140 {
            "2 j enter enter"
        } else {
            "2 j enter"
        };
        let screen = some(columns, rows).press(focus);
        let old = screen.app.sessions.selected().unwrap();
        let launch = Box::new(LaunchRequest {
            name: Some("train-again".to_owned()),
            environment: Some("host".to_owned()),
            ..LaunchRequest::default()
        });
        let screen = screen
            .press(".")
            .answer(
                |r| matches!(r.of_session(), Some(SessionRequest::Again)),
                Ok(Reply::Again {
                    launch,
                    missing: Vec::new(),
                }),
            )
            .press("enter");
        let new = session(9, "train-again", Status::Pending, 0);
        let reply = Ok(Reply::Launched {
            sessions: vec![new.clone()],
            failure: None,
        });
        let screen = screen.answer(|r| matches!(r, Request::Launch { .. }), reply);
        assert_eq!(screen.app.current().unwrap().key(), old);
        let screen = changed(screen, new);
        is_about(&screen, 9);
        let screen = screen.press("x");
        assert_eq!(screen.panel::<TerminateDialog>().session, key(9));
    }
}

#[test]
fn a_session_that_ends_while_it_is_read_is_followed_to_its_tab() {
    for (columns, rows) in [(80, 24), (140, 40)] {
        let screen = some(columns, rows).press("j enter");
        let screen = if columns >= 140 {
            screen.press("enter")
        } else {
            screen
        };
        is_about(&screen, 3);
        let screen = changed(screen, session(3, "worker-a", Status::Terminated, 30));
        is_about(&screen, 3);
        assert!(screen.sees("Finished 3"), "{}", screen.text());
    }
}

#[test]
fn beside_the_list_the_selected_row_is_described_whatever_happens() {
    let screen = some(140, 40).press("enter");
    is_about(&screen, 4);
    // It ends, and is not read: the row that took its place is selected.
    let screen = changed(screen, session(4, "worker-b", Status::Terminated, 20));
    is_about(&screen, 3);
    // Another tab, by key and while the detail has the keys.
    let screen = screen.press("2");
    let selected = screen.app.sessions.selected().unwrap();
    assert_eq!(screen.app.detail.as_ref().unwrap().session(), selected);
    let screen = screen.press("enter 1");
    is_about(&screen, 3);
    let screen = screen.press("tab");
    assert_eq!(
        screen.app.current().map(Session::tab),
        Some(screen.app.sessions.tab())
    );
    // A tab without any.
    let screen = screen.press("3");
    assert!(screen.app.detail.is_none() && screen.app.current().is_none());
}

#[test]
fn keys_for_a_session_that_is_gone_reach_no_other() {
    let screen = some(140, 40).press("enter enter");
    is_about(&screen, 4);
    let screen = screen.notice(Change::Gone { session: key(4) });
    assert!(screen.app.detail.is_none());
    assert_eq!(screen.app.sessions.selected(), Some(key(3)));
}

#[test]
fn a_filter_describes_what_it_leaves() {
    let screen = some(140, 40)
        .press("enter /")
        .typed("worker-a")
        .press("enter");
    is_about(&screen, 3);
    let mut renamed = session(3, "other", Status::Running, 30);
    renamed.status_info = Some(Clean::new(""));
    let screen = changed(screen, renamed);
    let described = screen.app.detail.as_ref().map(Detail::session);
    assert_eq!(described, screen.app.sessions.selected());
}
