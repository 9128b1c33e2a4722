//! What a manager of a given version can do. Versions are compared only in this file.

use super::version::Version;

/// Differences between versions. Each comment names the first (or last) version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine::backendai) struct Features {
    /// Lists take `scope_id`, image nodes have separate fields for their parts, nodes have idle
    /// checks (24.12). Older managers need a project.
    pub(in crate::engine::backendai) scope_id: bool,
    /// `vfolder_mounts` of a node is filled (25.3, 24.09.8).
    pub(in crate::engine::backendai) vfolder_mounts: bool,
    /// Batch sessions can have a timeout (24.12).
    pub(in crate::engine::backendai) batch_timeout: bool,
    /// The user can choose an agent (24.09.1).
    pub(in crate::engine::backendai) agent_choice: bool,
    /// Presets can belong to one resource group (25.4).
    pub(in crate::engine::backendai) bound_presets: bool,
    /// Reports how large a container of a resource group can be, and the smallest share of a GPU
    /// (25.6).
    pub(in crate::engine::backendai) group_facts: bool,
    /// Reports the timeout of a batch session (26.3).
    pub(in crate::engine::backendai) reports_timeout: bool,
    /// Reports the variables and the bootstrap script of a session (26.3).
    pub(in crate::engine::backendai) reports_runtime: bool,
    /// Has nodes for the folders of a session, and image references (25.4).
    pub(in crate::engine::backendai) vfolder_nodes: bool,
    /// Has `owner` and `queue_position` of a session (25.13).
    pub(in crate::engine::backendai) owner: bool,
    /// Owners may read scheduling histories (26.2).
    pub(in crate::engine::backendai) scheduling_history: bool,
    /// A session that failed to start never counts as running; it has no reason, or only one of its kernels has one
    /// (26.8).
    pub(in crate::engine::backendai) reports_failed_starts: bool,
    /// An administrator can launch sessions for other users. 25.13 to 25.19 fail with an internal error.
    pub(in crate::engine::backendai) launches_for_others: bool,
    /// Streams count for the network idle check (26.8). Older managers note their use under another id, or not at all.
    pub(in crate::engine::backendai) counts_streams: bool,
    /// Refuses changes in a folder that is shared read-only. Managers of 26.3 to 26.7 accept them (seen on 26.4.16).
    pub(in crate::engine::backendai) protects_shares: bool,
    /// Finds the port that a connection to a service names (26.3). Older managers compare it as text with numbers.
    pub(in crate::engine::backendai) takes_port: bool,
    /// Sessions can be deprioritized, reserved, preempted and rescheduled (26.8).
    pub(in crate::engine::backendai) preemption: bool,
}

/// The oldest supported manager.
pub(in crate::engine::backendai) const OLDEST: Version = Version(24, 9, 0);

impl Features {
    pub(in crate::engine::backendai) fn of(version: Version) -> Self {
        let since = |major, minor| version >= Version(major, minor, 0);
        let mounts_2409 = version >= Version(24, 9, 8) && version < Version(24, 10, 0);
        Self {
            scope_id: since(24, 12),
            vfolder_mounts: since(25, 3) || mounts_2409,
            batch_timeout: since(24, 12),
            agent_choice: version >= Version(24, 9, 1),
            bound_presets: since(25, 4),
            group_facts: since(25, 6),
            reports_timeout: since(26, 3),
            reports_runtime: since(26, 3),
            vfolder_nodes: since(25, 4),
            owner: since(25, 13),
            scheduling_history: since(26, 2),
            reports_failed_starts: since(26, 8),
            launches_for_others: !since(25, 13) || since(26, 1),
            counts_streams: since(26, 8),
            protects_shares: !since(26, 3) || since(26, 8),
            takes_port: since(26, 3),
            preemption: since(26, 8),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_release_line() {
        let of = |text: &str| Features::of(Version::read(text));
        assert!(!of("24.09.12").scope_id);
        assert!(of("24.09.12").vfolder_mounts);
        assert!(!of("24.09.12").batch_timeout && of("24.12.1").batch_timeout);
        assert!(!of("24.09.0").agent_choice && of("24.09.1").agent_choice);
        assert!(of("25.4.1").bound_presets && !of("25.4.1").group_facts);
        assert!(of("25.6.15").group_facts && !of("25.6.15").reports_timeout);
        assert!(!of("24.12.1").vfolder_mounts);
        assert!(of("24.12.1").scope_id);
        assert!(of("25.6.15").vfolder_nodes && !of("25.6.15").owner);
        assert!(of("25.15.12").owner && !of("25.15.12").scheduling_history);
        assert!(of("26.4.16").scheduling_history && !of("26.4.16").preemption);
        assert!(of("26.9.6").preemption);
        assert!(!of("26.4.16").protects_shares && of("25.15.12").protects_shares);
        assert!(!of("26.2.5").takes_port && of("26.3.3").takes_port);
        for (version, can) in [("25.12.1", true), ("25.15.12", false), ("26.4.16", true)] {
            assert_eq!(of(version).launches_for_others, can, "{version}");
        }
    }
}
