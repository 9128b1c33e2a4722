//! Averages of a session's usage over the time window of the utilization checker. They are in
//! memory only, so the window starts empty with the daemon.

use std::{collections::VecDeque, time::Duration};

use jiff::{SignedDuration, Timestamp};

use crate::model::{
    idle::{IdleResource, Join, NO_DATA, UTILIZATION_RESOURCES, UtilizationRules},
    resources::ResourceSlots,
    span::Span,
    text::Clean,
    usage::Usage,
};

/// The number of parts of a window, whatever its length.
const PARTS: i32 = 64;
/// A gap between samples of this length ends the series.
const LONGEST_HOLE: SignedDuration = SignedDuration::from_mins(5);

/// How often a session is sampled for a window of this length.
pub(super) fn period(window: Span) -> Duration {
    Duration::from_secs(window.0.div_ceil(20).clamp(1, 15))
}

/// The samples of one session, added up.
#[derive(Clone, Debug, Default)]
pub(super) struct UsageWindow {
    parts: VecDeque<UsagePeriod>,
    /// The first and the last sample of the series.
    first: Option<Timestamp>,
    last: Option<Timestamp>,
    low_since: Option<Timestamp>,
}

#[derive(Clone, Debug)]
struct UsagePeriod {
    begun: Timestamp,
    ended: Timestamp,
    sums: [Sum; UTILIZATION_RESOURCES.len()],
}

/// Hundredths of a percent, weighted by their duration.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    total: i128,
    millis: i128,
}

impl UsageWindow {
    /// Adds a sample. A sample that isn't newer than the last one is ignored.
    pub fn push(
        &mut self,
        at: Timestamp,
        usage: &Usage,
        slots: &ResourceSlots,
        rules: &UtilizationRules,
    ) {
        if self.last.is_some_and(|last| at <= last) {
            return;
        }
        if !self.is_fresh(at, rules.time_window) {
            self.clear();
        }
        let elapsed = self
            .last
            .map_or(0, |last| at.duration_since(last).as_millis());
        self.first.get_or_insert(at);
        self.last = Some(at);
        self.add(at, shares(usage, slots), elapsed.max(1), rules.time_window);
        let low = below(rules, &resources(rules, slots, Some(self)));
        self.low_since = low.then(|| self.low_since.unwrap_or(at));
    }

    pub fn clear(&mut self) {
        *self = Self::default();
    }

    fn add(&mut self, at: Timestamp, shares: [Option<i64>; 4], millis: i128, window: Span) {
        let part = window.duration() / PARTS;
        let full = |last: &UsagePeriod| at.duration_since(last.begun) > part;
        if self.parts.back().is_none_or(full) {
            self.parts.push_back(UsagePeriod {
                begun: self.parts.back().map_or(at, |last| last.ended),
                ended: at,
                sums: Default::default(),
            });
        }
        if let Some(last) = self.parts.back_mut() {
            last.ended = at;
            for (sum, share) in last.sums.iter_mut().zip(shares) {
                if let Some(share) = share {
                    sum.total += i128::from(share) * millis;
                    sum.millis += millis;
                }
            }
        }
        let old = |part: &UsagePeriod| at.duration_since(part.ended) > window.duration();
        while self.parts.front().is_some_and(old) {
            self.parts.pop_front();
        }
    }

    /// The average over the window, or over the part with samples.
    fn average(&self, place: usize) -> Option<i64> {
        let sums = self.parts.iter().map(|part| part.sums[place]);
        let (total, millis) = sums.fold((0, 0), |(total, millis), sum| {
            (total + sum.total, millis + sum.millis)
        });
        (millis > 0).then(|| i64::try_from(total / millis).unwrap_or(i64::MAX))
    }

    /// When the series becomes as long as the window.
    pub fn covers_at(&self, window: Span) -> Option<Timestamp> {
        self.first?.checked_add(window.duration()).ok()
    }

    /// Since when the averages have been those of an idle session.
    pub fn low_since(&self) -> Option<Timestamp> {
        self.low_since
    }

    /// Whether the last sample is recent enough.
    pub fn is_fresh(&self, now: Timestamp, window: Span) -> bool {
        let few = SignedDuration::try_from(period(window) * 3).unwrap_or(LONGEST_HOLE);
        let hole = (window.duration() / 5).min(LONGEST_HOLE).max(few);
        self.last
            .is_some_and(|last| now.duration_since(last) <= hole)
    }
}

/// A sample as a share of the requested resources, in the order of [`UTILIZATION_RESOURCES`].
fn shares(usage: &Usage, slots: &ResourceSlots) -> [Option<i64>; 4] {
    let devices = &usage.accelerators;
    let busy: Vec<u64> = devices
        .iter()
        .filter_map(|device| device.utilization.map(u64::from))
        .collect();
    let all = |bytes: fn(&crate::model::usage::AcceleratorUsage) -> Option<u64>| {
        let reported: Vec<u64> = devices.iter().filter_map(bytes).collect();
        (!reported.is_empty()).then(|| reported.iter().sum::<u64>())
    };
    let cuda_mem = all(|device| device.mem.map(|mem| mem.0));
    let cuda_total = all(|device| device.mem_total.map(|mem| mem.0));
    [
        usage
            .cpu
            .and_then(|cpu| share(cpu.millis(), slots.cpu.millis())),
        share(usage.mem.0, slots.mem.0),
        (!busy.is_empty()).then(|| mean(&busy)),
        cuda_mem
            .zip(cuda_total)
            .and_then(|(used, all)| share(used, all)),
    ]
}

fn share(used: u64, asked: u64) -> Option<i64> {
    let hundredths = u128::from(used) * 10_000;
    let share = hundredths.checked_div(u128::from(asked))?;
    i64::try_from(share).ok()
}

fn mean(values: &[u64]) -> i64 {
    let mean = values.iter().sum::<u64>() / values.len().max(1) as u64;
    i64::try_from(mean).unwrap_or(i64::MAX)
}

/// The checked resources that the session requested, with their averages if known.
pub(super) fn resources(
    rules: &UtilizationRules,
    slots: &ResourceSlots,
    window: Option<&UsageWindow>,
) -> Vec<IdleResource> {
    let asked = rules
        .thresholds
        .iter()
        .filter(|(name, _)| is_asked(name, slots));
    asked
        .map(|(name, threshold)| {
            let place = UTILIZATION_RESOURCES.iter().position(|known| known == name);
            let average = window
                .zip(place)
                .and_then(|(window, place)| window.average(place));
            IdleResource {
                resource: Clean::new(name),
                average: average.unwrap_or(NO_DATA),
                threshold: *threshold,
            }
        })
        .collect()
}

fn is_asked(name: &str, slots: &ResourceSlots) -> bool {
    let mut devices = slots.accelerators.iter();
    match name {
        "cpu_util" => slots.cpu.millis() > 0,
        "mem" => slots.mem.0 > 0,
        _ => devices.any(|(slot, amount)| slot.starts_with("cuda.") && *amount > 0),
    }
}

/// Whether these averages are those of an idle session. Resources without a value don't count.
/// Without any value the session isn't idle.
pub(super) fn below(rules: &UtilizationRules, resources: &[IdleResource]) -> bool {
    let mut reported = resources.iter().filter(|it| it.average >= 0).peekable();
    let is_low = |it: &IdleResource| it.average < it.threshold;
    match rules.operator {
        _ if reported.peek().is_none() => false,
        Join::And => reported.all(is_low),
        Join::Or => reported.any(is_low),
    }
}
