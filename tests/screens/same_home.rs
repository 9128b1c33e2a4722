//! The home directory that an ended session left: recovering files from it, and relaunching in it.

use workbay::{
    app::{effect::Effect, launcher::Launcher, panels::explorer::Explorer},
    model::{
        files::{FilePlace, FileRequest},
        id::SessionId,
        request::SessionRequest,
        session::Session,
        spec::LaunchRequest,
        status::Status,
    },
    protocol::message::{Reply, Request},
};

use crate::{
    explorer::{answered, home, listing},
    screen::Screen,
    world::{key, session, snapshot},
};

fn ended(home: Option<&str>) -> Session {
    let mut ended = session(6, "nightly-tests", Status::Terminated, 90);
    ended.home = home.map(str::to_owned);
    ended
}

fn finished(columns: u16, rows: u16, home: Option<&str>) -> Screen {
    let other = session(1, "train", Status::Running, 10);
    let screen = Screen::new(columns, rows).daemon(snapshot(vec![other, ended(home)]));
    screen.press("2")
}

const HOME: &str = "/data/sessions/6/home";

fn asks_settings(request: &Request) -> bool {
    matches!(request.of_session(), Some(SessionRequest::Again))
}

/// The home directories that the sent launches take over.
fn homes(screen: &Screen) -> Vec<Option<SessionId>> {
    let launches = screen.questions().filter_map(|(_, request)| match request {
        Request::Launch { launch, .. } => Some(launch.home_of),
        _ => None,
    });
    launches.collect()
}

fn settings(screen: Screen) -> Screen {
    let launch = LaunchRequest {
        name: Some("nightly-tests".to_owned()),
        environment: Some("python:3.12-slim".to_owned()),
        mounts: vec!["models:out".parse().unwrap()],
        ..LaunchRequest::default()
    };
    let reply = Reply::Again {
        launch: Box::new(launch),
        missing: Vec::new(),
    };
    screen.answer(asks_settings, Ok(reply))
}

#[test]
fn files_of_an_ended_session_are_recovered_and_a_launch_continues_in_its_home() {
    let screen = finished(120, 40, Some(HOME));
    assert!(screen.sees("f recover files"), "{}", screen.text());
    let screen = answered(screen.press("f"), listing(home()));
    let place = FilePlace::Session { session: key(6) };
    assert_eq!(*screen.panel::<Explorer>().place(), place);
    assert!(screen.questions().any(|(_, request)| matches!(
        request,
        Request::Files {
            request: FileRequest::List { .. },
            ..
        }
    )));
    assert!(screen.sees(", relaunch here"), "{}", screen.text());
    insta::assert_snapshot!("the_home_of_an_ended_session", screen.text());
    let screen = settings(screen.press(","));
    assert!(!screen.is_open::<Explorer>() && screen.is_open::<Launcher>());
    assert!(
        screen.sees("continues in the home directory of nightly-tests"),
        "{}",
        screen.text()
    );
    insta::assert_snapshot!("a_launch_in_the_home_of_an_ended_session", screen.text());
    let screen = screen.press("enter");
    assert_eq!(homes(&screen), [Some(key(6).id)]);
}

#[test]
fn the_list_and_the_details_relaunch_in_the_same_home() {
    let list = settings(finished(80, 24, Some(HOME)).press(","));
    assert!(
        list.sees("continues in the home directory of"),
        "{}",
        list.text()
    );
    let detail = finished(80, 24, Some(HOME)).press("enter");
    assert!(detail.sees("f recover files"), "{}", detail.text());
    let detail = settings(detail.press(", enter"));
    assert_eq!(homes(&detail.press("enter")), [Some(key(6).id)]);
    // Another launch with these settings has a home directory of its own.
    let other = settings(finished(80, 24, Some(HOME)).press("."));
    assert!(!other.sees("continues in"), "{}", other.text());
    assert_eq!(homes(&other.press("enter enter")), [None]);
}

#[test]
fn the_printed_command_line_continues_in_the_same_home() {
    let screen = settings(finished(120, 40, Some(HOME)).press(","));
    let screen = screen.press("y");
    let copied = screen.effects().iter().find_map(|effect| match effect {
        Effect::Copy { text, .. } => Some(text.clone()),
        _ => None,
    });
    let copied = copied.unwrap_or_else(|| panic!("{}", screen.text()));
    let begins = format!("workbay relaunch {} --same-home ", key(6).id);
    assert!(copied.starts_with(&begins), "{copied}");
}

#[test]
fn a_home_that_is_gone_or_in_use_is_refused_with_the_reason() {
    let screen = finished(120, 40, None).press(",");
    assert!(
        screen.sees("The home directory of nightly-tests was deleted"),
        "{}",
        screen.text()
    );
    assert!(
        !screen
            .questions()
            .any(|(_, request)| asks_settings(request))
    );
    let screen = finished(120, 40, Some(HOME)).press("1 ,");
    assert!(
        screen.sees("Another session can use its home"),
        "{}",
        screen.text()
    );
    assert!(
        !screen
            .questions()
            .any(|(_, request)| asks_settings(request))
    );
}

#[test]
fn the_files_of_a_folder_or_a_running_session_offer_no_relaunch() {
    let running = answered(finished(120, 40, Some(HOME)).press("1 f"), listing(home()));
    assert!(running.is_open::<Explorer>() && !running.sees("relaunch here"));
    let running = running.press(",");
    assert!(running.is_open::<Explorer>());
    assert!(
        !running
            .questions()
            .any(|(_, request)| asks_settings(request))
    );
}
