//! What changed, in the order it changed: the daemon's notices and the face's mirror speak it.

use serde::{Deserialize, Serialize};

use super::{
    capability::EngineState,
    environment::Environment,
    id::{ContextName, SessionKey},
    notice::Notice,
    pull::Pull,
    session::Session,
    statistics::Statistics,
    usage::Usage,
};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "kebab-case")]
pub enum Change {
    /// A session is new or different; the whole of it.
    Session { session: Box<Session> },
    /// Its record was deleted (retention), or the engine does not know it any more.
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
    /// An image that somebody asked for by hand is on its way.
    Pull {
        context: ContextName,
        pull: Box<Pull>,
    },
    /// Usage of watched sessions, sent only to those who watch and only when it moved.
    Usage { samples: Vec<(SessionKey, Usage)> },
    /// Something a person should know now.
    Notice { notice: Box<Notice> },
}

impl From<Notice> for Change {
    fn from(notice: Notice) -> Self {
        Self::Notice {
            notice: Box::new(notice),
        }
    }
}
