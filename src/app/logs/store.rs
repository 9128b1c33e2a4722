//! The lines of a log that are held: a ring, bounded by number and by memory.

use std::collections::VecDeque;

use jiff::tz::TimeZone;

use super::line::{Line, Reader};
use crate::model::log::LogSource;

/// Most lines held.
pub const MAX_LINES: usize = 50_000;
/// Most memory of the lines held, in bytes.
const MAX_BYTES: usize = 16 * 1024 * 1024;

/// A line with what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub source: LogSource,
    pub line: Line,
}

/// Lines have numbers that never change: the first line ever read is 0.
#[derive(Debug, Default)]
pub struct Store {
    lines: VecDeque<Entry>,
    bytes: usize,
    /// Lines that had to go; also the number of the first line held.
    dropped: usize,
    stdout: Reader,
    stderr: Reader,
    /// The lines not ended yet, of standard output and of standard error.
    tail: Vec<Entry>,
}

impl Store {
    /// One whose lines have their times before them.
    pub fn with_times(zone: TimeZone) -> Self {
        Self {
            stdout: Reader::with_times(zone.clone()),
            stderr: Reader::with_times(zone),
            ..Self::default()
        }
    }

    /// Takes bytes of one source.
    pub fn read(&mut self, source: LogSource, bytes: &[u8]) {
        let Self {
            lines,
            bytes: held,
            stdout,
            stderr,
            ..
        } = self;
        let reader = match source {
            LogSource::Stdout => stdout,
            LogSource::Stderr => stderr,
        };
        reader.read(bytes, |line| {
            *held += line.cost();
            lines.push_back(Entry { source, line });
        });
        self.trim();
        self.refresh_tail();
    }

    /// The log ended: the last lines count as ended too.
    pub fn finish(&mut self) {
        for (source, line) in [
            (LogSource::Stdout, self.stdout.finish()),
            (LogSource::Stderr, self.stderr.finish()),
        ] {
            if let Some(line) = line {
                self.bytes += line.cost();
                self.lines.push_back(Entry { source, line });
            }
        }
        self.tail.clear();
    }

    fn trim(&mut self) {
        while self.lines.len() > MAX_LINES || self.bytes > MAX_BYTES {
            let Some(gone) = self.lines.pop_front() else {
                break;
            };
            self.bytes -= gone.line.cost();
            self.dropped += 1;
        }
    }

    fn refresh_tail(&mut self) {
        self.tail.clear();
        for (source, line) in [
            (LogSource::Stdout, self.stdout.unfinished()),
            (LogSource::Stderr, self.stderr.unfinished()),
        ] {
            self.tail.extend(line.map(|line| Entry { source, line }));
        }
    }

    /// How many lines are no longer held.
    pub fn dropped(&self) -> usize {
        self.dropped
    }

    /// The number of the first line held.
    pub fn first(&self) -> usize {
        self.dropped
    }

    /// One more than the number of the last line.
    pub fn end(&self) -> usize {
        self.ended() + self.tail.len()
    }

    /// One more than the number of the last line that will not change any more.
    pub fn ended(&self) -> usize {
        self.dropped + self.lines.len()
    }

    pub fn is_empty(&self) -> bool {
        self.lines.is_empty() && self.tail.is_empty()
    }

    /// The line of a number, if it is held.
    pub fn get(&self, number: usize) -> Option<&Entry> {
        let at = number.checked_sub(self.dropped)?;
        self.lines
            .get(at)
            .or_else(|| self.tail.get(at - self.lines.len()))
    }

    /// The whole text, sanitised, for a file.
    pub fn text(&self) -> String {
        let mut text = String::with_capacity(self.bytes);
        if self.dropped > 0 {
            text = format!("[{} earlier lines dropped]\n", self.dropped);
        }
        for entry in self.lines.iter().chain(&self.tail) {
            text.push_str(entry.line.text.as_str());
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(store: &Store, number: usize) -> Option<&str> {
        store.get(number).map(|entry| entry.line.text.as_str())
    }

    #[test]
    fn sources_do_not_cut_each_others_lines() {
        let mut store = Store::default();
        store.read(LogSource::Stdout, b"out");
        store.read(LogSource::Stderr, b"err\n");
        store.read(LogSource::Stdout, b"put\nmore");
        assert_eq!(text(&store, 0), Some("err"));
        assert_eq!(text(&store, 1), Some("output"));
        assert_eq!(text(&store, 2), Some("more"));
        assert_eq!((store.ended(), store.end()), (2, 3));
        assert_eq!(store.get(0).unwrap().source, LogSource::Stderr);
        store.finish();
        assert_eq!((store.ended(), store.end()), (3, 3));
    }

    #[test]
    fn it_is_bounded_and_numbers_stay() {
        let mut store = Store::default();
        for number in 0..MAX_LINES + 10 {
            store.read(LogSource::Stdout, format!("{number}\n").as_bytes());
        }
        assert_eq!((store.dropped(), store.end()), (10, MAX_LINES + 10));
        assert_eq!(text(&store, 9), None);
        assert_eq!(text(&store, 10), Some("10"));
        assert!(
            store
                .text()
                .starts_with("[10 earlier lines dropped]\n10\n11\n")
        );

        let long = [vec![b'x'; 16_000], b"\n".to_vec()].concat();
        for _ in 0..2000 {
            store.read(LogSource::Stdout, &long);
        }
        assert!(store.bytes <= MAX_BYTES);
        assert!(store.lines.len() < 1100, "{}", store.lines.len());
    }
}
