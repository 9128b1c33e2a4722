//! Several contexts: one of them a cluster that schedules on its own.

use std::collections::BTreeMap;

use jiff::SignedDuration;
use workbay::{
    model::{
        capability::{Capabilities, Capability, EngineInfo, EngineState},
        catalogue::{Catalogue, Project, ResourceGroup, User},
        context::{Context, EngineKind},
        environment::{Environment, EnvironmentRef, EnvironmentSource, ImageFacts},
        history::{HistoryEntry, Outcome, SubStep},
        id::{ContextName, KernelId, SessionKey},
        idle::{IdleBasis, IdleCheck, IdleChecker, IdleResource, IdleState, Join},
        kernel::Kernel,
        resources::{Bytes, Cpu, ResourceSlots},
        service::Service,
        session::{ClusterMode, Placement, Session},
        status::Status,
        text::Clean,
    },
    protocol::message::{ContextState, Snapshot},
};

use crate::{
    screen::noon,
    world::{ago, day, session, snapshot},
};

pub fn name(text: &str) -> ContextName {
    ContextName::new(text).unwrap()
}

pub fn key(context: &str, n: u128) -> SessionKey {
    SessionKey::new(name(context), crate::world::id(n))
}

/// What a Backend.AI manager reports about itself.
pub fn manager() -> EngineState {
    EngineState::Connected {
        info: EngineInfo {
            version: Clean::new("26.9.6"),
            api_version: Clean::new("v9.20250722"),
            user: Some(User {
                email: Clean::new("jin@example.org"),
                full_name: Some(Clean::new("진")),
                domain: Clean::new("default"),
                role: Clean::new("user"),
            }),
            capabilities: Capabilities {
                missing: vec![
                    (
                        Capability::HostEnvironment,
                        Clean::new("no environment of this machine on a cluster"),
                    ),
                    (
                        Capability::StopHook,
                        Clean::new("nothing can be run before the manager ends a session"),
                    ),
                ],
                open_streams_keep_alive: true,
            },
            ..EngineInfo::new(
                Clean::new("Backend.AI"),
                Clean::new("https://manager.example.org:8091"),
            )
        },
    }
}

pub fn away() -> EngineState {
    EngineState::Lost {
        why: Clean::new(
            "the manager at https://edge.example.org does not answer: the connection was refused",
        ),
        hint: Some(Clean::new(
            "see whether its address in contexts.toml is right: `workbay context show edge`",
        )),
        attempt: 4,
        needs_code: false,
    }
}

/// A login that waits for its second factor.
pub fn without_code() -> EngineState {
    EngineState::Lost {
        why: Clean::new(
            "the login of context 'edge' at https://edge.example.org wasn't accepted: Two-Factor Authentication needed",
        ),
        hint: Some(Clean::new(
            "run `workbay context login edge` and type the one-time password",
        )),
        attempt: 1,
        needs_code: true,
    }
}

fn image(base: &str, version: &str, group: &str, chips: &[&str]) -> Environment {
    Environment {
        name: Clean::new(base),
        version: Clean::new(version),
        source: EnvironmentSource::Image {
            reference: format!("cr.example.org/stable/{base}:{version}"),
        },
        size: None,
        unavailable: None,
        absent: false,
        facts: ImageFacts {
            group: Some(Clean::new(group)),
            chips: chips.iter().map(|chip| Clean::new(chip)).collect(),
            minimum: ResourceSlots::new(Cpu::from_millis(1000), Bytes::mib(256)),
            ..ImageFacts::default()
        },
    }
}

pub fn images() -> Vec<Environment> {
    vec![
        image("python", "3.11", "Python", &["debian12"]),
        image("pytorch", "2.4", "PyTorch", &["py311", "cuda12.1"]),
        image("python", "3.12", "Python", &["ubuntu24.04"]),
        image("pytorch", "2.3", "PyTorch", &["py310", "cuda11.8"]),
        image("r-base", "4.4", "R", &["Customized: mine"]),
    ]
}

fn context(text: &str, engine: EngineState) -> ContextState {
    ContextState {
        context: Context {
            name: name(text),
            kind: EngineKind::Backendai,
            endpoint: Some(Clean::new(&format!("https://{text}.example.org"))),
            accent: None,
            read_only: false,
        },
        engine,
        environments: images(),
        totals: None,
        statistics: None,
        incomplete: false,
    }
}

/// A session of the cluster.
pub fn remote(n: u128, title: &str, status: Status, minutes: i64) -> Session {
    let mut it = session(n, title, status, minutes);
    it.context = name("seoul");
    it.home = None;
    it.environment = EnvironmentRef {
        name: Clean::new("pytorch"),
        version: Clean::new("2.4"),
        source: EnvironmentSource::Image {
            reference: "cr.example.org/stable/pytorch:2.4".to_owned(),
        },
    };
    it
}

pub const WHY: &str =
    "waiting: not enough resources in the resource group default: cpu (asked 4, free 1)";

/// One that waits, with the reason.
pub fn waiting() -> Session {
    let mut it = remote(23, "대기-중인-작업", Status::Pending, 4);
    it.requested_slots = ResourceSlots::new(Cpu::from_millis(4000), Bytes(8 * Bytes::GIB));
    it.status_message = Some(Clean::new(WHY));
    it.placement.queue_position = Some(2);
    it
}

/// What the cluster has.
pub fn cluster() -> Vec<Session> {
    let mut done = remote(24, "eval-done", Status::Terminated, 300);
    done.status_info = Some(Clean::new("idle-timeout"));
    vec![
        remote(21, "train-vit-large", Status::Running, 37),
        remote(22, "모델-서빙", Status::Running, 26 * 60),
        waiting(),
        done,
    ]
}

/// This machine and the cluster `seoul`.
pub fn two() -> Snapshot {
    let mut both = snapshot(day());
    both.sessions.extend(cluster());
    both.contexts.push(context("seoul", manager()));
    both
}

/// A third one that does not answer.
pub fn three() -> Snapshot {
    let mut all = two();
    all.contexts.push(context("edge", away()));
    all
}

/// The cluster alone, with `count` of `all` sessions.
pub fn long(count: u128, all: u64) -> Snapshot {
    let sessions = (0..count).map(|n| {
        let minutes = 5 + i64::try_from(n).unwrap() * 7;
        remote(n, &format!("worker-{n:03}"), Status::Running, minutes)
    });
    let mut cluster = context("seoul", manager());
    cluster.totals = Some([all, 3_104, 2]);
    Snapshot {
        forwards: Vec::new(),
        seq: 1,
        sessions: sessions.collect(),
        contexts: vec![cluster],
    }
}

fn kernel(n: u128, hostname: &str, status: Status, agent: &str) -> Kernel {
    Kernel {
        container_id: Some(Clean::new("77aa9c0d1e2b4c5d6e7f8091a2b3c4d5")),
        started_at: Some(ago(36)),
        agent: Some(Clean::new(agent)),
        ..Kernel::new(
            KernelId::from_u128((0x01a2_072e_1d0d_7000_u128 + n) << 64),
            Clean::new(hostname),
            status,
        )
    }
}

fn checks() -> Vec<IdleCheck> {
    let counting = |minutes| IdleState::Counting {
        until: noon() + SignedDuration::from_mins(minutes),
    };
    let resource = |resource: &str, average, threshold| IdleResource {
        resource: Clean::new(resource),
        average,
        threshold,
    };
    vec![
        IdleCheck::new(IdleChecker::NetworkTimeout, counting(42)),
        IdleCheck::new(IdleChecker::SessionLifetime, counting(7 * 24 * 60)),
        IdleCheck {
            basis: IdleBasis::GracePeriod,
            join: Some(Join::And),
            resources: vec![
                resource("cpu_util", 325, 1_000),
                resource("cuda_util", 8_150, 1_000),
            ],
            ..IdleCheck::new(IdleChecker::Utilization, counting(5))
        },
    ]
}

/// The running one as it is read in full: two kernels, idle checks, folders.
pub fn in_full() -> Session {
    let mut it = remote(21, "train-vit-large", Status::Running, 37);
    it.requested_slots = ResourceSlots {
        cpu: Cpu::from_millis(8000),
        mem: Bytes(32 * Bytes::GIB),
        accelerators: BTreeMap::from([("cuda.shares".to_owned(), 1_500)]),
    };
    it.occupied_slots = ResourceSlots::new(Cpu::from_millis(6000), Bytes(32 * Bytes::GIB));
    it.kernels = vec![
        kernel(1, "main1", Status::Running, "i-gpu-node-01"),
        kernel(2, "sub1", Status::Running, "i-gpu-node-02"),
    ];
    it.placement = Placement {
        project: Some(Clean::new("vision")),
        resource_group: Some(Clean::new("gpu-a100")),
        agents: vec![Clean::new("i-gpu-node-01"), Clean::new("i-gpu-node-02")],
        cluster_mode: ClusterMode::MultiNode,
        cluster_size: 2,
        priority: Some(10),
        queue_position: None,
        starts_by: None,
        tag: None,
    };
    it.folders = ["데이터셋", "checkpoints"].map(Clean::new).to_vec();
    let service = |name: &str| Service {
        name: Clean::new(name),
        protocol: Clean::new("http"),
        ports: vec![8080],
    };
    it.services = ["ttyd", "sshd", "jupyter"].map(service).to_vec();
    it.idle_checks = checks();
    it
}

/// Attempts that did not find an agent.
pub fn attempts() -> Vec<HistoryEntry> {
    let step = |name: &str, result, message: Option<&str>| SubStep {
        step: Clean::new(name),
        result,
        error_code: None,
        message: message.map(Clean::new),
        started_at: None,
        ended_at: None,
    };
    let entry = |minutes, phase: &str, from: Option<Status>| {
        HistoryEntry::new(
            crate::world::id(23),
            ago(minutes),
            phase,
            from,
            Status::Pending,
        )
    };
    vec![
        HistoryEntry {
            result: Outcome::NeedRetry,
            message: Some(Clean::new("no agent has what is asked for")),
            attempts: 118,
            until: Some(ago(0)),
            steps: vec![
                step("ConcurrencyValidator", Outcome::Success, None),
                step("DependenciesValidator", Outcome::Success, None),
                step(
                    "AgentSelector",
                    Outcome::Failure,
                    Some("cpu: asked 4, the most that is free on one agent is 1"),
                ),
            ],
            ..entry(4, "schedule-sessions", Some(Status::Pending))
        },
        entry(4, "enqueue", None),
    ]
}

pub fn catalogue() -> Catalogue {
    let slots = |cores: u64, gib: u64| {
        ResourceSlots::new(Cpu::from_millis(cores * 1000), Bytes(gib * Bytes::GIB))
    };
    let group = |name: &str, using, remaining| ResourceGroup {
        name: Clean::new(name),
        using,
        remaining,
        waiting: None,
        capacity: None,
        free: None,
        free_by_agent: None,
    };
    let project = |name: &str| Project {
        id: Clean::new(name),
        name: Clean::new(name),
    };
    Catalogue {
        project: Some(Clean::new("vision")),
        projects: vec![project("vision"), project("언어-모델")],
        resource_groups: vec![
            group("default", slots(1, 2), slots(1, 20)),
            group("gpu-a100", slots(24, 96), slots(40, 160)),
        ],
        ..Catalogue::default()
    }
}
