//! What a session runs in: the built-in host environment or an image.

use serde::{Deserialize, Serialize};

use super::{
    app_definition::AppDefinition,
    reference,
    resources::{Bytes, ResourceSlots},
    service::Service,
    text::Clean,
};

/// The name of the built-in environment that needs no image.
pub const HOST: &str = "host";

/// One environment and version that can be launched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Environment {
    /// The name that users type: `host`, `busybox`, `registry.local/team/python`.
    pub name: Clean,
    /// `debian-12` for the host environment, otherwise the tag of an image.
    pub version: Clean,
    #[serde(flatten)]
    pub source: EnvironmentSource,
    /// Size on disk in bytes where known.
    pub size: Option<Bytes>,
    /// Why it can't be launched on this engine; `None` = it can.
    pub unavailable: Option<Clean>,
    /// Its image isn't on the engine yet, so a launch pulls it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub absent: bool,
    #[serde(default, skip_serializing_if = "ImageFacts::is_empty")]
    pub facts: ImageFacts,
}

/// What is known about an image besides its name, from its labels or the environment catalog.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ImageFacts {
    pub architecture: Option<Clean>,
    /// The heading that lists it; `None` = "Custom Environments".
    pub group: Option<Clean>,
    /// The user that sessions in it run as.
    #[serde(skip_serializing_if = "SessionUser::is_ours")]
    pub user: SessionUser,
    /// Requirements named in the tag: `py311`, `cuda12.1`, "Customized: mine".
    pub chips: Vec<Clean>,
    /// The minimum resources that it needs.
    pub minimum: ResourceSlots,
    /// The kinds of accelerators that it can use (`cuda`, `rocm`); empty = any.
    pub accelerators: Vec<Clean>,
    pub services: Vec<Service>,
    /// The apps that the environment catalog defines for it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub apps: Vec<AppDefinition>,
    /// Set if it was created from a session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub customized: Option<Customized>,
    /// Its label in the environment catalog: `jupyter:2024`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known_as: Option<Clean>,
    /// One sentence about its purpose.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<Clean>,
    /// Its other names: its id (`sha256:…`) and its digests in registries (`busybox@sha256:…`).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub digests: Vec<String>,
}

/// An image that was created from a session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Customized {
    /// The name that its creator gave it.
    pub name: Clean,
    /// The email address of its owner; `None` = the caller, or not reported.
    pub owner: Option<Clean>,
}

/// The user that the programs of a session run as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum SessionUser {
    /// The user who launches the session, who also owns its files.
    #[default]
    Work,
    /// The user that the image sets, root by default.
    Image,
}

impl SessionUser {
    /// The names that environments use.
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
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum EnvironmentSource {
    /// The userland of this machine, read-only.
    Host,
    /// An image of the engine, by reference (`busybox:1.35`) or id.
    Image { reference: String },
}

impl Environment {
    /// Creates an environment for an image of which only the reference is known, and which isn't on the
    /// engine.
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

    /// `name:version`, as in the list and in `--env`.
    pub fn label(&self) -> String {
        format!("{}:{}", self.name, self.version)
    }
}

/// The environment that a session was launched with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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
