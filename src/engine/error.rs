//! What can go wrong at an engine, sorted by what the caller does about it.

use thiserror::Error;

use crate::model::launch::LaunchField;

#[derive(Clone, Debug, Error)]
pub enum EngineError {
    /// The engine does not answer: retried with back-off, sessions are kept as they were.
    #[error("the engine at {endpoint} doesn't answer: {why}")]
    Unreachable {
        endpoint: String,
        why: String,
        hint: Option<String>,
    },
    /// No container, no session of that id is there.
    #[error("session {0} doesn't exist on the engine any more")]
    NotFound(String),
    /// The environment or image is not there.
    #[error("{what} not found: {hint}")]
    NoImage { what: String, hint: String },
    /// What is asked cannot be had: resources, limits, options.
    #[error("the engine refused: {0}")]
    Refused(String),
    /// The engine understood and said no, in its own words.
    #[error("{why}")]
    Declined { why: String, hint: Option<String> },
    /// The registry of an image does not answer, or the line to it broke in the middle (`broken`): it
    /// may be tried again.
    #[error("{why}")]
    Registry {
        why: String,
        hint: Option<String>,
        broken: bool,
    },
    /// A launch cannot be, for what stands in one of its fields.
    #[error("{why}")]
    AtField {
        field: LaunchField,
        why: String,
        hint: Option<String>,
    },
    /// It does not accept who we are: keys, password, an expired login, the clock.
    #[error("{why}")]
    Denied { why: String, hint: Option<String> },
    /// This engine does not do that at all.
    #[error("{0}")]
    Unsupported(String),
    /// A file, directory or program on this machine.
    #[error("{0}")]
    Host(String),
    /// Anything else the engine said.
    #[error("the engine reported: {0}")]
    Other(String),
}

impl EngineError {
    /// Whether the line to the engine is gone (and everything asked of it fails alike).
    pub fn is_lost(&self) -> bool {
        matches!(self, Self::Unreachable { .. })
    }
}
