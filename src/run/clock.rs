//! The only clock of this module.

use std::time::Instant;

use jiff::Timestamp;

/// The current time, for what users see.
#[expect(
    clippy::disallowed_methods,
    reason = "the loop reads the clock and hands it on"
)]
pub fn now() -> Timestamp {
    Timestamp::now()
}

/// The current time, for pacing frames.
#[expect(clippy::disallowed_methods, reason = "the loop paces its frames")]
pub fn instant() -> Instant {
    Instant::now()
}
