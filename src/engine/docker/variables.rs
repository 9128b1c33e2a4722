//! The environment variables of a session, named as in Backend.AI.

use std::collections::BTreeMap;

use crate::{
    engine::api::CreatePlan,
    model::{inside, resources::Cpu},
};

/// Where programs are when an image does not say.
const USUAL_PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// Numerical libraries count the machine's cores, not the session's, unless they are told.
const CORE_COUNTS: [&str; 3] = ["NPROC", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"];

/// Label of an image that names more such variables, separated by commas.
pub(super) const CORE_COUNT_LABEL: &str = "ai.backend.envs.corecount";

/// `NAME=value` of everything the session is given. What the person asked for wins.
pub(super) fn of_plan(
    plan: &CreatePlan,
    user: (u32, u32),
    image: &[String],
    core_count_names: Option<&str>,
) -> Vec<String> {
    let path = image
        .iter()
        .find_map(|one| one.strip_prefix("PATH="))
        .unwrap_or(USUAL_PATH);
    let spec = &plan.spec;
    let mut all: BTreeMap<String, String> = [
        ("BACKENDAI_SESSION_ID", plan.session.to_string()),
        ("BACKENDAI_SESSION_NAME", plan.name.clone()),
        ("BACKENDAI_KERNEL_ID", plan.kernel.to_string()),
        ("BACKENDAI_KERNEL_IMAGE", spec.environment_label.clone()),
        ("BACKENDAI_USER_NAME", plan.owner.clone()),
        ("BACKENDAI_CLUSTER_SIZE", "1".to_owned()),
        ("BACKENDAI_CLUSTER_REPLICAS", "main:1".to_owned()),
        ("BACKENDAI_CLUSTER_HOSTS", inside::MAIN_HOST.to_owned()),
        ("BACKENDAI_CLUSTER_HOST", inside::MAIN_HOST.to_owned()),
        ("BACKENDAI_CLUSTER_ROLE", "main".to_owned()),
        ("BACKENDAI_CLUSTER_IDX", "1".to_owned()),
        ("BACKENDAI_CLUSTER_LOCAL_RANK", "0".to_owned()),
        ("LOCAL_USER_ID", user.0.to_string()),
        ("LOCAL_GROUP_ID", user.1.to_string()),
        ("HOME", inside::HOME.to_owned()),
        ("USER", "work".to_owned()),
        ("LOGNAME", "work".to_owned()),
        ("LANG", "C.UTF-8".to_owned()),
        ("TERM", "xterm".to_owned()),
        ("PATH", format!("{path}:{}/path", inside::TOOLBOX)),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into();
    let more = core_count_names
        .unwrap_or_default()
        .split(',')
        .map(str::trim);
    for name in CORE_COUNTS
        .into_iter()
        .chain(more.filter(|name| !name.is_empty()))
    {
        all.insert(name.to_owned(), whole_cores(spec.cpu).to_string());
    }
    all.extend(
        spec.env
            .iter()
            .map(|(name, value)| (name.clone(), value.clone())),
    );
    all.into_iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect()
}

/// Half a core still runs one thread.
fn whole_cores(cpu: Cpu) -> u64 {
    cpu.millis().div_ceil(1000).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn part_of_a_core_counts_as_one() {
        for (millis, cores) in [(10, 1), (500, 1), (1000, 1), (1001, 2), (2500, 3)] {
            assert_eq!(whole_cores(Cpu::from_millis(millis)), cores);
        }
    }
}
