//! Converts a sample to the readings of its metrics.

use jiff::Timestamp;

use crate::model::{
    figures::Metric,
    resources::Cpu,
    usage::{AcceleratorUsage, Traffic, Usage},
};

/// The whole of a device, in hundredths of a percent.
const WHOLE_DEVICE: u64 = 10_000;

/// One metric's reading in a sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct MetricReading {
    pub value: Option<u64>,
    pub limit: Option<u64>,
    pub total: Option<u64>,
}

/// The values of the counters at a sample.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counters {
    pub at: Timestamp,
    pub traffic: Traffic,
}

/// The readings of a sample. `before` are the counters of the previous sample, if it was taken shortly
/// before.
pub(super) fn readings(usage: &Usage, before: Option<Counters>) -> Vec<(Metric, MetricReading)> {
    let mut all = vec![
        (Metric::Cpu, gauge(usage.cpu.map(Cpu::millis))),
        (Metric::Mem, gauge(Some(usage.mem.0))),
    ];
    if let Some(home) = usage.home {
        all.push((Metric::Home, gauge(Some(home.0))));
    }
    all.extend(usage.accelerators.iter().flat_map(accelerator));
    all.extend(traffic(usage, before));
    all
}

pub(super) fn gauge(value: Option<u64>) -> MetricReading {
    MetricReading {
        value,
        ..MetricReading::default()
    }
}

fn accelerator(device: &AcceleratorUsage) -> [(Metric, MetricReading); 2] {
    let name = &device.name;
    let utilization = MetricReading {
        value: device.utilization.map(u64::from),
        limit: Some(WHOLE_DEVICE),
        total: None,
    };
    let mem = MetricReading {
        value: device.mem.map(|mem| mem.0),
        limit: device.mem_total.map(|total| total.0),
        total: None,
    };
    [
        (Metric::Accelerator { name: name.clone() }, utilization),
        (Metric::AcceleratorMem { name: name.clone() }, mem),
    ]
}

/// The rates of those counters that the engine reports.
fn traffic(usage: &Usage, before: Option<Counters>) -> Vec<(Metric, MetricReading)> {
    let now = &usage.traffic;
    let then = before.map(|before| before.traffic).unwrap_or_default();
    let millis = before.map_or(0, |before| passed(before.at, usage.at));
    let counters = [
        (Metric::BlockRead, then.block_read, now.block_read, None),
        (Metric::BlockWrite, then.block_write, now.block_write, None),
        (
            Metric::NetworkIn,
            then.network_in,
            now.network_in,
            now.network_in_rate,
        ),
        (
            Metric::NetworkOut,
            then.network_out,
            now.network_out,
            now.network_out_rate,
        ),
    ];
    let reported = counters.into_iter().map(|(metric, then, now, reported)| {
        let counted = now.and_then(|now| rate(then, now, millis));
        let reading = MetricReading {
            value: reported.or(counted),
            limit: None,
            total: now,
        };
        (metric, reading)
    });
    reported
        .filter(|(_, reading)| *reading != MetricReading::default())
        .collect()
}

/// Bytes per second; `None` if the counter restarted.
fn rate(then: Option<u64>, now: u64, millis: u64) -> Option<u64> {
    let moved = u128::from(now.checked_sub(then?)?);
    let rate = (moved * 1000).checked_div(u128::from(millis))?;
    u64::try_from(rate).ok()
}

/// The time between two samples in milliseconds; 0 if the clock was set back.
pub(super) fn passed(then: Timestamp, now: Timestamp) -> u64 {
    u64::try_from(now.duration_since(then).as_millis()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_what_moved_in_a_second() {
        assert_eq!(rate(Some(1_000), 4_000, 2_000), Some(1_500));
        assert_eq!(rate(Some(1_000), 1_000, 500), Some(0));
        assert_eq!(rate(None, 4_000, 2_000), None, "the first one");
        assert_eq!(rate(Some(4_000), 10, 2_000), None, "it restarts");
        assert_eq!(rate(Some(1), 2, 0), None, "no time passed");
        assert_eq!(rate(Some(0), u64::MAX, 1), None, "it cannot be");
    }
}
