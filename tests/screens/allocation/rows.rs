//! What the rows make of what is typed, chosen and clicked, and what they ask for.

use workbay::model::{
    catalogue::Catalogue,
    resources::{Bytes, Cpu},
};

use super::{gpus, many, offer, page, page_with, request, to};
use crate::screen::Screen;

#[test]
fn typing_searches_and_chooses() {
    let screen = page(80, 24).typed("torch 2.4");
    insta::assert_snapshot!(screen.text());
    assert_eq!(
        request(&screen).environment.as_deref(),
        Some("stable/ngc-pytorch:2.4-py311-cuda12.4")
    );
    assert!(
        screen
            .typed("zz")
            .sees("no environment matches 'torch 2.4zz'")
    );
    let gone = page(80, 24).typed("windows");
    assert!(gone.sees("legacy/windows:2022 isn't available on this engine:"));
    let image = to(page(80, 24), "Other image").typed("quay.io/x:1");
    assert_eq!(request(&image).image.as_deref(), Some("quay.io/x:1"));
    assert_eq!(request(&image).environment, None);
}

#[test]
fn leaving_the_environment_moves_nothing() {
    for (columns, rows) in [(80, 24), (140, 40)] {
        let at = |screen: &Screen| {
            let text = screen.text();
            let line = |label: &str| text.lines().position(|line| line.contains(label));
            ["Other image", "Variables"].map(|label| line(label).unwrap())
        };
        let focused = page(columns, rows);
        let before = at(&focused);
        let left = focused.press("tab");
        assert_eq!(at(&left), before, "{}", left.text());
        // Nor does an image that is typed instead; what is said of it is below it.
        let typed = left.typed("quay.io/x:1");
        assert_eq!(at(&typed)[0], before[0], "{}", typed.text());
    }
}

#[test]
fn the_first_preset_that_can_be_had_is_chosen_and_a_number_by_hand_is_custom() {
    let screen = page(80, 24);
    assert_eq!(request(&screen).preset.as_deref(), Some("cpu-small"));
    // Left and right pass over what is not available.
    let screen = to(screen, "Preset").press("right");
    assert_eq!(request(&screen).preset.as_deref(), Some("한국어-실습"));
    let screen = to(screen, "CPU").typed("6");
    let asked = request(&screen);
    assert_eq!(
        (asked.preset.as_deref(), asked.cpu, asked.mem),
        (
            None,
            Some(Cpu::from_millis(6000)),
            Some(Bytes(2 * Bytes::GIB))
        )
    );
    assert!(
        screen.sees("must wait: 4 of 16 CPU free, 2 sessions ahead"),
        "{}",
        screen.text()
    );
    // An environment that needs an accelerator has other presets.
    let screen = page(80, 24).typed("tensorflow");
    let screen = to(screen, "Resource group").press("right right");
    assert_eq!(request(&screen).preset.as_deref(), Some("medium"));
}

#[test]
fn presets_only_fixes_the_amounts() {
    let offer = Catalogue {
        presets_only: true,
        ..offer()
    };
    let screen = to(page_with(80, 24, many(), offer), "Preset");
    insta::assert_snapshot!(screen.text());
    assert!(screen.press("right right right right").sees("presets only"));
}

#[test]
fn variables_are_rows_and_secrets_are_masked() {
    let screen = to(page(140, 40), "Variables");
    let screen = screen
        .paste("STAGE=dev\nAPI_TOKEN=hush hush\n")
        .typed("1bad=x");
    let screen = screen.press("down").typed("HALF");
    insta::assert_snapshot!(screen.text());
    assert!(!screen.sees("hush"));
    assert!(screen.sees("invalid variable name '1bad'"));
    assert!(!screen.sees("HALF needs a value"), "while one types");
    let left = screen.press("tab tab y");
    let env = &request(&left).env;
    assert_eq!(env.len(), 2, "{env:?}");
    // All go, after a question.
    let asked = to(left, "Variables").press("alt-x");
    assert!(asked.sees("Remove all 3 variables?"), "{}", asked.text());
    let gone = asked.press("y");
    assert!(request(&gone).env.is_empty() && !gone.sees("STAGE"));
}

#[test]
fn what_is_wrong_is_beside_its_field() {
    let screen = to(gpus(140, 44), "Other image").typed("a b");
    let screen = to(screen, "Variables").typed("9=x");
    let screen = to(screen, "CPU").typed("0.5");
    let screen = to(screen, "Memory").typed("1m");
    let screen = to(screen, "Shared memory").typed("9g");
    let screen = to(screen, "fGPU").typed("0.05");
    let screen = to(screen, "Cluster size").typed("9");
    let screen = to(screen, "Threads").press("space");
    let screen = to(screen, "OpenMP").typed("0");
    insta::assert_snapshot!(screen.text());
    let sent = screen.press("ctrl-enter");
    assert!(sent.wishes().is_empty(), "a wrong form was sent");
}

#[test]
fn a_cluster_counts_in_all_and_is_launched_alone() {
    let screen = to(page(140, 40), "Sessions").typed("3");
    assert!(
        screen.sees("6 CPU, 12 GiB in 3 sessions"),
        "{}",
        screen.text()
    );
    let screen = to(screen, "Cluster size").press("right");
    let asked = request(&screen);
    assert_eq!((asked.cluster_size, asked.count), (Some(2), None));
    assert!(screen.sees("4 CPU, 8 GiB in 2 containers"));
    insta::assert_snapshot!(to(screen, "Cluster mode").text());
}

#[test]
fn threads_by_hand_are_variables() {
    let screen = to(page(140, 40), "Threads").press("space");
    let screen = to(screen, "OpenBLAS").typed("4");
    let env = &request(&screen).env;
    assert_eq!(
        (
            env["OMP_NUM_THREADS"].as_str(),
            env["OPENBLAS_NUM_THREADS"].as_str()
        ),
        ("1", "4")
    );
    let screen = to(screen, "Variables").typed("OMP_NUM_THREADS");
    assert!(
        screen.sees("OMP_NUM_THREADS is set below"),
        "{}",
        screen.text()
    );
}

#[test]
fn a_click_chooses() {
    let screen = page(80, 24);
    let line = |screen: &Screen, text: &str| {
        let lines = screen.text();
        let at = lines.lines().position(|line| line.contains(text));
        u16::try_from(at.unwrap()).unwrap()
    };
    let y = line(&screen, "3.10  py3");
    let screen = screen.click(30, y);
    let chosen = Some("stable/python:3.10-py3-ubuntu22.04");
    assert_eq!(request(&screen).environment.as_deref(), chosen);
    let screen = to(screen, "Preset");
    let y = line(&screen, "Minimum required");
    let screen = screen.click(30, y);
    assert_eq!(request(&screen).mem, Some(Bytes::mib(320)));
    assert!(screen.sees("▎ Preset"), "{}", screen.text());
    // What is not available cannot be clicked.
    let y = line(&screen, "huge");
    let screen = screen.click(30, y);
    assert_eq!(request(&screen).preset, None);
}
