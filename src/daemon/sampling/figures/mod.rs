//! Usage figures of sessions: records every sample, saves the figures when a session or the daemon ends, and
//! sends them to clients.

mod last_lines;

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use super::recorder::Recorder;
use crate::{
    daemon::{
        clock,
        connection::inbound::ConnectionId,
        context::{
            driver::DriverStep,
            lazy_engine::AnyEngine,
            runner::{ContextRunner, Number},
        },
        main_loop::{core::Core, replies, snapshots},
    },
    model::{
        change::Change,
        figures::{Figures, FiguresRecord},
        id::{ContextName, SessionId, SessionKey},
        record::Write,
        session::Session,
        usage::Usage,
    },
    protocol::message::{FromDaemon, Reply, RequestId},
    state_machine::MachineState,
};

/// Figures are kept for one day or longer: those of running sessions must outlive a daemon.
const KEPT_AT_LEAST: SignedDuration = SignedDuration::from_hours(24);

impl ContextRunner {
    /// Records samples. A session may end during a sweep, so samples of ended sessions are ignored.
    pub(in crate::daemon) fn record(&mut self, usages: &[(SessionId, Usage)]) {
        for (id, usage) in usages {
            let session = self.known().session(*id);
            if session.is_some_and(|session| !session.status.is_final()) {
                self.recorder.record(*id, usage);
            }
        }
    }
}

/// How long figures are kept.
pub(in crate::daemon) fn kept_for(keep_days: u32) -> SignedDuration {
    SignedDuration::from_hours(24 * i64::from(keep_days)).max(KEPT_AT_LEAST)
}

pub(in crate::daemon) fn by_context(
    figures: Vec<(SessionKey, FiguresRecord)>,
) -> BTreeMap<ContextName, Vec<(SessionId, FiguresRecord)>> {
    let mut sorted: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for (session, record) in figures {
        let of_context = sorted.entry(session.context).or_default();
        of_context.push((session.id, record));
    }
    sorted
}

/// Handles the changes of a step: writes the figures of ended sessions together with their end, and
/// deletes the figures of deleted sessions.
pub(in crate::daemon) fn record_ended(
    recorder: &mut Recorder,
    known: &dyn MachineState,
    lazy_engine: &AnyEngine,
    step: &mut DriverStep,
    oldest: Timestamp,
) {
    for change in &step.changes {
        match change {
            Change::Session { session } if session.status.is_final() => {
                let engine = lazy_engine.there();
                if let Some(usage) = engine.and_then(|engine| engine.last_usage(session.id)) {
                    recorder.record_last(session.id, &usage);
                }
                step.writes
                    .extend(of_ended(recorder, known, session, oldest));
            }
            Change::Gone { session } => recorder.forget(session.id),
            _ => {}
        }
    }
}

fn of_ended(
    recorder: &mut Recorder,
    known: &dyn MachineState,
    session: &Session,
    oldest: Timestamp,
) -> Vec<Write> {
    let key = session.key();
    if known.is_forgotten(session.id) {
        return vec![Write::ForgetFigures { session: key }];
    }
    let Some(write) = recorder.write(session, true) else {
        return Vec::new();
    };
    recorder.forget(session.id);
    vec![write, Write::ForgetFiguresBefore { at: oldest }]
}

impl Core {
    pub(in crate::daemon) fn save_ended_figures(&mut self, number: Number, step: &mut DriverStep) {
        let oldest = self.oldest_figures();
        let ContextRunner {
            machine,
            recorder,
            lazy_engine,
            recorded,
            ..
        } = &mut self.contexts[number];
        record_ended(recorder, machine.known(), lazy_engine, step, oldest);
        recorded.follow(&step.changes);
    }

    fn oldest_figures(&self) -> Timestamp {
        let oldest = clock::now().checked_sub(self.figures_kept);
        oldest.unwrap_or(Timestamp::UNIX_EPOCH)
    }

    /// Deletes old figures of all sessions.
    pub(in crate::daemon) async fn forget_old_figures(&self) {
        let at = self.oldest_figures();
        let forgotten = self.store.write(vec![Write::ForgetFiguresBefore { at }]);
        if let Err(error) = forgotten.await {
            tracing::warn!(%error, "old usage records can't be deleted");
        }
    }

    /// Saves the figures of unfinished sessions when the daemon ends, so that the next one continues them.
    pub(in crate::daemon) async fn save_figures(&self) {
        let writes = self.contexts.iter().flat_map(|runner| {
            let sessions = runner.known().sessions();
            let unfinished = sessions.filter(|session| !session.status.is_final());
            unfinished.filter_map(|session| runner.recorder.write(session, false))
        });
        let writes: Vec<Write> = writes.collect();
        if !writes.is_empty()
            && let Err(error) = self.store.write(writes).await
        {
            tracing::warn!(%error, "usage records can't be written");
        }
    }

    /// Answers with the figures of a session: from the recorder if it is unfinished, otherwise from the state
    /// database.
    pub(in crate::daemon) async fn send_figures(
        &self,
        connection: ConnectionId,
        id: RequestId,
        number: Number,
        key: SessionKey,
    ) {
        let runner = &self.contexts[number];
        let session = match snapshots::find(runner.known(), key) {
            Ok(session) => session,
            Err(failure) => return self.answer(connection, id, Err(failure)),
        };
        if !session.status.is_final() {
            let figures = runner.recorder.figures(session);
            return self.answer(connection, id, Ok(reply(figures)));
        }
        match self.store.figures(key).await {
            Ok(figures) => {
                let figures = figures.unwrap_or_default();
                self.report_with_last_lines(connection, id, number, key.id, figures);
            }
            Err(error) => self.answer(connection, id, Err(replies::store_failure(&error))),
        }
    }

    /// Reads the last lines in a task, because the log may be on a remote engine and the loop must not wait.
    fn report_with_last_lines(
        &self,
        connection: ConnectionId,
        id: RequestId,
        number: Number,
        session: SessionId,
        mut figures: Figures,
    ) {
        let Some(client) = self.clients.get(&connection) else {
            return;
        };
        let runner = &self.contexts[number];
        let began = runner
            .known()
            .session(session)
            .is_some_and(snapshots::has_begun);
        let engine = if began && !runner.known().is_forgotten(session) {
            runner.lazy_engine.there()
        } else {
            None
        };
        let outbox = client.outbox.clone();
        tokio::spawn(async move {
            if let Some(engine) = engine {
                figures.last_lines = last_lines::read(engine.as_ref(), session).await;
            }
            let result = Ok(reply(figures));
            outbox.answer(FromDaemon::Answer { id, result });
        });
    }
}

fn reply(figures: Figures) -> Reply {
    let figures = Box::new(figures);
    Reply::Figures { figures }
}
