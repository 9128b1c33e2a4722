//! Copies of programs that a test runs.

use std::{path::Path, process::Command};

/// Copies a program. Not in this process: a child that another test begins meanwhile would inherit the open
/// file, and what is open for writing cannot be run ("Text file busy").
#[track_caller]
pub fn copy_program(from: impl AsRef<Path>, to: impl AsRef<Path>) {
    let copied = Command::new("cp")
        .arg(from.as_ref())
        .arg(to.as_ref())
        .status();
    assert!(copied.expect("cp runs").success());
}
