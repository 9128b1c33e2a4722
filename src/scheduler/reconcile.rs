//! Compares the state database with what is on the engine.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::{
    cluster::{is_whole, note_containers},
    core::Scheduler,
    ended::{Exit, Gap, by_reboot, ending, exit_sentence, explain},
    lifecycle::has_lost_secrets,
    tracked_session::TrackedSession,
    turn::Turn,
};
use crate::engine::api::{ContainerState, Sighting, SubSighting};
use crate::model::{
    id::SessionId,
    kernel::Kernel,
    record::{Ending, SessionRecord, Step},
    session::Session,
    session::{BatchResult, SessionType},
    status::Status,
    text::Clean,
};

impl Scheduler {
    /// Handles every container in a survey. Sessions that changed after the survey was requested
    /// are inspected instead. With `whole_line`, after a gap in the connection, the gap can explain
    /// how sessions ended.
    pub(super) fn reconcile(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        seen: Vec<Sighting>,
        asked_in: u64,
        whole_line: bool,
    ) {
        let mut seen: BTreeMap<SessionId, Sighting> = seen
            .into_iter()
            .map(|sight| (sight.session, sight))
            .collect();
        let ids: Vec<SessionId> = self
            .tracked
            .values()
            .filter(|tracked| is_open(&tracked.record) || seen.contains_key(&tracked.id()))
            .map(TrackedSession::id)
            .collect();
        for id in ids {
            let sight = seen.remove(&id);
            let Some(tracked) = self.tracked.get_mut(&id) else {
                continue;
            };
            let waits = tracked.record.step != Step::Settled && !whole_line;
            if tracked.busy || waits {
                continue;
            }
            if tracked.touched > asked_in {
                tracked.missed = true;
                self.inspect(turn, id);
            } else {
                self.apply_sight(turn, now, id, sight, whole_line);
            }
        }
        for sight in seen.into_values() {
            self.adopt(turn, now, sight);
        }
    }

    /// Applies the current state of a container to its session. No order about the session is in
    /// progress.
    pub(super) fn apply_sight(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        id: SessionId,
        sight: Option<Sighting>,
        after_gap: bool,
    ) {
        let Some(tracked) = self.tracked.get(&id) else {
            return;
        };
        let (step, status) = (tracked.record.step, tracked.record.session.status.clone());
        match (step, sight) {
            (Step::Settled, sight) if status.is_live() => match sight {
                None => self.vanished(turn, now, id),
                Some(sight) => self.container_exists(turn, now, id, &sight, after_gap),
            },
            (Step::Settled, Some(_)) => self.remove_stray(turn, id),
            (Step::Create | Step::Start, Some(sight)) => {
                self.partly_created(turn, now, id, &sight, after_gap);
            }
            (Step::Start, None) if tracked.record.ending.is_none() => {
                let why = tr_sent!(
                    "its container was removed from the engine before it started. Relaunch \
                           the session"
                );
                self.fail_because(turn, now, id, "failed-to-start", why);
            }
            // The step is ordered again: Create makes the container, Stop and Remove find nothing
            // to do.
            _ => {}
        }
    }

    /// Handles a live session whose container exists.
    pub(super) fn container_exists(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        id: SessionId,
        sight: &Sighting,
        after_gap: bool,
    ) {
        let (first_line, lost) = (self.connection.lost_at.is_none(), self.connection.lost_at);
        let restarted = self
            .tracked
            .get(&id)
            .is_some_and(|it| self.was_restarted(it));
        let boot = self.boot.clone();
        let Some(tracked) = self.change(turn, id) else {
            return;
        };
        note_containers(tracked, sight);
        let session = &mut tracked.record.session;
        let gap = match (after_gap, first_line) {
            _ if restarted => Gap::Reboot,
            (false, _) => Gap::None,
            (true, true) => Gap::DaemonNotRunning,
            (true, false) => Gap::EngineDisconnected(lost),
        };
        match &sight.state {
            ContainerState::Running { .. } | ContainerState::Restarting => {
                tracked.record.boot = boot;
                if session.is_paused() {
                    session.status_info = None;
                }
                self.weigh_cluster(turn, now, id, &sight.subs);
            }
            ContainerState::Paused => session.status_info = Some(Clean::new(Session::PAUSED)),
            ContainerState::Exited {
                exit_code,
                oom_killed,
                finished_at,
            } => {
                let exit = Exit {
                    code: *exit_code,
                    oom_killed: *oom_killed,
                    finished_at: *finished_at,
                };
                self.main_ended(turn, now, id, exit, gap);
            }
            ContainerState::Dead { .. } if restarted => {
                self.session_exited(turn, now, id, by_reboot());
            }
            // The engine has just reported an exit, but the container isn't in an exited state:
            // someone is removing it.
            ContainerState::Dead { .. } if tracked.last_exit.is_some() => {
                let (how, _) = removed(tracked);
                self.session_exited(turn, now, id, ending("container-removed", how));
            }
            ContainerState::Dead { why } => {
                let ending = ending(
                    "engine-failed",
                    tr_sent!("the engine reports its container as dead: {why}", why),
                );
                self.session_exited(turn, now, id, ending);
            }
            ContainerState::Created => {
                let why = tr_sent!("its container was recreated outside workbay and never started");
                self.session_exited(turn, now, id, ending("container-removed", why.to_owned()));
            }
        }
    }

    /// The main process has ended, so the session ends, with everything else that runs in it.
    fn main_ended(&mut self, turn: &mut Turn, now: Timestamp, id: SessionId, exit: Exit, gap: Gap) {
        let Some(tracked) = self.change(turn, id) else {
            return;
        };
        let (ending, result) = explain(&tracked.record, exit, gap);
        let session = &mut tracked.record.session;
        session.result = result;
        if let Some(kernel) = session.kernels.first_mut() {
            kernel.exit_code = Some(exit.code);
            kernel.oom_killed = exit.oom_killed;
            kernel.terminated_at = Some(exit.finished_at.unwrap_or(now));
        }
        self.session_exited(turn, now, id, ending);
    }

    /// Handles a container that an earlier daemon began to create.
    fn partly_created(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        id: SessionId,
        sight: &Sighting,
        after_gap: bool,
    ) {
        let Some(tracked) = self.change(turn, id) else {
            return;
        };
        note_containers(tracked, sight);
        if tracked.record.ending.is_some() {
            tracked.record.step = Step::Stop;
            return;
        }
        let never_started = |sub: &SubSighting| sub.state == ContainerState::Created;
        let started_at = match sight.state {
            // A created container already has its secrets.
            ContainerState::Created if has_lost_secrets(tracked) && is_whole(tracked, sight) => {
                tracked.record.step = Step::Start;
                return self.pass_creating(turn, now, id);
            }
            ContainerState::Created | ContainerState::Dead { .. } => return,
            // The other containers are started before the main one.
            _ if sight.subs.iter().any(never_started) => return,
            ContainerState::Running { started_at } => started_at,
            ContainerState::Exited { finished_at, .. } => finished_at,
            ContainerState::Paused | ContainerState::Restarting => None,
        };
        self.pass_creating(turn, now, id);
        self.promote(turn, now, id, started_at);
        self.container_exists(turn, now, id, sight, after_gap);
    }

    /// A session passes through CREATING before it becomes RUNNING.
    fn pass_creating(&mut self, turn: &mut Turn, now: Timestamp, id: SessionId) {
        let creating = self
            .session(id)
            .is_some_and(|session| session.status == Status::Creating);
        if !creating {
            self.advance(turn, now, id, "start-sessions", &Status::Creating, None);
        }
    }

    /// Decides how a session ends, and removes its containers. Running containers of a cluster
    /// session are stopped first.
    pub(super) fn session_exited(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        id: SessionId,
        ending: Ending,
    ) {
        self.begin_ending(turn, now, id, "detect-termination", ending);
        if let Some(tracked) = self.change(turn, id) {
            let runs = |kernel: &Kernel| kernel.terminated_at.is_none();
            let others = tracked.record.session.kernels.iter().skip(1).any(runs);
            tracked.record.step = if others { Step::Stop } else { Step::Remove };
        }
        self.issue(turn, id);
    }

    /// Handles a live session without a container.
    fn vanished(&mut self, turn: &mut Turn, now: Timestamp, id: SessionId) {
        let restarted = self
            .tracked
            .get(&id)
            .is_some_and(|it| self.was_restarted(it));
        let Some(tracked) = self.change(turn, id) else {
            return;
        };
        let (how, code) = removed(tracked);
        let session = &mut tracked.record.session;
        if session.session_type == SessionType::Batch {
            session.result = match code {
                Some(0) => BatchResult::Success,
                _ => BatchResult::Failure,
            };
        }
        let ending = if restarted {
            by_reboot()
        } else {
            ending("container-removed", how)
        };
        self.decide(turn, id, ending);
        self.finish(turn, now, id);
    }

    /// Removes the container of a session that has ended or failed.
    fn remove_stray(&mut self, turn: &mut Turn, id: SessionId) {
        let Some(tracked) = self.change(turn, id) else {
            return;
        };
        let session = &tracked.record.session;
        // A container that couldn't be stopped stays until the user terminates the session.
        let kept = session
            .status_info
            .as_ref()
            .is_some_and(|info| *info == "failed-to-terminate");
        if !kept {
            tracked.record.step = Step::Remove;
            self.issue(turn, id);
        }
    }
}

/// How a session ended whose container was removed outside workbay, and its exit code if known.
fn removed(tracked: &mut TrackedSession) -> (String, Option<i64>) {
    let session = &mut tracked.record.session;
    // In a cluster session, it isn't known which container exited.
    let Some(code) = tracked.last_exit.filter(|_| session.kernels.len() < 2) else {
        let how = tr_sent!("its container was removed from the engine outside workbay");
        return (how.to_owned(), None);
    };
    if let Some(kernel) = session.kernels.first_mut() {
        kernel.exit_code = Some(code);
    }
    let text = exit_sentence(tr_sent!("its main process"), code);
    let how = tr_sent!(
        "{text}, and its container was removed outside workbay",
        text
    );
    (how, Some(code))
}

fn is_open(record: &SessionRecord) -> bool {
    record.step != Step::Settled || record.session.status.is_live()
}
