//! What we write on every container, and how it is read back.

use std::collections::HashMap;

use jiff::Timestamp;

use crate::{
    engine::api::{CreatePlan, Recorded},
    model::{
        id::{InstanceId, KernelId, SessionId},
        resources::ResourceSlots,
        spec::LaunchSpec,
        text::Clean,
    },
};

/// Names of Backend.AI.
pub(super) const SESSION: &str = "ai.backend.session-id";
pub(super) const KERNEL: &str = "ai.backend.kernel-id";
pub(super) const OWNER: &str = "ai.backend.owner";
const OWNER_USER: &str = "ai.backend.owner-user-id";
const SERVICE_PORTS: &str = "ai.backend.service-ports";

/// Names of ours.
pub(super) const INSTANCE: &str = "workbay.instance";
const NAME: &str = "workbay.name";
const CREATED: &str = "workbay.created-at";
const SPEC: &str = "workbay.spec";
pub(super) const CORES: &str = "workbay.cores";
pub(super) const TOOLBOX: &str = "workbay.toolbox";
/// On everything we make in an engine, images too.
pub(super) const OURS: &str = "workbay";

/// A container's or an event's labels.
pub(super) type Labels = HashMap<String, String>;

/// The labels of a new session's container. The whole launch is among them, so that a store that was
/// lost can be rebuilt from the engine.
pub(super) fn of_plan(
    plan: &CreatePlan,
    instance: InstanceId,
    cores: Option<&str>,
    toolbox: &str,
) -> Result<Labels, serde_json::Error> {
    let mut labels: Labels = [
        (OURS, "1".to_owned()),
        (INSTANCE, instance.to_string()),
        (SESSION, plan.session.to_string()),
        (KERNEL, plan.kernel.to_string()),
        (OWNER, plan.owner.clone()),
        (OWNER_USER, plan.owner.clone()),
        (SERVICE_PORTS, String::new()),
        (NAME, plan.name.clone()),
        (CREATED, plan.created_at.to_string()),
        (SPEC, serde_json::to_string(&plan.spec)?),
        (TOOLBOX, toolbox.to_owned()),
    ]
    .map(|(key, value)| (key.to_owned(), value))
    .into();
    if let Some(cores) = cores {
        labels.insert(CORES.to_owned(), cores.to_owned());
    }
    Ok(labels)
}

/// The session and kernel a container belongs to; `None` when it is no session of `instance`.
pub(super) fn identity(labels: &Labels, instance: InstanceId) -> Option<(SessionId, KernelId)> {
    if !is_of(labels, instance) {
        return None;
    }
    let session = labels.get(SESSION)?.parse().ok()?;
    let kernel = labels.get(KERNEL)?.parse().ok()?;
    Some((session, kernel))
}

/// Whether `instance` made it.
pub(super) fn is_of(labels: &Labels, instance: InstanceId) -> bool {
    labels
        .get(INSTANCE)
        .is_some_and(|made_by| *made_by == instance.to_string())
}

/// What the labels tell about the launch; `None` when they were not ours or are damaged.
pub(super) fn recorded(labels: &Labels) -> Option<Recorded> {
    Some(Recorded {
        name: Clean::new(labels.get(NAME)?),
        created_at: labels.get(CREATED)?.parse::<Timestamp>().ok()?,
        owner: Clean::new(labels.get(OWNER)?),
        spec: spec(labels)?,
    })
}

/// What a container of any instance holds of the machine.
pub(super) fn slots(labels: &Labels) -> Option<ResourceSlots> {
    spec(labels).map(|spec| ResourceSlots::new(spec.cpu, spec.mem))
}

fn spec(labels: &Labels) -> Option<LaunchSpec> {
    serde_json::from_str(labels.get(SPEC)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{
        environment::EnvironmentSource,
        resources::{Bytes, Cpu},
    };

    fn plan() -> CreatePlan {
        CreatePlan {
            session: SessionId::from_u128(1),
            kernel: KernelId::from_u128(2),
            name: "first".into(),
            owner: "kim".into(),
            created_at: "2026-01-02T03:04:05.5Z".parse().unwrap(),
            spec: LaunchSpec {
                env: [("A".to_owned(), "한글 \"x\"".to_owned())].into(),
                ..LaunchSpec::new(
                    EnvironmentSource::Host,
                    "host:debian-12".into(),
                    Cpu::from_millis(500),
                    Bytes::mib(64),
                    Bytes::mib(16),
                )
            },
            pids: 64,
            subs: Vec::new(),
            secrets: std::collections::BTreeMap::new(),
        }
    }

    #[test]
    fn a_launch_reads_back_from_its_labels() {
        let plan = plan();
        let instance = InstanceId::from_u128(9);
        let labels = of_plan(&plan, instance, Some("0,1"), "abc").unwrap();
        assert_eq!(
            identity(&labels, instance),
            Some((plan.session, plan.kernel))
        );
        let back = recorded(&labels).unwrap();
        assert_eq!(back.spec, plan.spec);
        assert_eq!(back.created_at, plan.created_at);
        assert_eq!((back.name.as_str(), back.owner.as_str()), ("first", "kim"));
        assert_eq!(slots(&labels).unwrap().mem, Bytes::mib(64));
    }

    #[test]
    fn another_instances_container_is_nobody_to_us() {
        let labels = of_plan(&plan(), InstanceId::from_u128(9), None, "abc").unwrap();
        assert_eq!(identity(&labels, InstanceId::from_u128(8)), None);
        assert!(slots(&labels).is_some());
    }
}
