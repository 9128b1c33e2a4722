//! The charts in the space below a short list.

use jiff::SignedDuration;
use workbay::model::{
    change::Change,
    id::SessionKey,
    resources::{Bytes, Cpu},
    settings::ChartStyle,
    status::Status,
    usage::{Traffic, Usage},
};

use crate::{
    screen::{Screen, facts, noon},
    world::{day, key, session, snapshot},
};

/// A sample of the session with this number, `ago` seconds ago: a slow wave.
fn sample(n: u128, ago: i64) -> (SessionKey, Usage) {
    let step = u64::try_from(200 - ago).unwrap();
    let wave = step * 7 % 40 + step % 9;
    let at = noon() - SignedDuration::from_secs(ago);
    let usage = Usage {
        traffic: Traffic::counted(Some((step * step * 900, 0)), Some((step * 60_000, 0))),
        ..Usage::new(at, Some(Cpu::from_millis(wave * 20)), Bytes::mib(60 + step))
    };
    (key(n), usage)
}

fn watched(mut screen: Screen) -> Screen {
    for ago in (0..100).rev() {
        let samples = vec![sample(1, ago * 2), sample(2, ago * 2)];
        screen = screen.notice(Change::Usage { samples });
    }
    screen
}

fn few(columns: u16, rows: u16) -> Screen {
    let sessions = vec![
        session(1, "train-resnet", Status::Running, 125),
        session(2, "notebook", Status::Running, 12),
        session(3, "later", Status::Pending, 2),
    ];
    watched(Screen::new(columns, rows).daemon(snapshot(sessions)))
}

#[test]
fn charts_fill_the_space_below_a_short_list_100x30() {
    insta::assert_snapshot!(few(100, 30).text());
}

#[test]
fn charts_fill_the_space_below_a_short_list_140x40() {
    insta::assert_snapshot!(few(140, 40).text());
}

#[test]
fn charts_fill_the_space_below_a_short_list_200x50() {
    insta::assert_snapshot!(few(200, 50).text());
}

#[test]
fn charts_in_plain_ascii() {
    let mut facts = facts();
    facts.unicode = false;
    let sessions = vec![session(1, "train-resnet", Status::Running, 125)];
    let screen = watched(Screen::with(100, 30, facts).daemon(snapshot(sessions)));
    let text = screen.text();
    assert!(text.is_ascii(), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn the_charts_are_those_of_the_selected_session() {
    let screen = few(140, 40);
    let selected = |screen: &Screen| {
        let text = screen.text();
        let line = text.lines().find(|line| line.contains("memory")).unwrap();
        line.split_whitespace().next().unwrap().to_owned()
    };
    let first = selected(&screen);
    let second = selected(&screen.press("down"));
    assert_ne!(first, second);
}

#[test]
fn a_waiting_session_has_no_samples_yet() {
    let screen = few(100, 30);
    assert!(screen.sees("▎ later"), "it was created last");
    let text = screen.text();
    assert_eq!(text.matches("no samples yet").count(), 1, "{text}");
    assert!(!screen.press("down").sees("no samples yet"));
}

#[test]
fn a_long_list_a_low_screen_or_an_open_detail_leaves_no_room() {
    let sees = |screen: &Screen| screen.sees("Last minutes");
    assert!(sees(&few(100, 30)));
    let detail = few(100, 30).press("enter");
    assert!(!sees(&detail), "{}", detail.text());
    assert!(sees(&detail.press("esc esc")));
    let long = (1..30).map(|n| session(n, &format!("s-{n}"), Status::Running, 5));
    let long = watched(Screen::new(100, 30).daemon(snapshot(long.collect())));
    assert!(!sees(&long));
    let finished = watched(Screen::new(100, 30).daemon(snapshot(day()))).press("2");
    assert!(!sees(&finished), "{}", finished.text());
}

#[test]
fn a_sum_of_some_sessions_says_of_how_many() {
    let names = ["train-resnet", "notebook", "not-on-the-screen"];
    let sessions = names.iter().zip(1..);
    let sessions = sessions.map(|(name, n)| session(n, name, Status::Running, 125));
    let sessions = sessions.collect();
    let screen = watched(Screen::new(100, 30).daemon(snapshot(sessions)));
    let text = screen.text();
    assert!(screen.sees("2 of 3 sessions  CPU"), "{text}");
    assert!(!screen.sees("All sessions"), "{text}");
}

#[test]
fn a_group_leaves_the_room_to_the_charts_of_all_sessions_140x40() {
    let screen = few(140, 40).press("z Z");
    assert!(screen.app.sessions.selected_group().is_some());
    let text = screen.text();
    assert_eq!(text.matches("All sessions").count(), 2, "{text}");
    let is_chart = |line: &str| line.contains(|c| ('\u{2801}'..='\u{28ff}').contains(&c));
    let last = text.lines().rev().nth(1);
    assert!(last.is_some_and(is_chart), "no blank lines below:\n{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn a_dialog_removes_the_charts_below_it() {
    let dots = |screen: &Screen| {
        let text = screen.text();
        let dots = text
            .chars()
            .filter(|c| ('\u{2800}'..='\u{28ff}').contains(c));
        dots.count()
    };
    let list = few(140, 40);
    assert!(dots(&list) > 50, "{}", list.text());
    for (keys, title) in [("x", "Terminate"), ("F6", "Layouts"), ("L", "Equivalent")] {
        let dialog = few(140, 40).press(keys);
        assert!(dialog.sees(title), "{}", dialog.text());
        assert_eq!(dots(&dialog), 0, "{}", dialog.text());
    }
    assert!(dots(&few(140, 40).press("F6 esc")) > 50);
}

#[test]
fn charts_of_half_blocks() {
    let mut facts = facts();
    facts.charts = ChartStyle::Blocks;
    let sessions = vec![session(1, "train-resnet", Status::Running, 125)];
    let screen = watched(Screen::with(100, 30, facts).daemon(snapshot(sessions)));
    insta::assert_snapshot!(screen.text());
}
