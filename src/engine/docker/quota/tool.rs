//! Runs the programs that set quotas.

use std::{
    ffi::OsStr,
    process::{Command, Stdio},
};

use crate::model::text::Clean;

/// Only the system's own programs: the daemon runs as root here.
const PATH: &str = "/usr/sbin:/usr/bin:/sbin:/bin";

/// Runs a program and returns its output, or a part of a sentence about why it failed.
pub(super) fn run<S: AsRef<OsStr>>(program: &str, arguments: &[S]) -> Result<String, String> {
    let ran = Command::new(program)
        .args(arguments)
        .env("PATH", PATH)
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .output();
    let output = match ran {
        Ok(output) => output,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(tr_sent!("the program {program} isn't installed", program));
        }
        Err(error) => return Err(tr_sent!("{program} can't be run: {error}", program, error)),
    };
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let last = text.lines().rev().find(|line| !line.trim().is_empty());
    let last = last
        .unwrap_or_default()
        .trim()
        .trim_start_matches("ERROR: ");
    Err(tr_sent!(
        "{program} failed: {last}",
        program,
        last = Clean::new(last)
    ))
}
