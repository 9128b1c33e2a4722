//! Combines the two outputs of a log into lines, in the order in which they are finished.

use super::log_line::{LineReader, LogLine};
use crate::model::{log::LogSource, own_line::OwnLines, text::Clean};

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
    /// workbay's own lines, which are on stdout.
    own: OwnLines,
}

impl Lines {
    /// Creates a reader for lines with times.
    pub fn with_times() -> Self {
        Self {
            stdout: LineReader::with_times(),
            stderr: LineReader::with_times(),
            own: OwnLines::default(),
        }
    }

    /// Reads bytes of one source and passes each finished line to `take`.
    pub fn read(&mut self, source: LogSource, bytes: &[u8], mut take: impl FnMut(LogEntry)) {
        let reader = match source {
            LogSource::Stdout => &mut self.stdout,
            LogSource::Stderr => &mut self.stderr,
        };
        let own = &mut self.own;
        reader.read(bytes, |line| {
            take(LogEntry {
                source,
                line: shown(source, line, own),
            });
        });
    }

    /// The unfinished lines.
    pub fn unfinished(&self) -> Vec<LogEntry> {
        entries(self.stdout.unfinished(), self.stderr.unfinished())
    }

    /// Finishes the last lines, at the end of the log.
    pub fn finish(&mut self) -> Vec<LogEntry> {
        let stdout = self.stdout.finish();
        let stdout = stdout.map(|line| shown(LogSource::Stdout, line, &mut self.own));
        entries(stdout, self.stderr.finish())
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

/// A line as it is shown: workbay's own lines are in the user's language.
fn shown(source: LogSource, mut line: LogLine, own: &mut OwnLines) -> LogLine {
    if source == LogSource::Stdout
        && let Some(text) = own
            .shown(line.text.as_str())
            .filter(|_| line.styles.is_empty())
    {
        line.text = Clean::new(&text);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::locale::{self, embedded};

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

    #[test]
    fn workbays_own_lines_are_in_the_users_language() {
        let shown = |log: &str| {
            let mut lines = Lines::with_times();
            let mut texts = Vec::new();
            let take = |entry: LogEntry| texts.push(entry.line.text.into_string());
            lines.read(LogSource::Stdout, log.as_bytes(), take);
            texts.extend(
                lines
                    .finish()
                    .into_iter()
                    .map(|it| it.line.text.into_string()),
            );
            texts
        };
        let log = "2026-05-04T09:30:01Z workbay: ready\nready\n\
                   2026-05-04T09:30:02Z workbay: \u{1b}[31mready\u{1b}[0m\nworkbay: ended with exit code 3";
        let english = ["workbay: ready", "ready", "workbay: ready"];
        assert_eq!(shown(log)[..3], english);
        let _korean = locale::in_this_thread(embedded::korean());
        let korean = [
            "workbay: 준비됨",
            "ready",
            // A program has colored it.
            "workbay: ready",
            "workbay: 끝났습니다 (종료 코드 3)",
        ];
        assert_eq!(shown(log), korean);
    }
}
