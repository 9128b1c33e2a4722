//! The scheduling history of a session in full.

use workbay::{
    model::{
        failure::Failure,
        history::{HistoryEntry, Outcome, SubStep},
        request::SessionRequest,
        status::Status,
        text::Clean,
    },
    protocol::message::{Reply, Request},
};

use crate::{
    screen::Screen,
    world::{self, ago, session, snapshot},
};

fn step(name: &str, result: Outcome, message: Option<&str>) -> SubStep {
    SubStep {
        step: name.into(),
        result,
        error_code: None,
        message: message.map(Clean::new),
        started_at: Some(ago(3)),
        ended_at: Some(ago(3)),
    }
}

/// It waited, was tried, came into being and was lost sight of.
fn entries() -> Vec<HistoryEntry> {
    let entry = |id: &str, minutes, phase: &str, from: Option<Status>, to| HistoryEntry {
        id: Some(id.into()),
        ..HistoryEntry::new(world::id(1), ago(minutes), phase, from, to)
    };
    vec![
        HistoryEntry {
            result: Outcome::Stale,
            ..entry(
                "6",
                1,
                "check-running",
                Some(Status::Running),
                Status::Running,
            )
        },
        entry(
            "5",
            2,
            "promote-to-running",
            Some(Status::Creating),
            Status::Running,
        ),
        HistoryEntry {
            result: Outcome::GiveUp,
            message: Some("the image can't be pulled: no route to the registry".into()),
            error_code: Some("image_pull_unreachable".into()),
            ..entry(
                "4",
                3,
                "check-precondition",
                Some(Status::Preparing),
                Status::Pending,
            )
        },
        HistoryEntry {
            result: Outcome::NeedRetry,
            message: Some(
                "no room in default: 4 CPU are asked for and 1 is free; \
                 the session before it in the queue needs 2"
                    .into(),
            ),
            attempts: 118,
            until: Some(ago(3)),
            steps: vec![
                step("ConcurrencyValidator", Outcome::Success, None),
                step("DependenciesValidator", Outcome::Skipped, None),
                step(
                    "AgentSelector",
                    Outcome::Failure,
                    Some("cpu: asked 4, free on one agent 1"),
                ),
            ],
            ..entry(
                "3",
                60,
                "schedule-sessions",
                Some(Status::Pending),
                Status::Pending,
            )
        },
        entry("1", 26 * 60, "enqueue", None, Status::Pending),
    ]
}

fn is_history(request: &Request) -> bool {
    matches!(request.of_session(), Some(SessionRequest::History))
}

fn asked(columns: u16, rows: u16) -> Screen {
    Screen::new(columns, rows)
        .daemon(snapshot(vec![session(
            1,
            "train-resnet",
            Status::Running,
            1600,
        )]))
        .press("h")
}

fn history_screen(columns: u16, rows: u16) -> Screen {
    let entries = entries();
    asked(columns, rows).answer(is_history, Ok(Reply::History { entries }))
}

#[test]
fn in_full_80x24() {
    insta::assert_snapshot!(history_screen(80, 24).text());
}

#[test]
fn in_full_140x40_with_steps() {
    insta::assert_snapshot!(history_screen(140, 40).press("down down down enter").text());
}

#[test]
fn all_steps_bring_the_history_of_a_detail_to_the_screen() {
    let sessions = vec![session(1, "train-resnet", Status::Running, 1600)];
    let screen = Screen::new(80, 24)
        .daemon(snapshot(sessions))
        .press("enter");
    let entries = entries();
    let screen = screen.answer(is_history, Ok(Reply::History { entries }));
    assert!(!screen.sees("ConcurrencyValidator"), "{}", screen.text());
    let all = screen.press("v");
    assert!(
        all.sees("  History") && all.sees("ConcurrencyValidator"),
        "{}",
        all.text()
    );
}

#[test]
fn the_looks_of_results() {
    insta::assert_snapshot!(history_screen(80, 24).press("G up space").styled());
}

#[test]
fn of_one_behind_others_in_the_queue_it_says_so() {
    let mut waits = session(1, "patient", Status::Pending, 2);
    waits.status_message = Some("position 2 in queue, behind train".into());
    let none = Ok(Reply::History { entries: vec![] });
    let screen = Screen::new(100, 24).daemon(snapshot(vec![waits]));
    let screen = screen.press("h").answer(is_history, none);
    assert!(screen.sees("No entries yet: position 2 in queue, behind train"));
}

#[test]
fn empty_loading_failed() {
    assert!(asked(80, 24).sees("oading"));
    let none = Ok(Reply::History { entries: vec![] });
    assert!(
        asked(80, 24)
            .answer(is_history, none)
            .sees("No entries yet")
    );
    let failure = Failure::lost("the manager does not answer");
    let failed = asked(80, 24).answer(is_history, Err(failure));
    assert!(failed.sees("the manager does not answer"));
}

#[test]
fn a_filter_names_its_slips_and_esc_removes_it_first() {
    let screen = history_screen(80, 24).press("/").typed("result:need");
    assert!(screen.sees("1 of 5"), "{}", screen.text());
    let screen = screen.typed(" phas:x");
    assert!(screen.sees("Did you mean 'phase:'?"), "{}", screen.text());
    let screen = screen.press("esc");
    assert!(screen.sees("5 entries"), "{}", screen.text());
    assert!(!screen.press("esc").sees("Scheduling history"));
}

#[test]
fn sorted_by_created_the_head_says_so() {
    let screen = history_screen(80, 24).press("o O");
    assert!(screen.sees("Created ▴"), "{}", screen.text());
}

#[test]
fn asked_again_what_is_shown_stays() {
    let screen = history_screen(80, 24).press("R");
    assert!(screen.sees("oading") && screen.sees("check-precondition"));
}

/// An entry with a message and a step that need several lines of a small screen.
fn wordy() -> Vec<HistoryEntry> {
    let words = |from: usize, count: usize| {
        let words: Vec<String> = (from..from + count)
            .map(|n| format!("word-{n:03}"))
            .collect();
        words.join(" ")
    };
    let mut entry = entries().remove(3);
    entry.message = Some(words(0, 30).as_str().into());
    entry.phase = format!("phase-{}", "of-a-long-name-".repeat(3))
        .as_str()
        .into();
    let name = format!("AgentSelector{}Z", "OfALongName".repeat(8));
    entry.steps[2] = step(&name, Outcome::Failure, Some(&words(100, 60)));
    vec![entry]
}

#[test]
fn nothing_of_a_long_step_is_cut_from_the_table() {
    for (columns, rows) in [(60, 16), (80, 24), (140, 40)] {
        let entries = wordy();
        let screen = asked(columns, rows).answer(is_history, Ok(Reply::History { entries }));
        if columns == 60 {
            assert!(screen.sees("word-000"), "{}", screen.text());
            continue;
        }
        assert!(screen.sees("word-029"), "{}", screen.text());
        let step = screen.press("enter down down down");
        assert!(
            step.sees("word-100") && step.sees("word-159"),
            "{}",
            step.text()
        );
        insta::assert_snapshot!(format!("long_step_{columns}x{rows}"), step.text());
    }
}

#[test]
fn nothing_of_a_long_step_is_cut_from_the_details() {
    for (columns, rows) in [(60, 16), (80, 24), (120, 30)] {
        let sessions = vec![session(1, "train-resnet", Status::Running, 1600)];
        let screen = Screen::new(columns, rows).daemon(snapshot(sessions));
        let entries = wordy();
        // Beside the list, a second key gives the keys to the details.
        let screen = screen.press(if columns < 120 {
            "enter"
        } else {
            "enter enter"
        });
        let mut screen = screen.answer(is_history, Ok(Reply::History { entries }));
        screen = screen.press("v g");
        let mut text = screen.text();
        for _ in 0..60 {
            screen = screen.press("down");
            text.push_str(&screen.text());
        }
        for part in [
            "phase-of-a",
            "AgentSelectorOf",
            "Z",
            "word-000",
            "word-029",
            "word-159",
        ] {
            assert!(text.contains(part), "{part} {columns}x{rows}: {text}");
        }
        assert!(!text.contains('…'), "{columns}x{rows}: {text}");
    }
}
