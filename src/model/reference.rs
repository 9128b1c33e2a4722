//! Which environment a word means: an environment's name, or an image as it is written for
//! `docker pull`.

use super::{
    environment::{Environment, EnvironmentSource},
    nearest::nearest,
    text::Clean,
};

/// Where images without a registry are from, and the shelf there of those without an owner.
pub const HUB: &str = "docker.io";
const OLD_HUB: &str = "index.docker.io";
const SHELF: &str = "library/";
/// Where Podman puts images that were built here.
const HERE: &str = "localhost";
const LATEST: &str = "latest";
/// Fewer characters of an id are not taken for one.
const SHORT_ID: usize = 12;

/// `registry/name:tag@digest`, each part as an engine completes it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Reference<'a> {
    registry: Option<&'a str>,
    name: String,
    tag: Option<&'a str>,
    /// A digest, or the architecture (a manager's way of writing it).
    at: Option<&'a str>,
}

impl<'a> Reference<'a> {
    fn read(text: &'a str) -> Self {
        let (text, at) = match text.split_once('@') {
            Some((text, at)) => (text, Some(at)),
            None => (text, None),
        };
        // A registry's port is no tag.
        let (text, tag) = match text.rsplit_once(':').filter(|(_, tag)| !tag.contains('/')) {
            Some((text, tag)) => (text, Some(tag)),
            None => (text, None),
        };
        let is_registry = |part: &str| part.contains(['.', ':']) || part == HERE;
        let (registry, name) = match text.split_once('/').filter(|it| is_registry(it.0)) {
            Some((registry, name)) => (Some(registry), name),
            None => (None, text),
        };
        let registry = registry.filter(|it| *it != HUB && *it != OLD_HUB);
        let name = match registry {
            None => name.strip_prefix(SHELF).unwrap_or(name),
            Some(_) => name,
        };
        Self {
            registry,
            name: name.to_owned(),
            tag,
            at,
        }
    }

    fn is_named_as(&self, other: &Self) -> bool {
        self.registry == other.registry && self.name == other.name
    }

    fn digest(&self) -> Option<&'a str> {
        self.at.filter(|at| at.contains(':'))
    }

    /// The tag that is meant.
    fn tag(&self) -> &'a str {
        self.tag.unwrap_or(LATEST)
    }

    /// Whether `asked` means this image by name and tag.
    fn answers_to(&self, asked: &Self) -> bool {
        let same_kind = asked.at.is_none() || asked.at == self.at;
        same_kind && self.is_named_as(asked) && self.tag() == asked.tag()
    }

    /// The name without what stands before its last part.
    fn last_part(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or(&self.name)
    }
}

/// Whether it is written as images are.
pub fn is_image(text: &str) -> bool {
    !text.is_empty() && !text.contains(char::is_whitespace)
}

/// The registry an image comes from.
pub fn registry(text: &str) -> &str {
    Reference::read(text.trim()).registry.unwrap_or(HUB)
}

/// Whether both mean the same image.
pub fn is_same(one: &str, other: &str) -> bool {
    Reference::read(one).answers_to(&Reference::read(other))
}

/// What an engine is asked to pull: with a tag where none is given, or it takes them all.
pub fn with_tag(text: &str) -> String {
    let text = text.trim();
    let read = Reference::read(text);
    match (read.tag, read.digest()) {
        (None, None) => format!("{text}:{LATEST}"),
        _ => text.to_owned(),
    }
}

/// Name and version of an environment that is only known by its image.
pub fn name_and_version(text: &str) -> (String, String) {
    let full = with_tag(text);
    let at = match full.split_once('@') {
        Some((before, _)) => before.len(),
        None => full.rfind(':').unwrap_or(full.len()),
    };
    let version = full[at..].trim_start_matches(['@', ':']);
    (full[..at].to_owned(), version.to_owned())
}

/// The same image on a mirror of its registry: `python:3.12` below `mirror.local/hub`.
pub fn on_mirror(text: &str, mirror: &str) -> String {
    let read = Reference::read(text.trim());
    let shelf = match read.registry {
        None if !read.name.contains('/') => SHELF,
        _ => "",
    };
    let tag = read.tag.map(|tag| format!(":{tag}")).unwrap_or_default();
    let at = read.at.map(|at| format!("@{at}")).unwrap_or_default();
    format!(
        "{}/{shelf}{}{tag}{at}",
        mirror.trim_end_matches('/'),
        read.name
    )
}

fn reference(environment: &Environment) -> Option<&str> {
    match &environment.source {
        EnvironmentSource::Image { reference } => Some(reference),
        EnvironmentSource::Host => None,
    }
}

/// The environment that an image is: by its reference with all that an engine adds to it, by its
/// digest or its id; by its name alone the newest there is. What is not on the engine is meant only
/// where its reference is.
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

/// What is on the engine, and what would have to be pulled: that comes last.
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
    let here = Reference {
        registry: Some(HERE),
        ..wanted.clone()
    };
    found(&|_, text, _| text == asked)
        .or_else(|| found(&|it, _, _| it.facts.digests.iter().any(|one| is_digest(one, asked))))
        .or_else(|| found(&|_, _, known| known.answers_to(&wanted)))
        .or_else(|| {
            let here = wanted.registry.is_none().then_some(&here)?;
            found(&|_, _, known| known.answers_to(here))
        })
}

/// Whether a person means this digest (`name@sha256:…`) or id (`sha256:…`) of an image.
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

/// The environment of this label (`name:version`) or name, in its own words or in those of the
/// catalogue; else the image of this reference, else the only name that ends in these parts. What is
/// on the engine goes before what would have to be pulled.
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
    found(&|it| it.label() == asked)
        .or_else(|| found(&|it| known(it).is_some_and(|label| label == asked)))
        .or_else(|| found(&|it| it.name == *asked))
        .or_else(|| found(&|it| known_name(it).is_some_and(|name| name == asked)))
}

fn find_by_last_parts<'a>(all: &'a [Environment], asked: &str) -> Option<&'a Environment> {
    let parts = format!("/{asked}");
    let ends =
        |it: &&Environment| it.name.as_str().ends_with(&parts) || it.label().ends_with(&parts);
    let mut found = all.iter().filter(ends);
    let first = found.next()?;
    found.all(|other| other.name == first.name).then_some(first)
}

/// The image that was likely meant: one spelt much alike, else one of another registry or tag.
pub fn nearest_image(all: &[Environment], asked: &str) -> Option<String> {
    let launchable = all.iter().filter(|it| it.unavailable.is_none());
    let known: Vec<&str> = launchable.filter_map(reference).collect();
    let wanted = Reference::read(asked.trim());
    let alike = |it: &&&str| Reference::read(it).last_part() == wanted.last_part();
    nearest(asked.trim(), &known)
        .or_else(|| known.iter().find(alike).copied())
        .map(str::to_owned)
}

/// The environment that was likely meant.
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
