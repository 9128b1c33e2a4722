//! The changes that the daemon reports and the TUI's mirror applies, in their order.

use serde::{Deserialize, Serialize};

use super::{
    capability::EngineState,
    environment::Environment,
    forward::Forward,
    id::{ContextName, SessionKey},
    notice::Notice,
    pull::Pull,
    session::Session,
    statistics::Statistics,
    usage::Usage,
};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "kebab-case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Change {
    /// A new or changed session, complete.
    Session { session: Box<Session> },
    /// The session's record was deleted (retention), or the engine no longer has it.
    Gone { session: SessionKey },
    Engine {
        context: ContextName,
        engine: Box<EngineState>,
    },
    Environments {
        context: ContextName,
        environments: Vec<Environment>,
    },
    /// See `ContextState::totals` of the protocol.
    Totals {
        context: ContextName,
        totals: Option<[u64; 3]>,
    },
    /// See `ContextState::statistics` of the protocol.
    Statistics {
        context: ContextName,
        statistics: Option<Box<Statistics>>,
    },
    /// The progress of an image that a user requested explicitly.
    Pull {
        context: ContextName,
        pull: Box<Pull>,
    },
    /// Usage of watched sessions, sent only to clients that watch and only when it changed.
    Usage { samples: Vec<(SessionKey, Usage)> },
    /// All forwards, after one of them changed.
    Forwards { forwards: Vec<Forward> },
    /// A new notification.
    Notice { notice: Box<Notice> },
}

impl From<Notice> for Change {
    fn from(notice: Notice) -> Self {
        Self::Notice {
            notice: Box::new(notice),
        }
    }
}
