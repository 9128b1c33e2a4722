//! Keeps the last lines of a long log, which are shown until the log is read that far from its beginning.

use std::collections::VecDeque;

use jiff::Timestamp;

use crate::{
    app::logs::{
        feed::PREVIEW,
        lines::{Lines, LogEntry},
    },
    model::log::LogSource,
};

/// Maximum lines of the preview, and their memory.
pub(super) const LINES: u32 = 2_000;
const COST: usize = 4 << 20;

#[derive(Debug)]
pub(super) struct Preview {
    lines: Lines,
    held: VecDeque<LogEntry>,
    cost: usize,
    /// The first line that is kept.
    first: u64,
    /// Time of the first line that was read.
    begins: Option<Timestamp>,
}

impl Preview {
    pub(super) fn new() -> Self {
        Self {
            lines: Lines::with_times(),
            held: VecDeque::new(),
            cost: 0,
            first: PREVIEW,
            begins: None,
        }
    }

    pub(super) fn read(&mut self, source: LogSource, bytes: &[u8]) {
        let Self { lines, held, .. } = self;
        let mut cost = 0;
        lines.read(source, bytes, |entry| {
            cost += entry.line.cost();
            held.push_back(entry);
        });
        self.cost += cost;
        if self.begins.is_none() {
            self.begins = self.held.iter().find_map(|entry| entry.line.time);
        }
        while self.held.len() > LINES as usize * 2 || self.cost > COST {
            let Some(gone) = self.held.pop_front() else {
                break;
            };
            self.cost -= gone.line.cost();
            self.first += 1;
        }
    }

    /// Whether the preview begins at or before this time.
    pub(super) fn begins_before(&self, time: Timestamp) -> bool {
        self.begins.is_some_and(|begins| begins <= time)
    }

    pub(super) fn last(&self) -> Option<&LogEntry> {
        self.held.back()
    }

    /// The number after the last ended line.
    pub(super) fn ended(&self) -> u64 {
        self.first + self.held.len() as u64
    }

    /// The first line and the end, if there are lines.
    pub(super) fn extent(&self) -> Option<(u64, u64)> {
        let unfinished = self.lines.unfinished().len() as u64;
        let end = self.ended() + unfinished;
        (end > self.first).then_some((self.first, end))
    }

    /// The lines around a line, and the number of the first.
    pub(super) fn page(&self, number: u64, lines: u64) -> (u64, Vec<LogEntry>) {
        let unfinished = self.lines.unfinished();
        let end = self.ended() + unfinished.len() as u64;
        let from = number.saturating_sub(lines).clamp(self.first, end);
        let to = number.saturating_add(lines).clamp(from, end);
        let skip = usize::try_from(from - self.first).unwrap_or(usize::MAX);
        let take = usize::try_from(to - from).unwrap_or(usize::MAX);
        let all = self.held.iter().cloned().chain(unfinished);
        (from, all.skip(skip).take(take).collect())
    }
}
