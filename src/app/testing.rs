//! What unit tests of the panels share.

use jiff::Timestamp;

use crate::model::{
    environment::{EnvironmentRef, EnvironmentSource},
    id::{ContextName, SessionId},
    resources::{Bytes, Cpu, ResourceSlots},
    session::{BatchResult, CommitStatus, Placement, Session, SessionType},
    status::Status,
    text::Clean,
};

/// A running session of the host environment, created `n` seconds after the epoch.
pub fn session(n: u128, name: &str) -> Session {
    let created = Timestamp::from_second(i64::try_from(n).unwrap()).unwrap();
    Session {
        id: SessionId::from_u128(n << 96),
        context: ContextName::local(),
        name: Clean::new(name),
        session_type: SessionType::Interactive,
        status: Status::Running,
        status_info: None,
        status_message: None,
        environment: EnvironmentRef {
            name: Clean::new("host"),
            version: Clean::new("debian-12"),
            source: EnvironmentSource::Host,
        },
        requested_slots: ResourceSlots::new(Cpu::from_millis(1000), Bytes::mib(512)),
        shmem: Bytes::mib(64),
        owner: Clean::new("work"),
        created_at: created,
        started_at: Some(created),
        terminated_at: None,
        kernels: Vec::new(),
        scratch: None,
        placement: Placement::default(),
        occupied_slots: ResourceSlots::default(),
        folders: Vec::new(),
        services: Vec::new(),
        idle_checks: Vec::new(),
        startup_command: None,
        result: BatchResult::default(),
        commit: CommitStatus::default(),
        pending_request: None,
    }
}
