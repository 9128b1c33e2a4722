//! Translates between the types of the engine, the scheduler and the protocol.

use crate::{
    engine::api::EventKind, model::failure::Failure, protocol::message::Reply,
    scheduler::fact::ContainerEvent, state_machine::Answer, store::StoreError,
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

pub(in crate::daemon) fn container_event(kind: &EventKind) -> ContainerEvent {
    match kind {
        EventKind::Started => ContainerEvent::Started,
        EventKind::Died { exit_code } => ContainerEvent::Died {
            exit_code: *exit_code,
        },
        _ => ContainerEvent::Other,
    }
}
