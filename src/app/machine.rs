//! What this machine uses as a whole, with the programs outside of sessions.

use crate::model::{resources::Bytes, text::Clean};

/// One reading of this machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MachineReading {
    /// The time of all CPUs since the start of the machine, in the kernel's ticks.
    pub cpu: CpuTicks,
    /// `None` = not known.
    pub memory: Option<MachineMemory>,
    pub disks: Vec<MachineDisk>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CpuTicks {
    pub all: u64,
    /// Also the time in which the CPUs waited for disks.
    pub idle: u64,
}

impl CpuTicks {
    /// The busy share of all CPUs between two readings, in thousandths. `None` if no time has passed.
    pub fn busy_since(self, before: Self) -> Option<u64> {
        let all = self.all.checked_sub(before.all).filter(|all| *all > 0)?;
        let idle = self.idle.saturating_sub(before.idle).min(all);
        Some((all - idle) * 1000 / all)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MachineMemory {
    pub total: Bytes,
    /// What programs can still allocate without swapping.
    pub available: Bytes,
}

/// A file system of this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineDisk {
    /// What workbay keeps on it.
    pub what: &'static str,
    pub path: Clean,
    pub total: Bytes,
    /// What isn't used, also what is reserved for root.
    pub free: Bytes,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_busy_share_is_that_between_two_readings() {
        let ticks = |all, idle| CpuTicks { all, idle };
        assert_eq!(ticks(1200, 950).busy_since(ticks(1000, 900)), Some(750));
        assert_eq!(ticks(1000, 900).busy_since(ticks(1000, 900)), None);
        // The waiting time of the kernel can go back.
        assert_eq!(ticks(1100, 899).busy_since(ticks(1000, 900)), Some(1000));
    }
}
