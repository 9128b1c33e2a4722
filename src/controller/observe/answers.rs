//! Refusals of client requests.

use crate::{
    controller::{
        fact::{Fault, FaultKind},
        turn::{Refusal, RefusalKind},
    },
    model::id::SessionId,
};

/// Turns a failure of the engine into an answer for the client.
pub(super) fn refusal(fault: &Fault) -> Refusal {
    let kind = match fault.kind {
        FaultKind::Lost => RefusalKind::Unreachable,
        FaultKind::Denied => RefusalKind::Denied,
        FaultKind::NotFound | FaultKind::NoImage => RefusalKind::NotFound,
        FaultKind::Field(_) | FaultKind::Away | FaultKind::Broken | FaultKind::Failed => {
            RefusalKind::Refused
        }
    };
    let field = match fault.kind {
        FaultKind::Field(field) => Some(field),
        _ => None,
    };
    Refusal {
        kind,
        message: fault.text.clone(),
        help: fault.hint.clone(),
        field,
    }
}

/// The session doesn't exist any more.
pub(super) fn vanished(id: SessionId) -> Refusal {
    let text = format!(
        "session {} doesn't exist any more: the engine doesn't report it",
        id.short()
    );
    Refusal::new(RefusalKind::NotFound, text)
}
