//! The toast of a launch follows its session.

use workbay::{
    model::{
        change::Change,
        notice::{Level, Notice, NoticeKind},
        session::{Session, SessionType},
        status::Status,
    },
    protocol::message::{Reply, Request},
};

use crate::{
    screen::{Screen, noon},
    steps::changed,
    world::{day, many, session, snapshot},
};

/// Launched from the wizard: the answer, then the first notice.
fn launched(columns: u16, rows: u16, session: &Session) -> Screen {
    let reply = Reply::Launched {
        sessions: vec![session.clone()],
        failure: None,
    };
    let screen = Screen::new(columns, rows)
        .daemon(snapshot(day()))
        .press("n")
        .press("alt-enter enter")
        .answer(|r| matches!(r, Request::Launch { .. }), Ok(reply));
    changed(screen, session.clone())
}

fn train(status: Status) -> Session {
    Session {
        session_type: SessionType::Batch,
        ..session(50, "train-1", status, 0)
    }
}

#[test]
fn the_toast_of_a_launch_follows_its_session() {
    for (columns, rows) in [(80, 24), (140, 40)] {
        let shot = |screen: &Screen, name: &str| {
            insta::assert_snapshot!(format!("toast_{name}_{columns}x{rows}"), screen.text());
        };
        let screen = launched(columns, rows, &train(Status::Pending));
        shot(&screen, "pending");
        let screen = changed(screen, train(Status::Running));
        shot(&screen, "running");
        // The daemon reports how it ended.
        let screen = changed(screen, train(Status::Terminated));
        assert!(!screen.sees("train-1 is"), "{}", screen.text());
    }
}

#[test]
fn the_keys_of_a_toast_are_those_of_the_session_they_would_reach() {
    let screen = launched(80, 24, &train(Status::Running));
    assert!(screen.sees("s shell, l log"), "{}", screen.text());
    assert!(screen.sees("train-1 is RUNNING"));
    let screen = screen.press("down down");
    assert!(screen.sees("train-1 is RUNNING"));
    assert!(!screen.sees("s shell, l log"), "{}", screen.text());
}

#[test]
fn a_session_that_waited_long_is_reported_when_it_runs() {
    let screen = launched(80, 24, &train(Status::Pending)).wait(600);
    assert!(!screen.sees("train-1 is"), "{}", screen.text());
    let screen = changed(screen, train(Status::Running));
    assert!(screen.sees("train-1 is RUNNING"), "{}", screen.text());
    assert!(!screen.wait(10).sees("train-1 is RUNNING"));
}

#[test]
fn many_sessions_that_start_at_once_have_one_toast() {
    let runs = |screen: Screen, n: u128| {
        let session = session(60 + n, &format!("jobs-{n}"), Status::Running, 0);
        let notice = Notice {
            kind: NoticeKind::Running,
            session: Some(session.key()),
            ..Notice::message(noon(), Level::Success, format!("jobs-{n} is running"))
        };
        changed(screen, session).notice(Change::from(notice))
    };
    let screen = Screen::new(80, 24).daemon(snapshot(day()));
    let screen = (1..=4).fold(screen, runs);
    assert!(screen.sees("4 sessions are running"), "{}", screen.text());
    assert!(!screen.sees("jobs-4 is running"), "{}", screen.text());
}

#[test]
fn a_long_message_is_shown_whole_and_an_endless_one_ends_in_an_ellipsis() {
    let toast = |words: usize, rows: u16| {
        let words: Vec<String> = (0..words).map(|n| format!("word-{n:04}")).collect();
        let text = words.join(" ");
        let notice = Notice::message(noon(), Level::Error, text.as_str());
        let screen = Screen::new(80, rows).daemon(snapshot(day()));
        screen.notice(Change::from(notice))
    };
    let whole = toast(40, 24);
    assert!(whole.sees("word-0000"), "{}", whole.text());
    assert!(whole.sees("word-0039"), "{}", whole.text());
    assert!(!whole.sees("..."), "{}", whole.text());
    let cut = toast(400, 24);
    assert!(cut.sees("word-0000") && cut.sees("..."), "{}", cut.text());
}

/// A full list with its selected row, and four toasts of two lines.
fn covered(columns: u16, rows: u16, keys: &str) -> Screen {
    let screen = Screen::new(columns, rows).daemon(snapshot(many(60)));
    let toast = |screen: Screen, n: usize| {
        let text =
            format!("toast-{n} has a text that is a little too long for a single line of it");
        screen.notice(Change::from(Notice::message(noon(), Level::Error, text)))
    };
    (1..=4).fold(screen.press(keys), toast)
}

#[test]
fn toasts_never_cover_the_selected_row_nor_most_of_the_list() {
    for (columns, rows) in [(60, 16), (80, 24), (140, 40)] {
        for steps in 0..60 {
            let keys = vec!["down"; steps].join(" ");
            let screen = covered(columns, rows, &keys);
            let text = screen.text();
            let place = format!("{columns}x{rows}, row {steps}:\n{text}");
            assert!(text.contains("toast-4"), "{place}");
            let selected = format!("\u{258e} worker-{steps:03}");
            let row = text.lines().find(|line| line.starts_with(&selected));
            let row = row.unwrap_or_else(|| panic!("{place}"));
            assert_eq!(row.matches('\u{258e}').count(), 1, "{place}");
            let free =
                |line: &&str| line.contains("RUNNING") && line.matches('\u{258e}').count() < 2;
            let (free, all) = (
                text.lines().filter(free).count(),
                text.lines().filter(|line| line.contains("worker-")).count(),
            );
            assert!(free * 2 >= all, "{free} of {all}, {place}");
        }
    }
}

#[test]
fn toasts_over_a_full_list() {
    insta::assert_snapshot!("toasts_first_row_80x24", covered(80, 24, "g").text());
    insta::assert_snapshot!("toasts_last_row_80x24", covered(80, 24, "G").text());
    insta::assert_snapshot!("toasts_last_row_140x40", covered(140, 40, "G").text());
}
