//! The pages as they are drawn, on every size.

use super::{SIZES, batch, opened};
use crate::screen::Screen;

fn shown(name: &str, keys: &str, pages: impl Fn(Screen) -> Screen) {
    for (columns, rows) in SIZES {
        let screen = pages(opened(columns, rows).press(keys));
        insta::assert_snapshot!(format!("{name}_{columns}x{rows}"), screen.text());
    }
}

#[test]
fn page_one() {
    shown("type", "", |screen| screen);
    shown("type_of_a_batch_session", "", batch);
    shown("type_with_problems", "up right down", |screen| {
        screen
            .typed("세션")
            .press("tab tab")
            .typed("yesterday")
            .press("tab")
            .typed("soon")
            .press("tab")
            .typed("101")
    });
}

#[test]
fn page_three() {
    shown("data", "alt-3 down space", |screen| screen);
    shown(
        "data_with_a_problem",
        "alt-3 space down down down space down",
        |screen| screen.typed("../etc"),
    );
    shown("data_with_a_new_folder", "alt-3 +", |screen| {
        screen.typed("models")
    });
}

#[test]
fn page_four() {
    shown("network", "alt-4", |screen| screen.typed("8080, 9000-9002"));
    shown("network_with_a_problem", "alt-4", |screen| {
        screen.typed("8080 7681")
    });
}

#[test]
fn page_five() {
    shown("review", "ctrl-r", |screen| screen);
    shown("review_of_a_batch_session", "", |screen| {
        batch(screen)
            .press("alt-3 down space alt-4")
            .typed("8080")
            .press("ctrl-r")
    });
    shown("review_with_problems", "", |screen| {
        screen
            .typed("no")
            .press("alt-4")
            .typed("80")
            .press("ctrl-r up")
    });
    shown("review_asks_twice", "alt-enter", |screen| screen);
}

#[test]
fn on_a_small_terminal() {
    for (page, name) in [(1, "type"), (3, "data"), (4, "network"), (5, "review")] {
        let screen = opened(60, 16).press(&format!("alt-{page}"));
        insta::assert_snapshot!(format!("small_{name}"), screen.text());
    }
    let screen = opened(80, 24).resize(50, 10);
    assert!(!screen.sees("Launch"), "{}", screen.text());
    assert!(screen.resize(80, 24).sees("Launch a session"));
}
