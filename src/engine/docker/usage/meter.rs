//! The figures of one container, read from files that stay open.

use std::{
    fs::{self, File},
    os::unix::fs::FileExt as _,
    path::{Path, PathBuf},
};

use super::{
    cgroup::Layout,
    counters::{self, TransferredBytes},
    readings::UsageReading,
};
use crate::{
    engine::api::Need,
    model::{resources::Bytes, usage::Traffic},
};

/// Longer than any file that is read here: the longest have a line for each device of a large machine.
pub(super) const LONGEST: usize = 64 * 1024;

#[derive(Debug)]
pub(super) struct Meter {
    pid: i64,
    v2: bool,
    cpu: File,
    /// The file that counts how often the CPU was throttled.
    periods: Option<File>,
    memory: File,
    memory_stat: File,
    /// The peak memory; older kernels have no such file.
    memory_peak: Option<File>,
    memory_v2: bool,
    memory_dir: PathBuf,
    /// The peak as the kernel reports it, and the same without the file cache at the time it rose.
    peak: (u64, u64),
    last: Option<UsageReading>,
    /// The last reading, taken when the main process had ended.
    ended: Option<UsageReading>,
    /// The directory that counts block I/O, and whether it is cgroup version 2.
    block: Option<(PathBuf, bool)>,
    /// Open only while a client watches: an open file of the network keeps that network alive.
    counters: Option<Counters>,
}

#[derive(Debug)]
struct Counters {
    block: Option<File>,
    network: Option<File>,
}

impl Meter {
    /// Opens the files of the control groups of process `pid`; `None` where they can't be read.
    pub(super) fn open(layout: &Layout, pid: i64) -> Option<Self> {
        let groups = fs::read_to_string(format!("/proc/{pid}/cgroup")).ok()?;
        let (cpu_dir, v2) = layout.directory(&groups, "cpuacct")?;
        let memory = layout.directory(&groups, "memory")?;
        let block = layout.directory(&groups, "blkio");
        let mut meter = Self::of(pid, (cpu_dir, v2), memory, block)?;
        let cpu = layout.directory(&groups, "cpu");
        meter.periods = cpu.and_then(|(dir, _)| File::open(dir.join("cpu.stat")).ok());
        Some(meter)
    }

    /// Each group comes with whether it is version 2.
    fn of(
        pid: i64,
        (cpu_dir, v2): (PathBuf, bool),
        (memory_dir, memory_v2): (PathBuf, bool),
        block: Option<(PathBuf, bool)>,
    ) -> Option<Self> {
        let open = |dir: &Path, name: &str| File::open(dir.join(name)).ok();
        Some(Self {
            pid,
            v2,
            cpu: open(&cpu_dir, if v2 { "cpu.stat" } else { "cpuacct.usage" })?,
            periods: None,
            memory: open(
                &memory_dir,
                if memory_v2 {
                    "memory.current"
                } else {
                    "memory.usage_in_bytes"
                },
            )?,
            memory_stat: open(&memory_dir, "memory.stat")?,
            memory_peak: open(
                &memory_dir,
                if memory_v2 {
                    "memory.peak"
                } else {
                    "memory.max_usage_in_bytes"
                },
            ),
            memory_v2,
            memory_dir,
            peak: (0, 0),
            last: None,
            ended: None,
            block,
            counters: None,
        })
    }

    pub(super) fn pid(&self) -> i64 {
        self.pid
    }

    /// The last reading, if the container has ended.
    pub(super) fn ended(&self) -> Option<&UsageReading> {
        self.ended.as_ref()
    }

    /// Reads the kernel's counters one last time: the main process has ended and its groups are about to be
    /// removed. If they are already gone, the reading before is the last one.
    pub(super) fn end(&mut self, buffer: &mut [u8]) {
        let network = self.counters.take().and_then(|counters| counters.network);
        let reading = self.read(Need::Recorded, buffer);
        let network = network.and_then(|file| whole(&file, buffer).map(counters::of_network));
        self.ended = reading.map(|mut reading| {
            if let Some(network) = network {
                let (received, sent) = network.pair();
                reading.traffic.network_in = Some(received);
                reading.traffic.network_out = Some(sent);
            }
            let name = if self.memory_v2 {
                "memory.events"
            } else {
                "memory.oom_control"
            };
            let events = fs::read_to_string(self.memory_dir.join(name));
            reading.oom_kills = events.ok().and_then(|text| field(&text, "oom_kill"));
            reading
        });
        self.ended = self.ended.or(self.last);
    }

    /// `None` when the groups are gone. Block I/O and network are read only on request; their files stay open
    /// only while a client watches.
    pub(super) fn read(&mut self, need: Need, buffer: &mut [u8]) -> Option<UsageReading> {
        if let Some(ended) = self.ended {
            return Some(UsageReading {
                mem: Bytes(0),
                ..ended
            });
        }
        let cpu_text = text(&self.cpu, buffer)?;
        let cpu_nanos = if self.v2 {
            field(cpu_text, "usage_usec")?.checked_mul(1000)?
        } else {
            cpu_text.trim().parse().ok()?
        };
        let total: u64 = text(&self.memory, buffer)?.trim().parse().ok()?;
        let cached = if self.memory_v2 {
            "inactive_file"
        } else {
            "total_inactive_file"
        };
        let idle = field(text(&self.memory_stat, buffer)?, cached).unwrap_or(0);
        let watched = need == Need::Watched;
        let periods = self.periods.as_ref().filter(|_| watched);
        let periods = periods.and_then(|file| periods_of(text(file, buffer)?));
        let mem_peak = self.peak(idle, buffer);
        let traffic = if need >= Need::Recorded {
            self.traffic(buffer)
        } else {
            Traffic::default()
        };
        if need < Need::Watched {
            self.counters = None;
        }
        let mem = Bytes(total.saturating_sub(idle));
        self.last = Some(UsageReading {
            periods,
            cpu_nanos,
            mem,
            traffic,
            mem_peak: mem_peak.map(|peak| peak.max(mem)),
            oom_kills: None,
        });
        self.last
    }

    /// The kernel's peak includes the file cache. The part that was idle when the peak rose is subtracted.
    fn peak(&mut self, idle: u64, buffer: &mut [u8]) -> Option<Bytes> {
        let reported: u64 = text(self.memory_peak.as_ref()?, buffer)?
            .trim()
            .parse()
            .ok()?;
        let (known, without_cache) = self.peak;
        if reported > known {
            self.peak = (reported, without_cache.max(reported.saturating_sub(idle)));
        }
        Some(Bytes(self.peak.1))
    }

    fn traffic(&mut self, buffer: &mut [u8]) -> Traffic {
        let (pid, block) = (self.pid, &self.block);
        let v2 = block.as_ref().is_some_and(|(_, v2)| *v2);
        let counters = self
            .counters
            .get_or_insert_with(|| Counters::open(pid, block.as_ref()));
        let count = if v2 {
            counters::of_devices_v2
        } else {
            counters::of_devices
        };
        let block = counters.block.as_ref();
        let block = block.and_then(|file| text(file, buffer).map(count));
        let network = counters.network.as_ref();
        let network = network.and_then(|file| whole(file, buffer).map(counters::of_network));
        Traffic::counted(
            block.map(TransferredBytes::pair),
            network.map(TransferredBytes::pair),
        )
    }
}

impl Counters {
    fn open(pid: i64, block: Option<&(PathBuf, bool)>) -> Self {
        let names: &[&str] = match block {
            Some((_, true)) => &["io.stat"],
            _ => &[
                "blkio.throttle.io_service_bytes_recursive",
                "blkio.throttle.io_service_bytes",
            ],
        };
        let block = block.and_then(|(dir, _)| {
            let mut files = names.iter();
            files.find_map(|name| File::open(dir.join(name)).ok())
        });
        Self {
            block,
            network: File::open(format!("/proc/{pid}/net/dev")).ok(),
        }
    }
}

/// Reads a file that comes in one piece; `None` if it doesn't fit in the buffer.
fn text<'a>(file: &File, buffer: &'a mut [u8]) -> Option<&'a str> {
    let length = file.read_at(buffer, 0).ok()?;
    let full = length == buffer.len();
    std::str::from_utf8(&buffer[..length])
        .ok()
        .filter(|_| !full)
}

/// Reads a file that may come in several pieces.
fn whole<'a>(file: &File, buffer: &'a mut [u8]) -> Option<&'a str> {
    let mut length = 0;
    loop {
        match file.read_at(&mut buffer[length..], length as u64).ok()? {
            0 if length == buffer.len() => return None,
            0 => break,
            more => length += more,
        }
    }
    std::str::from_utf8(&buffer[..length]).ok()
}

/// How many periods passed, and in how many the CPU was throttled. Without a limit, no periods are counted.
fn periods_of(text: &str) -> Option<(u64, u64)> {
    Some((field(text, "nr_periods")?, field(text, "nr_throttled")?))
}

/// The number after `name` at the beginning of a line.
fn field(text: &str, name: &str) -> Option<u64> {
    text.lines().find_map(|line| {
        line.strip_prefix(name)?
            .strip_prefix(' ')?
            .trim()
            .parse()
            .ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_by_their_whole_name() {
        let text = "total_inactive_file_x 1\ninactive_file 7\ntotal_inactive_file 9\n";
        assert_eq!(field(text, "inactive_file"), Some(7));
        assert_eq!(field(text, "total_inactive_file"), Some(9));
        assert_eq!(field(text, "inactive"), None);
    }

    /// The files of a group of version 1 or 2, with these contents.
    fn group(v2: bool, files: &[(&str, &str)]) -> (tempfile::TempDir, Meter) {
        let dir = tempfile::tempdir().unwrap();
        for (name, text) in files {
            fs::write(dir.path().join(name), text).unwrap();
        }
        let place = || (dir.path().to_path_buf(), v2);
        // No process has this id.
        let meter = Meter::of(i64::MAX, place(), place(), Some(place())).unwrap();
        (dir, meter)
    }

    #[test]
    fn at_the_end_the_kernels_own_counters_are_read() {
        let v1 = [
            ("cpuacct.usage", "1000000"),
            ("memory.usage_in_bytes", "5000"),
            ("memory.stat", "inactive_file 1\ntotal_inactive_file 1000\n"),
            ("memory.max_usage_in_bytes", "6000"),
            (
                "memory.oom_control",
                "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n",
            ),
            (
                "blkio.throttle.io_service_bytes",
                "8:0 Read 7\n8:0 Write 8\n",
            ),
        ];
        let v2 = [
            ("cpu.stat", "usage_usec 1000\nuser_usec 1\n"),
            ("memory.current", "5000"),
            ("memory.stat", "inactive_file 1000\n"),
            ("memory.peak", "6000"),
            ("memory.events", "low 0\noom 3\noom_kill 2\n"),
            ("io.stat", "8:0 rbytes=7 wbytes=8 rios=1\n"),
        ];
        for (is_v2, files) in [(false, v1), (true, v2)] {
            let (dir, mut meter) = group(is_v2, &files);
            let mut buffer = vec![0; LONGEST];
            let first = meter.read(Need::Recorded, &mut buffer).unwrap();
            assert_eq!((first.cpu_nanos, first.mem), (1_000_000, Bytes(4000)));
            assert_eq!(first.mem_peak, Some(Bytes(5000)), "without idle file cache");
            assert_eq!(first.traffic.block_write, Some(8));
            // Between two samples memory rises and falls, and so does the cache.
            fs::write(dir.path().join(files[3].0), "90000").unwrap();
            fs::write(dir.path().join(files[1].0), "100").unwrap();
            let stat = files[2].1.replace("1000", "10");
            fs::write(dir.path().join("memory.stat"), stat).unwrap();
            meter.end(&mut buffer);
            let last = meter.ended().copied().unwrap();
            assert_eq!((last.mem, last.mem_peak), (Bytes(90), Some(Bytes(89_990))));
            assert_eq!(
                (last.oom_kills, last.traffic.block_read),
                (Some(2), Some(7))
            );
            // The groups are gone: the last reading is kept.
            drop(dir);
            let after = meter.read(Need::Watched, &mut buffer).unwrap();
            assert_eq!((after.cpu_nanos, after.mem), (last.cpu_nanos, Bytes(0)));
        }
    }

    #[test]
    fn where_the_groups_have_gone_the_last_sample_is_the_last() {
        let files = [
            ("cpuacct.usage", "1000000"),
            ("memory.usage_in_bytes", "5000"),
            ("memory.stat", "total_inactive_file 1000\n"),
            ("memory.max_usage_in_bytes", "6000"),
        ];
        let (dir, mut meter) = group(false, &files);
        let mut buffer = vec![0; LONGEST];
        let sample = meter.read(Need::Recorded, &mut buffer).unwrap();
        // The files of a removed group return nothing.
        for (name, _) in files {
            fs::write(dir.path().join(name), "").unwrap();
        }
        assert!(meter.read(Need::Recorded, &mut buffer).is_none());
        meter.end(&mut buffer);
        let last = meter.ended().copied().unwrap();
        assert_eq!(
            (last.cpu_nanos, last.mem_peak),
            (1_000_000, sample.mem_peak)
        );
        assert_eq!(last.oom_kills, None);
    }

    #[test]
    fn file_cache_that_filled_the_memory_is_no_peak() {
        let files = [
            ("cpu.stat", "usage_usec 1\n"),
            ("memory.current", "90000"),
            ("memory.stat", "inactive_file 85000\n"),
            ("memory.peak", "90000"),
        ];
        let (_dir, mut meter) = group(true, &files);
        let read = meter.read(Need::IdleChecks, &mut vec![0; LONGEST]).unwrap();
        assert_eq!(read.mem_peak, Some(Bytes(5000)));
        assert_eq!(read.traffic, Traffic::default());
    }

    #[test]
    fn periods_are_read_of_both_versions() {
        let first = "nr_periods 40\nnr_throttled 10\nthrottled_time 99\n";
        assert_eq!(periods_of(first), Some((40, 10)));
        let second = "usage_usec 5\nuser_usec 3\nnr_periods 7\nnr_throttled 0\nthrottled_usec 0\n";
        assert_eq!(periods_of(second), Some((7, 0)));
        assert_eq!(periods_of("usage_usec 5\n"), None);
    }

    #[test]
    fn a_file_that_does_not_fit_reports_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("long");
        fs::write(&path, "12345678").unwrap();
        let file = File::open(&path).unwrap();
        assert_eq!(text(&file, &mut [0; 9]), Some("12345678"));
        assert_eq!(whole(&file, &mut [0; 9]), Some("12345678"));
        assert_eq!(text(&file, &mut [0; 8]), None);
        assert_eq!(whole(&file, &mut [0; 8]), None);
    }
}
