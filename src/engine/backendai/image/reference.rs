//! Image references: `registry/name:tag@architecture`. Pure.

use crate::engine::backendai::request::lenient_json::Node;
use crate::model::{
    environment::{EnvironmentRef, EnvironmentSource},
    text::Clean,
};

/// An image reference in parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::engine::backendai) struct Reference {
    /// Registry and name.
    pub(in crate::engine::backendai) name: String,
    pub(in crate::engine::backendai) tag: String,
    pub(in crate::engine::backendai) architecture: Option<String>,
}

impl Reference {
    /// Reads any text. Without a tag in it, the tag is empty.
    pub(in crate::engine::backendai) fn read(text: &str) -> Self {
        let text = Clean::new(text.trim()).into_string();
        let (text, architecture) = match text.rsplit_once('@') {
            Some((image, arch)) if !arch.contains([':', '/']) => (image, Some(arch.to_owned())),
            _ => (text.as_str(), None),
        };
        // The port of a registry isn't a tag.
        match text.rsplit_once(':').filter(|(_, tag)| !tag.contains('/')) {
            Some((name, tag)) => Self {
                name: name.to_owned(),
                tag: tag.to_owned(),
                architecture,
            },
            None => Self {
                name: text.to_owned(),
                tag: String::new(),
                architecture,
            },
        }
    }

    /// Reads an image object with `registry`, `name`, `tag` and `architecture`.
    pub(in crate::engine::backendai) fn of_image(image: Node<'_>) -> Option<Self> {
        let name = image.text("name")?;
        let name = match image.text("registry") {
            Some(registry) => format!("{registry}/{name}"),
            None => name.into_string(),
        };
        Some(Self {
            name,
            tag: image.text("tag").unwrap_or_default().into_string(),
            architecture: image.text("architecture").map(Clean::into_string),
        })
    }

    /// The reference without the architecture, as a launch sends it.
    pub(in crate::engine::backendai) fn image(&self) -> String {
        if self.tag.is_empty() {
            self.name.clone()
        } else {
            format!("{}:{}", self.name, self.tag)
        }
    }

    pub(in crate::engine::backendai) fn environment(&self) -> EnvironmentRef {
        EnvironmentRef {
            name: Clean::new(&self.name),
            version: Clean::new(&self.tag),
            source: EnvironmentSource::Image {
                reference: self.image(),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_reference() {
        for (text, name, tag, arch) in [
            (
                "local/stable/python:3.11-debian12",
                "local/stable/python",
                "3.11-debian12",
                None,
            ),
            (
                "cr.example:5000/a/b:1@aarch64",
                "cr.example:5000/a/b",
                "1",
                Some("aarch64"),
            ),
            ("cr.example:5000/a/b", "cr.example:5000/a/b", "", None),
            ("", "", "", None),
        ] {
            let read = Reference::read(text);
            assert_eq!(
                (read.name.as_str(), read.tag.as_str()),
                (name, tag),
                "{text}"
            );
            assert_eq!(read.architecture.as_deref(), arch, "{text}");
            let rest = arch.map(|arch| format!("@{arch}")).unwrap_or_default();
            assert_eq!(read.image() + &rest, text);
        }
    }
}
