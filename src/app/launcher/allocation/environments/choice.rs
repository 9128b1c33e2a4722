//! One environment as a line of the list, and the environments that match the typed text.

use std::cmp::Reverse;

use crate::model::{
    environment::{Environment, EnvironmentSource},
    text::Clean,
};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnvironmentChoice {
    /// `name:version`, as a request names it.
    pub label: String,
    pub name: Clean,
    /// The version without the parts that the chips show.
    pub version: Clean,
    /// `this machine` or the image's size.
    pub note: String,
    /// The heading above the environment, if images have one.
    pub group: Option<Clean>,
    /// The requirements and names in its tag: `py311`, `cuda12.1`.
    pub chips: Vec<Clean>,
    /// Why it can't be launched.
    pub unavailable: Option<Clean>,
    /// A launch must pull it first.
    pub absent: bool,
    /// Its label in the catalog.
    pub known_as: Option<Clean>,
    /// It was created from a session, so it is never chosen automatically.
    pub customized: bool,
    /// The reference of its image; `None` = it has none.
    pub reference: Option<String>,
    /// The name that you gave the image; `None` = it isn't yours.
    pub own_name: Option<Clean>,
}

/// The environments that contain every word of `query`: first those on the engine, then those that must be
/// pulled. Groups stay together, names stay together, and the newest version is first.
pub fn fitting(query: &str, environments: &[Environment]) -> Vec<EnvironmentChoice> {
    let query = query.to_lowercase();
    let words: Vec<&str> = query.split_whitespace().collect();
    let mut order = EnvironmentOrder::default();
    let mut found: Vec<_> = environments
        .iter()
        .filter_map(|environment| {
            let place = order.place(environment);
            let choice = choice(environment);
            let text = searched(&choice);
            let fits = words.iter().all(|word| text.contains(word));
            fits.then_some((place, Reverse(age(environment.version.as_str())), choice))
        })
        .collect();
    found.sort_by(|(one, new, _), (other, old, _)| (one, new).cmp(&(other, old)));
    found.into_iter().map(|(.., choice)| choice).collect()
}

/// Groups and names in the order of the engine's list.
#[derive(Default)]
struct EnvironmentOrder<'a> {
    groups: Vec<Option<&'a Clean>>,
    names: Vec<&'a Clean>,
}

impl<'a> EnvironmentOrder<'a> {
    fn place(&mut self, environment: &'a Environment) -> (bool, usize, usize) {
        let group = position(&mut self.groups, environment.facts.group.as_ref());
        let name = position(&mut self.names, &environment.name);
        (environment.absent, group, name)
    }
}

fn position<T: PartialEq>(known: &mut Vec<T>, wanted: T) -> usize {
    known
        .iter()
        .position(|it| *it == wanted)
        .unwrap_or_else(|| {
            known.push(wanted);
            known.len() - 1
        })
}

/// How new a version is. Numbers compare by value, `latest` is the newest.
fn age(version: &str) -> (bool, Vec<(u64, String)>) {
    let latest = version == "latest" || version.starts_with("latest-");
    let parts = version.split(|c: char| !c.is_alphanumeric());
    let parts = parts.map(|part| {
        let digits = part
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(part.len());
        let number = part[..digits].parse().unwrap_or(0);
        (number, part[digits..].to_owned())
    });
    (latest, parts.collect())
}

fn searched(choice: &EnvironmentChoice) -> String {
    let mut text = choice.label.to_lowercase();
    let more = choice.group.iter().chain(&choice.chips);
    for more in more.chain(&choice.known_as) {
        text.push(' ');
        text.push_str(&more.as_str().to_lowercase());
    }
    text
}

/// The choice with this label, or the first one with this name.
pub fn find(choices: &[EnvironmentChoice], label: &str) -> Option<usize> {
    let exact = choices.iter().position(|choice| choice.label == label);
    exact.or_else(|| choices.iter().position(|choice| choice.name == *label))
}

/// The first launchable choice whose name or version begins with most of the words. The name counts more:
/// `2.4` means the version rather than a part of `cuda12.4`, `python` an environment of that name rather than
/// another one's `python-3.12`.
pub fn best(query: &str, choices: &[EnvironmentChoice]) -> Option<usize> {
    let query = query.to_lowercase();
    let score = |choice: &EnvironmentChoice| {
        let name = choice.name.as_str().to_lowercase();
        let named = |word: &str| name.split(['/', '-']).any(|part| part.starts_with(word));
        let begun = |word: &&str| named(word) || choice.version.as_str().starts_with(word);
        let words = || query.split_whitespace();
        (
            words().filter(begun).count(),
            words().filter(|word| named(word)).count(),
        )
    };
    let launchable = choices.iter().enumerate().rev();
    let launchable = launchable.filter(|(_, choice)| choice.unavailable.is_none());
    let best = launchable.max_by_key(|(_, choice)| score(choice));
    best.map(|(at, _)| at)
}

fn choice(environment: &Environment) -> EnvironmentChoice {
    let customized = environment.facts.customized.as_ref();
    let own = customized.filter(|it| it.owner.is_none());
    EnvironmentChoice {
        label: environment.label(),
        name: environment.name.clone(),
        version: shown_version(environment),
        note: match (&environment.source, environment.size) {
            _ if environment.absent => tr!("not pulled yet").to_owned(),
            (EnvironmentSource::Host, _) => tr!("this machine").to_owned(),
            (EnvironmentSource::Image { .. }, Some(size)) => size.to_string(),
            (EnvironmentSource::Image { .. }, None) => String::new(),
        },
        group: environment.facts.group.clone(),
        chips: environment.facts.chips.clone(),
        unavailable: environment.unavailable.clone(),
        absent: environment.absent,
        known_as: environment.facts.known_as.clone(),
        customized: environment.facts.customized.is_some(),
        reference: match &environment.source {
            EnvironmentSource::Host => None,
            EnvironmentSource::Image { reference } => Some(reference.clone()),
        },
        own_name: own.map(|it| it.name.clone()),
    }
}

/// Shortens `3.11-py311-cuda12` to `3.11` if the chips show the rest.
fn shown_version(environment: &Environment) -> Clean {
    let version = environment.version.as_str();
    let chips: Vec<&str> = environment.facts.chips.iter().map(Clean::as_str).collect();
    match version.split_once('-') {
        // The chips of a customized image include its own name.
        Some((first, _)) if environment.facts.customized.is_some() => Clean::new(first),
        Some((first, rest)) if rest == chips.join("-") => Clean::new(first),
        _ => environment.version.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::environment::ImageFacts;

    fn environment(name: &str, version: &str, group: Option<&str>) -> Environment {
        Environment {
            name: Clean::new(name),
            version: Clean::new(version),
            source: EnvironmentSource::Host,
            size: None,
            unavailable: None,
            absent: false,
            facts: ImageFacts {
                group: group.map(Clean::new),
                chips: version.split('-').skip(1).map(Clean::new).collect(),
                ..ImageFacts::default()
            },
        }
    }

    fn labels(query: &str, environments: &[Environment]) -> Vec<String> {
        let found = fitting(query, environments);
        found.into_iter().map(|choice| choice.label).collect()
    }

    #[test]
    fn the_newest_version_comes_first() {
        let versions = ["3.9", "3.11", "3.9-py39", "latest", "3.10"];
        let all = versions.map(|version| environment("python", version, None));
        let sorted: Vec<String> = labels("", &all);
        let versions = ["latest", "3.11", "3.10", "3.9-py39", "3.9"];
        assert_eq!(sorted, versions.map(|version| format!("python:{version}")));
    }

    #[test]
    fn groups_and_names_are_combined() {
        let all = [
            environment("a", "1", Some("One")),
            environment("b", "1", Some("Two")),
            environment("c", "1", Some("One")),
            environment("a", "2", Some("One")),
        ];
        assert_eq!(labels("", &all), ["a:2", "a:1", "c:1", "b:1"]);
        assert_eq!(labels("two", &all), ["b:1"]);
        assert_eq!(labels("one 2", &all), ["a:2"]);
    }

    #[test]
    fn what_chips_say_is_not_said_twice() {
        let all = [environment("pytorch", "2.4-py311-cuda12.4", None)];
        let choice = &fitting("cuda12", &all)[0];
        assert_eq!(choice.version, "2.4");
        assert_eq!(find(&fitting("", &all), "pytorch"), Some(0));
        assert_eq!(find(&fitting("", &all), "torch"), None);
    }

    #[test]
    fn words_mean_names_and_versions_first() {
        let versions = ["2.2-cuda12.4", "2.4-cuda12.4", "2.5-cuda12.4"];
        let mut all = versions.map(|version| environment("ngc-pytorch", version, None));
        let chosen = |query, all: &[Environment]| {
            let choices = fitting(query, all);
            best(query, &choices).map(|at| choices[at].label.clone())
        };
        let label = |version: &str| Some(format!("ngc-pytorch:{version}-cuda12.4"));
        assert_eq!(chosen("torch 2.4", &all), label("2.4"));
        assert_eq!(chosen("torch", &all), label("2.5"), "the newest");
        all[2].unavailable = Some(Clean::new("gone"));
        assert_eq!(chosen("torch", &all), label("2.4"));
        assert_eq!(chosen("2.5", &all[2..]), None);
    }
}
