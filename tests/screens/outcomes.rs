//! How sessions ended, how long they ran and when: columns of the list that sort and filter.

use workbay::model::{
    session::{BatchResult, Session, SessionType},
    status::Status,
    text::Clean,
};

use crate::{
    screen::Screen,
    world::{ago, session, snapshot},
};

/// Ran for `minutes` after as long in the queue.
fn ended(n: u128, name: &str, info: &str, code: Option<i64>) -> Session {
    let minutes = 20 + i64::try_from(n).unwrap() * 4;
    let mut it = session(n, name, Status::Terminated, minutes);
    it.started_at = Some(ago(minutes / 2));
    it.terminated_at = Some(ago(minutes / 2 - i64::try_from(n).unwrap()));
    it.status_info = Some(Clean::new(info)).filter(|info| !info.is_empty());
    it.kernels[0].exit_code = code;
    it
}

fn batch(mut session: Session, result: BatchResult) -> Session {
    session.session_type = SessionType::Batch;
    session.result = result;
    session
}

fn all() -> Vec<Session> {
    let mut memory = batch(
        ended(3, "train-resnet", "task-failed", Some(137)),
        BatchResult::Failure,
    );
    memory.kernels[0].oom_killed = true;
    let mut cancelled = session(7, "impatient", Status::Cancelled, 12);
    cancelled.started_at = None;
    cancelled.status_info = Some(Clean::new("user-requested"));
    cancelled.kernels[0].exit_code = None;
    vec![
        batch(
            ended(1, "prepare", "task-finished", Some(0)),
            BatchResult::Success,
        ),
        batch(
            ended(2, "train-3", "task-failed", Some(13)),
            BatchResult::Failure,
        ),
        memory,
        ended(4, "notebook", "idle-timeout", Some(143)),
        ended(5, "web-server", "user-requested", Some(137)),
        batch(
            ended(6, "train-b", "task-failed", Some(3)),
            BatchResult::Failure,
        ),
        cancelled,
    ]
}

fn finished(columns: u16, rows: u16) -> Screen {
    let mut sessions = all();
    sessions.push(session(20, "alive", Status::Running, 3));
    Screen::new(columns, rows)
        .daemon(snapshot(sessions))
        .press("2")
}

/// The names, from the top.
fn names(screen: &Screen) -> Vec<String> {
    let rows = screen.app.sessions.keys().iter();
    rows.map(|key| screen.app.mirror.session(*key).unwrap().name.to_string())
        .collect()
}

#[test]
fn each_end_has_its_word() {
    for (columns, rows) in [(80, 24), (120, 34), (200, 40)] {
        let screen = finished(columns, rows);
        for word in [
            "✓ exit 0",
            "✗ exit 3",
            "✗ out of memory",
            "reclaimed",
            "terminated",
            "cancelled",
        ] {
            assert!(screen.sees(word), "{word}\n{}", screen.text());
        }
        assert!(!screen.sees("TERMINATED"), "{}", screen.text());
        insta::assert_snapshot!(format!("outcomes_{columns}x{rows}"), screen.text());
    }
    insta::assert_snapshot!(finished(80, 24).styled());
}

#[test]
fn what_failed_can_be_sorted_to_the_top() {
    let screen = finished(140, 40);
    assert!(screen.sees("Ended ▾"), "{}", screen.text());
    assert_eq!(names(&screen)[0], "impatient");
    let screen = screen.press("o o o");
    assert!(screen.sees("Result ▴"), "{}", screen.text());
    let names = names(&screen);
    assert_eq!(names[..3], ["train-b", "train-3", "train-resnet"]);
    assert_eq!(names[6], "prepare");
    // Each tab has an order of its own.
    assert!(screen.press("1").sees("Created ▾"));
}

/// Where a word of the list's head is.
fn head(screen: &Screen, title: &str) -> (u16, u16) {
    let text = screen.text();
    let (row, line) = (0..)
        .zip(text.lines())
        .find(|(_, line)| line.contains("Name "))
        .unwrap();
    let before = line.split(title).next().unwrap();
    (before.chars().count().try_into().unwrap(), row)
}

#[test]
fn a_click_on_a_head_sorts_by_it_and_a_second_one_turns_it_round() {
    for (columns, rows) in [(80, 24), (160, 40)] {
        let screen = finished(columns, rows);
        let (column, row) = head(&screen, "Result");
        let screen = screen.click(column + 2, row);
        assert!(screen.sees("Result ▴"), "{}", screen.text());
        assert_eq!(names(&screen)[0], "train-b");
        let screen = screen.click(column, row);
        assert!(screen.sees("Result ▾"), "{}", screen.text());
        assert_eq!(names(&screen)[0], "prepare");
        let (column, row) = head(&screen, "Run time");
        let screen = screen.click(column, row);
        assert_eq!(names(&screen)[0], "train-b", "{}", screen.text());
        let (column, row) = head(&screen, "Name");
        assert_eq!(names(&screen.click(column, row))[0], "impatient");
    }
}

#[test]
fn a_filter_finds_ends() {
    let found = |text: &str| names(&finished(140, 40).press("/").typed(text).press("enter"));
    assert_eq!(found("exit 3"), ["train-b"]);
    assert_eq!(found("out of memory"), ["train-resnet"]);
    assert_eq!(found("oom"), ["train-resnet"]);
    assert_eq!(found("reclaimed"), ["notebook"]);
    assert_eq!(found("train exit"), ["train-3", "train-b"]);
    assert_eq!(found("train !exit"), ["train-resnet"]);
    assert_eq!(found("train-3"), ["train-3"]);
}

#[test]
fn what_never_ran_has_no_shell_and_no_log() {
    let mut cancelled = session(7, "impatient", Status::Cancelled, 12);
    cancelled.started_at = None;
    cancelled.kernels[0].container_id = None;
    for key in ["s", "l"] {
        let screen = Screen::new(80, 24).daemon(snapshot(vec![cancelled.clone()]));
        let pressed = screen.press("2").press(key);
        let why = "impatient never ran, so it has no shell or log";
        assert!(pressed.sees(why), "{}", pressed.text());
    }
}

#[test]
fn time_in_the_queue_is_no_run_time() {
    let mut job = ended(8, "job", "task-finished", Some(0));
    job.created_at = ago(30);
    job.started_at = Some(ago(10));
    job.terminated_at = Some(ago(8));
    let mut waits = session(9, "waits", Status::Pending, 6);
    waits.started_at = None;
    let screen = Screen::new(140, 40).daemon(snapshot(vec![job, waits]));
    assert!(!screen.sees(" 6m"), "{}", screen.text());
    // Its details show how long it waits.
    let waits = screen.press("enter");
    assert!(waits.sees("Waiting       6m"), "{}", waits.text());
    let screen = waits.press("esc esc");
    let screen = screen.press("2");
    assert!(
        screen.sees(" 2m") && !screen.sees("22m"),
        "{}",
        screen.text()
    );
    let screen = screen.press("enter");
    assert!(screen.sees("Run time      2m 00s") && screen.sees("Waited        20m 00s"));
}
