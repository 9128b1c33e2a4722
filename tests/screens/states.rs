//! Nothing to show, not connected, lost, too small.

use workbay::{
    app::launcher::Launcher,
    app::{
        msg::{Link, Msg},
        shown_contexts::ShownContexts,
    },
    model::{
        capability::EngineState,
        change::Change,
        failure::Failure,
        notice::{Level, Notice},
        status::Status,
        text::Clean,
    },
    protocol::message::Request,
};

use crate::{
    screen::Screen,
    steps::engine,
    world::{busy, connected, day, lost, many, session, snapshot},
};

#[test]
fn connecting() {
    insta::assert_snapshot!(Screen::new(80, 24).text());
}

#[test]
fn no_session_yet() {
    insta::assert_snapshot!(Screen::new(80, 24).daemon(snapshot(Vec::new())).text());
}

#[test]
fn the_engine_is_lost_and_comes_back() {
    let screen = Screen::new(80, 24)
        .daemon(snapshot(day()))
        .notice(Change::Usage { samples: busy() })
        .notice(engine(lost()))
        .wait(150);
    insta::assert_snapshot!(screen.text());
    // A launch now says why not.
    let refused = screen.press("n");
    assert!(refused.sees("doesn't answer") && !refused.is_open::<Launcher>());
    // A new attempt does not make old news fresh; an answer does.
    let trying = refused.notice(engine(EngineState::Connecting));
    assert!(trying.app.mirror.stale_since(ShownContexts::All).is_some());
    let back = trying.notice(engine(connected()));
    assert!(back.app.mirror.stale_since(ShownContexts::All).is_none());
    assert!(back.sees("▪ connected"));
}

#[test]
fn a_fresh_machine_without_an_engine_says_what_to_do() {
    let mut first = snapshot(Vec::new());
    first.contexts[0].engine = EngineState::Lost {
        why: Clean::new(
            "the engine at unix:///var/run/docker.sock doesn't answer: you have no permission to use its socket",
        ),
        hint: Some(Clean::new(
            "join its group: `sudo usermod -aG docker $USER`, then log out and in again",
        )),
        attempt: 1,
        needs_code: false,
    };
    insta::assert_snapshot!(Screen::new(80, 24).daemon(first).text());
}

#[test]
fn the_daemon_is_lost_and_comes_back() {
    let screen = Screen::new(80, 24)
        .daemon(snapshot(day()))
        .daemon_lost("the connection was closed");
    insta::assert_snapshot!(screen.text());
    assert!(screen.daemon(snapshot(day())).sees("▪ connected"));
}

#[test]
fn another_version_of_the_daemon_refuses() {
    let failure = Failure::refused(Clean::new(
        "The daemon is of version 0.2.0 and speaks another protocol than this workbay 0.1.0.",
    ))
    .hint(Clean::new(
        "Run the newer workbay, or stop the daemon: workbay daemon stop",
    ));
    let screen = Screen::new(80, 24).send(Msg::Daemon(Link::Refused(failure)));
    insta::assert_snapshot!(screen.text());
}

#[test]
fn a_terminal_too_small_gets_a_sentence_and_comes_back() {
    let screen = Screen::new(80, 24).daemon(snapshot(day())).press("n");
    let small = screen.resize(50, 12);
    insta::assert_snapshot!(small.text());
    for (columns, rows) in [(1, 1), (0, 0), (59, 200), (200, 3), (60, 16)] {
        let odd = Screen::new(columns, rows).daemon(snapshot(many(30)));
        let odd = odd.press("n esc enter esc ? esc x esc /").typed("세션");
        assert!(!odd.has_left());
    }
    assert!(small.resize(80, 24).sees("Launch a session"));
}

#[test]
fn an_empty_tab_of_others_says_what_belongs_there() {
    let screen = Screen::new(80, 24).daemon(snapshot(Vec::new())).press("3");
    assert!(screen.sees("No sessions in Others"), "{}", screen.text());
    assert!(screen.sees("Sessions that couldn't start are listed here."));
    assert!(screen.sees("A session whose command failed is in the tab Finished."));
}

#[test]
fn a_key_that_does_nothing_in_the_list_says_so_for_a_moment() {
    let screen = Screen::new(80, 24).daemon(snapshot(day())).press("Q");
    let line = "Q does nothing here. ? shows the keys";
    assert!(screen.sees(line), "{}", screen.text());
    assert!(!screen.wait(4).sees(line));
    let screen = Screen::new(80, 24).daemon(snapshot(day())).press("U");
    assert!(screen.sees("U does nothing here."), "{}", screen.text());
    assert!(!screen.press("j").sees("does nothing"));
    let filter = Screen::new(80, 24).daemon(snapshot(day())).press("/ z");
    assert!(!filter.sees("does nothing"), "{}", filter.text());
}

#[test]
fn on_a_terminal_too_small_keys_only_quit() {
    let day = || Screen::new(80, 24).daemon(snapshot(day())).resize(50, 12);
    let screen = day().press("x y").press("n").typed("abc").paste("x");
    assert_eq!(screen.wishes(), [] as [&Request; 0]);
    let screen = screen.resize(80, 24);
    assert!(screen.sees("Running 5"), "{}", screen.text());
    for key in ["q", "ctrl-c"] {
        assert!(day().press("l").press(key).has_left());
    }
    // A shell has the keys, but nobody sees it.
    let shell = Screen::new(80, 24).daemon(snapshot(many(1))).press("!");
    assert!(shell.resize(50, 12).press("q").has_left());
}

#[test]
fn on_a_tiny_terminal_the_sentence_is_short() {
    let screen = Screen::new(20, 5).daemon(snapshot(day()));
    assert!(screen.sees("too small: 60x16"), "{}", screen.text());
    assert!(screen.sees("q quit"), "{}", screen.text());
}

#[test]
fn messages_are_in_the_corner_and_disappear() {
    let message = |level, text: &str| Change::Notice {
        notice: Box::new(Notice::message(
            crate::screen::noon(),
            level,
            Clean::new(text),
        )),
    };
    let screen = Screen::new(80, 24)
        .daemon(snapshot(day()))
        .notice(message(Level::Success, "train-resnet is running"))
        .notice(message(
            Level::Error,
            "broken-image could not start: the image busybox:1.35 is not on this engine any more",
        ));
    insta::assert_snapshot!(screen.text());
    let later = screen.wait(6);
    assert!(!later.sees("train-resnet is running") && later.sees("could not start"));
    assert!(!later.wait(20).sees("could not start"));
}

#[test]
fn at_rest_nothing_wakes_the_face_before_a_minute_has_passed() {
    let old: Vec<_> = day()
        .into_iter()
        .filter(|s| s.name != "fresh-one")
        .collect();
    let screen = Screen::new(80, 24).daemon(snapshot(old));
    let now = crate::screen::noon();
    let wake = screen.app.wake_at(now).unwrap();
    assert_eq!(wake.as_second() - now.as_second(), 60);
    // Only finished sessions: never.
    let finished = screen.press("2");
    assert_eq!(finished.app.wake_at(now), None);
    // A focused detail ticks seconds.
    let detail = finished.press("1 enter");
    assert_eq!(
        detail.app.wake_at(now).unwrap().as_second() - now.as_second(),
        1
    );
}

#[test]
fn a_log_that_is_not_there_yet_says_why_its_engine_does_not_answer() {
    let screen = Screen::new(80, 24).daemon(snapshot(day())).press("down l");
    assert!(screen.sees("Loading the log"), "{}", screen.text());
    let why = "the engine takes requests, but said nothing for 12 seconds";
    let hangs = screen.notice(engine(EngineState::Lost {
        why: why.into(),
        hint: None,
        attempt: 1,
        needs_code: false,
    }));
    assert!(hangs.sees("Loading the log"), "{}", hangs.text());
    assert!(hangs.sees(why), "{}", hangs.text());
}

#[test]
fn a_session_that_waits_in_the_queue_is_not_killed_at_once() {
    let [waits, runs] = [Status::Pending, Status::Running]
        .map(|status| vec![session(1, "train", status, 5)])
        .map(|sessions| Screen::new(80, 24).daemon(snapshot(sessions)).press("x"));
    assert!(runs.sees("Terminate train?"), "{}", runs.text());
    assert!(runs.sees("kill at once"), "{}", runs.text());
    assert!(waits.sees("Terminate train?"), "{}", waits.text());
    assert!(!waits.sees("kill at once"), "{}", waits.text());
    assert!(runs.sees("f force") && !waits.sees("f force"));
}
