//! The environment variables of a session, named as in Backend.AI.

use std::collections::BTreeMap;

use super::planned::{PlannedContainer, hostname};
use crate::{
    engine::api::CreatePlan,
    model::{image, inside, resources::Cpu, service::Service},
};

/// The search path when an image doesn't set one.
const USUAL_PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// Numerical libraries count the machine's cores, not the session's, unless these variables are set.
const CORE_COUNTS: [&str; 3] = ["NPROC", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"];

/// What else determines a container's variables.
pub(in crate::engine::docker) struct VariableInputs<'a> {
    /// uid and gid inside; `None` = the image's own.
    pub(in crate::engine::docker) user: Option<(u32, u32)>,
    /// The user as the image spells it.
    pub(in crate::engine::docker) users_name: &'a str,
    /// The image's own variables.
    pub(in crate::engine::docker) image: &'a [String],
    /// Names of variables in which the image expects the number of cores, separated by commas.
    pub(in crate::engine::docker) core_counts: Option<&'a str>,
    pub(in crate::engine::docker) services: &'a [Service],
    /// The variables of its accelerators.
    pub(in crate::engine::docker) devices: Vec<(&'static str, String)>,
}

/// `NAME=value` of all variables of a container. The user's values override the others.
pub(in crate::engine::docker) fn of_plan(
    plan: &CreatePlan,
    planned: PlannedContainer,
    around: &VariableInputs<'_>,
) -> Vec<String> {
    let spec = &plan.spec;
    let mut all: BTreeMap<String, String> = BTreeMap::new();
    let mut add = |given: Vec<(&str, String)>| {
        all.extend(
            given
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value)),
        );
    };
    add(of_session(plan, around));
    add(of_cluster(plan, planned));
    add(of_services(plan, around));
    add(around.devices.clone());
    add(core_counts(
        spec.cpu,
        around.core_counts.unwrap_or_default(),
    ));
    all.extend(spec.env.clone());
    let secrets = plan.secrets.iter();
    all.extend(secrets.map(|(name, secret)| (name.clone(), secret.expose().to_owned())));
    move_preloads(&mut all, around.image);
    // Login shells read /etc/profile, which resets PATH. The home directory's own files restore it from here.
    if let Some(path) = all.get("PATH").cloned() {
        all.insert(inside::SESSION_PATH.to_owned(), path);
    }
    all.into_iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect()
}

/// Moves preloaded libraries of the image or the user to other variables, so that the bundled tools don't load them.
fn move_preloads(all: &mut BTreeMap<String, String>, image: &[String]) {
    for (name, elsewhere) in inside::PRELOADS {
        let of_image = image
            .iter()
            .find_map(|one| one.strip_prefix(name)?.strip_prefix('='));
        let value = all.remove(name).or_else(|| of_image.map(str::to_owned));
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            all.insert(name.to_owned(), String::new());
            all.insert(elsewhere.to_owned(), value);
        }
    }
}

fn of_session<'a>(plan: &CreatePlan, around: &VariableInputs<'_>) -> Vec<(&'a str, String)> {
    let path = around
        .image
        .iter()
        .find_map(|one| one.strip_prefix("PATH="))
        .filter(|path| path.split(':').any(|place| place.starts_with('/')))
        .unwrap_or(USUAL_PATH);
    let mut all = vec![
        ("BACKENDAI_SESSION_ID", plan.session.to_string()),
        ("BACKENDAI_SESSION_NAME", plan.name.clone()),
        (
            "BACKENDAI_KERNEL_IMAGE",
            plan.spec.environment_label.clone(),
        ),
        ("BACKENDAI_USER_NAME", plan.owner.clone()),
        ("HOME", inside::HOME.to_owned()),
        ("LANG", "C.UTF-8".to_owned()),
        ("TERM", "xterm".to_owned()),
        ("PATH", format!("{path}:{}/path", inside::TOOLBOX)),
    ];
    let name = match around.user {
        Some((uid, gid)) => {
            all.push(("LOCAL_USER_ID", uid.to_string()));
            all.push(("LOCAL_GROUP_ID", gid.to_string()));
            "work"
        }
        None => name_of(around.users_name),
    };
    all.push(("USER", name.to_owned()));
    all.push(("LOGNAME", name.to_owned()));
    all
}

/// The name part of `user` or `user:group`. A user without a name has its number as the name.
fn name_of(written: &str) -> &str {
    let name = written.split(':').next().unwrap_or_default();
    match name {
        "" | "0" => "root",
        name => name,
    }
}

fn of_cluster<'a>(plan: &CreatePlan, planned: PlannedContainer) -> Vec<(&'a str, String)> {
    let planned_containers = PlannedContainer::all(plan);
    let hosts: Vec<String> = planned_containers
        .iter()
        .map(|one| hostname(one.place))
        .collect();
    let replicas = match plan.subs.len() {
        0 => "main:1".to_owned(),
        subs => format!("main:1,sub:{subs}"),
    };
    vec![
        ("BACKENDAI_KERNEL_ID", planned.kernel.to_string()),
        (
            "BACKENDAI_CLUSTER_SIZE",
            planned_containers.len().to_string(),
        ),
        ("BACKENDAI_CLUSTER_REPLICAS", replicas),
        ("BACKENDAI_CLUSTER_HOSTS", hosts.join(",")),
        ("BACKENDAI_CLUSTER_HOST", planned.hostname()),
        ("BACKENDAI_CLUSTER_ROLE", planned.role().to_owned()),
        ("BACKENDAI_CLUSTER_IDX", planned.number().to_string()),
        ("BACKENDAI_CLUSTER_LOCAL_RANK", planned.place.to_string()),
    ]
}

fn of_services<'a>(plan: &CreatePlan, around: &VariableInputs<'_>) -> Vec<(&'a str, String)> {
    let ports: Vec<String> = around
        .services
        .iter()
        .filter(|service| service.protocol == image::PREOPEN)
        .flat_map(|service| service.ports.iter().map(u16::to_string))
        .collect();
    let folders: Vec<&str> = plan
        .spec
        .mounts
        .iter()
        .map(|mount| mount.target.as_str())
        .collect();
    vec![
        ("BACKENDAI_PREOPEN_PORTS", ports.join(",")),
        (
            "BACKENDAI_SERVICE_PORTS",
            image::services_label(around.services),
        ),
        ("BACKENDAI_PERSISTENT_PATHS", folders.join(",")),
    ]
}

/// The services of a container: the image's services and the requested ports. Only the main container has
/// any.
pub(in crate::engine::docker) fn services(
    plan: &CreatePlan,
    planned: PlannedContainer,
    of_image: &[Service],
) -> Vec<Service> {
    if !planned.is_main() {
        return Vec::new();
    }
    let asked = plan.spec.preopen_ports.iter().map(|port| Service {
        name: port.to_string().as_str().into(),
        protocol: image::PREOPEN.into(),
        ports: vec![*port],
    });
    of_image.iter().cloned().chain(asked).collect()
}

fn core_counts(cpu: Cpu, more: &str) -> Vec<(&str, String)> {
    let more = more.split(',').map(str::trim).filter(|it| !it.is_empty());
    let names = CORE_COUNTS.into_iter().chain(more);
    names
        .map(|name| (name, whole_cores(cpu).to_string()))
        .collect()
}

/// Rounds up: half a CPU still runs one thread.
fn whole_cores(cpu: Cpu) -> u64 {
    cpu.millis().div_ceil(1000).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{
        environment::EnvironmentSource,
        id::{KernelId, SessionId},
        resources::Bytes,
        spec::{LaunchSpec, Mounted},
    };

    fn plan() -> CreatePlan {
        let spec = LaunchSpec::new(
            EnvironmentSource::Host,
            "host:1".into(),
            Cpu::from_millis(1500),
            Bytes::mib(64),
            Bytes::mib(16),
        );
        CreatePlan {
            session: SessionId::from_u128(1),
            kernel: KernelId::from_u128(2),
            name: "first".into(),
            owner: "kim".into(),
            created_at: jiff::Timestamp::UNIX_EPOCH,
            spec,
            pids: 64,
            subs: vec![KernelId::from_u128(3), KernelId::from_u128(4)],
            secrets: BTreeMap::new(),
        }
    }

    fn around(services: &[Service]) -> VariableInputs<'_> {
        VariableInputs {
            user: Some((1000, 1000)),
            users_name: "",
            image: &[],
            core_counts: Some("MKL_NUM_THREADS, "),
            services,
            devices: Vec::new(),
        }
    }

    fn has(all: &[String], wanted: &[&str]) {
        for line in wanted {
            assert!(all.iter().any(|one| one == line), "no {line} in {all:?}");
        }
    }

    #[test]
    fn every_container_knows_its_place() {
        let plan = plan();
        let planned_containers = PlannedContainer::all(&plan);
        let of = |place: usize| of_plan(&plan, planned_containers[place], &around(&[]));
        has(
            &of(0),
            &[
                "BACKENDAI_CLUSTER_SIZE=3",
                "BACKENDAI_CLUSTER_REPLICAS=main:1,sub:2",
                "BACKENDAI_CLUSTER_HOSTS=main1,sub1,sub2",
                "BACKENDAI_CLUSTER_HOST=main1",
                "BACKENDAI_CLUSTER_LOCAL_RANK=0",
                "MKL_NUM_THREADS=2",
                "NPROC=2",
            ],
        );
        has(
            &of(2),
            &[
                "BACKENDAI_CLUSTER_HOST=sub2",
                "BACKENDAI_CLUSTER_ROLE=sub",
                "BACKENDAI_CLUSTER_IDX=2",
                "BACKENDAI_CLUSTER_LOCAL_RANK=2",
                &format!("BACKENDAI_KERNEL_ID={}", KernelId::from_u128(4)),
            ],
        );
    }

    #[test]
    fn ports_and_folders_are_reported_and_the_users_words_win() {
        let mut plan = plan();
        plan.spec.preopen_ports = vec![9000, 9001];
        plan.spec.mounts = vec![Mounted {
            folder: "data".into(),
            target: "/home/work/data".into(),
            read_only: false,
        }];
        plan.spec.env = [("NPROC", "7"), ("TOKEN", "")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into();
        plan.secrets = [("TOKEN".to_owned(), "hush".to_owned().into())].into();
        let jupyter = image::services("jupyter:http:8080");
        let planned_containers = PlannedContainer::all(&plan);
        let offered = services(&plan, planned_containers[0], &jupyter);
        assert!(services(&plan, planned_containers[1], &jupyter).is_empty());
        has(
            &of_plan(&plan, planned_containers[0], &around(&offered)),
            &[
                "BACKENDAI_PREOPEN_PORTS=9000,9001",
                "BACKENDAI_SERVICE_PORTS=jupyter:http:8080,9000:preopen:9000,9001:preopen:9001",
                "BACKENDAI_PERSISTENT_PATHS=/home/work/data",
                "NPROC=7",
                "TOKEN=hush",
            ],
        );
    }

    #[test]
    fn what_is_loaded_into_programs_is_held_for_those_of_the_image() {
        let mut plan = plan();
        let image = ["LD_PRELOAD=/usr/lib/libjemalloc.so.2", "PATH=relative::"].map(str::to_owned);
        let around = VariableInputs {
            image: &image,
            ..around(&[])
        };
        let planned = PlannedContainer::all(&plan)[0];
        let usual = format!("PATH={USUAL_PATH}:/opt/workbay/path");
        let held = "WORKBAY_LD_PRELOAD=/usr/lib/libjemalloc.so.2";
        let kept = usual.replace("PATH=", "WORKBAY_PATH=");
        has(
            &of_plan(&plan, planned, &around),
            &["LD_PRELOAD=", held, &usual, &kept],
        );
        plan.spec.env = [("LD_PRELOAD".to_owned(), "/mine.so".to_owned())].into();
        let mine = "WORKBAY_LD_PRELOAD=/mine.so";
        has(&of_plan(&plan, planned, &around), &["LD_PRELOAD=", mine]);
    }

    #[test]
    fn part_of_a_core_counts_as_one() {
        for (millis, cores) in [(10, 1), (500, 1), (1000, 1), (1001, 2), (2500, 3)] {
            assert_eq!(whole_cores(Cpu::from_millis(millis)), cores);
        }
    }
}
