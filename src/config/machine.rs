//! Facts about this machine from the operating system.

use std::fs;

/// An id that differs for each boot of the machine.
pub fn boot_id() -> Option<String> {
    let id = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    Some(id.trim().to_owned()).filter(|id| !id.is_empty())
}
