//! Combines the two outputs of a log into lines, in the order in which they are finished.

use super::log_line::{LineReader, LogLine};
use crate::model::log::LogSource;

/// A line with its source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogEntry {
    pub source: LogSource,
    pub line: LogLine,
}

/// Reads a log in chunks.
#[derive(Debug, Default)]
pub struct Lines {
    stdout: LineReader,
    stderr: LineReader,
}

impl Lines {
    /// Creates a reader for lines with times.
    pub fn with_times() -> Self {
        Self {
            stdout: LineReader::with_times(),
            stderr: LineReader::with_times(),
        }
    }

    /// Reads bytes of one source and passes each finished line to `take`.
    pub fn read(&mut self, source: LogSource, bytes: &[u8], mut take: impl FnMut(LogEntry)) {
        let reader = match source {
            LogSource::Stdout => &mut self.stdout,
            LogSource::Stderr => &mut self.stderr,
        };
        reader.read(bytes, |line| take(LogEntry { source, line }));
    }

    /// The unfinished lines.
    pub fn unfinished(&self) -> Vec<LogEntry> {
        entries(self.stdout.unfinished(), self.stderr.unfinished())
    }

    /// Finishes the last lines, at the end of the log.
    pub fn finish(&mut self) -> Vec<LogEntry> {
        entries(self.stdout.finish(), self.stderr.finish())
    }
}

fn entries(stdout: Option<LogLine>, stderr: Option<LogLine>) -> Vec<LogEntry> {
    let stdout = stdout.map(|line| (LogSource::Stdout, line));
    let stderr = stderr.map(|line| (LogSource::Stderr, line));
    let lines = stdout.into_iter().chain(stderr);
    lines
        .map(|(source, line)| LogEntry { source, line })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_do_not_cut_each_others_lines() {
        let mut lines = Lines::default();
        let mut read = Vec::new();
        for (source, bytes) in [
            (LogSource::Stdout, &b"out"[..]),
            (LogSource::Stderr, b"err\n"),
            (LogSource::Stdout, b"put\nmore"),
        ] {
            lines.read(source, bytes, |entry| read.push(entry));
        }
        let text = |entries: &[LogEntry]| -> Vec<(LogSource, String)> {
            let text = |it: &LogEntry| (it.source, it.line.text.to_string());
            entries.iter().map(text).collect()
        };
        let (out, err) = (LogSource::Stdout, LogSource::Stderr);
        assert_eq!(
            text(&read),
            [(err, "err".to_owned()), (out, "output".to_owned())]
        );
        assert_eq!(text(&lines.unfinished()), [(out, "more".to_owned())]);
        assert_eq!(text(&lines.finish()), [(out, "more".to_owned())]);
        assert!(lines.unfinished().is_empty());
    }
}
