//! How fast a transfer is.

use std::collections::VecDeque;

use jiff::Timestamp;

/// The time over which the rate is measured.
const WINDOW_MS: i64 = 5_000;
/// Before this time, a rate says nothing.
const SHORTEST_MS: i64 = 300;

/// The bytes of the last seconds.
#[derive(Clone, Debug, Default)]
pub struct Rate {
    points: VecDeque<(Timestamp, u64)>,
}

impl Rate {
    /// So many bytes are transferred by now.
    pub fn moved(&mut self, bytes: u64, now: Timestamp) {
        if self.points.back().is_some_and(|(_, last)| *last > bytes) {
            self.points.clear();
        }
        self.points.push_back((now, bytes));
        while self.points.len() > 2
            && let Some((first, _)) = self.points.front()
            && now.as_millisecond() - first.as_millisecond() > WINDOW_MS
        {
            self.points.pop_front();
        }
    }

    /// `None` = that isn't known yet.
    pub fn bytes_per_second(&self) -> Option<u64> {
        let ((first, from), (last, to)) = (self.points.front()?, self.points.back()?);
        let elapsed = last.as_millisecond() - first.as_millisecond();
        let elapsed = u64::try_from(elapsed).ok()?;
        if elapsed < SHORTEST_MS.unsigned_abs() {
            return None;
        }
        let bytes = u128::from(to.saturating_sub(*from)) * 1000 / u128::from(elapsed);
        u64::try_from(bytes).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(milliseconds: i64) -> Timestamp {
        Timestamp::from_millisecond(milliseconds).unwrap()
    }

    #[test]
    fn the_rate_is_that_of_the_last_seconds() {
        let mut rate = Rate::default();
        rate.moved(0, at(0));
        rate.moved(500, at(100));
        assert_eq!(rate.bytes_per_second(), None);
        rate.moved(2_000, at(1_000));
        assert_eq!(rate.bytes_per_second(), Some(2_000));
        for second in 2..=20 {
            rate.moved(2_000 + (second - 1) * 100, at(second.cast_signed() * 1_000));
        }
        assert_eq!(rate.bytes_per_second(), Some(100));
    }

    #[test]
    fn a_transfer_that_begins_again_has_a_new_rate() {
        let mut rate = Rate::default();
        rate.moved(1_000, at(0));
        rate.moved(0, at(1_000));
        assert_eq!(rate.bytes_per_second(), None);
    }
}
