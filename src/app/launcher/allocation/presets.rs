//! Presets, the environment's minimum, or custom amounts.

use super::{around::Around, options::Choose};
use crate::{
    model::{catalogue::Preset, text::Clean},
    rules::launch::amounts::why_not_preset,
};

/// The source of the amounts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Source {
    /// Custom amounts, or those of the settings.
    #[default]
    Custom,
    /// The environment's minimum.
    Minimum,
    Preset(String),
}

/// The presets of the group, by name.
pub fn of<'a>(around: &Around<'a>) -> Vec<&'a Preset> {
    let all = around.catalogue().map_or(&[][..], |offer| &offer.presets);
    let group = around.group.map(|group| &group.name);
    let here = |preset: &&Preset| match (&preset.resource_group, group) {
        (Some(only), Some(group)) => only == group,
        _ => true,
    };
    let mut presets: Vec<&Preset> = all.iter().filter(here).collect();
    presets.sort_by(|one, other| one.name.cmp(&other.name));
    presets
}

pub fn find<'a>(name: &str, around: &Around<'a>) -> Option<&'a Preset> {
    of(around).into_iter().find(|preset| preset.name == *name)
}

pub fn why_not(preset: &Preset, around: &Around<'_>) -> Option<String> {
    why_not_preset(preset, around.environment, around.catalogue(), around.group)
}

/// The first available preset, otherwise custom amounts.
pub fn automatic(around: &Around<'_>) -> Source {
    let fine = |preset: &&Preset| why_not(preset, around).is_none();
    let first = of(around).into_iter().find(fine);
    first.map_or(Source::Custom, |it| Source::Preset(it.name.to_string()))
}

/// All sources with their notes, and the position of the chosen one.
pub fn options(chosen: &Source, own: &str, around: &Around<'_>) -> (Vec<Choose>, usize) {
    let sources = sources(around);
    let at = sources.iter().position(|source| source == chosen);
    let mut options: Vec<Choose> = sources.iter().map(|it| option(it, own, around)).collect();
    // A preset that no longer exists is still shown.
    let at = at.unwrap_or_else(|| {
        let title = match chosen {
            Source::Preset(name) => Clean::new(name).into_string(),
            Source::Minimum | Source::Custom => title(chosen),
        };
        let why = if matches!(chosen, Source::Preset(_)) {
            "preset not found"
        } else {
            "presets only"
        };
        options.push(Choose::new(title, own).unless(Some(why.to_owned())));
        options.len() - 1
    });
    (options, at)
}

/// The sources in the order of the list.
pub fn sources(around: &Around<'_>) -> Vec<Source> {
    let named = of(around).into_iter();
    let mut sources: Vec<Source> = named
        .map(|preset| Source::Preset(preset.name.to_string()))
        .collect();
    if !around.presets_only() {
        sources.extend([Source::Minimum, Source::Custom]);
    }
    sources
}

fn title(source: &Source) -> String {
    match source {
        Source::Custom => "Custom".to_owned(),
        Source::Minimum => "Minimum required".to_owned(),
        Source::Preset(name) => name.clone(),
    }
}

fn option(source: &Source, own: &str, around: &Around<'_>) -> Choose {
    let title = title(source);
    match source {
        Source::Custom => Choose::new(title, own),
        Source::Minimum => Choose::new(title, around.in_words(&around.least())),
        Source::Preset(name) => {
            let Some(preset) = find(name, around) else {
                return Choose::new(title, "");
            };
            let mut words = around.in_words(&preset.slots);
            if let Some(shmem) = preset.shmem.filter(|shmem| shmem.0 > 0) {
                words = format!("{words}, {shmem} shared");
            }
            Choose::new(title, words).unless(why_not(preset, around))
        }
    }
}
