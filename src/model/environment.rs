//! What a session runs in: the built-in host environment or an image.

use serde::{Deserialize, Serialize};

use super::{
    reference,
    resources::{Bytes, ResourceSlots},
    service::Service,
    text::Clean,
};

/// The name of the built-in environment that needs no image.
pub const HOST: &str = "host";

/// One environment and version that can be launched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Environment {
    /// What a person types: `host`, `busybox`, `registry.local/team/python`.
    pub name: Clean,
    /// `debian-12` for the host environment, an image's tag otherwise.
    pub version: Clean,
    #[serde(flatten)]
    pub source: EnvironmentSource,
    /// Size on disk in bytes where known.
    pub size: Option<Bytes>,
    /// Why it cannot be launched on this engine; `None` = it can.
    pub unavailable: Option<Clean>,
    /// Its image is not on the engine yet: a launch pulls it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub absent: bool,
    #[serde(default, skip_serializing_if = "ImageFacts::is_empty")]
    pub facts: ImageFacts,
}

/// What an image tells about itself beyond its name, where somebody wrote it down.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ImageFacts {
    pub architecture: Option<Clean>,
    /// The heading it stands under: "Custom Environments" where nobody said.
    pub group: Option<Clean>,
    /// As whom sessions in it run.
    #[serde(skip_serializing_if = "SessionUser::is_ours")]
    pub user: SessionUser,
    /// Requirements named in the tag: `py311`, `cuda12.1`, "Customized: mine".
    pub chips: Vec<Clean>,
    /// The least it runs with.
    pub minimum: ResourceSlots,
    /// Kinds it can use (`cuda`, `rocm`); empty = any.
    pub accelerators: Vec<Clean>,
    pub services: Vec<Service>,
    /// It was made of a session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub customized: Option<Customized>,
    /// The catalogue's label of it: `jupyter:2024`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known_as: Option<Clean>,
    /// What it is for, in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<Clean>,
    /// What else it is called where it lies: its id (`sha256:…`) and what registries know it by
    /// (`busybox@sha256:…`).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub digests: Vec<String>,
}

/// An image that was made of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Customized {
    /// As whoever made it called it.
    pub name: Clean,
    /// Whose it is, by address; `None` = the caller's own, or not told.
    pub owner: Option<Clean>,
}

/// As whom the programs of a session run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SessionUser {
    /// As who launches it; its files are theirs.
    #[default]
    Work,
    /// As the image says, root where it says nothing.
    Image,
}

impl SessionUser {
    /// The names in use, as an environment writes them.
    pub const NAMES: [&str; 2] = ["work", "image"];

    pub fn is_ours(&self) -> bool {
        *self == Self::Work
    }

    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "work" => Some(Self::Work),
            "image" => Some(Self::Image),
            _ => None,
        }
    }
}

impl ImageFacts {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "source", rename_all = "lowercase")]
pub enum EnvironmentSource {
    /// This machine's own userland, read-only.
    Host,
    /// An image of the engine, by reference (`busybox:1.35`) or id.
    Image { reference: String },
}

impl Environment {
    /// An image that is only known by its reference, and not to be on the engine.
    #[must_use]
    pub fn of_image(reference: &str) -> Self {
        let (name, version) = reference::name_and_version(reference);
        Self {
            name: Clean::new(&name),
            version: Clean::new(&version),
            source: EnvironmentSource::Image {
                reference: reference::with_tag(reference),
            },
            size: None,
            unavailable: None,
            absent: true,
            facts: ImageFacts::default(),
        }
    }

    /// `name:version`, as the list and `--env` write it.
    pub fn label(&self) -> String {
        format!("{}:{}", self.name, self.version)
    }
}

/// The environment a session was launched with, kept in the session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EnvironmentRef {
    pub name: Clean,
    pub version: Clean,
    #[serde(flatten)]
    pub source: EnvironmentSource,
}

impl EnvironmentRef {
    pub fn label(&self) -> String {
        format!("{}:{}", self.name, self.version)
    }
}

impl From<&Environment> for EnvironmentRef {
    fn from(environment: &Environment) -> Self {
        Self {
            name: environment.name.clone(),
            version: environment.version.clone(),
            source: environment.source.clone(),
        }
    }
}
