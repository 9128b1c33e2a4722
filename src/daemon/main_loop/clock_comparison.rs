//! Detects clock changes and sleep by comparing three clocks. The wall clock can be set and continues during
//! sleep; the timer clock does neither; the boot clock continues during sleep and can't be set.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use tokio::time::Instant;

use crate::daemon::clock;

/// Differences up to this are ignored.
const SLACK: SignedDuration = SignedDuration::from_secs(30);

/// The readings of all clocks at one moment.
#[derive(Clone, Copy, Debug)]
pub(in crate::daemon) struct ClockReading {
    now: Timestamp,
    instant: Instant,
    since_boot: Duration,
}

impl ClockReading {
    pub fn take() -> Self {
        Self {
            now: clock::now(),
            instant: clock::instant(),
            since_boot: clock::since_boot(),
        }
    }
}

#[derive(Debug)]
pub(in crate::daemon) struct Pace {
    last: ClockReading,
}

/// A difference between the clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::daemon) struct Jump {
    /// How far the clock was set forward; zero = the machine slept.
    pub set_by: SignedDuration,
}

impl Pace {
    pub fn new(last: ClockReading) -> Self {
        Self { last }
    }

    /// Returns how the clocks diverged since the last call.
    pub fn compare(&mut self, at: ClockReading) -> Option<Jump> {
        let last = std::mem::replace(&mut self.last, at);
        let signed = |span| SignedDuration::try_from(span).unwrap_or(SignedDuration::MAX);
        let wall = at.now.duration_since(last.now);
        let timed = signed(at.instant.duration_since(last.instant));
        let real = signed(at.since_boot.saturating_sub(last.since_boot));
        let is_much = |span: &SignedDuration| span.abs() >= SLACK;
        let set_by = Some(wall.saturating_sub(real)).filter(is_much);
        let parted = is_much(&wall.saturating_sub(timed));
        (parted || set_by.is_some()).then(|| Jump {
            set_by: set_by.unwrap_or_default(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_is_set_or_a_machine_that_slept_is_noticed_once() {
        let begun = Instant::now();
        let at = |wall: i64, timed: u64, real: u64| ClockReading {
            now: Timestamp::UNIX_EPOCH + SignedDuration::from_secs(wall),
            instant: begun + Duration::from_secs(timed),
            since_boot: Duration::from_secs(real),
        };
        let jump = |seconds| {
            let set_by = SignedDuration::from_secs(seconds);
            Some(Jump { set_by })
        };
        let mut pace = Pace::new(at(0, 0, 0));
        assert_eq!(pace.compare(at(60, 60, 60)), None);
        assert_eq!(pace.compare(at(149, 120, 120)), None, "set by a little");
        assert_eq!(pace.compare(at(1000, 130, 971)), jump(0), "slept");
        assert_eq!(pace.compare(at(1001, 131, 972)), None, "reported already");
        assert_eq!(pace.compare(at(500, 132, 973)), jump(-502), "set back");
        assert_eq!(pace.compare(at(4101, 133, 974)), jump(3600), "set forward");
        // The clock was also set during the sleep.
        assert_eq!(pace.compare(at(9101, 143, 1974)), jump(4000), "both");
    }
}
