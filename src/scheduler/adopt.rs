//! Adopts containers that the state database doesn't know: it was lost, and is rebuilt from their
//! labels.

use std::collections::btree_map::Entry;

use jiff::Timestamp;

use super::{
    core::Scheduler, dress::dress, launch::generated_name, tracked_session::TrackedSession,
    turn::Turn,
};
use crate::engine::api::{ContainerState, Recorded, Sighting};
use crate::model::{
    environment::EnvironmentRef,
    history::HistoryEntry,
    id::{ContextName, KernelId, SessionId, SessionKey},
    notice::Level,
    record::{SessionRecord, Step, Write},
    session::Session,
    spec::LaunchSpec,
    status::Status,
    text::Clean,
};

impl Scheduler {
    /// Adds ended sessions from the state database. Returns those that were unknown.
    pub fn recall(&mut self, records: Vec<SessionRecord>) -> Vec<Session> {
        let mut recalled = Vec::new();
        for record in records {
            if let Entry::Vacant(place) = self.tracked.entry(record.session.id) {
                recalled.push(record.session.clone());
                place.insert(TrackedSession::new(record));
            }
        }
        recalled
    }

    /// Drops recalled sessions from memory, unless a step of theirs is unfinished. Returns how many
    /// were dropped.
    pub fn drop_recalled(&mut self, sessions: &[SessionId]) -> usize {
        let before = self.tracked.len();
        for id in sessions {
            let is_done_with = |tracked: &TrackedSession| {
                tracked.record.forgotten && tracked.record.step == Step::Settled
            };
            if self.tracked.get(id).is_some_and(is_done_with) {
                self.tracked.remove(id);
            }
        }
        before - self.tracked.len()
    }

    /// Adopts a container with our label that the state database doesn't know.
    pub(super) fn adopt(&mut self, turn: &mut Turn, now: Timestamp, sight: Sighting) {
        let Some(recorded) = &sight.recorded else {
            return;
        };
        let mut spec = recorded.spec.clone();
        self.settings.launch.secrets.hide(&mut spec);
        let name = self.adopted_name(&sight, recorded);
        let was_renamed = name != recorded.name;
        let record = adopted(&sight, recorded, name, spec, self.context);
        let (id, name) = (record.session.id, record.session.name.clone());
        turn.writes.push(Write::History(HistoryEntry {
            message: Some(Clean::new(tr_sent!(
                "found on the engine, recreated from its labels"
            ))),
            ..HistoryEntry::new(id, now, "adopt", None, record.session.status.clone())
        }));
        turn.message(
            Level::Info,
            Some(id),
            tr_sent!(
                "{name} was found on the engine and is in the list again",
                name
            ),
        );
        if was_renamed {
            turn.message(
                Level::Warning,
                Some(id),
                tr_sent!("session {short} is now called {name}: the name in its labels is invalid or taken. \
                     Use `workbay rename` for another name", short = id.short(), name),
            );
        }
        self.add(turn, record);
        match &sight.state {
            ContainerState::Created => {
                let why = tr_sent!(
                    "the engine has only a part of the session: its launch was interrupted. \
                           Relaunch it"
                );
                self.fail_because(turn, now, id, "creation-failed", why);
            }
            _ => {
                self.container_exists(turn, now, id, &sight, true);
                self.plan_due(id);
                self.check_idle(turn, now, id);
            }
        }
    }
}

impl Scheduler {
    /// Every user of the engine can write labels, so a name that is invalid or in use is replaced.
    fn adopted_name(&self, sight: &Sighting, recorded: &Recorded) -> Clean {
        match self.check_name(recorded.name.as_str()) {
            Ok(()) => recorded.name.clone(),
            Err(_) => Clean::new(&generated_name(sight.session)),
        }
    }
}

fn adopted(
    sight: &Sighting,
    recorded: &Recorded,
    session_name: Clean,
    spec: LaunchSpec,
    context: ContextName,
) -> SessionRecord {
    let status = match sight.state {
        ContainerState::Created => Status::Creating,
        _ => Status::Running,
    };
    let label = &spec.environment_label;
    let (name, version) = label.rsplit_once(':').unwrap_or((label, ""));
    let started_at = match sight.state {
        ContainerState::Created => None,
        ContainerState::Running {
            started_at: Some(at),
        } => Some(at),
        _ => Some(recorded.created_at),
    };
    let mut session = Session {
        status,
        owner: recorded.owner.clone(),
        started_at,
        home: sight.home.clone(),
        ..Session::new(
            SessionKey::new(context, sight.session),
            session_name,
            EnvironmentRef {
                name: Clean::new(name),
                version: Clean::new(version),
                source: spec.source.clone(),
            },
            recorded.created_at,
        )
    };
    let subs: Vec<KernelId> = sight.subs.iter().map(|sub| sub.kernel).collect();
    dress(&mut session, &spec, sight.kernel, &subs);
    for kernel in &mut session.kernels {
        kernel.started_at = started_at;
    }
    for (kernel, sub) in session.kernels.iter_mut().skip(1).zip(&sight.subs) {
        kernel.hostname = sub.hostname.clone();
    }
    SessionRecord::new(session, spec, Step::Settled)
}
