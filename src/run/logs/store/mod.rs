//! Stores the lines of a log on disk: a spool of segments and a sparse index. The index uses 24 bytes of
//! memory for every block of lines.

use std::{
    collections::VecDeque,
    io,
    ops::Range,
    path::{Path, PathBuf},
};

use super::{
    record::{self, Record},
    segment::Segment,
};
use crate::{app::logs::lines::LogEntry, model::text::Clean, space::DiskSpace};

/// How much is kept. Beyond a limit, the oldest lines are dropped.
#[derive(Clone, Copy, Debug)]
pub struct LogStoreLimits {
    /// Maximum bytes on disk.
    pub spool: u64,
    /// Maximum bytes in memory, used if the disk can't be written.
    pub memory: u64,
    /// Bytes of a segment on disk.
    pub segment: u64,
    /// Bytes to leave free on the disk.
    pub free: u64,
}

impl Default for LogStoreLimits {
    /// Engines keep 250 MiB of a log.
    fn default() -> Self {
        Self {
            spool: 2 << 30,
            memory: 16 << 20,
            segment: 64 << 20,
            free: 256 << 20,
        }
    }
}

/// Segments in memory are smaller than the limit by this factor, so that few lines are dropped at a time.
const MEMORY_SEGMENTS: u64 = 8;
/// Maximum lines and bytes of a block.
const BLOCK_LINES: u64 = 256;
const BLOCK_BYTES: u64 = 256 * 1024;
/// Memory of the lines that are read at once, on each side of the requested line.
const PAGE_COST: usize = 4 << 20;

#[derive(Clone, Copy, Debug)]
struct Block {
    /// Its first line.
    line: u64,
    segment: u64,
    offset: u64,
}

#[derive(Debug)]
pub(super) struct LogStore {
    /// The directory of the spool. `None` = in memory.
    directory: Option<PathBuf>,
    limits: LogStoreLimits,
    segments: VecDeque<Segment>,
    /// Number of dropped segments.
    first_segment: u64,
    blocks: VecDeque<Block>,
    /// Number of dropped blocks.
    first_block: u64,
    /// The number after the last line.
    end: u64,
    bytes: u64,
    /// Why nothing is written to the disk.
    in_memory: Option<Clean>,
}

impl LogStore {
    pub(super) fn new(directory: Option<PathBuf>, limits: LogStoreLimits) -> Self {
        Self {
            directory,
            limits,
            segments: VecDeque::new(),
            first_segment: 0,
            blocks: VecDeque::new(),
            first_block: 0,
            end: 0,
            bytes: 0,
            in_memory: None,
        }
    }

    /// The first line kept.
    pub(super) fn first(&self) -> u64 {
        self.blocks.front().map_or(self.end, |block| block.line)
    }

    pub(super) fn end(&self) -> u64 {
        self.end
    }

    /// Why lines are kept only in memory.
    pub(super) fn in_memory(&self) -> Option<&Clean> {
        self.in_memory.as_ref()
    }

    /// Adds lines at the end.
    pub(super) fn append(&mut self, entries: &[LogEntry]) {
        let mut bytes = Vec::new();
        let mut first = self.end;
        for entry in entries {
            if self.is_full(bytes.len() as u64) {
                self.flush(&mut bytes, first);
                first = self.end;
                self.begin_segment();
            }
            self.begin_block(bytes.len() as u64);
            record::write(&mut bytes, entry);
            self.end += 1;
        }
        self.flush(&mut bytes, first);
        self.drop_beyond_limits();
    }

    fn is_full(&self, more: u64) -> bool {
        self.segments.back().is_none_or(|last| {
            let limit = match last {
                Segment::File { .. } => self.limits.segment,
                Segment::Memory(_) => self.limits.memory / MEMORY_SEGMENTS,
            };
            last.length() + more >= limit
        })
    }

    fn last_segment(&self) -> u64 {
        self.first_segment + self.segments.len() as u64 - 1
    }

    /// Begins a block at the next line if the last block is full.
    fn begin_block(&mut self, written: u64) {
        let length = self.segments.back().map_or(0, Segment::length);
        let next = Block {
            line: self.end,
            segment: self.last_segment(),
            offset: length + written,
        };
        let goes_on = self.blocks.back().is_some_and(|block| {
            block.segment == next.segment
                && next.line - block.line < BLOCK_LINES
                && next.offset - block.offset < BLOCK_BYTES
        });
        if !goes_on {
            self.blocks.push_back(next);
        }
    }

    /// Writes records; `first` is the line of the first one.
    fn flush(&mut self, bytes: &mut Vec<u8>, first: u64) {
        let bytes = std::mem::take(bytes);
        let Some(segment) = self.segments.back_mut() else {
            return;
        };
        self.bytes += bytes.len() as u64;
        if let Err(error) = segment.append(&bytes) {
            // Keeps lines in memory if they can't be written.
            self.keep_in_memory(&error.to_string());
            self.segments.push_back(Segment::Memory(bytes));
            while self.blocks.back().is_some_and(|block| block.line >= first) {
                self.blocks.pop_back();
            }
            self.blocks.push_back(Block {
                line: first,
                segment: self.last_segment(),
                offset: 0,
            });
        }
    }

    fn keep_in_memory(&mut self, why: &str) {
        let text = tr!(
            "Only the last {memory} MiB are kept in memory: {why}",
            memory = self.limits.memory >> 20,
            why
        );
        self.in_memory = Some(Clean::new(&text));
    }

    fn begin_segment(&mut self) {
        let segment = match self.directory.clone() {
            None => Segment::Memory(Vec::new()),
            Some(directory) => match self.room(&directory) {
                Ok(file) => {
                    self.in_memory = None;
                    file
                }
                Err(error) => {
                    self.keep_in_memory(&error.to_string());
                    Segment::Memory(Vec::new())
                }
            },
        };
        self.segments.push_back(segment);
    }

    /// Creates a file. If the disk has little room, drops older lines.
    fn room(&mut self, directory: &Path) -> io::Result<Segment> {
        let segment = Segment::file(directory)?;
        while !self.has_room(directory)? {
            let Some(Segment::File { .. }) = self.segments.front() else {
                let text = tr!(
                    "little disk space in {directory}",
                    directory = directory.display()
                );
                return Err(io::Error::other(text));
            };
            self.drop_segment();
        }
        Ok(segment)
    }

    fn has_room(&self, directory: &Path) -> io::Result<bool> {
        let free = DiskSpace::at(directory)?.free.0;
        Ok(free >= self.limits.free.saturating_add(self.limits.segment))
    }

    fn drop_beyond_limits(&mut self) {
        let memory = |segments: &VecDeque<Segment>| -> u64 {
            let held = segments.iter().map(|segment| match segment {
                Segment::File { .. } => 0,
                Segment::Memory(bytes) => bytes.len() as u64,
            });
            held.sum()
        };
        while self.segments.len() > 1
            && (self.bytes > self.limits.spool || memory(&self.segments) > self.limits.memory)
        {
            self.drop_segment();
        }
    }

    /// Drops the oldest lines.
    fn drop_segment(&mut self) {
        if let Some(gone) = self.segments.pop_front() {
            self.bytes -= gone.length();
            self.first_segment += 1;
        }
        while let Some(block) = self.blocks.front() {
            if block.segment >= self.first_segment {
                break;
            }
            self.blocks.pop_front();
            self.first_block += 1;
        }
    }

    /// The range of block numbers.
    pub(super) fn blocks(&self) -> Range<u64> {
        self.first_block..self.first_block + self.blocks.len() as u64
    }

    /// The block with a line, or the nearest one.
    pub(super) fn block_of(&self, line: u64) -> u64 {
        let after = self.blocks.partition_point(|block| block.line <= line);
        self.first_block + after.saturating_sub(1) as u64
    }

    /// The lines of a block.
    pub(super) fn lines_of(&self, block: u64) -> Range<u64> {
        let Some(at) = self.position(block) else {
            return self.end..self.end;
        };
        let line = |at: usize| self.blocks.get(at).map_or(self.end, |block| block.line);
        line(at)..line(at + 1)
    }

    fn position(&self, block: u64) -> Option<usize> {
        let at = usize::try_from(block.checked_sub(self.first_block)?).ok()?;
        (at < self.blocks.len()).then_some(at)
    }

    /// Passes the lines of a block, from a line on, to `take` until it returns `false`.
    pub(super) fn scan(
        &self,
        block: u64,
        from: u64,
        mut take: impl FnMut(u64, Record<'_>) -> bool,
    ) -> io::Result<()> {
        let Some(at) = self.position(block) else {
            return Ok(());
        };
        let Block {
            mut line,
            segment,
            offset,
        } = self.blocks[at];
        let place = usize::try_from(segment - self.first_segment).unwrap_or(usize::MAX);
        let Some(found) = self.segments.get(place) else {
            return Ok(());
        };
        let next = self.blocks.get(at + 1);
        let next = next.filter(|next| next.segment == segment);
        let end = next.map_or(found.length(), |next| next.offset);
        let bytes = found.read(offset, end)?;
        let mut rest = &bytes[..];
        while let Some((record, after)) = record::split(rest) {
            if line >= from && !take(line, record) {
                break;
            }
            line += 1;
            rest = after;
        }
        Ok(())
    }

    /// Up to `lines` lines before a line and from it on (fewer if they are long), and the number of the
    /// first.
    pub(super) fn page(&self, number: u64, lines: u64) -> io::Result<(u64, Vec<LogEntry>)> {
        let range = number.saturating_sub(lines).max(self.first())
            ..number.saturating_add(lines).min(self.end);
        let mut page = VecDeque::new();
        let (mut first, mut before, mut after) = (range.start, 0, 0);
        let mut block = self.block_of(range.start);
        while block < self.blocks().end && self.lines_of(block).start < range.end {
            let mut is_over = false;
            self.scan(block, range.start, |line, record| {
                is_over = line >= range.end || after > PAGE_COST;
                if is_over {
                    return false;
                }
                let entry = record.entry();
                let cost = entry.line.cost();
                page.push_back(entry);
                if line >= number {
                    after += cost;
                    return true;
                }
                before += cost;
                while before > PAGE_COST {
                    before -= page
                        .pop_front()
                        .map_or(before, |it: LogEntry| it.line.cost());
                    first += 1;
                }
                true
            })?;
            if is_over {
                break;
            }
            block += 1;
        }
        Ok((first, page.into()))
    }
}

#[cfg(test)]
mod tests;
