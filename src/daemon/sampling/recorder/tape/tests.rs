use super::*;
use crate::model::{
    id::KernelId,
    resources::{Bytes, Cpu, ResourceSlots},
    testing,
    text::Clean,
    usage::{AcceleratorUsage, Counted, Traffic},
};

fn at(millis: i64) -> Timestamp {
    Timestamp::from_millisecond(1_700_000_000_000 + millis).unwrap()
}

/// A sample at a second.
fn sample(second: i64, cpu: u64, mem: u64) -> Usage {
    Usage::new(at(second * 1000), Some(Cpu::from_millis(cpu)), Bytes(mem))
}

fn reading(second: i64, read: u64) -> Usage {
    let traffic = Traffic {
        block_read: Some(read),
        ..Traffic::default()
    };
    Usage {
        traffic,
        ..sample(second, 0, 1)
    }
}

fn tape(samples: impl IntoIterator<Item = Usage>) -> Tape {
    let mut tape = Tape::default();
    for usage in samples {
        tape.push(&usage);
    }
    tape
}

#[track_caller]
fn series(tape: &Tape, metric: &Metric) -> Series {
    let slots = ResourceSlots::new(Cpu::from_millis(2000), Bytes(512));
    let figures = tape.figures(&session(&slots));
    let mut all = figures.series.into_iter();
    all.find(|series| series.metric == *metric).unwrap()
}

#[test]
fn an_average_is_by_time_and_a_peak_is_of_all() {
    let tape = tape([
        sample(0, 100, 64),
        sample(1, 900, 64),
        sample(11, 100, 128),
        sample(12, 100, 32),
    ]);
    let cpu = series(&tape, &Metric::Cpu);
    assert_eq!(cpu.values, [100, 900, 100, 100].map(Some));
    assert_eq!(cpu.average, Some((900 + 10 * 100 + 100) / 12));
    assert_eq!((cpu.peak, cpu.limit), (Some(900), Some(2000)));
    let mem = series(&tape, &Metric::Mem);
    assert_eq!(
        (mem.peak, mem.limit, mem.now()),
        (Some(128), Some(512), Some(32))
    );
}

#[test]
fn a_single_sample_is_its_own_average() {
    let tape = tape([sample(0, 250, 1)]);
    assert_eq!(series(&tape, &Metric::Cpu).average, Some(250));
}

#[test]
fn what_has_no_value_is_left_out() {
    let mut first = sample(0, 0, 1);
    first.cpu = None;
    let figures = tape([first]).figures(&session(&ResourceSlots::default()));
    let metrics: Vec<Metric> = figures
        .series
        .iter()
        .map(|one| one.metric.clone())
        .collect();
    assert_eq!(metrics, [Metric::Mem]);
    assert_eq!(figures.series[0].limit, None, "nothing was asked for");
}

#[test]
fn counters_become_rates_and_a_restart_is_no_flood() {
    let tape = tape([
        reading(0, 1_000),
        reading(2, 5_000),
        reading(3, 100),
        reading(4, 400),
    ]);
    let read = series(&tape, &Metric::BlockRead);
    assert_eq!(read.values, [None, Some(2_000), None, Some(300)]);
    assert_eq!((read.peak, read.total), (Some(2_000), Some(400)));
    assert_eq!(read.average, Some((2 * 2_000 + 300) / 3));
}

#[test]
fn while_nobody_watched_there_is_a_gap() {
    let tape = tape([
        reading(0, 0),
        reading(1, 10),
        reading(600, 9_999),
        reading(601, 10_000),
    ]);
    assert_eq!(tape.at, [0, 1000, 2000, 600_000, 601_000].map(at));
    let read = series(&tape, &Metric::BlockRead);
    assert_eq!(read.values, [None, Some(10), None, None, Some(1)]);
    let mem = series(&tape, &Metric::Mem);
    assert_eq!(mem.values, [Some(1), Some(1), None, Some(1), Some(1)]);
    assert_eq!(series(&tape, &Metric::Cpu).average, Some(0));
}

#[test]
fn a_gap_counts_in_no_average() {
    let tape = tape([
        sample(0, 100, 1),
        sample(1, 100, 1),
        sample(1000, 700, 1),
        sample(1001, 300, 1),
    ]);
    assert_eq!(series(&tape, &Metric::Cpu).average, Some(200));
}

#[test]
fn a_clock_that_was_set_back_restarts_the_chart_and_keeps_the_average() {
    let tape = tape([sample(100, 100, 1), sample(101, 900, 1), sample(7, 500, 1)]);
    assert_eq!(tape.at, [at(7000)]);
    let cpu = series(&tape, &Metric::Cpu);
    assert_eq!((cpu.values, cpu.average), (vec![Some(500)], Some(900)));
}

#[test]
fn a_day_of_samples_fits_and_reaches_back_ten_minutes() {
    let mut tape = Tape::default();
    for second in 0..86_400 {
        tape.push(&sample(second, 100 + second as u64 % 2, 64));
        assert!(tape.at.len() < thin::MOST);
        let back = at(second * 1000).duration_since(tape.at[0]).as_secs();
        assert!(
            back >= (second - 5).min(600),
            "only {back} s back at {second}"
        );
    }
    assert!(tape.at.is_sorted());
    let cpu = series(&tape, &Metric::Cpu);
    assert_eq!(cpu.values.len(), tape.at.len());
    assert_eq!((cpu.average, cpu.peak), (Some(100), Some(101)));
    let newest = &tape.at[tape.at.len() - 100..];
    assert_eq!(newest[99].duration_since(newest[0]).as_secs(), 99);
}

#[test]
fn a_device_that_comes_later_has_no_values_before() {
    let mut later = sample(1, 0, 1);
    later.accelerators = vec![AcceleratorUsage {
        name: "GPU 0".into(),
        utilization: Some(5_000),
        mem: Some(Bytes(7)),
        mem_total: Some(Bytes(9)),
    }];
    let tape = tape([sample(0, 0, 1), later, sample(2, 0, 1)]);
    let name = Clean::from("GPU 0");
    let device = series(&tape, &Metric::Accelerator { name: name.clone() });
    assert_eq!(device.values, [None, Some(5_000), None]);
    assert_eq!((device.now(), device.limit), (Some(5_000), Some(10_000)));
    let mem = series(&tape, &Metric::AcceleratorMem { name });
    assert_eq!((mem.average, mem.limit), (Some(7), Some(9)));
}

#[test]
fn a_stored_tape_continues() {
    let slots = ResourceSlots::new(Cpu::from_millis(2000), Bytes(512));
    let first = tape([reading(0, 0), reading(1, 100), sample(3, 900, 64)]);
    let record = first.to_record(&session(&slots));
    assert!(record.is_whole());
    let read: FiguresRecord =
        serde_json::from_str(&serde_json::to_string(&record).unwrap()).unwrap();
    let mut second = Tape::resume(read);
    assert_eq!(second.to_record(&session(&slots)), record);
    second.push(&reading(13, 500));
    second.push(&reading(14, 600));
    let read = series(&second, &Metric::BlockRead);
    assert_eq!(read.values, [None, Some(100), None, None, Some(100)]);
    assert_eq!(read.total, Some(600));
    let cpu = series(&second, &Metric::Cpu);
    assert_eq!((cpu.average, cpu.peak), (Some(2 * 900 / 4), Some(900)));
}

/// A session that has run since second 0.
fn session(slots: &ResourceSlots) -> Session {
    Session {
        requested_slots: slots.clone(),
        started_at: Some(at(0)),
        ..testing::session(1, "train")
    }
}

#[test]
fn samples_that_nobody_watched_are_one_line_without_gaps() {
    let tape = tape((0..7).map(|ten| sample(ten * 10, 900, 64)));
    let cpu = series(&tape, &Metric::Cpu);
    assert_eq!(cpu.values, vec![Some(900); 7]);
    assert_eq!(cpu.average, Some(900));
}

#[test]
fn what_the_kernel_counted_overrides_what_was_sampled() {
    let counted = |usage: Usage, millis, peak| Usage {
        counted: Counted {
            cpu_millis: Some(millis),
            mem_peak: Some(Bytes(peak)),
            oom_kills: None,
        },
        ..usage
    };
    let mut tape = tape([
        counted(sample(1, 0, 64), 1_900, 64),
        // Only the kernel's counters cover the time between the samples.
        counted(sample(100, 0, 64), 150_000, 300),
    ]);
    let cpu = series(&tape, &Metric::Cpu);
    assert_eq!((cpu.average, cpu.total), (Some(1500), Some(150_000)));
    assert_eq!(cpu.peak, Some(1500), "the peak is no less than the average");
    assert_eq!(series(&tape, &Metric::Mem).peak, Some(300));
    let last = counted(sample(110, 2_000, 0), 170_000, 500);
    tape.close(&Usage {
        counted: Counted {
            oom_kills: Some(1),
            ..last.counted
        },
        ..last
    });
    let figures = tape.figures(&session(&ResourceSlots::default()));
    assert_eq!(figures.oom_kills, Some(1));
    let mem = series(&tape, &Metric::Mem);
    assert_eq!(mem.peak, Some(500));
    assert_eq!(
        mem.now(),
        Some(64),
        "an ended session's memory isn't sampled"
    );
    let cpu = series(&tape, &Metric::Cpu);
    assert_eq!((cpu.now(), cpu.average), (Some(2_000), Some(1545)));
}

#[test]
fn of_a_session_that_ended_before_its_second_sample_the_last_reading_is_kept() {
    let mut tape = Tape::default();
    let mut last = sample(1, 700, 0);
    last.counted.mem_peak = Some(Bytes(32));
    tape.close(&last);
    assert_eq!(series(&tape, &Metric::Cpu).values, [Some(700)]);
    assert_eq!(series(&tape, &Metric::Mem).peak, Some(32));
}

/// A sample of a session of two containers, of which one may be missing.
fn cluster(second: i64, main: u64, sub: Option<u64>) -> Usage {
    let kernel = |number, cpu| {
        let usage = Usage {
            traffic: Traffic {
                block_read: Some(cpu * 10),
                ..Traffic::default()
            },
            ..sample(second, cpu, cpu)
        };
        (KernelId::from_u128(number), usage)
    };
    let sub = sub.map(|cpu| kernel(2, cpu));
    let kernels: Vec<_> = [kernel(1, main)].into_iter().chain(sub).collect();
    Usage::sum(kernels).unwrap()
}

#[test]
fn of_each_container_the_newest_sample_and_the_totals_are_kept() {
    let samples = [
        cluster(0, 100, Some(0)),
        cluster(1, 900, Some(10)),
        cluster(2, 500, None),
    ];
    let all = tape(samples);
    let session = session(&ResourceSlots::new(Cpu::from_millis(2000), Bytes(512)));
    let record = all.to_record(&session);
    let kernel = |figures: &Figures, number| {
        let figures = &figures.kernels[&KernelId::from_u128(number)];
        assert_eq!(figures.at, [at(2000)]);
        figures.series.clone()
    };
    assert_eq!(record.figures.at.len(), 3);
    let main = kernel(&record.figures, 1);
    assert_eq!(main[0].values, [Some(500)]);
    assert_eq!((main[0].average, main[0].peak), (Some(700), Some(900)));
    assert_eq!(main[0].limit, None, "the limit is the whole session's");
    assert_eq!(main[2].metric, Metric::BlockRead);
    assert_eq!(main[2].values, [None], "the counter went back");
    // Its current use isn't known, but its earlier use is.
    let sub = kernel(&record.figures, 2);
    assert_eq!(
        (sub[0].values[..].as_ref(), sub[0].peak),
        (&[None][..], Some(10))
    );
    assert!(record.is_whole());
    // The next daemon continues the tape.
    let mut next = Tape::resume(record);
    next.push(&cluster(3, 300, Some(30)));
    let figures = next.figures(&session);
    let all = figures.kernels.values();
    assert!(all.clone().all(|it| it.at == [at(3000)]));
    let main = &figures.kernels[&KernelId::from_u128(1)].series;
    assert_eq!((main[0].peak, main[0].values[0]), (Some(900), Some(300)));
    // The record keeps what an ended container used.
    next.close(&cluster(4, 200, Some(20)));
    let figures = next.figures(&session);
    let sub = &figures.kernels[&KernelId::from_u128(2)].series;
    assert_eq!(sub[0].values, [Some(20)]);
    assert_eq!(sub[1].values, [None], "no memory any more");
}
