//! What can be told from what the controller knows.

use crate::{
    controller::Controller,
    model::{context::Context, id::SessionId, session::Session},
    protocol::message::{ContextState, Failure, FailureKind, Snapshot, StreamOpen},
};

/// Ended sessions in one snapshot; with more it would outgrow a frame.
const ENDED: usize = 4000;

/// Everything a face shows: all unfinished sessions and the newest ended ones; the rest beside it.
pub(super) fn snapshot(controller: &Controller, seq: u64) -> (Box<Snapshot>, Vec<&Session>) {
    let (mut ended, mut sessions): (Vec<&Session>, Vec<&Session>) = controller
        .sessions()
        .partition(|session| session.status.is_final());
    ended.sort_unstable_by_key(|session| std::cmp::Reverse(session.created_at));
    let rest = ended.split_off(ended.len().min(ENDED));
    sessions.append(&mut ended);
    let snapshot = Snapshot {
        seq,
        sessions: sessions.into_iter().cloned().collect(),
        contexts: vec![ContextState {
            context: Context::local(),
            engine: controller.engine().clone(),
            environments: controller.environments().to_vec(),
            totals: None,
        }],
    };
    (Box::new(snapshot), rest)
}

pub(super) fn find(controller: &Controller, id: SessionId) -> Result<&Session, Failure> {
    controller.session(id).ok_or_else(|| {
        Failure::new(
            FailureKind::NotFound,
            format!("there is no session {}", id.short()),
        )
        .with_help("`workbay ls --tab all` lists names and ids")
    })
}

/// Whether a stream can be opened; `None` = not yet known, ask again after the next fact.
pub(super) fn may_open(controller: &Controller, open: &StreamOpen) -> Option<Result<(), Failure>> {
    let (id, what) = match open {
        StreamOpen::Terminal { session, .. } => (*session, "a shell"),
        StreamOpen::Exec { session, .. } => (*session, "a command"),
        StreamOpen::Dial { session, .. } => (*session, "a connection"),
        StreamOpen::Log { session, .. } => (*session, ""),
    };
    let session = match find(controller, id.id) {
        Ok(session) => session,
        Err(failure) => return Some(Err(failure)),
    };
    if what.is_empty() {
        return Some(log(controller, session));
    }
    if !session.status.is_live() {
        return Some(Err(Failure::new(
            FailureKind::Refused,
            format!(
                "session {} is {}: {what} needs a running session",
                session.name, session.status
            ),
        )));
    }
    if matches!(open, StreamOpen::Terminal { .. }) && controller.is_settling(id.id) {
        return None;
    }
    Some(Ok(()))
}

fn log(controller: &Controller, session: &Session) -> Result<(), Failure> {
    if controller.is_forgotten(session.id) {
        return Err(Failure::new(
            FailureKind::Refused,
            format!(
                "the log of {} was deleted: logs of ended sessions are kept for the days that \
                 [history] keep-days says",
                session.name
            ),
        ));
    }
    Ok(())
}
