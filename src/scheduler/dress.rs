//! Fills in a session from its spec, at the launch and when it is found by its labels.

use crate::model::{
    id::KernelId,
    kernel::Kernel,
    session::{ClusterMode, Session},
    spec::LaunchSpec,
    status::Status,
    text::Clean,
};

/// Fills in everything that follows from the spec. `subs` are the other containers of a cluster
/// session.
pub(super) fn dress(session: &mut Session, spec: &LaunchSpec, main: KernelId, subs: &[KernelId]) {
    session.session_type = spec.session_type;
    session.requested_slots = spec.total_slots();
    session.shmem = spec.shmem;
    session.disk_limit = spec.disk;
    session.startup_command = spec.startup_command.as_deref().map(shown_command);
    session.starts_at = spec.starts_at;
    session.timeout = spec.timeout;
    let stop_hook = spec.stop_hook.as_ref();
    session.stop_hook = stop_hook.map(|hook| shown_command(&hook.to_string()));
    session.preopen_ports.clone_from(&spec.preopen_ports);
    let folders = spec.mounts.iter().map(|mount| Clean::new(&mount.folder));
    session.folders = folders.collect();
    session.mounts.clone_from(&spec.mounts);
    let placement = &mut session.placement;
    placement.resource_group = Some(Clean::new(&spec.resource_group));
    placement.priority = Some(spec.priority);
    placement.cluster_mode = ClusterMode::SingleNode;
    placement.cluster_size = spec.cluster_size;
    session.kernels = kernels(main, subs, &session.status);
}

/// `main1`, `sub1`, `sub2`, …
fn kernels(main: KernelId, subs: &[KernelId], status: &Status) -> Vec<Kernel> {
    let subs = subs
        .iter()
        .zip(1..)
        .map(|(id, n): (_, u32)| (*id, Clean::new(&format!("sub{n}"))));
    let all = std::iter::once((main, Clean::new("main1"))).chain(subs);
    all.map(|(id, hostname)| Kernel::new(id, hostname, status.clone()))
        .collect()
}

/// How much of a command lists show. The record has all of it.
const SHOWN_COMMAND: usize = 1024;

fn shown_command(command: &str) -> Clean {
    match command.char_indices().nth(SHOWN_COMMAND) {
        Some((end, _)) => Clean::new(&format!("{}…", &command[..end])),
        None => Clean::new(command),
    }
}
