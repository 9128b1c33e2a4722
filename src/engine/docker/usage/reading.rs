//! What has been used up to some moment.

use jiff::Timestamp;

use crate::model::{
    resources::{Bytes, Cpu},
    usage::Traffic,
};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Reading {
    /// Time on all cores, in nanoseconds.
    pub cpu_nanos: u64,
    pub mem: Bytes,
    /// Periods of the kernel's scheduler, and in how many of them it was held back.
    pub periods: Option<(u64, u64)>,
    pub traffic: Traffic,
    /// The most memory there ever was in use.
    pub mem_peak: Option<Bytes>,
    pub oom_kills: Option<u64>,
}

impl Reading {
    /// Of several containers together; `None` of none.
    pub fn sum(all: impl IntoIterator<Item = Self>) -> Option<Self> {
        all.into_iter().reduce(|one, other| Self {
            cpu_nanos: one.cpu_nanos + other.cpu_nanos,
            mem: Bytes(one.mem.0 + other.mem.0),
            periods: one
                .periods
                .zip(other.periods)
                .map(|(one, other)| (one.0 + other.0, one.1 + other.1)),
            traffic: together(one.traffic, other.traffic),
            // Their peaks may have been at different times.
            mem_peak: None,
            oom_kills: one
                .oom_kills
                .zip(other.oom_kills)
                .map(|(one, other)| one + other),
        })
    }
}

/// What is not known of one of them is not known of all.
fn together(one: Traffic, other: Traffic) -> Traffic {
    let sum = |one: Option<u64>, other: Option<u64>| Some(one?.saturating_add(other?));
    Traffic {
        block_read: sum(one.block_read, other.block_read),
        block_write: sum(one.block_write, other.block_write),
        network_in: sum(one.network_in, other.network_in),
        network_out: sum(one.network_out, other.network_out),
        ..Traffic::default()
    }
}

/// Of a thousand periods between two readings, in how many it was held back; `None` where none passed.
pub(super) fn throttled(before: (u64, u64), after: (u64, u64)) -> Option<u16> {
    let (periods, held) = (
        after.0.checked_sub(before.0)?,
        after.1.checked_sub(before.1)?,
    );
    let share = held
        .min(periods)
        .saturating_mul(1000)
        .checked_div(periods)?;
    u16::try_from(share).ok()
}

/// Cores busy between two readings; `None` where no time passed or the counter began anew.
pub(super) fn share(then: Timestamp, before: u64, now: Timestamp, after: u64) -> Option<Cpu> {
    let passed = now.as_nanosecond() - then.as_nanosecond();
    let used = i128::from(after.checked_sub(before)?);
    if passed <= 0 {
        return None;
    }
    u64::try_from(used * 1000 / passed)
        .ok()
        .map(Cpu::from_millis)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_busy_core_is_a_thousand() {
        let at = |second| Timestamp::from_second(second).unwrap();
        let second = 1_000_000_000;
        assert_eq!(
            share(at(10), 0, at(12), 2 * second),
            Some(Cpu::from_millis(1000))
        );
        assert_eq!(
            share(at(10), 5, at(14), 5 + second),
            Some(Cpu::from_millis(250))
        );
        assert_eq!(share(at(10), 0, at(10), second), None);
        assert_eq!(
            share(at(10), second, at(12), 0),
            None,
            "the counter began anew"
        );
    }

    #[test]
    fn being_held_back_is_a_share_of_the_periods() {
        assert_eq!(throttled((10, 2), (20, 7)), Some(500));
        assert_eq!(throttled((10, 2), (20, 2)), Some(0));
        assert_eq!(throttled((10, 2), (10, 2)), None, "it did not run");
        assert_eq!(throttled((10, 2), (4, 1)), None, "the counter began anew");
    }

    #[test]
    fn containers_of_a_session_are_added_up() {
        let one = |bytes: u64, network_in: Option<u64>| Reading {
            cpu_nanos: 1,
            mem: Bytes(bytes),
            periods: Some((10, bytes)),
            traffic: Traffic {
                block_read: Some(bytes),
                network_in,
                ..Traffic::default()
            },
            mem_peak: Some(Bytes(bytes)),
            oom_kills: Some(bytes),
        };
        let sum = Reading::sum([one(1, Some(5)), one(2, None), one(4, Some(5))]).unwrap();
        assert_eq!((sum.cpu_nanos, sum.mem), (3, Bytes(7)));
        assert_eq!(sum.periods, Some((30, 7)));
        assert_eq!(sum.traffic.block_read, Some(7));
        assert_eq!((sum.mem_peak, sum.oom_kills), (None, Some(7)));
        assert_eq!(sum.traffic.network_in, None, "one of them is not known");
        assert_eq!(Reading::sum([]), None);
    }
}
