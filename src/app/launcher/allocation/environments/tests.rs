//! A search only marks an environment. Moving, clicking or leaving the field chooses it.

use proptest::prelude::*;

use super::*;
use crate::model::environment::{EnvironmentSource, ImageFacts};

fn offer(labels: &[&str]) -> Offer {
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
    Offer {
        environments: labels.iter().map(environment).collect(),
        ..Offer::blank()
    }
}

fn four() -> Offer {
    offer(&["host:1", "python:3.12", "python:3.11", "pytorch:2.4"])
}

fn begun(offer: &Offer) -> Environments {
    let mut environments = Environments::default();
    environments.read(&LaunchRequest::default(), offer);
    environments
}

fn press(environments: &mut Environments, keys: &str, offer: &Offer) {
    for key in keys.split_whitespace() {
        assert!(environments.key(key.parse().unwrap(), offer), "{key}");
    }
}

#[test]
fn a_search_that_is_cleared_leaves_the_choice_as_it_was() {
    let offer = four();
    for clear in ["backspace backspace backspace", "ctrl-u", "ctrl-w"] {
        let mut all = begun(&offer);
        press(&mut all, "t o r", &offer);
        assert_eq!(all.label(&offer), "pytorch:2.4");
        press(&mut all, clear, &offer);
        assert_eq!(all.label(&offer), "host:1", "{clear}");
    }
    let mut all = begun(&offer);
    press(&mut all, "t o r", &offer);
    assert!(all.clear_search(&offer));
    assert_eq!(all.label(&offer), "host:1");
    assert!(!all.clear_search(&offer), "there is none any more");
}

#[test]
fn the_name_counts_more_than_the_version_of_another_one() {
    let offer = offer(&["jupyter:python-3.12", "python:3.12", "pytorch:2.4-python3"]);
    let mut all = begun(&offer);
    press(&mut all, "p y t h o n", &offer);
    assert_eq!(all.label(&offer), "python:3.12");
    press(&mut all, "- 3", &offer);
    assert_eq!(all.label(&offer), "jupyter:python-3.12");
}

type Deed = fn(&mut Environments);

#[test]
fn moving_clicking_and_leaving_choose() {
    let offer = four();
    let deeds: [(Deed, &str); 3] = [
        (|all| assert!(all.step(1)), "python:3.11"),
        (|all| all.choose(1), "python:3.11"),
        (Environments::left, "python:3.12"),
    ];
    for (deed, chosen) in deeds {
        let mut all = begun(&offer);
        press(&mut all, "p y t h", &offer);
        deed(&mut all);
        press(&mut all, "ctrl-u", &offer);
        assert_eq!(all.label(&offer), chosen);
    }
}

#[test]
fn the_mark_of_a_search_stays_while_others_come_and_go() {
    let offer = four();
    let mut all = begun(&offer);
    press(&mut all, "p y", &offer);
    assert_eq!(all.label(&offer), "python:3.12");
    // Moving the cursor in the text doesn't search again.
    assert!(all.step(1));
    press(&mut all, "left right home end", &offer);
    assert_eq!(all.label(&offer), "python:3.11");
    let mut more = four();
    more.environments
        .insert(0, self::offer(&["zsh:1"]).environments.remove(0));
    all.offered(&more);
    assert_eq!(all.label(&more), "python:3.11");
    more.environments.retain(|it| it.version != "3.11");
    all.offered(&more);
    assert_eq!(all.label(&more), "python:3.12", "it is gone");
}

#[test]
fn what_fits_nothing_is_told_and_a_blank_is_no_search() {
    let offer = four();
    let mut all = begun(&offer);
    press(&mut all, "z", &offer);
    let problem = all.problem().unwrap();
    assert_eq!(problem, "no environment matches 'z'");
    press(&mut all, "ctrl-u", &offer);
    all.choose(2);
    all.paste("  ", &offer);
    assert_eq!(
        (all.problem(), all.label(&offer)),
        (None, "python:3.11".to_owned())
    );
    // Nothing is known yet, so nothing can be missing.
    let nothing = Offer::blank();
    let mut all = begun(&nothing);
    press(&mut all, "z", &nothing);
    assert_eq!(all.problem(), None);
}

proptest! {
    /// A search that is typed and cleared without moving keeps the earlier choice.
    #[test]
    fn any_search_taken_back_changes_nothing(typed in "[a-z0-9. ]{1,12}", first in 0_usize..4) {
        let offer = four();
        let mut all = begun(&offer);
        all.choose(first);
        let before = all.label(&offer);
        for c in typed.chars() {
            let key = Key::char(c);
            prop_assert!(all.key(key, &offer));
        }
        for _ in typed.chars() {
            press(&mut all, "backspace", &offer);
        }
        prop_assert_eq!(all.label(&offer), before);
        prop_assert_eq!(all.choices().len(), 4);
    }
}
