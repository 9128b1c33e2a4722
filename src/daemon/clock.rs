//! The one place of the daemon that reads the clocks.

use jiff::Timestamp;
use tokio::time::Instant;

#[expect(
    clippy::disallowed_methods,
    reason = "the daemon's loop hands the time to the rest"
)]
pub(super) fn now() -> Timestamp {
    Timestamp::now()
}

/// For timers.
pub(super) fn instant() -> Instant {
    Instant::now()
}
