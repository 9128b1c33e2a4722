//! A session's output on its way to our own stdout and stderr.

use std::io::{self, IsTerminal, Write};

use bytes::Bytes;

use super::{fail::Fail, output};
use crate::{
    model::{log::LogSource, settings::TerminalSettings},
    terminal::filter::Filter,
};

/// What stands between the output and a terminal; files and pipes get the bytes as they are.
pub struct Filters {
    stdout: Option<Filter>,
    stderr: Option<Filter>,
}

impl Filters {
    pub fn new(settings: &TerminalSettings) -> Self {
        Self {
            stdout: io::stdout().is_terminal().then(|| Filter::new(settings)),
            stderr: io::stderr().is_terminal().then(|| Filter::new(settings)),
        }
    }

    pub fn pass(&mut self, source: LogSource, bytes: Bytes) -> Bytes {
        let filter = match source {
            LogSource::Stdout => &mut self.stdout,
            LogSource::Stderr => &mut self.stderr,
        };
        match filter {
            Some(filter) => filter.pass(&bytes).into(),
            None => bytes,
        }
    }
}

pub fn put(source: LogSource, bytes: &[u8]) -> Result<(), Fail> {
    match source {
        LogSource::Stdout => output::bytes(bytes),
        LogSource::Stderr => Ok(io::stderr().lock().write_all(bytes)?),
    }
}
