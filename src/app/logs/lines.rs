//! From the two outputs of a log to its lines, in the order in which they end.

use super::line::{Line, Reader};
use crate::model::log::LogSource;

/// A line with what it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    pub source: LogSource,
    pub line: Line,
}

/// Reads a log piece by piece.
#[derive(Debug, Default)]
pub struct Lines {
    stdout: Reader,
    stderr: Reader,
}

impl Lines {
    /// One whose lines have their times before them.
    pub fn with_times() -> Self {
        Self {
            stdout: Reader::with_times(),
            stderr: Reader::with_times(),
        }
    }

    /// Takes bytes of one source; each line that they end goes to `take`.
    pub fn read(&mut self, source: LogSource, bytes: &[u8], mut take: impl FnMut(Entry)) {
        let reader = match source {
            LogSource::Stdout => &mut self.stdout,
            LogSource::Stderr => &mut self.stderr,
        };
        reader.read(bytes, |line| take(Entry { source, line }));
    }

    /// The lines that are not ended yet.
    pub fn unfinished(&self) -> Vec<Entry> {
        entries(self.stdout.unfinished(), self.stderr.unfinished())
    }

    /// The log ended: the last lines count as ended too.
    pub fn finish(&mut self) -> Vec<Entry> {
        entries(self.stdout.finish(), self.stderr.finish())
    }
}

fn entries(stdout: Option<Line>, stderr: Option<Line>) -> Vec<Entry> {
    let stdout = stdout.map(|line| (LogSource::Stdout, line));
    let stderr = stderr.map(|line| (LogSource::Stderr, line));
    let lines = stdout.into_iter().chain(stderr);
    lines.map(|(source, line)| Entry { source, line }).collect()
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
        let text = |entries: &[Entry]| -> Vec<(LogSource, String)> {
            let text = |it: &Entry| (it.source, it.line.text.to_string());
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
