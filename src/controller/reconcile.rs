//! What is wanted (the store) against what is there (the engine).

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::{
    core::Controller,
    fact::{Sight, SightRecord, SightState},
    launch::new_kernel,
    life::note_container,
    queue::SECRET_LOST,
    turn::Turn,
};
use crate::model::{
    change::Level,
    environment::EnvironmentRef,
    history::{HistoryEntry, Outcome},
    id::{SessionId, SessionKey},
    record::{Ending, SessionRecord, Step, Write},
    resources::ResourceSlots,
    session::Session,
    status::Status,
    text::Clean,
};

impl Controller {
    /// Goes through the whole list. What was touched since it was asked for is looked at again
    /// instead. After a gap in the line (`whole_line`) endings are explained by it.
    pub(super) fn reconcile(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        seen: Vec<Sight>,
        asked_in: u64,
        whole_line: bool,
    ) {
        let mut seen: BTreeMap<SessionId, Sight> = seen
            .into_iter()
            .map(|sight| (sight.session, sight))
            .collect();
        let ids: Vec<SessionId> = self
            .held
            .values()
            .filter(|held| is_open(&held.record) || seen.contains_key(&held.id()))
            .map(super::held::Held::id)
            .collect();
        for id in ids {
            let sight = seen.remove(&id);
            let Some(held) = self.held.get_mut(&id) else {
                continue;
            };
            let waits = held.record.step != Step::Settled && !whole_line;
            if held.busy || waits {
                continue;
            }
            if held.touched > asked_in {
                held.missed = true;
                self.look_again(turn, id);
            } else {
                self.apply_sight(turn, now, id, sight, whole_line);
            }
        }
        for sight in seen.into_values() {
            self.adopt(turn, now, sight);
        }
    }

    /// What a container's present state means for its session. Nothing is under way with it.
    pub(super) fn apply_sight(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        id: SessionId,
        sight: Option<Sight>,
        after_gap: bool,
    ) {
        let Some(held) = self.held.get(&id) else {
            return;
        };
        let (step, status) = (held.record.step, held.record.session.status.clone());
        match (step, sight) {
            (Step::Settled, sight) if status.is_live() => match sight {
                None => self.vanished(turn, now, id),
                Some(sight) => self.is_there(turn, now, id, &sight, after_gap),
            },
            (Step::Settled, Some(_)) => self.remove_stray(turn, id),
            (Step::Create | Step::Start, Some(sight)) => {
                self.half_made(turn, now, id, &sight, after_gap);
            }
            (Step::Create, None) if held.record.ending.is_none() && held.lacks_secrets() => {
                self.fail_because(turn, now, id, "secret-lost", SECRET_LOST);
            }
            (Step::Start, None) if held.record.ending.is_none() => {
                let why = "its container vanished from the engine before it was started: launch \
                           it again";
                self.fail_because(turn, now, id, "failed-to-start", why);
            }
            // Create makes it, Stop and Remove find nothing to do: both are ordered again.
            _ => {}
        }
    }

    /// A live session and its container.
    fn is_there(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        id: SessionId,
        sight: &Sight,
        after_gap: bool,
    ) {
        let (first_line, lost) = (self.line.lost_at.is_none(), self.line.lost_at);
        let Some(held) = self.change(turn, id) else {
            return;
        };
        note_container(held, sight);
        let session = &mut held.record.session;
        let gap = match (after_gap, first_line) {
            (false, _) => Gap::None,
            (true, true) => Gap::DaemonAway,
            (true, false) => Gap::LineLost(lost),
        };
        match &sight.state {
            SightState::Running { .. } | SightState::Restarting => {
                if session.status_info.as_ref().is_some_and(|i| *i == "paused") {
                    session.status_info = None;
                }
            }
            SightState::Paused => session.status_info = Some(Clean::new("paused")),
            SightState::Exited {
                exit_code,
                oom_killed,
                finished_at,
            } => {
                if let Some(kernel) = session.kernels.first_mut() {
                    kernel.exit_code = Some(*exit_code);
                    kernel.oom_killed = *oom_killed;
                    kernel.terminated_at = Some(finished_at.unwrap_or(now));
                }
                let ending = explain_exit(session, *exit_code, *oom_killed, *finished_at, gap);
                tell_bad_end(turn, session, &ending, *exit_code);
                self.end_by_itself(turn, now, id, ending);
            }
            SightState::Dead { why } => {
                let ending = ending("engine-failed", format!("the engine gave it up: {why}"));
                self.end_by_itself(turn, now, id, ending);
            }
            SightState::Created => {
                let why = "its container was made anew by someone else and never started";
                self.end_by_itself(turn, now, id, ending("container-removed", why.to_owned()));
            }
        }
    }

    /// An earlier daemon had begun to make it.
    fn half_made(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        id: SessionId,
        sight: &Sight,
        after_gap: bool,
    ) {
        let Some(held) = self.change(turn, id) else {
            return;
        };
        note_container(held, sight);
        if held.record.ending.is_some() {
            held.record.step = Step::Stop;
            return;
        }
        match sight.state {
            SightState::Running { started_at } => {
                self.pass_creating(turn, now, id);
                self.promote(turn, now, id, started_at);
            }
            SightState::Exited { .. } | SightState::Paused | SightState::Restarting => {
                self.pass_creating(turn, now, id);
                self.promote(turn, now, id, None);
                self.is_there(turn, now, id, sight, after_gap);
            }
            SightState::Created | SightState::Dead { .. } => {}
        }
    }

    /// Only CREATING may become RUNNING.
    fn pass_creating(&mut self, turn: &mut Turn, now: Timestamp, id: SessionId) {
        let creating = self
            .session(id)
            .is_some_and(|session| session.status == Status::Creating);
        if !creating {
            self.advance(turn, now, id, "start-sessions", &Status::Creating, None);
        }
    }

    /// A live session without a container.
    fn vanished(&mut self, turn: &mut Turn, now: Timestamp, id: SessionId) {
        let Some(held) = self.change(turn, id) else {
            return;
        };
        let session = &mut held.record.session;
        let ending = match held.last_exit {
            Some(code) => {
                if let Some(kernel) = session.kernels.first_mut() {
                    kernel.exit_code = Some(code);
                }
                let text = exit_sentence(code);
                ending(
                    "container-removed",
                    format!("{text}, and its container was removed by someone else"),
                )
            }
            None => ending(
                "container-removed",
                "its container was removed from the engine by someone else".to_owned(),
            ),
        };
        let text = format!("{} ended: its container was removed", session.name);
        turn.message(Level::Warning, Some(id), text);
        self.decide(turn, id, ending);
        self.finish(turn, now, id);
    }

    /// A session that is over, or failed, must not leave a container.
    fn remove_stray(&mut self, turn: &mut Turn, id: SessionId) {
        let Some(held) = self.change(turn, id) else {
            return;
        };
        let session = &held.record.session;
        // What could not be ended stays until a person says so.
        let kept = session
            .status_info
            .as_ref()
            .is_some_and(|info| *info == "failed-to-terminate");
        if !kept {
            held.record.step = Step::Remove;
            self.issue(turn, id);
        }
    }

    /// A container with our label that the store does not know: the store was lost.
    fn adopt(&mut self, turn: &mut Turn, now: Timestamp, sight: Sight) {
        let Some(recorded) = &sight.recorded else {
            return;
        };
        let record = adopted(&sight, recorded, self.context);
        let (id, name) = (record.session.id, record.session.name.clone());
        turn.writes.push(Write::History(HistoryEntry {
            session: id,
            at: now,
            phase: Clean::new("adopt"),
            from: None,
            to: record.session.status.clone(),
            result: Outcome::Success,
            message: Some(Clean::new("found on the engine, rebuilt from its labels")),
            error_code: None,
            attempts: 1,
            until: None,
            steps: Vec::new(),
        }));
        turn.message(
            Level::Info,
            Some(id),
            format!("{name} was found on the engine and taken back"),
        );
        self.add(turn, record);
        match &sight.state {
            SightState::Created => {
                let why = "it was found half-made on the engine: launch it again";
                self.fail_because(turn, now, id, "creation-failed", why);
            }
            _ => self.is_there(turn, now, id, &sight, true),
        }
    }
}

/// What lay between the last look and this one.
enum Gap {
    None,
    DaemonAway,
    LineLost(Option<Timestamp>),
}

fn is_open(record: &SessionRecord) -> bool {
    record.step != Step::Settled || record.session.status.is_live()
}

fn ending(info: &str, message: String) -> Ending {
    Ending {
        status: Status::Terminated,
        info: Clean::new(info),
        message: Some(Clean::new(&message)),
    }
}

fn explain_exit(
    session: &Session,
    code: i64,
    oom: bool,
    finished_at: Option<Timestamp>,
    gap: Gap,
) -> Ending {
    if oom && code != 0 {
        let limit = session.requested_slots.mem;
        let text =
            format!("it used more memory than its {limit} and was killed (exit code {code})");
        return ending("self-terminated", text);
    }
    let killed = code >= 125;
    let text = exit_sentence(code);
    match gap {
        Gap::LineLost(lost) if killed || ended_since(finished_at, lost) => ending(
            "engine-restarted",
            format!("{text} when the engine or the machine was restarted"),
        ),
        Gap::DaemonAway if killed => ending(
            "engine-restarted",
            format!(
                "{text} while workbay's daemon was away: the machine or the engine was \
                 restarted, or someone killed it"
            ),
        ),
        Gap::DaemonAway => ending(
            "self-terminated",
            format!("{text} while workbay's daemon was away"),
        ),
        _ => ending("self-terminated", text),
    }
}

fn ended_since(finished_at: Option<Timestamp>, lost_at: Option<Timestamp>) -> bool {
    /// The engine ends containers before its line breaks.
    const SHUTDOWN_SECONDS: i64 = 30;
    match (finished_at, lost_at) {
        (Some(finished), Some(lost)) => finished.as_second() >= lost.as_second() - SHUTDOWN_SECONDS,
        _ => true,
    }
}

fn exit_sentence(code: i64) -> String {
    match code {
        129..=192 => format!(
            "its main process was killed by signal {} (exit code {code})",
            code - 128
        ),
        _ => format!("its main process ended (exit code {code})"),
    }
}

fn tell_bad_end(turn: &mut Turn, session: &Session, ending: &Ending, code: i64) {
    if code != 0
        && let Some(message) = &ending.message
    {
        let text = format!("{} ended: {message}", session.name);
        turn.message(Level::Warning, Some(session.id), text);
    }
}

fn adopted(
    sight: &Sight,
    recorded: &SightRecord,
    context: crate::model::id::ContextName,
) -> SessionRecord {
    let spec = recorded.spec.clone();
    let status = match sight.state {
        SightState::Created => Status::Creating,
        _ => Status::Running,
    };
    let label = &spec.environment_label;
    let (name, version) = label.rsplit_once(':').unwrap_or((label, ""));
    let started_at = match sight.state {
        SightState::Created => None,
        SightState::Running {
            started_at: Some(at),
        } => Some(at),
        _ => Some(recorded.created_at),
    };
    let mut kernel = new_kernel(sight.kernel, status.clone());
    kernel.started_at = started_at;
    let session = Session {
        session_type: spec.session_type,
        status,
        requested_slots: ResourceSlots::new(spec.cpu, spec.mem),
        shmem: spec.shmem,
        owner: recorded.owner.clone(),
        started_at,
        kernels: vec![kernel],
        scratch: sight.scratch.clone(),
        ..Session::new(
            SessionKey::new(context, sight.session),
            recorded.name.clone(),
            EnvironmentRef {
                name: Clean::new(name),
                version: Clean::new(version),
                source: spec.source.clone(),
            },
            recorded.created_at,
        )
    };
    SessionRecord {
        session,
        spec,
        pids: 0,
        step: Step::Settled,
        ending: None,
        force: false,
        renaming: None,
        forgotten: false,
        request: None,
        retries: 0,
    }
}
