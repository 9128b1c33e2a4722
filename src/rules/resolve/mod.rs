//! Finds the environment that a word means: the name of an environment, or an image as in `docker pull`.

use crate::model::{
    environment::{Environment, EnvironmentSource},
    nearest::nearest,
    reference::Reference,
    text::Clean,
};

/// The minimum length of a shortened id.
const SHORT_ID: usize = 12;

fn reference(environment: &Environment) -> Option<&str> {
    match &environment.source {
        EnvironmentSource::Image { reference } => Some(reference),
        EnvironmentSource::Host => None,
    }
}

/// The environment of an image: by its reference as an engine completes it, by its digest, or by its id. A
/// name alone means the newest image of that name. An image that isn't on the engine is only found by its
/// reference.
pub fn find_image<'a>(all: &'a [Environment], asked: &str) -> Option<&'a Environment> {
    let (here, absent) = by_place(all);
    let wanted = Reference::read(asked.trim());
    let bare = wanted.tag.is_none() && wanted.at.is_none();
    let newest = || {
        let known = |it: &&Environment| {
            reference(it).is_some_and(|text| Reference::read(text).is_named_as(&wanted))
        };
        here.iter().find(known).filter(|_| bare)
    };
    find_exactly(here, asked)
        .or_else(newest)
        .or_else(|| find_exactly(absent, asked))
}

/// Splits the environments into those on the engine and those that would have to be pulled, which are last.
fn by_place(all: &[Environment]) -> (&[Environment], &[Environment]) {
    all.split_at(all.partition_point(|it| !it.absent))
}

fn find_exactly<'a>(all: &'a [Environment], asked: &str) -> Option<&'a Environment> {
    let asked = asked.trim();
    let wanted = Reference::read(asked);
    let images = || {
        let images = all.iter().filter_map(|it| Some((it, reference(it)?)));
        images.map(|(it, text)| (it, text, Reference::read(text)))
    };
    let found = |fits: &dyn Fn(&Environment, &str, &Reference<'_>) -> bool| {
        let mut images = images();
        images
            .find(|(it, text, known)| fits(it, text, known))
            .map(|(it, ..)| it)
    };
    let here = wanted.built_here();
    found(&|_, text, _| text == asked)
        .or_else(|| found(&|it, _, _| it.facts.digests.iter().any(|one| is_digest(one, asked))))
        .or_else(|| found(&|_, _, known| known.answers_to(&wanted)))
        .or_else(|| {
            let here = here.as_ref()?;
            found(&|_, _, known| known.answers_to(here))
        })
}

/// Whether `asked` means this digest (`name@sha256:…`) or id (`sha256:…`) of an image.
fn is_digest(known: &str, asked: &str) -> bool {
    if known.contains('@') {
        let (known, asked) = (Reference::read(known), Reference::read(asked));
        return known.is_named_as(&asked) && known.digest() == asked.digest();
    }
    let hex = |text: &str| text.chars().all(|c| c.is_ascii_hexdigit());
    let bare = asked.strip_prefix("sha256:").unwrap_or(asked);
    let known = known.strip_prefix("sha256:").unwrap_or(known);
    bare.len() >= SHORT_ID && hex(bare) && known.starts_with(bare)
}

/// The environment with this label (`name:version`) or name, which may be its own or that of the environment
/// catalog. Otherwise, the image with this reference, or the only name that ends in these parts. Environments
/// on the engine come before those that would have to be pulled.
pub fn find<'a>(all: &'a [Environment], asked: &str) -> Option<&'a Environment> {
    let (here, absent) = by_place(all);
    let asked = asked.trim();
    let by_words = |all: &'a [Environment]| find_by_name(all, asked);
    by_words(here)
        .or_else(|| find_image(here, asked))
        .or_else(|| find_by_last_parts(here, asked))
        .or_else(|| by_words(absent))
        .or_else(|| find_image(absent, asked))
}

fn find_by_name<'a>(all: &'a [Environment], asked: &str) -> Option<&'a Environment> {
    let found = |fits: &dyn Fn(&Environment) -> bool| all.iter().find(|it| fits(it));
    let known = |it: &Environment| it.facts.known_as.as_ref().map(Clean::to_string);
    let known_name = |it: &Environment| {
        let known = known(it)?;
        known.split_once(':').map(|(name, _)| name.to_owned())
    };
    let own = |it: &Environment| {
        let customized = it.facts.customized.as_ref();
        customized.is_some_and(|it| it.name == *asked)
    };
    found(&|it| it.label() == asked)
        .or_else(|| found(&|it| known(it).is_some_and(|label| label == asked)))
        .or_else(|| found(&|it| it.name == *asked))
        .or_else(|| found(&|it| known_name(it).is_some_and(|name| name == asked)))
        .or_else(|| found(&own))
}

fn find_by_last_parts<'a>(all: &'a [Environment], asked: &str) -> Option<&'a Environment> {
    let parts = format!("/{asked}");
    let ends =
        |it: &&Environment| it.name.as_str().ends_with(&parts) || it.label().ends_with(&parts);
    let mut found = all.iter().filter(ends);
    let first = found.next()?;
    found.all(|other| other.name == first.name).then_some(first)
}

/// The image that was probably meant: one of similar spelling, else one of another registry or tag.
pub fn nearest_image(all: &[Environment], asked: &str) -> Option<String> {
    let launchable = all.iter().filter(|it| it.unavailable.is_none());
    let known: Vec<&str> = launchable.filter_map(reference).collect();
    let wanted = Reference::read(asked.trim());
    let alike = |it: &&&str| Reference::read(it).last_part() == wanted.last_part();
    nearest(asked.trim(), &known)
        .or_else(|| known.iter().find(alike).copied())
        .map(str::to_owned)
}

/// The environment that was probably meant.
pub fn nearest_environment(all: &[Environment], asked: &str) -> Option<String> {
    let launchable = || all.iter().filter(|it| it.unavailable.is_none());
    let names: Vec<&str> = launchable().map(|it| it.name.as_str()).collect();
    let labels: Vec<String> = launchable().map(Environment::label).collect();
    let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
    let asked = asked.trim();
    let near = if asked.contains(':') {
        nearest(asked, &labels)
    } else {
        nearest(asked, &names)
    };
    near.map(str::to_owned)
        .or_else(|| nearest_image(all, asked))
}

#[cfg(test)]
mod tests;
