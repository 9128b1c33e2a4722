//! The single containers of a session: which kernel each one is, and what the loss of one means.

use jiff::Timestamp;

use super::{
    core::Scheduler,
    ended::{self, Exit, exit_sentence, memory_sentence},
    tracked_session::TrackedSession,
    turn::Turn,
};
use crate::engine::api::{ContainerState, Sighting, SubSighting};
use crate::model::{
    id::SessionId, kernel::Kernel, notice::Level, resources::Bytes, session::Session,
    status::Status, text::Clean,
};

/// How many containers a sentence lists by name.
const NAMED: usize = 3;

/// Records what the engine reports about the containers of a session.
pub(super) fn note_containers(tracked: &mut TrackedSession, sight: &Sighting) {
    let session = &mut tracked.record.session;
    if sight.home.is_some() {
        session.home.clone_from(&sight.home);
    }
    session.occupied_slots = tracked.record.spec.total_slots();
    if let Some(kernel) = session.kernels.first_mut() {
        kernel.container_id = Some(sight.container_id.clone());
        kernel.address.clone_from(&sight.address);
    }
    for sub in &sight.subs {
        kernel_of(session, sub).container_id = Some(sub.container_id.clone());
    }
}

/// Finds the kernel of a container, and adds an unknown one.
fn kernel_of<'a>(session: &'a mut Session, sub: &SubSighting) -> &'a mut Kernel {
    let known = session.kernels.iter().position(|it| it.id == sub.kernel);
    let at = known.unwrap_or_else(|| {
        let status = session.status.clone();
        let kernel = Kernel::new(sub.kernel, sub.hostname.clone(), status);
        session.kernels.push(kernel);
        session.kernels.len() - 1
    });
    &mut session.kernels[at]
}

/// Whether all containers of the session exist.
pub(super) fn is_whole(tracked: &TrackedSession, sight: &Sighting) -> bool {
    sight.subs.len() + 1 >= tracked.record.session.kernels.len()
}

impl Scheduler {
    /// The main process runs. The other containers decide between RUNNING and RUNNING_DEGRADED.
    pub(super) fn weigh_cluster(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        id: SessionId,
        subs: &[SubSighting],
    ) {
        let Some(tracked) = self.change(turn, id) else {
            return;
        };
        let limit = tracked.record.spec.mem;
        let session = &mut tracked.record.session;
        for sub in subs {
            note_state(kernel_of(session, sub), &sub.state, now);
        }
        let gone = session.kernels.iter_mut().skip(1).filter(|kernel| {
            !kernel.status.is_final() && subs.iter().all(|sub| sub.kernel != kernel.id)
        });
        for kernel in gone {
            mark_stopped(kernel, "container-removed", now);
        }
        let down = stopped_containers(session, limit);
        let (was, status) = (session.status.clone(), session.status_message.clone());
        match down {
            Some(why) if was == Status::Running => self.degrade(turn, now, id, &why),
            Some(why) if status.as_ref() != Some(&why) => session.status_message = Some(why),
            None if was == Status::RunningDegraded => {
                session.status_message = None;
                self.advance(turn, now, id, "promote-to-running", &Status::Running, None);
            }
            _ => {}
        }
    }

    fn degrade(&mut self, turn: &mut Turn, now: Timestamp, id: SessionId, why: &Clean) {
        let degraded = Status::RunningDegraded;
        self.advance(turn, now, id, "detect-termination", &degraded, Some(why));
        let Some(tracked) = self.change(turn, id) else {
            return;
        };
        let session = &mut tracked.record.session;
        session.status_message = Some(why.clone());
        for kernel in &mut session.kernels {
            if kernel.status == degraded {
                kernel.status = Status::Running;
            }
        }
        let text = tr_sent!("{name} is degraded: {why}", name = session.name, why);
        turn.message(Level::Warning, Some(id), text);
    }
}

/// Records in a kernel what the engine reports about its container.
fn note_state(kernel: &mut Kernel, state: &ContainerState, now: Timestamp) {
    match state {
        ContainerState::Running { started_at } => {
            if kernel.status.is_final() {
                // The container was started again outside workbay.
                kernel.exit_code = None;
                kernel.oom_killed = false;
                kernel.terminated_at = None;
                kernel.status_info = None;
            }
            kernel.status = Status::Running;
            kernel.started_at.get_or_insert(started_at.unwrap_or(now));
        }
        ContainerState::Paused | ContainerState::Restarting => {}
        ContainerState::Exited {
            exit_code,
            oom_killed,
            finished_at,
        } => {
            kernel.exit_code = Some(*exit_code);
            kernel.oom_killed = *oom_killed;
            let exit = Exit {
                code: *exit_code,
                oom_killed: *oom_killed,
                finished_at: *finished_at,
            };
            mark_stopped(kernel, ended::reason(exit), finished_at.unwrap_or(now));
        }
        ContainerState::Created => mark_stopped(kernel, "failed-to-start", now),
        ContainerState::Dead { .. } => mark_stopped(kernel, "engine-failed", now),
    }
}

fn mark_stopped(kernel: &mut Kernel, info: &str, at: Timestamp) {
    if !kernel.status.is_final() {
        kernel.status = Status::Terminated;
        kernel.status_info = Some(Clean::new(info));
        kernel.terminated_at = Some(at);
    }
}

/// What is wrong with a cluster session whose main container runs.
fn stopped_containers(session: &Session, limit: Bytes) -> Option<Clean> {
    let down: Vec<&Kernel> = session
        .kernels
        .iter()
        .skip(1)
        .filter(|kernel| kernel.status.is_final())
        .collect();
    let mut reasons: Vec<String> = down
        .iter()
        .take(NAMED)
        .map(|kernel| sentence(kernel, limit))
        .collect();
    match down.len().saturating_sub(NAMED) {
        0 => {}
        more => reasons.push(tr_sent!("{more} more ended", more)),
    }
    (!reasons.is_empty()).then(|| Clean::new(&reasons.join("; ")))
}

fn sentence(kernel: &Kernel, limit: Bytes) -> String {
    let subject = kernel.hostname.as_str();
    let info = kernel.status_info.as_ref().map_or("", Clean::as_str);
    match (kernel.exit_code, info) {
        (Some(code), _) if kernel.oom_killed && code != 0 => memory_sentence(subject, limit, code),
        (Some(code), _) => exit_sentence(subject, code),
        (None, "failed-to-start") => tr_sent!("{subject} never started", subject),
        (None, "engine-failed") => tr_sent!("the engine reports {subject} as dead", subject),
        (None, _) => tr_sent!(
            "the container of {subject} was removed outside workbay",
            subject
        ),
    }
}
