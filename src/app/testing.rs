//! Helpers that the unit tests of the panels share.

use jiff::Timestamp;

use crate::model::{
    resources::{Bytes, Cpu, ResourceSlots},
    session::Session,
    status::Status,
    testing,
    text::Clean,
};

/// A running session of the host environment, created `n` seconds after the epoch.
pub fn session(n: u128, name: &str) -> Session {
    let created = Timestamp::from_second(i64::try_from(n).unwrap()).unwrap();
    Session {
        status: Status::Running,
        requested_slots: ResourceSlots::new(Cpu::from_millis(1000), Bytes::mib(512)),
        shmem: Bytes::mib(64),
        owner: Clean::new("work"),
        started_at: Some(created),
        created_at: created,
        ..testing::session(n << 96, name)
    }
}
