//! What a daemon would report: sessions of all kinds, seen at noon.

use jiff::{SignedDuration, Timestamp};
use workbay::{
    model::{
        capability::{Capabilities, Capability, EngineInfo, EngineState},
        context::Context,
        environment::{Environment, EnvironmentRef, EnvironmentSource, ImageFacts},
        history::HistoryEntry,
        id::{KernelId, SessionId, SessionKey},
        kernel::Kernel,
        resources::{Bytes, Cpu, ResourceSlots},
        session::Session,
        status::Status,
        text::Clean,
        usage::Usage,
    },
    protocol::message::{ContextState, Snapshot},
};

use crate::screen::noon;

pub fn key(n: u128) -> SessionKey {
    SessionKey::local(id(n))
}

pub fn id(n: u128) -> SessionId {
    SessionId::from_u128((0xa1b2_0000 + n) << 96 | n)
}

pub fn ago(minutes: i64) -> Timestamp {
    noon() - SignedDuration::from_mins(minutes)
}

/// A session created `minutes` ago.
pub fn session(n: u128, name: &str, status: Status, minutes: i64) -> Session {
    let ran = !status.is_starting();
    let ended = status.is_final().then(|| ago(minutes / 2));
    let started = ran.then(|| ago(minutes));
    Session {
        requested_slots: ResourceSlots::new(Cpu::from_millis(1000), Bytes::mib(512)),
        shmem: Bytes::mib(64),
        owner: Clean::new("jin"),
        started_at: started,
        terminated_at: ended,
        kernels: vec![Kernel {
            container_id: ran.then(|| Clean::new("3f2a9c0d1e2b4c5d6e7f8091a2b3c4d5")),
            exit_code: ended.map(|_| 0),
            started_at: started,
            terminated_at: ended,
            ..Kernel::new(KernelId::from_u128(n), Clean::new("main1"), status.clone())
        }],
        home: ran.then(|| format!("/home/jin/.local/state/workbay/sessions/{}/work", id(n))),
        status,
        ..Session::new(
            SessionKey::local(id(n)),
            Clean::new(name),
            image("host", "debian-12"),
            ago(minutes),
        )
    }
}

pub fn image(name: &str, version: &str) -> EnvironmentRef {
    EnvironmentRef {
        name: Clean::new(name),
        version: Clean::new(version),
        source: if name == "host" {
            EnvironmentSource::Host
        } else {
            EnvironmentSource::Image {
                reference: format!("{name}:{version}"),
            }
        },
    }
}

fn environment(name: &str, version: &str, size: Option<u64>) -> Environment {
    let of = image(name, version);
    Environment {
        name: of.name,
        version: of.version,
        source: of.source,
        size: size.map(Bytes::mib),
        unavailable: None,
        absent: false,
        facts: ImageFacts::default(),
    }
}

pub fn environments() -> Vec<Environment> {
    let mut all = vec![
        environment("host", "debian-12", None),
        environment("busybox", "1.35", Some(4)),
        environment("python", "3.12-slim", Some(124)),
        environment("pytorch", "2.4-cuda12", Some(8_410)),
        environment("registry.local/team/tensorflow", "2.17", Some(6_120)),
        environment("windows", "2022", Some(2_300)),
    ];
    all[5].unavailable = Some(Clean::new(
        "it is for windows/amd64, this engine runs linux",
    ));
    all
}

pub fn connected() -> EngineState {
    EngineState::Connected {
        info: EngineInfo {
            version: Clean::new("20.10.24"),
            api_version: Clean::new("1.41"),
            cpus: Cpu::from_millis(8000),
            memory: Bytes(Bytes::GIB * 31),
            capabilities: Capabilities {
                missing: [
                    (Capability::Dial, "no connections to ports on this engine"),
                    (Capability::AppProxy, "this engine has no app proxy"),
                    (
                        Capability::Commit,
                        "this engine can't create images from sessions",
                    ),
                    (
                        Capability::FolderSharing,
                        "folders of this machine are yours alone",
                    ),
                    (Capability::AgentChoice, "this engine has one machine"),
                    (
                        Capability::MultiNode,
                        "this engine has one machine: clusters on several need Backend.AI",
                    ),
                    (Capability::IdleChecks, "no idle checks on this engine"),
                    (Capability::Schedules, "workbay schedules"),
                ]
                .map(|(lacking, why)| (lacking, Clean::new(why)))
                .to_vec(),
                open_streams_keep_alive: false,
            },
            ..EngineInfo::new(
                Clean::new("Docker"),
                Clean::new("unix:///var/run/docker.sock"),
            )
        },
    }
}

pub fn lost() -> EngineState {
    EngineState::Lost {
        why: Clean::new(
            "the engine at unix:///var/run/docker.sock doesn't answer: the engine isn't running \
             (no answer on its socket)",
        ),
        hint: Some(Clean::new("start it: `sudo systemctl start docker`")),
        attempt: 3,
        needs_code: false,
    }
}

pub fn snapshot(sessions: Vec<Session>) -> Snapshot {
    Snapshot {
        forwards: Vec::new(),
        seq: 1,
        sessions,
        contexts: vec![ContextState {
            context: Context::local(),
            engine: connected(),
            environments: environments(),
            totals: None,
            statistics: None,
            incomplete: false,
        }],
    }
}

/// A working day: some run, one starts, one ends, Korean names, every tab has something.
pub fn day() -> Vec<Session> {
    let mut train = session(1, "train-resnet", Status::Running, 125);
    train.environment = image("pytorch", "2.4-cuda12");
    train.requested_slots = ResourceSlots::new(Cpu::from_millis(4000), Bytes(16 * Bytes::GIB));
    let mut korean = session(3, "데이터-전처리", Status::Running, 3 * 24 * 60 + 200);
    korean.environment = image("python", "3.12-slim");
    korean.requested_slots = ResourceSlots::new(Cpu::from_millis(500), Bytes::mib(256));
    let mut ending = session(5, "notebook-old", Status::Terminating, 700);
    ending.pending_request = Some(Clean::new("terminating"));
    let mut failed = session(8, "broken-image", Status::Error, 30);
    failed.environment = image("busybox", "1.35");
    failed.status_info = Some(Clean::new("failed-to-start"));
    failed.status_message = Some(Clean::new(
        "The image busybox:1.35 is not on this engine any more: pull it again or choose another environment.",
    ));
    let mut done = session(6, "nightly-tests", Status::Terminated, 90);
    done.status_info = Some(Clean::new("self-terminated"));
    vec![
        train,
        session(2, "a1b2c3d4-session", Status::Running, 12),
        korean,
        session(4, "fresh-one", Status::Preparing, 0),
        ending,
        done,
        session(7, "gave-up", Status::Cancelled, 45),
        failed,
    ]
}

pub fn usage(n: u128, cpu: u64, mib: u64) -> (SessionKey, Usage) {
    let usage = Usage::new(noon(), Some(Cpu::from_millis(cpu)), Bytes::mib(mib));
    (key(n), usage)
}

/// What the running sessions of [`day`] use.
pub fn busy() -> Vec<(SessionKey, Usage)> {
    vec![usage(1, 2650, 14_200), usage(2, 12, 38), usage(3, 470, 131)]
}

/// `count` running sessions, the first created last.
pub fn many(count: u128) -> Vec<Session> {
    (0..count)
        .map(|n| {
            let minutes = 5 + i64::try_from(n).unwrap() * 7;
            session(n, &format!("worker-{n:03}"), Status::Running, minutes)
        })
        .collect()
}

pub fn history(n: u128) -> Vec<HistoryEntry> {
    let entry =
        |minutes, phase: &str, from: Option<Status>, to, message: Option<&str>| HistoryEntry {
            message: message.map(Clean::new),
            ..HistoryEntry::new(id(n), ago(minutes), phase, from, to)
        };
    vec![
        entry(
            124,
            "promote-to-running",
            Some(Status::Creating),
            Status::Running,
            None,
        ),
        entry(
            124,
            "start-sessions",
            Some(Status::Preparing),
            Status::Creating,
            None,
        ),
        entry(
            125,
            "schedule",
            Some(Status::Pending),
            Status::Preparing,
            Some("4 cores and 16 GiB were free"),
        ),
        entry(125, "enqueue", None, Status::Pending, None),
    ]
}
