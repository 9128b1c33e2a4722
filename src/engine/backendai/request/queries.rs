//! The GraphQL queries for the version of a manager. One unknown field makes a whole query fail.
//! Pure.

use std::fmt::Write as _;

use crate::engine::backendai::connect::features::Features;

/// The fields of the list. More expensive ones (kernels, usage, folders) are read for one session
/// only.
const ROW: &str = "id row_id name type status status_info status_data project_id user_id \
                   scaling_group cluster_mode cluster_size priority tag created_at terminated_at \
                   starts_at requested_slots occupied_slots resource_opts agent_ids result \
                   startup_command";

const KERNEL: &str = "row_id cluster_role cluster_idx cluster_hostname status status_info \
                      status_data agent_id container_id starts_at terminated_at preopen_ports";

/// Fields that a query needs besides those of the list.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::engine::backendai) struct ExtraFields {
    /// The owner. Not needed if all sessions are our own.
    pub(in crate::engine::backendai) owner: bool,
    /// The state of the idle checkers. Ended sessions have none.
    pub(in crate::engine::backendai) idle: bool,
    /// Everything: kernels, services, folders.
    pub(in crate::engine::backendai) all: bool,
}

/// The fields of a session.
pub(in crate::engine::backendai) fn fields(features: Features, extra: ExtraFields) -> String {
    let mut fields = ROW.to_owned();
    let mut add = |wanted: bool, more: &str| {
        if wanted {
            fields.push(' ');
            fields.push_str(more);
        }
    };
    add(extra.owner && features.owner, "owner { email }");
    add(extra.idle && features.scope_id, "idle_checks");
    add(features.owner, "queue_position");
    add(features.vfolder_nodes, "image_references");
    let image = if features.vfolder_nodes {
        ""
    } else {
        " image { name registry tag architecture }"
    };
    if extra.all {
        add(
            true,
            "access_key status_history commit_status service_ports",
        );
        add(
            true,
            &format!("kernel_nodes {{ edges {{ node {{ {KERNEL}{image} }} }} }}"),
        );
        add(
            features.scope_id,
            "dependees { edges { node { row_id name status } } } dependents { edges { node { row_id \
             name status } } }",
        );
        add(
            features.vfolder_nodes,
            "vfolder_nodes { edges { node { name } } }",
        );
        add(
            features.vfolder_mounts && !features.vfolder_nodes,
            "vfolder_mounts",
        );
    } else {
        add(
            !features.vfolder_nodes,
            &format!("kernel_nodes {{ edges {{ node {{ cluster_role{image} }} }} }}"),
        );
    }
    fields
}

/// A page of sessions. Variables: `filter`, `first`, `offset` and the bound's.
pub(in crate::engine::backendai) fn page(
    features: Features,
    bound: SearchScope,
    extra: ExtraFields,
) -> String {
    format!(
        "query({}$first: Int, $offset: Int, $filter: String) {{ compute_session_nodes({}first: \
         $first, offset: $offset, filter: $filter, order: \"-created_at\") {{ count edges {{ node \
         {{ {} }} }} }} }}",
        bound.declared(),
        bound.given(),
        fields(features, extra)
    )
}

/// Some fields of `count` sessions. Variables: `filter` and the bound's.
pub(in crate::engine::backendai) fn some(bound: SearchScope, count: usize, fields: &str) -> String {
    format!(
        "query({}$filter: String) {{ compute_session_nodes({}first: {count}, offset: 0, filter: \
         $filter) {{ edges {{ node {{ {fields} }} }} }} }}",
        bound.declared(),
        bound.given()
    )
}

/// The number of sessions that match each filter, as `t0`, `t1`, …, in one request. Variables:
/// `f0`, `f1`, … and the bound's.
pub(in crate::engine::backendai) fn totals(bound: SearchScope, filters: usize) -> String {
    let (mut variables, mut parts) = (bound.declared().to_owned(), String::new());
    for n in 0..filters {
        // Writing to a string can't fail.
        let _ = write!(variables, "$f{n}: String ");
        let _ = write!(
            parts,
            "t{n}: compute_session_nodes({}first: 0, filter: $f{n}) {{ count }} ",
            bound.given()
        );
    }
    format!("query({}) {{ {}}}", variables.trim_end(), parts)
}

/// The sessions that the manager searches. Without a bound it searches everything that its user may
/// read, which takes seconds with ten thousand sessions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine::backendai) enum SearchScope {
    /// All readable sessions.
    Everything,
    /// The sessions of one user: variable `scope`.
    User,
    /// The sessions of one project, the only bound of managers before 24.12: variable `project`.
    Project,
}

impl SearchScope {
    fn declared(self) -> &'static str {
        match self {
            Self::Everything => "",
            Self::User => "$scope: ScopeField, ",
            Self::Project => "$project: UUID!, ",
        }
    }

    fn given(self) -> &'static str {
        match self {
            Self::Everything => "",
            Self::User => "scope_id: $scope, ",
            Self::Project => "project_id: $project, ",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::backendai::connect::version::Version;

    fn of(version: &str) -> Features {
        Features::of(Version::read(version))
    }

    #[test]
    fn old_managers_are_asked_only_what_they_know() {
        let all = ExtraFields {
            owner: true,
            idle: true,
            all: true,
        };
        let old = page(of("24.09.12"), SearchScope::Project, all);
        for unknown in [
            "scope_id",
            "owner",
            "idle_checks",
            "queue_position",
            "vfolder_nodes",
        ] {
            assert!(!old.contains(unknown), "{unknown}: {old}");
        }
        assert!(old.contains("project_id: $project"), "{old}");
        assert!(
            old.contains("image { name registry tag architecture }"),
            "{old}"
        );
        let new = page(of("26.9.6"), SearchScope::User, all);
        for known in [
            "owner { email }",
            "idle_checks",
            "queue_position",
            "vfolder_nodes",
        ] {
            assert!(new.contains(known), "{known}: {new}");
        }
        assert!(!new.contains("$project"), "{new}");
    }

    #[test]
    fn a_list_asks_for_nothing_dear() {
        let list = fields(of("26.9.6"), ExtraFields::default());
        for dear in ["kernel_nodes", "live_stat", "vfolder", "labels", "owner"] {
            assert!(!list.contains(dear), "{dear}: {list}");
        }
    }

    #[test]
    fn totals_are_one_request() {
        let query = totals(SearchScope::Everything, 2);
        assert_eq!(
            query,
            "query($f0: String $f1: String) { t0: compute_session_nodes(first: 0, filter: $f0) { \
             count } t1: compute_session_nodes(first: 0, filter: $f1) { count } }"
        );
    }
}
