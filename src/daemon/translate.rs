//! Translates between the types of the engine, the controller and the protocol.

use crate::{
    controller::{
        fact::{Fault, FaultKind, Happening},
        turn::{Answer, Refusal, RefusalKind},
    },
    engine::{api::EventKind, error::EngineError},
    model::text::Clean,
    protocol::message::{Failure, FailureKind, Reply},
    store::StoreError,
};

pub(super) fn fault(error: &EngineError) -> Fault {
    let (kind, text, hint) = match error {
        EngineError::Unreachable { hint, .. } => (FaultKind::Lost, error.to_string(), hint.clone()),
        EngineError::Denied { hint, .. } => (FaultKind::Denied, error.to_string(), hint.clone()),
        EngineError::Declined { hint, .. } => (FaultKind::Failed, error.to_string(), hint.clone()),
        EngineError::AtField { field, hint, .. } => {
            (FaultKind::Field(*field), error.to_string(), hint.clone())
        }
        EngineError::NotFound(_) => (FaultKind::NotFound, error.to_string(), None),
        EngineError::Registry { hint, broken, .. } => {
            let kind = if *broken {
                FaultKind::Broken
            } else {
                FaultKind::Away
            };
            (kind, error.to_string(), hint.clone())
        }
        EngineError::NoImage { what, hint } => (
            FaultKind::NoImage,
            format!("{what} not found"),
            Some(hint.clone()),
        ),
        _ => (FaultKind::Failed, error.to_string(), None),
    };
    Fault {
        kind,
        text: Clean::new(&text),
        hint: hint.map(Clean::from),
    }
}

/// Converts an engine's error to the failure of a request or a stream.
pub(super) fn engine_failure(error: &EngineError) -> Failure {
    let kind = match error {
        EngineError::Unreachable { .. } => FailureKind::Unreachable,
        EngineError::NotFound(_) => FailureKind::NotFound,
        EngineError::Denied { .. } => FailureKind::Auth,
        EngineError::Host(_) => FailureKind::Internal,
        _ => FailureKind::Refused,
    };
    let fault = fault(error);
    Failure {
        kind,
        message: fault.text,
        help: fault.hint,
        field: None,
    }
}

pub(super) fn store_failure(error: &StoreError) -> Failure {
    Failure::new(FailureKind::Internal, error.to_string())
}

pub(super) fn refusal(refusal: Refusal) -> Failure {
    let kind = match refusal.kind {
        RefusalKind::Usage => FailureKind::Usage,
        RefusalKind::NotFound => FailureKind::NotFound,
        RefusalKind::Unreachable => FailureKind::Unreachable,
        RefusalKind::Denied => FailureKind::Auth,
        RefusalKind::Refused => FailureKind::Refused,
    };
    Failure {
        kind,
        message: refusal.message,
        help: refusal.help,
        field: refusal.field,
    }
}

pub(super) fn answer(answer: Answer) -> Reply {
    match answer {
        Answer::Done => Reply::Done,
        Answer::Session(session) => Reply::Session { session },
        Answer::Launched(session) | Answer::Repeated(session) => Reply::Launched {
            sessions: vec![*session],
            failure: None,
        },
        Answer::Again(recalled) => Reply::Again {
            launch: Box::new(recalled.launch),
            missing: recalled.missing,
        },
        Answer::Folder(folder) => Reply::Folder { folder },
        Answer::Owner(owner) => Reply::Owner { owner },
        Answer::Environments(environments) => Reply::Environments { environments },
        Answer::Catalogue(catalogue) => Reply::Catalogue { catalogue },
        Answer::Reached(total) => Reply::Reached { total },
        Answer::History(entries) => Reply::History { entries },
    }
}

pub(super) fn happening(kind: &EventKind) -> Happening {
    match kind {
        EventKind::Started => Happening::Started,
        EventKind::Died { exit_code } => Happening::Died {
            exit_code: *exit_code,
        },
        _ => Happening::Other,
    }
}
