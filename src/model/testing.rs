//! Sessions for unit tests.

use jiff::Timestamp;

use super::{
    environment::{EnvironmentRef, EnvironmentSource},
    id::{KernelId, SessionId, SessionKey},
    kernel::Kernel,
    session::Session,
    status::Status,
    text::Clean,
};

/// The host environment.
pub fn host_environment() -> EnvironmentRef {
    EnvironmentRef {
        name: "host".into(),
        version: "debian-12".into(),
        source: EnvironmentSource::Host,
    }
}

/// A pending session of the host environment without containers, created at the epoch.
pub fn session(number: u128, name: &str) -> Session {
    Session::new(
        SessionKey::local(SessionId::from_u128(number)),
        Clean::new(name),
        host_environment(),
        Timestamp::UNIX_EPOCH,
    )
}

/// An ended session of one container, with `reason` as its `status_info`.
pub fn ended(reason: &str, exit_code: Option<i64>) -> Session {
    let at = Some(Timestamp::UNIX_EPOCH);
    let main = Kernel::new(KernelId::from_u128(1), "main1".into(), Status::Terminated);
    Session {
        status: Status::Terminated,
        status_info: Some(reason.into()),
        started_at: at,
        terminated_at: at,
        kernels: vec![Kernel { exit_code, ..main }],
        ..session(1, "train")
    }
}
