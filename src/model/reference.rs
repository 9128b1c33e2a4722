//! Which environment a word means: an environment's name, or an image as it is written for
//! `docker pull`.

use super::{
    environment::{Environment, EnvironmentSource},
    nearest::nearest,
};

/// Where images without a registry are from, and the shelf there of those without an owner.
const HUB: &str = "docker.io";
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

fn reference(environment: &Environment) -> Option<&str> {
    match &environment.source {
        EnvironmentSource::Image { reference } => Some(reference),
        EnvironmentSource::Host => None,
    }
}

/// The environment that an image is: by its reference with all that an engine adds to it, by its
/// digest or its id; by its name alone the newest there is.
pub fn find_image<'a>(all: &'a [Environment], asked: &str) -> Option<&'a Environment> {
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
    let bare = wanted.tag.is_none() && wanted.at.is_none();
    found(&|_, text, _| text == asked)
        .or_else(|| found(&|it, _, _| it.facts.digests.iter().any(|one| is_digest(one, asked))))
        .or_else(|| found(&|_, _, known| known.answers_to(&wanted)))
        .or_else(|| {
            let here = wanted.registry.is_none().then_some(&here)?;
            found(&|_, _, known| known.answers_to(here))
        })
        .or_else(|| {
            let newest = found(&|_, _, known| known.is_named_as(&wanted));
            newest.filter(|_| bare)
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

/// The environment of this label (`name:version`) or name, else the image of this reference, else the
/// only name that ends in these parts.
pub fn find<'a>(all: &'a [Environment], asked: &str) -> Option<&'a Environment> {
    let asked = asked.trim();
    all.iter()
        .find(|it| it.label() == asked)
        .or_else(|| all.iter().find(|it| it.name == *asked))
        .or_else(|| find_image(all, asked))
        .or_else(|| find_by_last_parts(all, asked))
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
mod tests {
    use super::*;
    use crate::model::{environment::ImageFacts, text::Clean};

    const ID: &str = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

    fn image(text: &str) -> Environment {
        let (name, tag) = text.rsplit_once(':').unwrap();
        Environment {
            name: Clean::new(name),
            version: Clean::new(tag),
            source: EnvironmentSource::Image {
                reference: text.to_owned(),
            },
            size: None,
            unavailable: None,
            facts: ImageFacts {
                digests: vec![ID.to_owned(), format!("{name}@sha256:feed")],
                ..ImageFacts::default()
            },
        }
    }

    fn all() -> Vec<Environment> {
        let host = Environment {
            source: EnvironmentSource::Host,
            ..image("host:debian-12")
        };
        let images = [
            "busybox:1.35",
            "busybox:latest",
            "docker.io/library/alpine:3.19",
            "localhost/mine:latest",
            "localhost:5000/team/python:3.12",
            "localhost:5000/team/python:3.11",
            "registry.local/stable/r:4@x86_64",
        ];
        [vec![host], images.map(image).to_vec()].concat()
    }

    fn label(found: Option<&Environment>) -> Option<String> {
        found.map(Environment::label)
    }

    #[test]
    fn an_image_is_found_as_the_engine_would_find_it() {
        let all = all();
        for (asked, found) in [
            ("busybox", "busybox:latest"),
            (" busybox:latest ", "busybox:latest"),
            ("docker.io/busybox", "busybox:latest"),
            ("docker.io/library/busybox:1.35", "busybox:1.35"),
            ("index.docker.io/library/busybox:1.35", "busybox:1.35"),
            ("alpine:3.19", "docker.io/library/alpine:3.19"),
            // One that has no `latest`: the newest there is.
            ("alpine", "docker.io/library/alpine:3.19"),
            (
                "localhost:5000/team/python",
                "localhost:5000/team/python:3.12",
            ),
            ("mine", "localhost/mine:latest"),
            ("busybox@sha256:feed", "busybox:1.35"),
            ("busybox:1.35@sha256:feed", "busybox:1.35"),
            ("docker.io/library/busybox@sha256:feed", "busybox:1.35"),
            ("0123456789ab", "busybox:1.35"),
            (ID, "busybox:1.35"),
            (
                "registry.local/stable/r:4",
                "registry.local/stable/r:4@x86_64",
            ),
        ] {
            assert_eq!(
                label(find_image(&all, asked)).as_deref(),
                Some(found),
                "{asked}"
            );
        }
        for missing in [
            "",
            "host",
            "busybox:1.36",
            "team/busybox",
            "python:3.12",
            "team/python:3.12",
            "localhost:5000/team/python:3.9",
            "localhost/busybox",
            "busybox@sha256:beef",
            "alpine@sha256:",
            "0123456789",
            "0123456789ac",
            "registry.local/stable/r:4@aarch64",
        ] {
            assert_eq!(label(find_image(&all, missing)), None, "{missing}");
        }
    }

    #[test]
    fn an_environment_is_found_by_its_name_too() {
        let all = all();
        for (asked, found) in [
            ("host", "host:debian-12"),
            ("host:debian-12", "host:debian-12"),
            ("busybox", "busybox:1.35"),
            ("docker.io/library/busybox", "busybox:latest"),
            ("python", "localhost:5000/team/python:3.12"),
            ("team/python:3.11", "localhost:5000/team/python:3.11"),
        ] {
            assert_eq!(label(find(&all, asked)).as_deref(), Some(found), "{asked}");
        }
        for missing in ["hsot", "ython", "python:3.9", "hos"] {
            assert_eq!(label(find(&all, missing)), None, "{missing}");
        }
        let two = [image("a/python:1"), image("b/python:1")];
        assert_eq!(label(find(&two, "python")), None, "it may be either");
    }

    #[test]
    fn a_near_miss_names_what_was_meant() {
        let all = all();
        let image = |asked| nearest_image(&all, asked);
        assert_eq!(image("busibox:latest").as_deref(), Some("busybox:latest"));
        assert_eq!(image("busybox:1.36").as_deref(), Some("busybox:1.35"));
        assert_eq!(
            image("python:3.9").as_deref(),
            Some("localhost:5000/team/python:3.12")
        );
        assert_eq!(image("zzzzzzzzzzzzzz"), None);
        let environment = |asked| nearest_environment(&all, asked);
        assert_eq!(environment("hsot").as_deref(), Some("host"));
        assert_eq!(environment("busybox:1.3").as_deref(), Some("busybox:1.35"));
    }
}
