//! Tests every rule of a launch, with requests that pass and requests that fail.

mod choices;
mod environments;
mod request;
mod slots;

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::model::{
    capability::{Capabilities, Capability},
    catalogue::{
        AcceleratorKind, Agent, Catalogue, Limits, Policy, Preset, Project, ResourceGroup,
        SlotLimits,
    },
    environment::{Environment, EnvironmentSource, ImageFacts},
    folder::Folder,
    resources::{Bytes, Cpu, ResourceSlots},
    service::Service,
    session::SessionType,
    span::Span,
    spec::LaunchRequest,
};
use crate::{
    model::launch_field::{FieldProblem, LaunchField},
    rules::launch::{Ground, check},
};

fn now() -> Timestamp {
    "2026-11-22T10:00:00Z".parse().unwrap()
}

fn cores(cores: u64) -> Cpu {
    Cpu::from_millis(cores * 1000)
}

fn gib(n: u64) -> Bytes {
    Bytes(n * Bytes::GIB)
}

/// Slots with `cuda.shares` in thousandths; 0 = none.
fn slots(cpu: u64, mem: u64, shares: u64) -> ResourceSlots {
    let mut slots = ResourceSlots::new(cores(cpu), gib(mem));
    if shares > 0 {
        slots.accelerators.insert("cuda.shares".into(), shares);
    }
    slots
}

fn group(name: &str, all: ResourceSlots) -> ResourceGroup {
    ResourceGroup {
        name: name.into(),
        using: ResourceSlots::default(),
        remaining: all.clone(),
        waiting: Some(0),
        capacity: Some(all),
        free: None,
        free_by_agent: None,
    }
}

fn preset(name: &str, slots: ResourceSlots, only: Option<&str>) -> Preset {
    Preset {
        resource_group: only.map(Into::into),
        ..Preset::new(name, slots)
    }
}

fn folder(name: &str, permission: &str) -> Folder {
    Folder {
        permission: permission.into(),
        ..Folder::own(name, "here")
    }
}

/// Available resources with two groups (only `gpu` has accelerators), limits, presets, folders, a project and
/// an agent.
fn offer() -> Catalogue {
    let kind = |slot: &str| AcceleratorKind {
        slot: slot.to_owned(),
        unit: "fGPU".into(),
        note: None,
        shares_per_device: None,
    };
    Catalogue {
        projects: vec![Project {
            id: "1".into(),
            name: "research".into(),
        }],
        resource_groups: vec![
            group("default", slots(8, 16, 0)),
            group("gpu", slots(4, 8, 5_000)),
        ],
        presets: vec![
            preset("huge", slots(64, 1, 0), None),
            preset("small", slots(1, 2, 0), None),
            preset("train", slots(2, 4, 2_000), Some("gpu")),
        ],
        limits: Limits {
            limits: SlotLimits {
                cpu: Some(cores(6)),
                mem: Some(gib(12)),
                accelerators: BTreeMap::new(),
            },
            ..Limits::default()
        },
        agents: vec![agent("i-1", true), agent("i-2", false)],
        folders: vec![
            folder("data", "rw"),
            folder("lib", "ro"),
            folder(".cache", "rw"),
        ],
        policy: Policy {
            max_containers_per_session: Some(3),
            per_container: SlotLimits {
                cpu: Some(cores(4)),
                mem: Some(gib(8)),
                accelerators: BTreeMap::from([("cuda.shares".to_owned(), 3_000)]),
            },
            max_shmem: Some(gib(2)),
            max_preopen_ports: Some(3),
            ..Policy::default()
        },
        accelerators: vec![kind("cuda.shares"), kind("cuda.device")],
        quanta: BTreeMap::from([("cuda.shares".to_owned(), 500), ("cpu".to_owned(), 500)]),
        ..Catalogue::default()
    }
}

/// An image that needs a whole core and 512 MiB, can use CUDA and serves jupyter.
fn environment() -> Environment {
    Environment {
        name: "python".into(),
        version: "3.12".into(),
        source: EnvironmentSource::Image {
            reference: "python:3.12".into(),
        },
        size: None,
        unavailable: None,
        absent: false,
        facts: ImageFacts {
            minimum: ResourceSlots::new(cores(1), Bytes::mib(512)),
            accelerators: vec!["cuda".into()],
            services: vec![Service {
                name: "jupyter".into(),
                protocol: "http".into(),
                ports: vec![8888],
            }],
            ..ImageFacts::default()
        },
    }
}

fn able() -> Capabilities {
    Capabilities::default()
}

/// An engine without any optional capability.
fn unable() -> Capabilities {
    let all = [
        Capability::MultiNode,
        Capability::AgentChoice,
        Capability::Owners,
        Capability::Folders,
    ];
    Capabilities {
        missing: all.map(|lacks| (lacks, "this engine cannot".into())).into(),
        open_streams_keep_alive: false,
    }
}

type RequestEdit = fn(&mut LaunchRequest);

fn request(change: RequestEdit) -> LaunchRequest {
    let mut request = LaunchRequest::default();
    change(&mut request);
    request
}

fn batch(change: RequestEdit) -> LaunchRequest {
    let mut request = LaunchRequest {
        session_type: SessionType::Batch,
        startup_command: Some("make".into()),
        ..LaunchRequest::default()
    };
    change(&mut request);
    request
}

/// The problems that are found when everything is known.
fn found(request: &LaunchRequest) -> Vec<(LaunchField, String)> {
    let (offer, environment, capabilities) = (offer(), environment(), able());
    let taken = |name: &str| matches!(name, "taken" | "many-2");
    let ground = Ground {
        environment: Some(&environment),
        offer: Some(&offer),
        capabilities: Some(&capabilities),
        taken: Some(&taken),
        ..Ground::at(now())
    };
    reported(check(request, &ground))
}

fn reported(problems: Vec<FieldProblem>) -> Vec<(LaunchField, String)> {
    let problems = problems.into_iter();
    problems.map(|it| (it.field, it.message)).collect()
}

#[track_caller]
fn passes(request: &LaunchRequest) {
    assert_eq!(found(request), [], "{request:?}");
}

/// Asserts that there is exactly one problem, and that its sentence contains these words.
#[track_caller]
fn fails(request: &LaunchRequest, field: LaunchField, words: &str) {
    let found = found(request);
    let [(at, sentence)] = found.as_slice() else {
        panic!("{field:?} '{words}': {found:?} of {request:?}");
    };
    assert_eq!(*at, field, "{sentence}");
    assert!(
        sentence.contains(words),
        "{field:?}: '{sentence}' lacks '{words}'"
    );
}

#[test]
fn problems_come_in_the_order_of_the_fields_and_all_at_once() {
    let wrong = request(|r| {
        r.preopen_ports = vec![80];
        r.name = Some("x".into());
        r.cpu = Some(cores(100));
        r.count = Some(0);
    });
    let fields: Vec<LaunchField> = found(&wrong).into_iter().map(|(field, _)| field).collect();
    assert_eq!(
        fields,
        [
            LaunchField::Name,
            LaunchField::Cpu,
            LaunchField::Count,
            LaunchField::PreopenPorts
        ]
    );
}

#[test]
fn nothing_known_refuses_nothing_that_may_be_right() {
    let bold = request(|r| {
        r.cpu = Some(cores(1000));
        r.mem = Some(gib(1000));
        r.resource_group = Some("anywhere".into());
        r.preset = Some("any".into());
        r.agent = Some("i-9".into());
        r.mounts = vec!["data".parse().unwrap()];
        r.accelerators = BTreeMap::from([("tpu.device".to_owned(), 1000)]);
    });
    assert_eq!(reported(check(&bold, &Ground::at(now()))), []);
}

fn agent(id: &str, schedulable: bool) -> Agent {
    Agent {
        id: id.into(),
        status: "ALIVE".into(),
        resource_group: "default".into(),
        schedulable,
        available: slots(8, 16, 0),
        occupied: ResourceSlots::default(),
        architecture: "x86_64".into(),
    }
}
