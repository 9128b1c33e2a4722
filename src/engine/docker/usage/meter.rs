//! The figures of one container, read from files that stay open.

use std::{
    fs::{self, File},
    os::unix::fs::FileExt as _,
    path::{Path, PathBuf},
};

use super::{
    cgroup::Layout,
    counters::{self, Moved},
    reading::Reading,
};
use crate::model::{resources::Bytes, usage::Traffic};

/// Longer than any file we read: a line for each device of a large machine.
pub(super) const LONGEST: usize = 64 * 1024;

#[derive(Debug)]
pub(super) struct Meter {
    pid: i64,
    v2: bool,
    cpu: File,
    /// Where it is counted how often it was held back.
    periods: Option<File>,
    memory: File,
    memory_stat: File,
    memory_v2: bool,
    /// Where its block I/O is counted, by version 2 or not.
    block: Option<(PathBuf, bool)>,
    /// Open only while somebody watches: an open file of its network holds on to that network.
    counters: Option<Counters>,
}

#[derive(Debug)]
struct Counters {
    block: Option<File>,
    network: Option<File>,
}

impl Meter {
    /// Opens the files of the groups that process `pid` is in; `None` where they cannot be read.
    pub(super) fn open(layout: &Layout, pid: i64) -> Option<Self> {
        let groups = fs::read_to_string(format!("/proc/{pid}/cgroup")).ok()?;
        let (cpu_dir, v2) = layout.directory(&groups, "cpuacct")?;
        let (memory_dir, memory_v2) = layout.directory(&groups, "memory")?;
        let open = |dir: &Path, name: &str| File::open(dir.join(name)).ok();
        Some(Self {
            pid,
            v2,
            cpu: open(&cpu_dir, if v2 { "cpu.stat" } else { "cpuacct.usage" })?,
            periods: layout
                .directory(&groups, "cpu")
                .and_then(|(dir, _)| open(&dir, "cpu.stat")),
            memory: open(
                &memory_dir,
                if memory_v2 {
                    "memory.current"
                } else {
                    "memory.usage_in_bytes"
                },
            )?,
            memory_stat: open(&memory_dir, "memory.stat")?,
            memory_v2,
            block: layout.directory(&groups, "blkio"),
            counters: None,
        })
    }

    /// `None` when the groups are gone. Block I/O and network are read only where `all` is wanted.
    pub(super) fn read(&mut self, all: bool, buffer: &mut [u8]) -> Option<Reading> {
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
        let periods = self.periods.as_ref().filter(|_| all);
        let periods = periods.and_then(|file| periods_of(text(file, buffer)?));
        let traffic = if all {
            self.traffic(buffer)
        } else {
            self.counters = None;
            Traffic::default()
        };
        Some(Reading {
            periods,
            cpu_nanos,
            mem: Bytes(total.saturating_sub(idle)),
            traffic,
        })
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
        Traffic::counted(block.map(Moved::pair), network.map(Moved::pair))
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

/// A file that comes in one piece. One that would not fit tells nothing.
fn text<'a>(file: &File, buffer: &'a mut [u8]) -> Option<&'a str> {
    let length = file.read_at(buffer, 0).ok()?;
    let full = length == buffer.len();
    std::str::from_utf8(&buffer[..length])
        .ok()
        .filter(|_| !full)
}

/// A file that may come in several pieces.
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

/// How many periods passed, and in how many of them it was held back; without a limit none pass.
fn periods_of(text: &str) -> Option<(u64, u64)> {
    Some((field(text, "nr_periods")?, field(text, "nr_throttled")?))
}

/// The number behind `name` at the beginning of a line.
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

    #[test]
    fn periods_are_read_of_both_versions() {
        let first = "nr_periods 40\nnr_throttled 10\nthrottled_time 99\n";
        assert_eq!(periods_of(first), Some((40, 10)));
        let second = "usage_usec 5\nuser_usec 3\nnr_periods 7\nnr_throttled 0\nthrottled_usec 0\n";
        assert_eq!(periods_of(second), Some((7, 0)));
        assert_eq!(periods_of("usage_usec 5\n"), None);
    }

    #[test]
    fn a_file_that_does_not_fit_tells_nothing() {
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
