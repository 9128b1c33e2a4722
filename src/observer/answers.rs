//! Refusals of client requests.

use crate::model::{failure::Failure, id::SessionId};

/// The session doesn't exist any more.
pub(crate) fn vanished(id: SessionId) -> Failure {
    let text = tr_sent!(
        "session {short} doesn't exist any more: the engine doesn't report it",
        short = id.short()
    );
    Failure::not_found(text)
}
