//! Reads the state of the contexts for clients: snapshots, lookups, and whether a stream may open.

mod weight;

use std::{collections::HashSet, sync::Arc};

use crate::{
    daemon::{context::runner::ContextRunner, images},
    engine::api::Engine,
    model::{
        capability::{Capability, EngineState},
        failure::Failure,
        helper::HelperTask,
        id::{ContextName, SessionId, SessionKey},
        session::Session,
        status::{Status, Tab},
    },
    protocol::{
        frame::MAX_FRAME,
        message::{ContextState, Snapshot, StreamOpen},
    },
    state_machine::MachineState,
};

/// Max ended sessions in one snapshot.
const ENDED: usize = 4000;

/// Max size of the sessions in one snapshot, so that it fits in a frame. The other half is for the rest of
/// the snapshot and for texts that JSON makes longer.
const SNAPSHOT: usize = MAX_FRAME / 2;

/// Everything a client shows: the unfinished sessions (newest first), then the recalled ones, then the
/// newest ended ones, until the frame is full. Sessions that don't fit are returned separately. With `tab`,
/// only the sessions of that tab.
pub(in crate::daemon) fn snapshot(
    contexts: &[ContextRunner],
    seq: u64,
    tab: Option<Tab>,
) -> (Box<Snapshot>, Vec<&Session>) {
    let (mut ended, mut sessions): (Vec<&Session>, Vec<&Session>) = contexts
        .iter()
        .flat_map(|runner| runner.known().sessions())
        .filter(|session| tab.is_none_or(|tab| session.tab() == tab))
        .partition(|session| session.status.is_final());
    for some in [&mut ended, &mut sessions] {
        some.sort_unstable_by_key(|session| std::cmp::Reverse(session.created_at));
    }
    let recalled = contexts
        .iter()
        .flat_map(|runner| runner.unloaded.recalled());
    let recalled: HashSet<SessionId> = recalled.collect();
    // The sort is stable, so recalled and other sessions both stay in order of age.
    ended.sort_by_key(|session| !recalled.contains(&session.id));
    let mut rest = ended.split_off(ended.len().min(ENDED));
    sessions.append(&mut ended);
    let fit = fitting(&sessions, SNAPSHOT);
    rest.splice(..0, sessions.split_off(fit));
    let snapshot = Snapshot {
        seq,
        sessions: sessions.into_iter().cloned().collect(),
        contexts: contexts.iter().map(state).collect(),
        forwards: Vec::new(),
    };
    (Box::new(snapshot), rest)
}

/// How many of the sessions fit in `bytes`, by their [weight](weight::of).
fn fitting(sessions: &[&Session], bytes: usize) -> usize {
    let mut left = bytes;
    let outgrows = |session: &&Session| match left.checked_sub(weight::of(session)) {
        Some(rest) => {
            left = rest;
            false
        }
        None => true,
    };
    let all = sessions.len();
    sessions.iter().position(outgrows).unwrap_or(all)
}

fn state(runner: &ContextRunner) -> ContextState {
    let known = runner.known();
    ContextState {
        context: runner.context.clone(),
        engine: known.engine().clone(),
        environments: known.environments().to_vec(),
        totals: runner.totals(),
        statistics: known.statistics().cloned().map(Box::new),
        incomplete: !runner.listed,
    }
}

/// The index of the context with this name.
pub(in crate::daemon) fn context_number(
    contexts: &[ContextRunner],
    name: ContextName,
) -> Result<usize, Failure> {
    let found = contexts
        .iter()
        .position(|runner| runner.context.name == name);
    found.ok_or_else(|| {
        let names: Vec<String> = contexts
            .iter()
            .map(|runner| runner.context.name.to_string())
            .collect();
        Failure::not_found(tr_sent!(
            "context '{name}' not found. Configured: {names}",
            name,
            names = names.join(", ")
        ))
        .hint(tr_sent!(
            "configure contexts in contexts.toml, then run `workbay daemon stop`"
        ))
    })
}

pub(in crate::daemon) fn find(
    known: &dyn MachineState,
    key: SessionKey,
) -> Result<&Session, Failure> {
    known.session(key.id).ok_or_else(|| {
        Failure::not_found(tr_sent!(
            "session {short} not found",
            short = key.id.short()
        ))
        .hint(tr_sent!("`workbay ls --tab all` lists names and ids"))
    })
}

type EngineAnswer = Result<Arc<dyn Engine>, Failure>;

/// The engine to open a stream on, or why the stream can't be opened. `None` = not yet known, ask again
/// after the next event.
pub(in crate::daemon) fn may_open(
    contexts: &[ContextRunner],
    open: &StreamOpen,
) -> Option<EngineAnswer> {
    match check_open(contexts, open) {
        Ok(Some(engine)) => Some(Ok(engine)),
        Ok(None) => None,
        Err(failure) => Some(Err(failure)),
    }
}

fn check_open(
    contexts: &[ContextRunner],
    open: &StreamOpen,
) -> Result<Option<Arc<dyn Engine>>, Failure> {
    if let Some(context) = open.image_context() {
        let runner = &contexts[context_number(contexts, context)?];
        if !matches!(open, StreamOpen::ExportImage { .. }) {
            runner.require_changes()?;
        }
        return images::engine(runner).map(Some);
    }
    let (key, what, needs) = match open {
        StreamOpen::Terminal { session, .. } => {
            (*session, tr_sent!("a shell"), Capability::Terminal)
        }
        StreamOpen::Control { session, .. } => (
            *session,
            tr_sent!("the list of windows"),
            Capability::Terminal,
        ),
        StreamOpen::Exec { session, .. } | StreamOpen::Helper { session, .. } => {
            (*session, tr_sent!("a command"), Capability::Exec)
        }
        StreamOpen::Ssh { session } => (*session, "SSH", Capability::Exec),
        StreamOpen::Dial { session, .. } => (*session, tr_sent!("a connection"), Capability::Dial),
        StreamOpen::Log { session, .. } => (*session, tr_sent!("a log"), Capability::Logs),
        StreamOpen::ReadFile { .. }
        | StreamOpen::WriteFile { .. }
        | StreamOpen::ReadFiles { .. }
        | StreamOpen::WriteFiles { .. }
        | StreamOpen::FileWork { .. }
        | StreamOpen::Rescue { .. }
        | StreamOpen::ExportImage { .. }
        | StreamOpen::ImportImage { .. }
        | StreamOpen::PushImage { .. } => {
            return Err(Failure::internal(tr_sent!(
                "files and images are opened elsewhere. Report this error"
            )));
        }
    };
    let runner = &contexts[context_number(contexts, key.context)?];
    let known = runner.known();
    let session = find(known, key)?;
    if let StreamOpen::Log { options, .. } = open {
        check_log(known, session)?;
        // The container may not exist yet. Clients that follow wait, so they get the log from its beginning.
        let is_ours = !known.is_observing();
        let is_made = session.status.is_starting() && session.started_at.is_none() && is_ours;
        let waits = options.follow || !has_container(session);
        if !has_begun(session) || is_made && waits {
            return wait_for_log(session, options.follow).map(|()| None);
        }
    } else if has_home_for(open, session) {
        // The home directory that the session left is read.
    } else if !session.status.is_live() {
        return Err(Failure::refused(tr_sent!(
            "session {name} is {status}: {what} needs a running session",
            name = session.name,
            status = session.status,
            what
        )));
    }
    if let EngineState::Connected { info } = known.engine()
        && let Some(why) = info.capabilities.why_not(needs)
    {
        let text = tr_sent!(
            "{what} isn't available in context {context}: {why}",
            what,
            context = key.context,
            why
        );
        return Err(Failure::refused(text));
    }
    if needs == Capability::Terminal && known.is_settling(key.id) {
        return Ok(None);
    }
    match (runner.lazy_engine.there(), known.engine()) {
        (Some(engine), _) => Ok(Some(engine)),
        (None, EngineState::Lost { why, hint, .. }) => {
            let failure = Failure::lost(why.clone());
            Err(failure.maybe_hint(hint.clone()))
        }
        (None, _) => Ok(None),
    }
}

/// Whether a stream only reads the home directory that an ended session left.
fn has_home_for(open: &StreamOpen, session: &Session) -> bool {
    let reads = matches!(
        open,
        StreamOpen::Helper {
            task: HelperTask::Pack { .. },
            ..
        }
    );
    reads && session.has_ended() && session.home.is_some()
}

/// Whether a session may have a log: it has left the queue, and it didn't end before it got a container.
pub(in crate::daemon) fn has_begun(session: &Session) -> bool {
    let queued = matches!(session.status, Status::Pending | Status::Scheduled);
    let over = match session.status {
        Status::Cancelled => true,
        // If a container exists, its log may explain the error.
        Status::Error => !has_container(session),
        _ => false,
    };
    !(queued || over && session.started_at.is_none())
}

fn has_container(session: &Session) -> bool {
    let mut kernels = session.kernels.iter();
    kernels.any(|it| it.container_id.is_some())
}

/// A client that follows the log waits until the session starts.
fn wait_for_log(session: &Session, follow: bool) -> Result<(), Failure> {
    if follow && !session.status.is_final() {
        return Ok(());
    }
    let (name, status) = (&session.name, &session.status);
    let mut text = tr_sent!(
        "session {name} is {status} and has no log, because it hasn't started",
        name,
        status
    );
    if let Some(why) = &session.status_message {
        text = format!("{text}: {why}");
    }
    Err(Failure::refused(text))
}

fn check_log(known: &dyn MachineState, session: &Session) -> Result<(), Failure> {
    if known.is_forgotten(session.id) {
        return Err(Failure::refused(tr_sent!(
            "the log of {name} was deleted: logs of ended sessions are kept for [history] \
                 keep-days",
            name = session.name
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::testing;

    #[test]
    fn what_failed_before_it_had_a_container_has_no_log() {
        let mut failed = testing::session(1, "train");
        failed.status = Status::Error;
        failed.status_message = Some("the pull failed".into());
        assert!(!has_begun(&failed));
        let message = wait_for_log(&failed, false).unwrap_err().message();
        assert!(
            message
                .as_str()
                .ends_with("hasn't started: the pull failed")
        );
        failed.started_at = Some(jiff::Timestamp::UNIX_EPOCH);
        assert!(has_begun(&failed));
    }

    #[test]
    fn a_snapshot_never_outgrows_a_frame() {
        let sessions: Vec<Session> = (0..3).map(|it| testing::session(it, "train")).collect();
        let all: Vec<&Session> = sessions.iter().collect();
        let one = weight::of(&sessions[0]);
        assert_eq!(fitting(&all, 10 * one), 3);
        assert_eq!(fitting(&all, 2 * one + one / 2), 2);
        assert_eq!(fitting(&all, one / 2), 0);
    }
}
