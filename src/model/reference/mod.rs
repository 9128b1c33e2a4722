//! The reference of an image, as in `docker pull`.

mod grammar;

pub use grammar::{check, check_tag};

/// The registry of references without a registry. `DEFAULT_NAMESPACE` is the namespace of images there that have no
/// owner.
pub const HUB: &str = "docker.io";
const OLD_HUB: &str = "index.docker.io";
const DEFAULT_NAMESPACE: &str = "library/";
/// The registry name that Podman gives to images built on this machine.
const HERE: &str = "localhost";
const LATEST: &str = "latest";
/// `registry/name:tag@digest`, with each part completed as an engine does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reference<'a> {
    registry: Option<&'a str>,
    name: String,
    pub tag: Option<&'a str>,
    /// A digest, or the architecture in a manager's notation.
    pub at: Option<&'a str>,
}

impl<'a> Reference<'a> {
    pub fn read(text: &'a str) -> Self {
        let (text, at) = match text.split_once('@') {
            Some((text, at)) => (text, Some(at)),
            None => (text, None),
        };
        // The port of a registry isn't a tag.
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
            None => name.strip_prefix(DEFAULT_NAMESPACE).unwrap_or(name),
            Some(_) => name,
        };
        Self {
            registry,
            name: name.to_owned(),
            tag,
            at,
        }
    }

    pub fn is_named_as(&self, other: &Self) -> bool {
        self.registry == other.registry && self.name == other.name
    }

    pub fn digest(&self) -> Option<&'a str> {
        self.at.filter(|at| at.contains(':'))
    }

    /// The tag, or the default one.
    fn tag(&self) -> &'a str {
        self.tag.unwrap_or(LATEST)
    }

    /// Whether `asked` refers to this image by name and tag.
    pub fn answers_to(&self, asked: &Self) -> bool {
        let same_kind = asked.at.is_none() || asked.at == self.at;
        same_kind && self.is_named_as(asked) && self.tag() == asked.tag()
    }

    /// The same reference among the images built on this machine, if it has no registry.
    pub fn built_here(&self) -> Option<Self> {
        self.registry.is_none().then(|| Self {
            registry: Some(HERE),
            ..self.clone()
        })
    }

    /// The last part of the name.
    pub fn last_part(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or(&self.name)
    }
}

/// Whether the text is a valid image reference.
pub fn is_image(text: &str) -> bool {
    check(text).is_ok()
}

/// The registry an image comes from.
pub fn registry(text: &str) -> &str {
    Reference::read(text.trim()).registry.unwrap_or(HUB)
}

/// Whether both refer to the same image.
pub fn is_same(one: &str, other: &str) -> bool {
    Reference::read(one).answers_to(&Reference::read(other))
}

/// The reference to pull. It always has a tag, because an engine pulls all tags without one.
pub fn with_tag(text: &str) -> String {
    let text = text.trim();
    let read = Reference::read(text);
    match (read.tag, read.digest()) {
        (None, None) => format!("{text}:{LATEST}"),
        _ => text.to_owned(),
    }
}

/// Name and version of an environment of which only the image is known.
pub fn name_and_version(text: &str) -> (String, String) {
    let full = with_tag(text);
    let at = match full.split_once('@') {
        Some((before, _)) => before.len(),
        None => full.rfind(':').unwrap_or(full.len()),
    };
    let version = full[at..].trim_start_matches(['@', ':']);
    (full[..at].to_owned(), version.to_owned())
}

/// The reference of the image on a mirror of its registry: `python:3.12` below `mirror.local/hub`.
pub fn on_mirror(text: &str, mirror: &str) -> String {
    let read = Reference::read(text.trim());
    let namespace = match read.registry {
        None if !read.name.contains('/') => DEFAULT_NAMESPACE,
        _ => "",
    };
    let tag = read.tag.map(|tag| format!(":{tag}")).unwrap_or_default();
    let at = read.at.map(|at| format!("@{at}")).unwrap_or_default();
    format!(
        "{}/{namespace}{}{tag}{at}",
        mirror.trim_end_matches('/'),
        read.name
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_taken_apart_and_put_together() {
        for (text, registry_of, tagged, parts) in [
            (
                "busybox",
                "docker.io",
                "busybox:latest",
                ("busybox", "latest"),
            ),
            (
                "quay.io/a/b:1",
                "quay.io",
                "quay.io/a/b:1",
                ("quay.io/a/b", "1"),
            ),
            (
                "h:5000/a",
                "h:5000",
                "h:5000/a:latest",
                ("h:5000/a", "latest"),
            ),
            (
                "a@sha256:ab",
                "docker.io",
                "a@sha256:ab",
                ("a", "sha256:ab"),
            ),
        ] {
            assert_eq!(
                (registry(text), with_tag(text)),
                (registry_of, tagged.to_owned())
            );
            let (name, version) = name_and_version(text);
            assert_eq!((name.as_str(), version.as_str()), parts);
        }
        assert_eq!(
            on_mirror("python:3.12", "m.local/hub/"),
            "m.local/hub/library/python:3.12"
        );
        assert_eq!(on_mirror("quay.io/a/b:1", "m.local"), "m.local/a/b:1");
        assert_eq!(
            on_mirror("docker.io/a/b@sha256:ab", "m.local"),
            "m.local/a/b@sha256:ab"
        );
        assert!(is_same("python:3.12", "docker.io/library/python:3.12"));
        assert!(!is_same("python:3.12", "quay.io/library/python:3.12"));
    }
}
