//! A context: an engine by name, as the configuration has it. Secrets are not part of it; they stay
//! with the engine that needs them.

use serde::{Deserialize, Serialize};

use super::{id::ContextName, text::Clean};

/// What stands behind a context.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EngineKind {
    /// Docker or Podman on this machine; workbay schedules.
    #[default]
    Docker,
    /// A Backend.AI manager; it schedules.
    Backendai,
}

impl EngineKind {
    /// Whether the engine keeps the sessions and decides over them itself: what is known of it here
    /// is a picture that has to be made anew.
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

/// A context as every side sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Context {
    pub name: ContextName,
    pub kind: EngineKind,
    /// Where it answers, as configured; `None` = found by itself.
    pub endpoint: Option<Clean>,
    /// The colour of its column: a name of the theme's palette or `#rrggbb`.
    pub accent: Option<Clean>,
    /// Nothing that changes a session is offered in it.
    pub read_only: bool,
}

impl Context {
    /// This machine's own engine, as it is without any configuration.
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
