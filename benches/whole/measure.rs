//! How it is measured: our TUI on a screen of one size, and what a process has used.

use std::{fs, time::Duration};

use crate::{
    machine::{BINARY, Machine},
    terminal::Terminal,
};

pub const COLUMNS: u16 = 200;
pub const ROWS: u16 = 50;

/// What each of the bench's sessions is given; what is timed is not to be held back by its limit.
pub const CPU: &str = "0.5";

/// So many sessions at once, until all of them run.
pub fn launch_many(machine: &Machine, name: &str, count: usize) {
    let count = count.to_string();
    machine.ok(&[
        "launch",
        "--env",
        "host",
        "--name",
        name,
        "--count",
        &count,
        "--cpu",
        CPU,
        "--mem",
        "64m",
        "--wait",
        "--wait-timeout",
        "20m",
    ]);
}

pub fn tui(machine: &Machine) -> Terminal {
    Terminal::start(&[BINARY], &machine.env(), COLUMNS, ROWS)
}

/// Waits until nothing has been written for 20 ms, so that the next byte is the key's.
pub fn quiet(terminal: &Terminal) {
    loop {
        let before = terminal.raw_len();
        std::thread::sleep(Duration::from_millis(20));
        if terminal.raw_len() == before {
            return;
        }
    }
}

/// Until start-up work of a program has calmed down.
pub fn settle() {
    std::thread::sleep(Duration::from_secs(3));
}

pub fn millis(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}

pub fn resident_kib(pid: u32) -> f64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).expect("a process's status");
    let line = status
        .lines()
        .find(|line| line.starts_with("VmRSS:"))
        .expect("VmRSS");
    line.split_whitespace()
        .nth(1)
        .and_then(|kib| kib.parse().ok())
        .expect("kibibytes")
}

/// Memory that is not shared with other processes.
pub fn own_kib(pid: u32) -> Option<f64> {
    let rollup = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok()?;
    let own = rollup.lines().filter(|line| line.starts_with("Private_"));
    let kib = own.filter_map(|line| line.split_whitespace().nth(1)?.parse::<f64>().ok());
    Some(kib.sum())
}

/// User and system time so far, milliseconds.
pub fn cpu_millis(pid: u32) -> f64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).expect("a process's stat");
    let fields: Vec<&str> = stat
        .rsplit(')')
        .next()
        .expect("fields")
        .split_whitespace()
        .collect();
    let ticks: f64 = [11, 12]
        .iter()
        .map(|i| fields[*i].parse::<f64>().expect("ticks"))
        .sum();
    ticks * 10.0
}
