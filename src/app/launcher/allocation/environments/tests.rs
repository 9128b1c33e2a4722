//! A search only marks an environment. Moving, clicking or leaving the field chooses it.

use proptest::prelude::*;

use super::*;
use crate::model::environment::{EnvironmentSource, ImageFacts};

fn info(labels: &[&str]) -> LaunchInfo {
    let environment = |label: &&str| {
        let (name, version) = label.split_once(':').unwrap();
        Environment {
            name: Clean::new(name),
            version: Clean::new(version),
            source: EnvironmentSource::Image {
                reference: (*label).to_owned(),
            },
            size: None,
            unavailable: None,
            absent: false,
            facts: ImageFacts::default(),
        }
    };
    LaunchInfo {
        environments: labels.iter().map(environment).collect(),
        ..LaunchInfo::blank()
    }
}

fn four() -> LaunchInfo {
    info(&["host:1", "python:3.12", "python:3.11", "pytorch:2.4"])
}

fn begun(info: &LaunchInfo) -> EnvironmentPicker {
    let mut environments = EnvironmentPicker::default();
    environments.read(&LaunchRequest::default(), info);
    environments
}

fn press(environments: &mut EnvironmentPicker, keys: &str, info: &LaunchInfo) {
    for key in keys.split_whitespace() {
        assert!(environments.key(key.parse().unwrap(), info), "{key}");
    }
}

#[test]
fn a_search_that_is_cleared_leaves_the_choice_as_it_was() {
    let info = four();
    for clear in ["backspace backspace backspace", "ctrl-u", "ctrl-w"] {
        let mut all = begun(&info);
        press(&mut all, "t o r", &info);
        assert_eq!(all.label(&info), "pytorch:2.4");
        press(&mut all, clear, &info);
        assert_eq!(all.label(&info), "host:1", "{clear}");
    }
    let mut all = begun(&info);
    press(&mut all, "t o r", &info);
    assert!(all.clear_search(&info));
    assert_eq!(all.label(&info), "host:1");
    assert!(!all.clear_search(&info), "there is none any more");
}

#[test]
fn the_name_counts_more_than_the_version_of_another_one() {
    let info = info(&["jupyter:python-3.12", "python:3.12", "pytorch:2.4-python3"]);
    let mut all = begun(&info);
    press(&mut all, "p y t h o n", &info);
    assert_eq!(all.label(&info), "python:3.12");
    press(&mut all, "- 3", &info);
    assert_eq!(all.label(&info), "jupyter:python-3.12");
}

type Operation = fn(&mut EnvironmentPicker);

#[test]
fn moving_clicking_and_leaving_choose() {
    let info = four();
    let operations: [(Operation, &str); 3] = [
        (|all| assert!(all.step(1)), "python:3.11"),
        (|all| all.choose(1), "python:3.11"),
        (EnvironmentPicker::focus_left, "python:3.12"),
    ];
    for (operation, chosen) in operations {
        let mut all = begun(&info);
        press(&mut all, "p y t h", &info);
        operation(&mut all);
        press(&mut all, "ctrl-u", &info);
        assert_eq!(all.label(&info), chosen);
    }
}

#[test]
fn the_mark_of_a_search_stays_while_others_come_and_go() {
    let info = four();
    let mut all = begun(&info);
    press(&mut all, "p y", &info);
    assert_eq!(all.label(&info), "python:3.12");
    // Moving the cursor in the text doesn't search again.
    assert!(all.step(1));
    press(&mut all, "left right home end", &info);
    assert_eq!(all.label(&info), "python:3.11");
    let mut more = four();
    more.environments
        .insert(0, self::info(&["zsh:1"]).environments.remove(0));
    all.update(&more);
    assert_eq!(all.label(&more), "python:3.11");
    more.environments.retain(|it| it.version != "3.11");
    all.update(&more);
    assert_eq!(all.label(&more), "python:3.12", "it is gone");
}

#[test]
fn what_fits_nothing_is_shown_and_a_blank_is_no_search() {
    let info = four();
    let mut all = begun(&info);
    press(&mut all, "z", &info);
    let problem = all.problem().unwrap();
    assert_eq!(problem, "no environment matches 'z'");
    press(&mut all, "ctrl-u", &info);
    all.choose(2);
    all.paste("  ", &info);
    assert_eq!(
        (all.problem(), all.label(&info)),
        (None, "python:3.11".to_owned())
    );
    // Nothing is known yet, so nothing can be missing.
    let nothing = LaunchInfo::blank();
    let mut all = begun(&nothing);
    press(&mut all, "z", &nothing);
    assert_eq!(all.problem(), None);
}

proptest! {
    /// A search that is typed and cleared without moving keeps the earlier choice.
    #[test]
    fn any_search_taken_back_changes_nothing(typed in "[a-z0-9. ]{1,12}", first in 0_usize..4) {
        let info = four();
        let mut all = begun(&info);
        all.choose(first);
        let before = all.label(&info);
        for c in typed.chars() {
            let key = Key::char(c);
            prop_assert!(all.key(key, &info));
        }
        for _ in typed.chars() {
            press(&mut all, "backspace", &info);
        }
        prop_assert_eq!(all.label(&info), before);
        prop_assert_eq!(all.choices().len(), 4);
    }
}
