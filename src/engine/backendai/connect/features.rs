//! What a manager of a version can do. The one place where versions are compared.

use super::version::Version;

/// Version-bound differences; each says since (or until) when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine::backendai) struct Features {
    /// Lists take `scope_id`, image nodes tell their parts, idle checks stand in nodes (24.12).
    /// Before that a project must be named.
    pub(in crate::engine::backendai) scope_id: bool,
    /// `vfolder_mounts` of a node is filled (25.3, 24.09.8).
    pub(in crate::engine::backendai) vfolder_mounts: bool,
    /// A batch session that is ended by a timeout (24.12).
    pub(in crate::engine::backendai) batch_timeout: bool,
    /// A machine chosen by the person (24.09.1).
    pub(in crate::engine::backendai) agent_choice: bool,
    /// Presets of one resource group (25.4).
    pub(in crate::engine::backendai) bound_presets: bool,
    /// How large a container of a resource group can be, and the smallest share of a GPU (25.6).
    pub(in crate::engine::backendai) group_facts: bool,
    /// The timeout of a batch session is told (26.3).
    pub(in crate::engine::backendai) tells_timeout: bool,
    /// Variables and the bootstrap script of a session are told (26.3).
    pub(in crate::engine::backendai) tells_runtime: bool,
    /// Folders of a session as nodes, image references (25.4).
    pub(in crate::engine::backendai) vfolder_nodes: bool,
    /// `owner` and `queue_position` of a session (25.13).
    pub(in crate::engine::backendai) owner: bool,
    /// Scheduling histories an owner may read (26.2).
    pub(in crate::engine::backendai) scheduling_history: bool,
    /// A session that did not start bears no reason, or one of its kernels (26.2).
    pub(in crate::engine::backendai) tells_failed_starts: bool,
    /// Sessions may be held back, reserved, preempted and scheduled anew (26.8).
    pub(in crate::engine::backendai) preemption: bool,
}

/// The oldest manager whose lists we speak.
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
            tells_timeout: since(26, 3),
            tells_runtime: since(26, 3),
            vfolder_nodes: since(25, 4),
            owner: since(25, 13),
            scheduling_history: since(26, 2),
            tells_failed_starts: since(26, 2),
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
        assert!(of("25.6.15").group_facts && !of("25.6.15").tells_timeout);
        assert!(!of("24.12.1").vfolder_mounts);
        assert!(of("24.12.1").scope_id);
        assert!(of("25.6.15").vfolder_nodes && !of("25.6.15").owner);
        assert!(of("25.15.12").owner && !of("25.15.12").scheduling_history);
        assert!(of("26.4.16").scheduling_history && !of("26.4.16").preemption);
        assert!(of("26.9.6").preemption);
    }
}
