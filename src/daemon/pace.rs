//! Whether the two clocks keep pace: the one that people read is set, and goes on while the machine
//! sleeps; the one of timers does neither.

use jiff::{SignedDuration, Timestamp};
use tokio::time::Instant;

/// What a clock is set by, or slept, and nobody minds.
const SLACK: SignedDuration = SignedDuration::from_secs(30);

#[derive(Debug)]
pub(super) struct Pace {
    now: Timestamp,
    instant: Instant,
}

impl Pace {
    pub fn new(now: Timestamp, instant: Instant) -> Self {
        Self { now, instant }
    }

    /// Whether they parted since the last look.
    pub fn jumped(&mut self, now: Timestamp, instant: Instant) -> bool {
        let told = now.duration_since(self.now);
        let passed = instant.duration_since(self.instant);
        let passed = SignedDuration::try_from(passed).unwrap_or(SignedDuration::MAX);
        *self = Self { now, instant };
        told.saturating_sub(passed).abs() >= SLACK
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_clock_that_is_set_or_a_machine_that_slept_is_noticed_once() {
        let (start, begun) = (Timestamp::UNIX_EPOCH, Instant::now());
        let after = |seconds| begun + Duration::from_secs(seconds);
        let at = |seconds| start + SignedDuration::from_secs(seconds);
        let mut pace = Pace::new(start, begun);
        assert!(!pace.jumped(at(60), after(60)));
        assert!(!pace.jumped(at(149), after(120)), "set by a little");
        assert!(pace.jumped(at(1000), after(130)), "slept");
        assert!(!pace.jumped(at(1001), after(131)), "told already");
        assert!(pace.jumped(at(500), after(132)), "set back");
    }
}
