//! What changed, in the order it changed: the daemon's notices and the face's mirror speak it.

use serde::{Deserialize, Serialize};

use super::{
    capability::EngineState,
    environment::Environment,
    id::{ContextName, SessionId},
    session::Session,
    text::Clean,
    usage::Usage,
};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "kebab-case")]
pub enum Change {
    /// A session is new or different; the whole of it.
    Session {
        session: Box<Session>,
    },
    /// Its record was deleted (retention).
    Gone {
        id: SessionId,
    },
    Engine {
        context: ContextName,
        engine: EngineState,
    },
    Environments {
        environments: Vec<Environment>,
    },
    /// Usage of watched sessions, sent only to those who watch and only when it moved.
    Usage {
        samples: Vec<(SessionId, Usage)>,
    },
    /// Something a person should know now; becomes a toast.
    Message {
        level: Level,
        text: Clean,
        session: Option<SessionId>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    Info,
    Success,
    Warning,
    Error,
}
