//! Apps outside of their launcher: in the list, in the details, after a launch, in notifications.

use workbay::{
    app::panels::apps::AppLauncher,
    model::{
        change::Change,
        notice::{Level, Notice, NoticeKind},
        status::Status,
        text::Clean,
    },
    protocol::message::{Reply, Request},
};

use crate::{
    apps::{forward, jupyter, public, train, world},
    port_board::board,
    screen::{Screen, facts, noon},
    world::{day, key, session, snapshot},
};

#[test]
fn the_list_and_the_detail_show_open_apps() {
    let mut world = world(day());
    world.forwards = board();
    let screen = Screen::new(100, 44).daemon(world);
    insta::assert_snapshot!("the_list_with_open_apps", screen.text());
    assert!(screen.sees("PUBLIC"), "{}", screen.text());
    let mut world = self::world(day());
    world.forwards = board();
    let screen = Screen::new(140, 40).daemon(world);
    assert!(screen.sees("데이터-전처리  1 app"), "{}", screen.text());
    assert!(screen.sees("train-resnet  PUBLIC"), "{}", screen.text());
    let mut opened = train();
    opened.forwards = vec![
        public(jupyter()),
        forward(9, 1, "train-resnet", "Port 8000", 10252),
    ];
    let screen = Screen::new(100, 44).daemon(opened).press("enter");
    assert!(
        screen.sees("Jupyter Notebook :10250  PUBLIC"),
        "{}",
        screen.text()
    );
    assert!(screen.sees("Port 8000 :10252"));
}

fn launched(wanted: bool) -> Screen {
    let mut facts = facts();
    facts.open_apps_after_launch = wanted;
    let fresh = session(9, "fresh", Status::Pending, 0);
    let sessions = vec![fresh.clone()];
    Screen::with(80, 24, facts)
        .daemon(world(Vec::new()))
        .press("n alt-enter enter")
        .answer(
            |request| matches!(request, Request::Launch { .. }),
            Ok(Reply::Launched {
                sessions,
                failure: None,
            }),
        )
        .notice(Change::Session {
            session: Box::new(fresh),
        })
}

fn runs() -> Change {
    Change::Session {
        session: Box::new(session(9, "fresh", Status::Running, 0)),
    }
}

#[test]
fn the_app_launcher_opens_when_a_launched_session_runs() {
    let screen = launched(true);
    assert!(!screen.is_open::<AppLauncher>());
    let screen = screen.notice(runs());
    assert!(screen.is_open::<AppLauncher>() && screen.sees("Apps of fresh"));
    // Only once.
    assert!(!screen.press("esc").notice(runs()).is_open::<AppLauncher>());
    assert!(!launched(false).notice(runs()).is_open::<AppLauncher>());
    // Not over another panel.
    assert!(
        !launched(true)
            .press("n")
            .notice(runs())
            .is_open::<AppLauncher>()
    );
}

#[test]
fn apps_need_a_running_session_and_an_engine_with_connections() {
    let screen = Screen::new(80, 24).daemon(snapshot(day())).press("a");
    assert!(
        screen.sees("No connections to ports on this engine"),
        "{}",
        screen.text()
    );
    let waiting = session(1, "train-resnet", Status::Pending, 1);
    let screen = Screen::new(80, 24).daemon(world(vec![waiting])).press("a");
    assert!(!screen.is_open::<AppLauncher>());
}

#[test]
fn an_app_that_ended_is_reported() {
    let kind = NoticeKind::AppEnded {
        app: Clean::new("jupyter"),
    };
    let text = "Jupyter Notebook of train-resnet ended: exit code 1";
    let notice = Notice {
        kind,
        session: Some(key(1)),
        ..Notice::message(noon(), Level::Warning, text)
    };
    let screen = Screen::new(80, 24).daemon(train()).notice(Change::Notice {
        notice: Box::new(notice),
    });
    assert!(
        screen.sees("Jupyter Notebook of train-resnet ended"),
        "{}",
        screen.text()
    );
    assert!(screen.press("B").sees("ended: exit code 1"));
}
