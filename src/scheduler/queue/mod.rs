//! Decides which sessions begin, and what the others wait for.
//!
//! A round ([`decide`](decide::decide)) is a pure function of the waiting sessions, the resources
//! ([`room`]) and the time. It follows everything that may have made room, and gives every waiting
//! session its position and its reason.

pub(super) mod backfill;
pub(super) mod bounds;
pub(super) mod decide;
pub(super) mod leave;
mod positions;
pub(super) mod room;
mod round;
mod tries;
pub(super) mod wait_reason;
pub(super) mod waiters;

#[cfg(test)]
mod tests;

use jiff::{SignedDuration, Timestamp};

use self::decide::WaitingSessions;
pub(super) use self::{
    room::{Room, Share},
    tries::Tries,
};

/// How often the engine is surveyed while a session waits for room, to notice sessions that other
/// instances have ended.
pub(super) const LOOK_AGAIN: SignedDuration = SignedDuration::from_secs(15);

/// The state between rounds.
#[derive(Debug, Default)]
pub(super) struct Queue {
    /// The queues as the last round left them.
    pub lines: WaitingSessions,
    /// The next start time or timeout, which needs a round although nothing else happens.
    pub wake_at: Option<Timestamp>,
    /// The time of the next survey. Set only while a session waits for room.
    pub look_at: Option<Timestamp>,
    /// When the next positions are reported that weren't reported at once.
    pub report_again_at: Option<Timestamp>,
}

impl Queue {
    pub fn next_deadline(&self) -> Option<Timestamp> {
        [self.wake_at, self.look_at, self.report_again_at]
            .into_iter()
            .flatten()
            .min()
    }
}
