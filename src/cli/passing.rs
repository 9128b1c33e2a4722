//! Passes a session's output to stdout and stderr.

use std::io::{self, IsTerminal, Write};

use bytes::Bytes;

use super::{fail::Fail, output, tty};
use crate::{
    model::{log::LogSource, settings::TerminalSettings},
    terminal::filter::OutputFilter,
};

const ESC: u8 = 0x1b;
/// Ends colors that a program left on.
const PLAIN: &[u8] = b"\x1b[0m";

/// Filters between the output and a terminal. Files and pipes get the bytes unchanged.
pub struct Filters {
    stdout: Option<OutputFilter>,
    stderr: Option<OutputFilter>,
    /// Whether a sequence was passed to a terminal and the colors weren't reset since: on stdout, on stderr.
    colored: [bool; 2],
}

impl Filters {
    /// For a program that controls this terminal: what it switches on is switched off when it ends.
    pub fn drawing(settings: &TerminalSettings) -> Self {
        Self::each(|| OutputFilter::new(settings))
    }

    /// For other programs: nothing moves out of its line or stays switched on, and nothing makes the terminal
    /// send an answer, which would arrive in the user's shell.
    pub fn of_lines() -> Self {
        Self::each(|| OutputFilter::of_log(!tty::is_plain()))
    }

    fn each(filter: impl Fn() -> OutputFilter) -> Self {
        Self {
            stdout: io::stdout().is_terminal().then(&filter),
            stderr: io::stderr().is_terminal().then(&filter),
            colored: [false; 2],
        }
    }

    pub fn pass(&mut self, source: LogSource, bytes: Bytes) -> Bytes {
        let filter = match source {
            LogSource::Stdout => &mut self.stdout,
            LogSource::Stderr => &mut self.stderr,
        };
        let Some(filter) = filter else { return bytes };
        let passed = filter.pass(&bytes);
        self.colored[source as usize] |= passed.contains(&ESC);
        passed.into()
    }

    /// Ends the output: resets the colors.
    pub fn finish(&mut self) -> Result<(), Fail> {
        for source in [LogSource::Stdout, LogSource::Stderr] {
            if std::mem::take(&mut self.colored[source as usize]) {
                put(source, PLAIN)?;
            }
        }
        Ok(())
    }
}

pub fn put(source: LogSource, bytes: &[u8]) -> Result<(), Fail> {
    match source {
        LogSource::Stdout => output::bytes(bytes),
        LogSource::Stderr => Ok(io::stderr().lock().write_all(bytes)?),
    }
}
