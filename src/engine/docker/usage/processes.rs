//! The figures of a container without its own control groups: the sum of what its processes use.

use std::{fs, path::PathBuf};

use super::readings::UsageReading;
use crate::model::resources::Bytes;

/// The kernel reports hundredths of a second, independent of its own clock.
const NANOS_A_TICK: u64 = 10_000_000;

/// The processes in a container's PID namespace.
#[derive(Debug)]
pub(super) struct Processes {
    main: i64,
    world: PathBuf,
}

impl Processes {
    /// The processes of the container with main process `main`; `None` if they can't be read.
    pub(super) fn of(main: i64) -> Option<Self> {
        Some(Self {
            main,
            world: world(&main.to_string())?,
        })
    }

    /// `None` when the container has ended.
    pub(super) fn read(&self) -> Option<UsageReading> {
        if world(&self.main.to_string())? != self.world {
            return None;
        }
        let (mut ticks, mut mem) = (0_u64, 0_u64);
        for entry in fs::read_dir("/proc").ok()?.flatten() {
            let name = entry.file_name();
            let Some(pid) = name.to_str().filter(|name| name.parse::<u32>().is_ok()) else {
                continue;
            };
            if world(pid).as_ref() != Some(&self.world) {
                continue;
            }
            // The process may end while it is read.
            ticks += read(pid, "stat")
                .and_then(|text| cpu_ticks(&text))
                .unwrap_or(0);
            mem += read(pid, "status")
                .and_then(|text| own_memory(&text))
                .unwrap_or(0);
        }
        Some(UsageReading {
            cpu_nanos: ticks.saturating_mul(NANOS_A_TICK),
            mem: Bytes(mem),
            ..UsageReading::default()
        })
    }
}

fn read(pid: &str, file: &str) -> Option<String> {
    fs::read_to_string(format!("/proc/{pid}/{file}")).ok()
}

/// Identifies the PID namespace of a process.
fn world(pid: &str) -> Option<PathBuf> {
    fs::read_link(format!("/proc/{pid}/ns/pid")).ok()
}

/// The CPU time of the process and of its children that ended.
fn cpu_ticks(stat: &str) -> Option<u64> {
    // The name may contain blanks and brackets; the numbers begin after it.
    let (_, numbers) = stat.rsplit_once(')')?;
    let times = numbers.split_whitespace().skip(11).take(4);
    times.map(|ticks| ticks.parse::<u64>().ok()).sum()
}

/// Its private memory and its shared memory, without mapped files.
fn own_memory(status: &str) -> Option<u64> {
    let field = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().next()?.parse::<u64>().ok()
    };
    let kib = field("RssAnon:")? + field("RssShmem:").unwrap_or(0);
    Some(kib * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_behind_whatever_name() {
        let stat = "7 (a) b) S 1 7 7 0 -1 4194304 1 2 3 4 10 20 3 4 20 0 1 0 99 1 1";
        assert_eq!(cpu_ticks(stat), Some(37));
        assert_eq!(cpu_ticks("nonsense"), None);
    }

    #[test]
    fn mapped_files_are_not_memory_of_its_own() {
        let status = "Name:\tx\nRssAnon:\t     100 kB\nRssFile:\t  900 kB\nRssShmem:\t   5 kB\n";
        assert_eq!(own_memory(status), Some(105 * 1024));
        assert_eq!(own_memory("Name:\tzombie\n"), None);
    }

    #[test]
    fn this_process_is_among_its_own() {
        let me = i64::from(std::process::id());
        let reading = Processes::of(me).unwrap().read().unwrap();
        assert!(reading.mem > Bytes(0));
        assert!(Processes::of(i64::MAX).is_none());
    }
}
