//! Real daemon processes on the real engine: killed at every point, two side by side, as another user.

mod commands;
mod disk;
mod engine;
mod faults;
mod hung;
mod instances;
mod modes;
mod outside;
mod permissions;
mod pull_refusals;
mod pulls;
mod remains;
mod survival;
mod upgrade;

use std::{fmt::Display, process::Command};

/// Sends a signal to a process, by its name: `STOP`.
#[track_caller]
pub fn signal(pid: impl Display, name: &str) {
    let sent = Command::new("kill")
        .args(["-s", name, &pid.to_string()])
        .status();
    assert!(sent.expect("kill runs").success());
}
