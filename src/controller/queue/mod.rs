//! Who may begin, and who waits for what.
//!
//! A round ([`decide`](decide::decide)) is a pure function of who waits, what there is ([`room`]) and the time. It
//! follows everything that may have made room, and says of each that still waits its place and why.

pub(super) mod backfill;
pub(super) mod bounds;
pub(super) mod decide;
pub(super) mod hold;
pub(super) mod leave;
pub(super) mod line;
mod priority;
pub(super) mod room;
mod round;
mod tell;
mod tries;

#[cfg(test)]
mod tests;

use jiff::{SignedDuration, Timestamp};

use self::decide::Lines;
pub(super) use self::{
    room::{Room, Share},
    tries::Tries,
};

/// What other instances have ended is seen by looking so often, while somebody waits for room.
pub(super) const LOOK_AGAIN: SignedDuration = SignedDuration::from_secs(15);

/// What is remembered between rounds.
#[derive(Debug, Default)]
pub(super) struct Queue {
    /// As the last round left them.
    pub lines: Lines,
    /// When something comes due that only the time brings: a start, a timeout.
    pub wake_at: Option<Timestamp>,
    /// When the engine is looked at again; only while somebody waits for room.
    pub look_at: Option<Timestamp>,
    /// When the next of those who were not told their new places yet are.
    pub retell_at: Option<Timestamp>,
}

impl Queue {
    pub fn next_deadline(&self) -> Option<Timestamp> {
        [self.wake_at, self.look_at, self.retell_at]
            .into_iter()
            .flatten()
            .min()
    }
}
