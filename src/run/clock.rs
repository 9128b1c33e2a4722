//! The only clock of this room.

use std::time::Instant;

use jiff::Timestamp;

/// What time it is, for what people see.
#[expect(
    clippy::disallowed_methods,
    reason = "the loop reads the clock and hands it on"
)]
pub fn now() -> Timestamp {
    Timestamp::now()
}

/// What time it is, for pacing frames.
#[expect(clippy::disallowed_methods, reason = "the loop paces its frames")]
pub fn instant() -> Instant {
    Instant::now()
}
