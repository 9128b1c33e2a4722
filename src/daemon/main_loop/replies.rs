//! Translates between the types of the engine, the controller and the protocol.

use crate::{
    engine::api::EventKind, model::failure::Failure, protocol::message::Reply,
    scheduler::fact::Happening, state_machine::Answer, store::StoreError,
};

pub(in crate::daemon) fn store_failure(error: &StoreError) -> Failure {
    Failure::internal(error.to_string())
}

pub(in crate::daemon) fn answer(answer: Answer) -> Reply {
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
        Answer::Environments(environments) => Reply::Environments { environments },
        Answer::Catalogue(catalogue) => Reply::Catalogue { catalogue },
        Answer::Reached(total) => Reply::Reached { total },
    }
}

pub(in crate::daemon) fn happening(kind: &EventKind) -> Happening {
    match kind {
        EventKind::Started => Happening::Started,
        EventKind::Died { exit_code } => Happening::Died {
            exit_code: *exit_code,
        },
        _ => Happening::Other,
    }
}
