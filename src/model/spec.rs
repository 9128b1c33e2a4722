//! What a person asks for when launching.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    environment::EnvironmentSource,
    resources::{Bytes, Cpu},
    session::SessionType,
};

/// A launch as asked, before it is checked. Missing values are filled by the daemon from its
/// settings (`[launch]`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LaunchRequest {
    /// Empty = a generated name.
    pub name: Option<String>,
    /// `host`, `busybox`, `busybox:1.35`; `None` together with `image: None` = the default.
    pub environment: Option<String>,
    /// An image reference by hand, instead of `environment`.
    pub image: Option<String>,
    pub session_type: SessionType,
    pub cpu: Option<Cpu>,
    pub mem: Option<Bytes>,
    pub shmem: Option<Bytes>,
    pub env: BTreeMap<String, String>,
    /// Accelerators by slot name, in thousandths.
    pub accelerators: BTreeMap<String, u64>,
    /// A project's name; `None` = the context's own.
    pub project: Option<String>,
    /// `None` = the engine picks.
    pub resource_group: Option<String>,
    /// What a batch session runs.
    pub startup_command: Option<String>,
    /// Folders to mount, by name.
    pub folders: Vec<String>,
}

/// A launch after checking: everything the engine needs, nothing left to decide.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaunchSpec {
    pub source: EnvironmentSource,
    pub environment_label: String,
    pub session_type: SessionType,
    pub cpu: Cpu,
    pub mem: Bytes,
    pub shmem: Bytes,
    pub env: BTreeMap<String, String>,
}

/// The rule for an environment variable's name: `^[a-zA-Z_][a-zA-Z0-9_]*$`.
pub fn check_variable_name(name: &str) -> Result<(), String> {
    let mut chars = name.chars();
    let head = chars
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    if head && chars.all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return Ok(());
    }
    Err(format!(
        "'{}' is no name of a variable: letters, digits and _, not beginning with a digit",
        super::text::Clean::new(name)
    ))
}
