//! A session in the observer's memory, and how new data is merged into it.

use jiff::{SignedDuration, Timestamp};

use super::order::RequestNumber;
use crate::model::{
    idle::{IdleCheck, IdleState},
    kernel::Kernel,
    session::{Placement, Session},
};

/// Idle checks are reported as remaining time at the manager's last check (every 10 s). Ends that
/// differ by less than this count as the same end.
const JITTER: SignedDuration = SignedDuration::from_secs(15);

#[derive(Clone, Debug)]
pub(super) struct Row {
    /// The session as clients know it.
    pub shown: Session,
    /// The request that read it. Data of an earlier request is older.
    pub read_by: RequestNumber,
    /// Since when it has its status.
    pub since: Timestamp,
    /// When everything about it was last read.
    pub detailed_at: Option<Timestamp>,
    /// It was launched with workbay and hasn't begun to run.
    pub followed: bool,
    /// It was launched with workbay and was never read.
    pub unread: bool,
}

/// Merges a row of a list. What lists leave out is kept as long as it can still be true. Where the
/// complete data (`detailed`) and a list overlap, the complete data is better.
pub(super) fn merge_listed(old: &Session, detailed: bool, mut new: Session) -> Session {
    let same_status = old.status == new.status;
    let known = |kernel: &Kernel| old.kernels.iter().any(|old| old.id == kernel.id);
    if !new.kernels.iter().any(known) && !old.kernels.is_empty() {
        new.kernels.clone_from(&old.kernels);
    }
    for kernel in &mut new.kernels {
        if let Some(known) = old.kernels.iter().find(|known| known.id == kernel.id) {
            complete(kernel, known);
        }
    }
    keep(&mut new.folders, &old.folders, Vec::is_empty);
    keep(&mut new.mounts, &old.mounts, Vec::is_empty);
    keep(&mut new.depends_on, &old.depends_on, Vec::is_empty);
    keep(&mut new.depended_by, &old.depended_by, Vec::is_empty);
    keep(&mut new.services, &old.services, Vec::is_empty);
    keep(&mut new.preopen_ports, &old.preopen_ports, Vec::is_empty);
    new.startup_command = new.startup_command.or_else(|| old.startup_command.clone());
    new.home = new.home.or_else(|| old.home.clone());
    if new.shmem.0 == 0 {
        new.shmem = old.shmem;
    }
    place(&mut new.placement, &old.placement, same_status);
    if detailed || new.started_at.is_none() {
        new.started_at = old.started_at.or(new.started_at);
    }
    if detailed && new.status.is_live() {
        new.commit = old.commit;
    }
    if same_status {
        new.status_info = new.status_info.or_else(|| old.status_info.clone());
        let (first, second) = if detailed {
            (old.status_message.clone(), new.status_message)
        } else {
            (new.status_message, old.status_message.clone())
        };
        new.status_message = first.or(second);
        keep(&mut new.idle_checks, &old.idle_checks, Vec::is_empty);
        let nothing = crate::model::resources::ResourceSlots::default();
        keep(&mut new.occupied_slots, &old.occupied_slots, |slots| {
            *slots == nothing
        });
    }
    merge_complete(old, new)
}

/// Merges complete data. Only the ends of idle checks and the terms of a batch session are kept:
/// the terms never change, and managers don't always report them.
pub(super) fn merge_complete(old: &Session, mut new: Session) -> Session {
    new.starts_at = new.starts_at.or(old.starts_at);
    new.timeout = new.timeout.or(old.timeout);
    for check in &mut new.idle_checks {
        let known = old
            .idle_checks
            .iter()
            .find(|known| is_same_clock(known, check));
        if let Some(known) = known {
            check.state = known.state;
        }
    }
    new
}

fn is_same_clock(known: &IdleCheck, check: &IdleCheck) -> bool {
    let (IdleState::Counting { until: old }, IdleState::Counting { until: new }) =
        (known.state, check.state)
    else {
        return false;
    };
    known.checker == check.checker
        && known.basis == check.basis
        && new.duration_since(old).abs() < JITTER
}

fn keep<T: Clone>(new: &mut T, old: &T, is_missing: impl Fn(&T) -> bool) {
    if is_missing(new) {
        new.clone_from(old);
    }
}

fn complete(kernel: &mut Kernel, known: &Kernel) {
    let Kernel {
        container_id,
        exit_code,
        started_at,
        terminated_at,
        agent,
        ..
    } = kernel;
    *container_id = container_id.take().or_else(|| known.container_id.clone());
    *exit_code = exit_code.or(known.exit_code);
    *started_at = started_at.or(known.started_at);
    *terminated_at = terminated_at.or(known.terminated_at);
    *agent = agent.take().or_else(|| known.agent.clone());
}

fn place(new: &mut Placement, old: &Placement, same_status: bool) {
    new.project = new.project.take().or_else(|| old.project.clone());
    new.resource_group = new
        .resource_group
        .take()
        .or_else(|| old.resource_group.clone());
    keep(&mut new.agents, &old.agents, Vec::is_empty);
    new.priority = new.priority.or(old.priority);
    new.tag = new.tag.take().or_else(|| old.tag.clone());
    if new.cluster_size == 0 {
        new.cluster_size = old.cluster_size;
        new.cluster_mode = old.cluster_mode;
    }
    if same_status {
        new.queue_position = new.queue_position.or(old.queue_position);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        model::idle::IdleChecker,
        observer::testing::{at, session},
    };

    fn clock(until: i64) -> IdleCheck {
        let until = at(until);
        IdleCheck::new(IdleChecker::NetworkTimeout, IdleState::Counting { until })
    }

    #[test]
    fn what_only_the_whole_session_reports_is_not_lost_by_a_list() {
        let mut whole = session(1, "RUNNING");
        whole.folders = vec!["data".into()];
        whole.status_message = Some("why".into());
        whole.idle_checks = vec![clock(100)];
        whole.started_at = Some(at(7));
        let mut row = session(1, "RUNNING");
        row.status_message = Some("less".into());
        row.started_at = Some(at(5));
        assert_eq!(merge_listed(&whole, true, row), whole);
        whole.starts_at = Some(at(3));
        whole.timeout = Some(crate::model::span::Span(60));
        assert_eq!(
            merge_listed(&whole, true, session(1, "RUNNING")).starts_at,
            Some(at(3))
        );
        assert_eq!(
            merge_complete(&whole, session(1, "RUNNING")).timeout,
            whole.timeout
        );
        let ended = merge_listed(&whole, true, session(1, "TERMINATED"));
        assert_eq!(ended.folders, whole.folders);
        assert_eq!(ended.status_message, None, "that was why it was RUNNING");
        assert!(ended.idle_checks.is_empty());
    }

    #[test]
    fn an_idle_time_that_jitters_stays_and_one_that_moves_is_published() {
        let mut old = session(1, "RUNNING");
        old.idle_checks = vec![clock(100)];
        for (until, expected) in [(90, 100), (114, 100), (85, 85), (115, 115), (700, 700)] {
            let mut new = session(1, "RUNNING");
            new.idle_checks = vec![clock(until)];
            assert_eq!(
                merge_listed(&old, false, new).idle_checks,
                [clock(expected)]
            );
        }
    }
}
