//! Presets, the environment's minimum, or custom amounts.

use super::{amount_facts::AmountFacts, options::SelectOption};
use crate::{
    model::{catalogue::Preset, text::Clean},
    rules::launch::amounts::why_not_preset,
};

/// The source of the amounts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum AmountSource {
    /// Custom amounts, or those of the settings.
    #[default]
    Custom,
    /// The environment's minimum.
    Minimum,
    Preset(String),
}

/// The presets of the group, by name.
pub fn of<'a>(facts: &AmountFacts<'a>) -> Vec<&'a Preset> {
    let all = facts.catalogue().map_or(&[][..], |it| &it.presets);
    let group = facts.group.map(|group| &group.name);
    let here = |preset: &&Preset| match (&preset.resource_group, group) {
        (Some(only), Some(group)) => only == group,
        _ => true,
    };
    let mut presets: Vec<&Preset> = all.iter().filter(here).collect();
    presets.sort_by(|one, other| one.name.cmp(&other.name));
    presets
}

pub fn find<'a>(name: &str, facts: &AmountFacts<'a>) -> Option<&'a Preset> {
    of(facts).into_iter().find(|preset| preset.name == *name)
}

pub fn why_not(preset: &Preset, facts: &AmountFacts<'_>) -> Option<String> {
    why_not_preset(preset, facts.environment, facts.catalogue(), facts.group)
}

/// The first available preset, otherwise custom amounts.
pub fn automatic(facts: &AmountFacts<'_>) -> AmountSource {
    let fine = |preset: &&Preset| why_not(preset, facts).is_none();
    let first = of(facts).into_iter().find(fine);
    first.map_or(AmountSource::Custom, |it| {
        AmountSource::Preset(it.name.to_string())
    })
}

/// All sources with their notes, and the position of the chosen one.
pub fn options(
    chosen: &AmountSource,
    own: &str,
    facts: &AmountFacts<'_>,
) -> (Vec<SelectOption>, usize) {
    let sources = sources(facts);
    let at = sources.iter().position(|source| source == chosen);
    let mut options: Vec<SelectOption> = sources.iter().map(|it| option(it, own, facts)).collect();
    // A preset that no longer exists is still shown.
    let at = at.unwrap_or_else(|| {
        let title = match chosen {
            AmountSource::Preset(name) => Clean::new(name).into_string(),
            AmountSource::Minimum | AmountSource::Custom => title(chosen),
        };
        let why = if matches!(chosen, AmountSource::Preset(_)) {
            tr!("preset not found")
        } else {
            tr!("presets only")
        };
        options.push(SelectOption::new(title, own).unless(Some(why.to_owned())));
        options.len() - 1
    });
    (options, at)
}

/// The sources in the order of the list.
pub fn sources(facts: &AmountFacts<'_>) -> Vec<AmountSource> {
    let named = of(facts).into_iter();
    let mut sources: Vec<AmountSource> = named
        .map(|preset| AmountSource::Preset(preset.name.to_string()))
        .collect();
    if !facts.presets_only() {
        sources.extend([AmountSource::Minimum, AmountSource::Custom]);
    }
    sources
}

fn title(source: &AmountSource) -> String {
    match source {
        AmountSource::Custom => tr!("Custom").to_owned(),
        AmountSource::Minimum => tr!("Minimum required").to_owned(),
        AmountSource::Preset(name) => name.clone(),
    }
}

fn option(source: &AmountSource, own: &str, facts: &AmountFacts<'_>) -> SelectOption {
    let title = title(source);
    match source {
        AmountSource::Custom => SelectOption::new(title, own),
        AmountSource::Minimum => SelectOption::new(title, facts.in_words(&facts.least())),
        AmountSource::Preset(name) => {
            let Some(preset) = find(name, facts) else {
                return SelectOption::new(title, "");
            };
            let mut words = facts.in_words(&preset.slots);
            if let Some(shmem) = preset.shmem.filter(|shmem| shmem.0 > 0) {
                words = tr!("{words}, {shmem} shared", words, shmem);
            }
            SelectOption::new(title, words).unless(why_not(preset, facts))
        }
    }
}
