//! Reads the clocks for the daemon. No other module of the daemon reads them.

use std::time::Duration;

use jiff::Timestamp;
use tokio::time::Instant;

#[expect(
    clippy::disallowed_methods,
    reason = "the daemon's loop hands the time to the rest"
)]
pub(super) fn now() -> Timestamp {
    Timestamp::now()
}

/// The time since the machine started, including sleep. This clock can't be set.
pub(super) fn since_boot() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    Duration::from_secs(seconds)
}

/// For timers.
pub(super) fn instant() -> Instant {
    Instant::now()
}
