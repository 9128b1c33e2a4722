//! The page as it is drawn, row by row.

use workbay::{app::facts::Facts, model::catalogue::Catalogue, theme::color::ColorDepth};

use super::{gpus, page, page_with, to};
use crate::{
    screen::{Screen, facts},
    world::{day, snapshot},
};

/// Screens one below the other, as a user comes by.
fn along(mut screen: Screen, labels: &[&str]) -> String {
    let mut text = screen.text();
    for label in labels {
        screen = to(screen, label);
        text.extend(["\n======== at ", label, "\n"]);
        text.push_str(&screen.text());
    }
    text
}

const LABELS: [&str; 7] = [
    "Preset",
    "CPU",
    "Shared memory",
    "fGPU",
    "Cluster size",
    "Agent",
    "Threads",
];

#[test]
fn many_environments_80x24() {
    let first = page(80, 24);
    insta::assert_snapshot!(first.text());
    insta::assert_snapshot!(along(gpus(80, 24), &LABELS));
}

#[test]
fn many_environments_140x40() {
    insta::assert_snapshot!(along(gpus(140, 40), &["Preset", "fGPU"]));
}

#[test]
fn without_environments_and_catalogue() {
    let nothing = page_with(80, 24, Vec::new(), Catalogue::default());
    insta::assert_snapshot!(nothing.text());
    let local = Screen::new(80, 24).daemon(snapshot(day())).press("n alt-2");
    insta::assert_snapshot!(along(local, &["CPU"]));
}

#[test]
fn the_smallest_screen_shows_the_focused_row() {
    let mut screen = gpus(60, 16);
    for label in LABELS {
        screen = to(screen, label);
    }
    insta::assert_snapshot!(screen.text());
}

#[test]
fn another_theme_and_plain_letters() {
    let light = gpus(140, 40).theme("default-light", ColorDepth::TrueColor);
    let light = to(light, "CPU").typed("44");
    assert!(
        light.sees("must wait: 40 of 64 CPU free"),
        "{}",
        light.text()
    );
    let ascii = Facts {
        unicode: false,
        ..facts()
    };
    let plain = Screen::with(80, 24, ascii)
        .daemon(snapshot(day()))
        .press("n alt-2");
    assert!(
        plain.text().is_ascii() || plain.sees("데이터"),
        "{}",
        plain.text()
    );
}
