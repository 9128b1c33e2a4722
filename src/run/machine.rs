//! Reads what this machine uses, for the dashboard.

use std::{fs, path::Path};

use crate::{
    app::machine::{CpuTicks, MachineDisk, MachineMemory, MachineReading},
    model::{resources::Bytes, text::Clean},
};

/// Reads CPU, memory and the file system of a path with its meaning. What can't be read is left out.
pub fn read(disk: (&'static str, &Path)) -> MachineReading {
    let text = |path: &str| fs::read_to_string(path).unwrap_or_default();
    MachineReading {
        cpu: cpu(&text("/proc/stat")).unwrap_or_default(),
        memory: memory(&text("/proc/meminfo")),
        disks: self::disk(disk).into_iter().collect(),
    }
}

/// The first line: `cpu  user nice system idle iowait irq softirq steal guest guest_nice`. Guests are also in `user`
/// and `nice`.
fn cpu(stat: &str) -> Option<CpuTicks> {
    let mut words = stat.lines().next()?.split_whitespace();
    if words.next() != Some("cpu") {
        return None;
    }
    let ticks: Vec<u64> = words.take(8).map_while(|it| it.parse().ok()).collect();
    let idle = ticks.get(3)?.saturating_add(*ticks.get(4)?);
    let all = ticks.iter().fold(0_u64, |sum, it| sum.saturating_add(*it));
    Some(CpuTicks { all, idle })
}

fn memory(meminfo: &str) -> Option<MachineMemory> {
    let of = |name: &str| {
        let line = meminfo.lines().find_map(|line| line.strip_prefix(name))?;
        let kib: u64 = line.split_whitespace().next()?.parse().ok()?;
        Some(Bytes(kib.saturating_mul(Bytes::KIB)))
    };
    Some(MachineMemory {
        total: of("MemTotal:")?,
        available: of("MemAvailable:")?,
    })
}

/// The file system of the nearest directory that exists.
fn disk((what, path): (&'static str, &Path)) -> Option<MachineDisk> {
    let place = path.ancestors().find(|it| it.is_dir())?;
    // As `df` counts it: what is reserved for root isn't used.
    let facts = rustix::fs::statvfs(place).ok()?;
    let bytes = |blocks: u64| Bytes(blocks.saturating_mul(facts.f_frsize));
    Some(MachineDisk {
        what,
        path: Clean::new(&path.to_string_lossy()),
        total: bytes(facts.f_blocks),
        free: bytes(facts.f_bfree),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_s_files_are_read() {
        let stat = "cpu  100 5 50 800 40 3 2 0 60 0\ncpu0 1 1 1 1\n";
        let ticks = CpuTicks {
            all: 1000,
            idle: 840,
        };
        assert_eq!(cpu(stat), Some(ticks));
        let meminfo = "MemTotal:       16384 kB\nMemFree: 1 kB\nMemAvailable:    4096 kB\n";
        let expected = MachineMemory {
            total: Bytes::mib(16),
            available: Bytes::mib(4),
        };
        assert_eq!(memory(meminfo), Some(expected));
        for damaged in ["", "cpu", "cpu x y", "intr 1 2 3 4 5"] {
            assert_eq!(cpu(damaged), None, "{damaged}");
        }
        assert_eq!(memory("MemTotal: 1 kB"), None);
    }

    #[test]
    fn this_machine_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let reading = read(("data", &dir.path().join("not/yet")));
        assert!(reading.cpu.all > reading.cpu.idle);
        let memory = reading.memory.unwrap();
        assert!(memory.total > memory.available && memory.available.0 > 0);
        assert!(reading.disks[0].total > reading.disks[0].free);
    }
}
