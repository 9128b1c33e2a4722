//! What a session runs in: the built-in host environment or an image.

use serde::{Deserialize, Serialize};

use super::{resources::Bytes, text::Clean};

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
