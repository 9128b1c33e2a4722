//! The speed of a pull over its last seconds.

use std::collections::VecDeque;

use jiff::{SignedDuration, Timestamp};

use crate::model::{pull::PullFigures, resources::Bytes};

/// Older figures don't count.
const WINDOW: SignedDuration = SignedDuration::from_secs(10);
/// A shorter time doesn't give a reliable rate.
const LEAST: f64 = 1.0;

#[derive(Debug, Default)]
pub(super) struct Rate {
    samples: VecDeque<(Timestamp, u64)>,
}

impl Rate {
    pub(super) fn add(&mut self, now: Timestamp, bytes: Bytes) {
        // A layer was restarted, or the clock was set back.
        let back = |(at, before): &(Timestamp, u64)| *before > bytes.0 || *at > now;
        if self.samples.back().is_some_and(back) {
            self.samples.clear();
        }
        self.samples.push_back((now, bytes.0));
        let old = |(at, _): &(Timestamp, u64)| now.duration_since(*at) > WINDOW;
        // Two figures are kept regardless of age, because a slow connection reports rarely.
        while self.samples.len() > 2 && self.samples.front().is_some_and(old) {
            self.samples.pop_front();
        }
    }

    /// `None` if it isn't known yet.
    pub(super) fn per_second(&self) -> Option<Bytes> {
        let ((first, from), (last, to)) = (self.samples.front()?, self.samples.back()?);
        let seconds = last.duration_since(*first).as_secs_f64();
        (seconds >= LEAST).then(|| Bytes(((to - from) as f64 / seconds) as u64))
    }

    /// Known only if the size of everything that remains is known.
    pub(super) fn seconds_left(&self, figures: &PullFigures) -> Option<u64> {
        let rate = self.per_second().filter(|rate| rate.0 > 0)?;
        let left = figures.bytes.0.checked_sub(figures.bytes_done.0)?;
        let all_is_known = figures.unsized_layers == 0 && !figures.more_layers;
        (all_is_known && left > 0).then(|| left.div_ceil(rate.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_800_000_000 + second).unwrap()
    }

    #[test]
    fn the_rate_is_that_of_the_last_seconds() {
        let mut rate = Rate::default();
        rate.add(at(0), Bytes(0));
        assert_eq!(rate.per_second(), None);
        for second in 1..=20 {
            rate.add(at(second), Bytes(second as u64 * 100));
        }
        assert_eq!(rate.per_second(), Some(Bytes(100)));
        for second in 21..=40 {
            rate.add(at(second), Bytes(2000));
        }
        assert_eq!(rate.per_second(), Some(Bytes(0)));
        let figures = PullFigures {
            bytes: Bytes(3000),
            bytes_done: Bytes(2000),
            ..PullFigures::default()
        };
        assert_eq!(rate.seconds_left(&figures), None, "it does not move");
        rate.add(at(41), Bytes(2200));
        let left = rate.seconds_left(&PullFigures {
            bytes_done: Bytes(2200),
            ..figures
        });
        assert_eq!(left, Some(40));
        let left = rate.seconds_left(&PullFigures {
            bytes_done: Bytes(2200),
            more_layers: true,
            ..figures
        });
        assert_eq!(left, None, "more may come");
    }

    #[test]
    fn what_goes_back_restarts() {
        let mut rate = Rate::default();
        rate.add(at(0), Bytes(1000));
        rate.add(at(2), Bytes(10));
        assert_eq!(rate.per_second(), None);
    }
}
