//! The use of sessions over the last minutes, kept from the samples that the TUI gets for its list.

use std::collections::{HashMap, VecDeque};

use jiff::Timestamp;

use crate::model::{id::SessionKey, resources::Cpu, usage::Usage};

/// How many samples of a session are kept: five minutes, with a sample every two seconds.
const KEPT: usize = 150;
/// How many sessions have a trail. Others keep only their newest sample.
const SESSIONS: usize = 128;

/// Samples of one session, or of all together; the oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trail {
    points: VecDeque<Point>,
}

/// What is kept of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Point {
    at: Timestamp,
    /// In thousandths of a core.
    cpu: Option<u64>,
    /// In bytes.
    mem: u64,
    /// Bytes received and sent since the start.
    network: Option<u64>,
    /// Bytes read and written since the start.
    disk: Option<u64>,
}

/// What a chart shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrailMetric {
    Cpu,
    Mem,
    /// In bytes per second, both ways.
    Network,
    Disk,
}

impl Point {
    fn of(usage: &Usage) -> Self {
        let traffic = usage.traffic;
        let both = |one: Option<u64>, other: Option<u64>| Some(one?.saturating_add(other?));
        Self {
            at: usage.at,
            cpu: usage.cpu.map(Cpu::millis),
            mem: usage.mem.0,
            network: both(traffic.network_in, traffic.network_out),
            disk: both(traffic.block_read, traffic.block_write),
        }
    }
}

impl Trail {
    fn push(&mut self, point: Point) {
        if self.points.back().is_some_and(|last| last.at >= point.at) {
            return;
        }
        if self.points.len() == KEPT {
            self.points.pop_front();
        }
        self.points.push_back(point);
    }

    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// When the samples were taken.
    #[must_use]
    pub fn times(&self) -> Vec<Timestamp> {
        self.points.iter().map(|point| point.at).collect()
    }

    /// A value for each sample, `None` if it isn't known.
    #[must_use]
    pub fn values(&self, metric: TrailMetric) -> Vec<Option<u64>> {
        match metric {
            TrailMetric::Cpu => self.points.iter().map(|point| point.cpu).collect(),
            TrailMetric::Mem => self.points.iter().map(|point| Some(point.mem)).collect(),
            TrailMetric::Network => self.rates(|point| point.network),
            TrailMetric::Disk => self.rates(|point| point.disk),
        }
    }

    /// The growth of a counter, in bytes per second. The first sample has none.
    fn rates(&self, counter: impl Fn(&Point) -> Option<u64>) -> Vec<Option<u64>> {
        let rate = |before: &Point, now: &Point| {
            let moved = counter(now)?.checked_sub(counter(before)?)?;
            let millis = now.at.as_millisecond() - before.at.as_millisecond();
            Some(moved.saturating_mul(1000) / u64::try_from(millis).ok()?.max(1))
        };
        let pairs = self.points.iter().zip(self.points.iter().skip(1));
        let first = self.points.front().map(|_| None);
        let rates = pairs.map(|(before, now)| rate(before, now));
        first.into_iter().chain(rates).collect()
    }
}

/// The trails of all sessions that the daemon samples for this TUI.
#[derive(Clone, Debug, Default)]
pub struct Trails {
    sessions: HashMap<SessionKey, Trail>,
    all: Trail,
}

impl Trails {
    /// Takes new samples, the newest of them of the time `at`. `known` has the newest sample of every session: the
    /// daemon sends none of a session whose use hasn't changed.
    pub fn take<'a>(
        &mut self,
        at: Timestamp,
        known: impl Iterator<Item = (SessionKey, &'a Usage)>,
    ) {
        let mut points = Vec::new();
        for (key, usage) in known {
            let point = Point {
                at,
                ..Point::of(usage)
            };
            points.push(point);
            if self.sessions.len() < SESSIONS || self.sessions.contains_key(&key) {
                self.sessions.entry(key).or_default().push(point);
            }
        }
        let sum = points.into_iter().reduce(|one, other| Point {
            at,
            // The first sample of a session has no CPU. It counts as nothing, not as unknown.
            cpu: Some(one.cpu.unwrap_or(0).saturating_add(other.cpu.unwrap_or(0))),
            mem: one.mem.saturating_add(other.mem),
            network: None,
            disk: None,
        });
        if let Some(sum) = sum {
            self.all.push(sum);
        }
    }

    /// Forgets a session that doesn't run.
    pub fn forget(&mut self, key: SessionKey) {
        self.sessions.remove(&key);
    }

    pub fn retain(&mut self, keep: impl Fn(&SessionKey) -> bool) {
        self.sessions.retain(|key, _| keep(key));
    }

    #[must_use]
    pub fn of(&self, key: SessionKey) -> Option<&Trail> {
        self.sessions.get(&key)
    }

    /// All sampled sessions together: CPU and memory.
    #[must_use]
    pub fn all(&self) -> &Trail {
        &self.all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        app::testing::session,
        model::{resources::Bytes, usage::Traffic},
    };

    fn usage(second: i64, cpu: u64, moved: u64) -> Usage {
        let at = Timestamp::from_second(second).unwrap();
        Usage {
            traffic: Traffic::counted(Some((moved, 0)), Some((moved, moved))),
            ..Usage::new(at, Some(Cpu::from_millis(cpu)), Bytes::mib(cpu))
        }
    }

    fn take(trails: &mut Trails, samples: &[(SessionKey, Usage)]) {
        let at = samples.iter().map(|(_, usage)| usage.at).max().unwrap();
        trails.take(at, samples.iter().map(|(key, usage)| (*key, usage)));
    }

    #[test]
    fn samples_are_kept_for_each_session_and_added_up() {
        let (one, two) = (session(1, "one").key(), session(2, "two").key());
        let mut trails = Trails::default();
        take(
            &mut trails,
            &[(one, usage(2, 500, 0)), (two, usage(2, 300, 0))],
        );
        take(
            &mut trails,
            &[(one, usage(4, 700, 4096)), (two, usage(4, 100, 0))],
        );
        let cpu = |trail: &Trail| trail.values(TrailMetric::Cpu);
        assert_eq!(cpu(trails.of(one).unwrap()), [Some(500), Some(700)]);
        assert_eq!(cpu(trails.all()), [Some(800), Some(800)]);
        let rate = |metric| trails.of(one).unwrap().values(metric);
        assert_eq!(rate(TrailMetric::Network), [None, Some(4096)]);
        assert_eq!(rate(TrailMetric::Disk), [None, Some(2048)]);
        trails.forget(one);
        assert_eq!(trails.of(one), None);
    }

    #[test]
    fn a_sample_that_came_before_is_not_kept_twice_and_old_ones_go() {
        let one = session(1, "one").key();
        let mut trails = Trails::default();
        for second in 0..200 {
            take(&mut trails, &[(one, usage(second, 1, 0))]);
            take(&mut trails, &[(one, usage(second, 2, 0))]);
        }
        let trail = trails.of(one).unwrap();
        assert_eq!(trail.times().len(), KEPT);
        assert!(
            trail
                .values(TrailMetric::Cpu)
                .iter()
                .all(|it| *it == Some(1))
        );
    }

    #[test]
    fn a_counter_that_begins_again_has_no_rate() {
        let one = session(1, "one").key();
        let mut trails = Trails::default();
        take(&mut trails, &[(one, usage(1, 0, 900))]);
        take(&mut trails, &[(one, usage(2, 0, 10))]);
        let rates = trails.of(one).unwrap().values(TrailMetric::Disk);
        assert_eq!(rates, [None, None]);
    }
}
