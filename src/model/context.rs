//! A context: an engine by name, as in the configuration. It doesn't contain secrets, which stay with the
//! engine that needs them.

use serde::{Deserialize, Serialize};

use super::{id::ContextName, text::Clean};

/// The kind of engine of a context.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum EngineKind {
    /// Docker or Podman on this machine. workbay schedules the sessions.
    #[default]
    Docker,
    /// A Backend.AI manager, which schedules the sessions itself.
    Backendai,
}

impl EngineKind {
    /// Whether the engine stores the sessions and schedules them itself. In that case, workbay only has a
    /// copy of its state and must read it again.
    pub fn schedules(self) -> bool {
        match self {
            Self::Docker => false,
            Self::Backendai => true,
        }
    }

    pub fn word(self) -> &'static str {
        match self {
            Self::Docker => "docker",
            Self::Backendai => "backendai",
        }
    }
}

/// A context, as the daemon and its clients share it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Context {
    pub name: ContextName,
    pub kind: EngineKind,
    /// The configured address of the engine; `None` = found automatically.
    pub endpoint: Option<Clean>,
    /// The color of its column: a name of the theme's palette or `#rrggbb`.
    pub accent: Option<Clean>,
    /// Whether actions that change sessions are disabled.
    pub read_only: bool,
}

impl Context {
    /// The context of this machine's engine without any configuration.
    #[must_use]
    pub fn local() -> Self {
        Self {
            name: ContextName::local(),
            kind: EngineKind::Docker,
            endpoint: None,
            accent: None,
            read_only: false,
        }
    }
}
