//! Counter readings, and the usage between two of them.

use jiff::Timestamp;

use crate::model::{
    id::KernelId,
    resources::{Bytes, Cpu},
    usage::{Counted, Traffic, Usage},
};

/// The readings of a session's containers.
pub(super) type Readings = Vec<(KernelId, UsageReading)>;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct UsageReading {
    /// CPU time on all cores, in nanoseconds.
    pub cpu_nanos: u64,
    pub mem: Bytes,
    /// The number of scheduler periods, and in how many of them the CPU was throttled.
    pub periods: Option<(u64, u64)>,
    pub traffic: Traffic,
    /// The peak memory.
    pub mem_peak: Option<Bytes>,
    pub oom_kills: Option<u64>,
}

impl UsageReading {
    /// The sum of several containers; `None` without containers.
    pub fn sum(all: impl IntoIterator<Item = Self>) -> Option<Self> {
        all.into_iter().reduce(|one, other| Self {
            cpu_nanos: one.cpu_nanos + other.cpu_nanos,
            mem: Bytes(one.mem.0 + other.mem.0),
            periods: one
                .periods
                .zip(other.periods)
                .map(|(one, other)| (one.0 + other.0, one.1 + other.1)),
            traffic: one.traffic.plus(other.traffic),
            // Their peaks may be from different times.
            mem_peak: None,
            oom_kills: one
                .oom_kills
                .zip(other.oom_kills)
                .map(|(one, other)| one + other),
        })
    }

    /// The usage since the reading `before`, and the current memory.
    fn usage(self, before: Option<(Timestamp, Self)>, now: Timestamp) -> Usage {
        let cpu = before.and_then(|(then, it)| share(then, it.cpu_nanos, now, self.cpu_nanos));
        let periods = before.and_then(|(_, it)| it.periods).zip(self.periods);
        Usage {
            throttled: periods.and_then(|(before, after)| throttled(before, after)),
            traffic: self.traffic,
            counted: Counted {
                cpu_millis: Some(self.cpu_nanos / 1_000_000),
                mem_peak: self.mem_peak,
                oom_kills: self.oom_kills,
            },
            ..Usage::new(now, cpu, self.mem)
        }
    }
}

/// The usage of a session: all its containers together and, in a cluster session, each one; `None` without containers.
pub(super) fn usage(
    before: Option<&(Timestamp, Readings)>,
    now: Timestamp,
    readings: &Readings,
    is_cluster: bool,
) -> Option<Usage> {
    let then = |it: Option<UsageReading>| Some((before?.0, it?));
    let earlier = |kernel: &KernelId| {
        let mut all = before?.1.iter();
        all.find(|(id, _)| id == kernel).map(|(_, it)| *it)
    };
    let kernels = readings
        .iter()
        .map(|(id, reading)| (*id, reading.usage(then(earlier(id)), now)));
    let whole = |all: &Readings| UsageReading::sum(all.iter().map(|(_, reading)| *reading));
    let before = before.and_then(|(_, all)| whole(all));
    Some(Usage {
        kernels: kernels.filter(|_| is_cluster).collect(),
        ..whole(readings)?.usage(then(before), now)
    })
}

/// In how many of a thousand periods between two readings the CPU was throttled; `None` if no period passed.
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

/// The average CPU use between two readings; `None` if no time passed or the counter restarted.
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
            "the counter restarts"
        );
    }

    #[test]
    fn being_held_back_is_a_share_of_the_periods() {
        assert_eq!(throttled((10, 2), (20, 7)), Some(500));
        assert_eq!(throttled((10, 2), (20, 2)), Some(0));
        assert_eq!(throttled((10, 2), (10, 2)), None, "it did not run");
        assert_eq!(throttled((10, 2), (4, 1)), None, "the counter restarts");
    }

    #[test]
    fn containers_of_a_session_are_added_up() {
        let one = |bytes: u64, network_in: Option<u64>| UsageReading {
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
        let sum = UsageReading::sum([one(1, Some(5)), one(2, None), one(4, Some(5))]).unwrap();
        assert_eq!((sum.cpu_nanos, sum.mem), (3, Bytes(7)));
        assert_eq!(sum.periods, Some((30, 7)));
        assert_eq!(sum.traffic.block_read, Some(7));
        assert_eq!((sum.mem_peak, sum.oom_kills), (None, Some(7)));
        assert_eq!(sum.traffic.network_in, None, "one of them is not known");
        assert_eq!(UsageReading::sum([]), None);
    }

    #[test]
    fn of_a_cluster_session_each_container_has_its_own_figures() {
        let at = |second| Timestamp::from_second(second).unwrap();
        let one = |number, millis: u64, mem| {
            let reading = UsageReading {
                cpu_nanos: millis * 1_000_000,
                mem: Bytes(mem),
                mem_peak: Some(Bytes(mem)),
                ..UsageReading::default()
            };
            (KernelId::from_u128(number), reading)
        };
        // The second container was opened later.
        let before = (at(10), vec![one(1, 500, 7)]);
        let now = vec![one(1, 1_500, 8), one(2, 100, 3)];
        let usage = |before, now: &Readings, cluster| super::usage(before, at(11), now, cluster);
        let both = usage(Some(&before), &now, true).unwrap();
        assert_eq!(
            (both.mem, both.counted.cpu_millis),
            (Bytes(11), Some(1_600))
        );
        let [(main, busy), (sub, fresh)] = &both.kernels[..] else {
            panic!("two containers");
        };
        assert_eq!((*main, *sub), (now[0].0, now[1].0));
        assert_eq!(
            (busy.cpu, busy.mem),
            (Some(Cpu::from_millis(1_000)), Bytes(8))
        );
        assert_eq!(busy.counted.mem_peak, Some(Bytes(8)));
        assert_eq!((fresh.cpu, fresh.mem), (None, Bytes(3)));
        // The last running container of a cluster is listed on its own; a single container is the session itself.
        let left = vec![one(1, 1_500, 8)];
        assert_eq!(usage(Some(&before), &left, true).unwrap().kernels.len(), 1);
        assert_eq!(usage(Some(&before), &left, false).unwrap().kernels, []);
        assert_eq!(usage(None, &Vec::new(), true), None);
    }
}
