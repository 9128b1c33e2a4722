//! Combines a row of the list, which is newer, with a full reading, which has more facts.

use crate::model::{
    resources::ResourceSlots,
    session::{BatchResult, Placement, Session},
};

/// Fills the facts that `row` lacks from `full`, an earlier reading of the same session.
pub fn fill(row: &mut Session, full: &Session) {
    if row.kernels.len() < full.kernels.len() {
        row.kernels.clone_from(&full.kernels);
    }
    if row.status == full.status {
        or(&mut row.status_message, full.status_message.as_ref());
        or(&mut row.status_info, full.status_info.as_ref());
        or_all(&mut row.idle_checks, &full.idle_checks);
        row.commit = full.commit;
    }
    or(&mut row.home, full.home.as_ref());
    or(&mut row.startup_command, full.startup_command.as_ref());
    or_all(&mut row.folders, &full.folders);
    or_all(&mut row.mounts, &full.mounts);
    or_all(&mut row.depends_on, &full.depends_on);
    or_all(&mut row.depended_by, &full.depended_by);
    or_all(&mut row.services, &full.services);
    if row.result == BatchResult::Undefined {
        row.result = full.result;
    }
    if row.occupied_slots == ResourceSlots::default() {
        row.occupied_slots.clone_from(&full.occupied_slots);
    }
    if row.requested_slots == ResourceSlots::default() {
        row.requested_slots.clone_from(&full.requested_slots);
    }
    if row.shmem.0 == 0 {
        row.shmem = full.shmem;
    }
    fill_placement(&mut row.placement, &full.placement);
}

fn fill_placement(row: &mut Placement, full: &Placement) {
    or(&mut row.project, full.project.as_ref());
    or(&mut row.resource_group, full.resource_group.as_ref());
    or(&mut row.priority, full.priority.as_ref());
    or(&mut row.tag, full.tag.as_ref());
    or_all(&mut row.agents, &full.agents);
    if row.cluster_size == 0 {
        row.cluster_size = full.cluster_size;
        row.cluster_mode = full.cluster_mode;
    }
}

fn or<T: Clone>(row: &mut Option<T>, full: Option<&T>) {
    if row.is_none() {
        *row = full.cloned();
    }
}

fn or_all<T: Clone>(row: &mut Vec<T>, full: &[T]) {
    if row.is_empty() {
        full.clone_into(row);
    }
}
