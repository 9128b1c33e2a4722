//! What a process of this machine uses.

use std::fs;

/// The memory that belongs to this process alone, in MiB.
pub fn private(pid: u32) -> f64 {
    let rollup = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).expect("a process");
    let kib = |line: &str| line.split_whitespace().nth(1)?.parse::<f64>().ok();
    let lines = rollup.lines().filter(|line| line.starts_with("Private_"));
    lines.filter_map(kib).sum::<f64>() / 1024.0
}
