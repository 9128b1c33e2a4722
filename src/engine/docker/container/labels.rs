//! Writes and reads the labels of containers.

use std::collections::HashMap;

use jiff::Timestamp;

use super::{cores, planned::PlannedContainer};
use crate::engine::docker::accelerator::devices;
use crate::{
    engine::api::{CreatePlan, Recorded},
    model::{
        app_definition::AppDefinition,
        id::{InstanceId, KernelId, SessionId},
        image,
        resources::ResourceSlots,
        service::Service,
        spec::LaunchSpec,
        text::Clean,
    },
    rules::launch::check_recorded,
};

/// Label names of Backend.AI.
pub(in crate::engine::docker) const SESSION: &str = "ai.backend.session-id";
pub(in crate::engine::docker) const KERNEL: &str = "ai.backend.kernel-id";
pub(in crate::engine::docker) const OWNER: &str = "ai.backend.owner";
const OWNER_USER: &str = "ai.backend.owner-user-id";

/// Label names of workbay.
pub(in crate::engine::docker) const INSTANCE: &str = "workbay.instance";
const NAME: &str = "workbay.name";
const CREATED: &str = "workbay.created-at";
const SPEC: &str = "workbay.spec";
pub(in crate::engine::docker) const CORES: &str = "workbay.cores";
/// Numbers of the whole devices of a container.
pub(in crate::engine::docker) const DEVICES: &str = "workbay.devices";
pub(in crate::engine::docker) const TOOLBOX: &str = "workbay.toolbox";
/// On a user's network: the name of its bridge.
pub(in crate::engine::docker) const NETWORK: &str = "workbay.network";
/// The role of a container (`main` or `sub`), and its number within that role.
const CLUSTER_ROLE: &str = "workbay.cluster-role";
const CLUSTER_NUMBER: &str = "workbay.cluster-idx";
/// On everything that workbay creates in an engine, images too.
pub(in crate::engine::docker) const OURS: &str = "workbay";

/// A container's or an event's labels.
pub(in crate::engine::docker) type Labels = HashMap<String, String>;

/// The resources chosen for one container.
#[derive(Clone, Debug, Default)]
pub(in crate::engine::docker) struct AssignedResources {
    /// `0,2`; `None` = its share of all cores.
    pub(in crate::engine::docker) cores: Option<String>,
    pub(in crate::engine::docker) devices: devices::ChosenDevices,
    pub(in crate::engine::docker) services: Vec<Service>,
}

/// The labels of a new container. They include the whole launch, so that a lost state database can be rebuilt
/// from the engine.
pub(in crate::engine::docker) fn of_plan(
    plan: &CreatePlan,
    planned: PlannedContainer,
    instance: InstanceId,
    given: &AssignedResources,
    toolbox: &str,
) -> Result<Labels, serde_json::Error> {
    let mut labels: Labels = [
        (OURS, "1".to_owned()),
        (INSTANCE, instance.to_string()),
        (SESSION, plan.session.to_string()),
        (KERNEL, planned.kernel.to_string()),
        (OWNER, plan.owner.clone()),
        (OWNER_USER, plan.owner.clone()),
        (image::SERVICE_PORTS, image::services_label(&given.services)),
        (CLUSTER_ROLE, planned.role().to_owned()),
        (CLUSTER_NUMBER, planned.number().to_string()),
        (NAME, plan.name.clone()),
        (CREATED, plan.created_at.to_string()),
        (SPEC, serde_json::to_string(&plan.spec)?),
        (TOOLBOX, toolbox.to_owned()),
    ]
    .map(|(key, value)| (key.to_owned(), value))
    .into();
    if let Some(cores) = &given.cores {
        labels.insert(CORES.to_owned(), cores.clone());
    }
    if !given.devices.whole.is_empty() {
        labels.insert(DEVICES.to_owned(), cores::list(&given.devices.whole));
    }
    Ok(labels)
}

/// The number of the container in its session; 0 = the main one.
pub(in crate::engine::docker) fn place(labels: &Labels) -> u32 {
    let number = labels.get(CLUSTER_NUMBER).and_then(|n| n.parse().ok());
    match labels.get(CLUSTER_ROLE).map(String::as_str) {
        Some("sub") => number.unwrap_or(1).max(1),
        // Earlier versions created single containers without a role.
        _ => 0,
    }
}

/// The session and kernel of a container; `None` when it isn't a session's container of `instance`.
pub(in crate::engine::docker) fn identity(
    labels: &Labels,
    instance: InstanceId,
) -> Option<(SessionId, KernelId)> {
    if !is_of(labels, instance) {
        return None;
    }
    let session = labels.get(SESSION)?.parse().ok()?;
    let kernel = labels.get(KERNEL)?.parse().ok()?;
    Some((session, kernel))
}

/// Whether `instance` created it.
pub(in crate::engine::docker) fn is_of(labels: &Labels, instance: InstanceId) -> bool {
    labels
        .get(INSTANCE)
        .is_some_and(|made_by| *made_by == instance.to_string())
}

/// The launch in the labels; `None` when they aren't workbay's or are damaged.
pub(in crate::engine::docker) fn recorded(labels: &Labels) -> Option<Recorded> {
    Some(Recorded {
        name: Clean::new(labels.get(NAME)?),
        created_at: labels.get(CREATED)?.parse::<Timestamp>().ok()?,
        owner: Clean::new(labels.get(OWNER)?),
        spec: spec(labels)?,
    })
}

/// The resources that a container of any instance uses.
pub(in crate::engine::docker) fn slots(labels: &Labels) -> Option<ResourceSlots> {
    spec(labels).map(|spec| spec.slots())
}

/// The apps that the environment catalog defines for the session.
pub(in crate::engine::docker) fn apps(labels: &Labels) -> Vec<AppDefinition> {
    spec(labels).map(|spec| spec.apps).unwrap_or_default()
}

/// Every user of the engine can write labels, so a launch that workbay wouldn't accept counts as damaged.
fn spec(labels: &Labels) -> Option<LaunchSpec> {
    let spec: LaunchSpec = serde_json::from_str(labels.get(SPEC)?).ok()?;
    check_recorded(&spec).is_ok().then_some(spec)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{
        environment::EnvironmentSource,
        resources::{Bytes, Cpu},
        spec::Mounted,
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

    fn main(plan: &CreatePlan) -> PlannedContainer {
        PlannedContainer::all(plan)[0]
    }

    #[test]
    fn the_containers_of_a_cluster_are_distinguished_and_count_once_each() {
        let mut plan = plan();
        plan.subs = vec![KernelId::from_u128(3), KernelId::from_u128(4)];
        plan.spec.cluster_size = 3;
        plan.spec.accelerators = [("cuda.device".to_owned(), 1000)].into();
        let instance = InstanceId::from_u128(9);
        let mut given = AssignedResources::default();
        given.devices.whole = vec![1, 3];
        for (place, planned) in PlannedContainer::all(&plan).into_iter().enumerate() {
            let labels = of_plan(&plan, planned, instance, &given, "abc").unwrap();
            assert_eq!(super::place(&labels) as usize, place);
            assert_eq!(identity(&labels, instance).unwrap().1, planned.kernel);
            assert_eq!(labels[DEVICES], "1,3");
            assert_eq!(slots(&labels).unwrap(), plan.spec.slots());
        }
    }

    #[test]
    fn a_secret_is_on_no_label() {
        let mut plan = plan();
        plan.spec.secret_names = vec!["API_TOKEN".into()];
        plan.secrets = [("API_TOKEN".to_owned(), "hush".to_owned().into())].into();
        let given = AssignedResources::default();
        let labels = of_plan(&plan, main(&plan), InstanceId::from_u128(9), &given, "x").unwrap();
        assert!(labels.values().all(|value| !value.contains("hush")));
        assert!(
            recorded(&labels)
                .unwrap()
                .spec
                .secret_names
                .contains(&"API_TOKEN".to_owned())
        );
    }

    #[test]
    fn a_launch_reads_back_from_its_labels() {
        let plan = plan();
        let instance = InstanceId::from_u128(9);
        let given = AssignedResources {
            cores: Some("0,1".into()),
            ..AssignedResources::default()
        };
        let labels = of_plan(&plan, main(&plan), instance, &given, "abc").unwrap();
        assert_eq!((place(&labels), labels[CORES].as_str()), (0, "0,1"));
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
    fn hostile_labels_are_damaged_ones() {
        let (plan, given) = (plan(), AssignedResources::default());
        let instance = InstanceId::from_u128(9);
        let labels = of_plan(&plan, main(&plan), instance, &given, "abc").unwrap();
        let hostile: &[fn(&mut LaunchSpec)] = &[
            |s| drop(s.env.insert("A=B".into(), "x".into())),
            |s| s.secret_names.push("A\nB".into()),
            |s| s.cluster_size = u32::MAX,
            |s| s.apps.push(AppDefinition::of("../x")),
            |s| s.mem = Bytes(u64::MAX),
            |s| {
                s.mounts.push(Mounted {
                    folder: "../../etc".into(),
                    target: "/srv".into(),
                    read_only: false,
                });
            },
        ];
        for change in hostile {
            let (mut labels, mut spec) = (labels.clone(), plan.spec.clone());
            change(&mut spec);
            labels.insert(SPEC.to_owned(), serde_json::to_string(&spec).unwrap());
            assert_eq!(
                (recorded(&labels), slots(&labels)),
                (None, None),
                "{spec:?}"
            );
        }
        for (label, text) in [(SPEC, "{}"), (SPEC, "\u{1b}[2J"), (CREATED, "soon")] {
            let mut labels = labels.clone();
            labels.insert(label.to_owned(), text.to_owned());
            assert_eq!(recorded(&labels), None, "{label}: {text:?}");
        }
        for place in ["-1", "99999999999", "../1"] {
            let mut labels = labels.clone();
            labels.insert(CLUSTER_ROLE.to_owned(), "sub".to_owned());
            labels.insert(CLUSTER_NUMBER.to_owned(), place.to_owned());
            assert_eq!(super::place(&labels), 1, "{place}");
        }
    }

    #[test]
    fn another_instances_container_is_nobody_to_us() {
        let (plan, given) = (plan(), AssignedResources::default());
        let made_by = InstanceId::from_u128(9);
        let labels = of_plan(&plan, main(&plan), made_by, &given, "abc").unwrap();
        assert_eq!(identity(&labels, InstanceId::from_u128(8)), None);
        assert!(slots(&labels).is_some());
    }

    #[test]
    fn fuzz_labels() {
        let plan = plan();
        let made_by = InstanceId::from_u128(9);
        let real = of_plan(
            &plan,
            main(&plan),
            made_by,
            &AssignedResources::default(),
            "abc",
        )
        .unwrap();
        let real = serde_json::to_vec(&real).unwrap();
        crate::fuzz::parser("labels", &[&real], |bytes, _| {
            let Ok(labels) = serde_json::from_slice::<Labels>(bytes) else {
                return;
            };
            let made_by = labels.get(INSTANCE).and_then(|id| id.parse().ok());
            let instance = made_by.unwrap_or(InstanceId::from_u128(1));
            let read = (
                place(&labels),
                identity(&labels, instance),
                recorded(&labels),
                slots(&labels),
                labels.get(CORES).map(|list| cores::parse(list)),
                labels
                    .get(image::SERVICE_PORTS)
                    .map(|it| image::services(it)),
            );
            crate::fuzz::bounded(bytes, &read);
            if let Some(spec) = spec(&labels) {
                let written = serde_json::to_string(&spec).unwrap();
                let again: LaunchSpec = serde_json::from_str(&written).unwrap();
                assert_eq!(again, spec);
            }
        });
    }
}
