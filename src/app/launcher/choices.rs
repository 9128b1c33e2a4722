//! The list of environments in the form.

use crate::model::{
    environment::{Environment, EnvironmentSource},
    resources::ResourceSlots,
    text::Clean,
};

/// One line of the environment list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// `name:version`.
    pub label: String,
    /// `this machine` or the image's size.
    pub note: String,
    /// The heading it stands under, where images have one.
    pub group: Option<Clean>,
    /// What its tag requires or names: `py311`, `cuda12.1`.
    pub chips: Vec<Clean>,
    /// The least it runs with.
    pub minimum: ResourceSlots,
    /// Why it cannot be launched.
    pub unavailable: Option<Clean>,
}

/// The environments that hold every word of `query`, those of a group together.
pub fn fitting(query: &str, environments: &[Environment]) -> Vec<Choice> {
    let query = query.to_lowercase();
    let words: Vec<&str> = query.split_whitespace().collect();
    let mut groups: Vec<Option<&Clean>> = Vec::new();
    let mut found: Vec<(usize, Choice)> = Vec::new();
    for environment in environments {
        let group = environment.facts.group.as_ref();
        let at = groups.iter().position(|known| *known == group);
        let at = at.unwrap_or_else(|| {
            groups.push(group);
            groups.len() - 1
        });
        let choice = choice(environment);
        let text = searched(&choice);
        if words.iter().all(|word| text.contains(word)) {
            found.push((at, choice));
        }
    }
    // Stable: within a group they stand as the engine told them.
    found.sort_by_key(|(group, _)| *group);
    found.into_iter().map(|(_, choice)| choice).collect()
}

fn searched(choice: &Choice) -> String {
    let mut text = choice.label.to_lowercase();
    for more in choice.group.iter().chain(&choice.chips) {
        text.push(' ');
        text.push_str(&more.as_str().to_lowercase());
    }
    text
}

/// The position of the choice with this label, or of one with this name; else the first.
pub fn find(choices: &[Choice], label: &str) -> usize {
    let named = |c: &Choice| c.label.split_once(':').is_some_and(|(n, _)| n == label);
    let exact = choices.iter().position(|c| c.label == label);
    exact
        .or_else(|| choices.iter().position(named))
        .unwrap_or(0)
}

fn choice(environment: &Environment) -> Choice {
    Choice {
        label: environment.label(),
        note: match (&environment.source, environment.size) {
            (EnvironmentSource::Host, _) => "this machine".to_owned(),
            (EnvironmentSource::Image { .. }, Some(size)) => size.to_string(),
            (EnvironmentSource::Image { .. }, None) => String::new(),
        },
        group: environment.facts.group.clone(),
        chips: environment.facts.chips.clone(),
        minimum: environment.facts.minimum.clone(),
        unavailable: environment.unavailable.clone(),
    }
}
