//! Errors of engines, classified by what the caller does about them.

use thiserror::Error;

use crate::model::launch::LaunchField;

#[derive(Clone, Debug, Error)]
pub enum EngineError {
    /// The engine doesn't respond: workbay retries with back-off and keeps its sessions as they were.
    #[error("the engine at {endpoint} doesn't answer: {why}")]
    Unreachable {
        endpoint: String,
        why: String,
        hint: Option<String>,
    },
    /// A container or session with this id doesn't exist.
    #[error("session {0} doesn't exist on the engine any more")]
    NotFound(String),
    /// The environment or image doesn't exist.
    #[error("{what} not found: {hint}")]
    NoImage { what: String, hint: String },
    /// The request can't be fulfilled: resources, limits, options.
    #[error("the engine refused: {0}")]
    Refused(String),
    /// The engine refused the request, with its own message.
    #[error("{why}")]
    Declined { why: String, hint: Option<String> },
    /// The registry of an image doesn't respond, or the connection to it broke during the transfer (`broken`): a
    /// retry may succeed.
    #[error("{why}")]
    Registry {
        why: String,
        hint: Option<String>,
        broken: bool,
    },
    /// A launch isn't possible because of one of its fields.
    #[error("{why}")]
    AtField {
        field: LaunchField,
        why: String,
        hint: Option<String>,
    },
    /// The engine rejects the authentication: keys, password, an expired login, the clock.
    #[error("{why}")]
    Denied { why: String, hint: Option<String> },
    /// This engine doesn't support the request.
    #[error("{0}")]
    Unsupported(String),
    /// A problem with a file, directory or program on this machine.
    #[error("{0}")]
    Host(String),
    /// Any other error that the engine reported.
    #[error("the engine reported: {0}")]
    Other(String),
}

impl EngineError {
    /// Whether the connection to the engine is lost (all requests fail in the same way).
    pub fn is_lost(&self) -> bool {
        matches!(self, Self::Unreachable { .. })
    }
}
