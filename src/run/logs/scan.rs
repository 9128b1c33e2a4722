//! Searches all lines of a log, block by block. Memory has only the number of matches in each block, so the
//! number of matches doesn't change its size.

use std::{collections::VecDeque, io};

use super::store::LogStore;
use crate::app::logs::search::Matcher;

#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    /// Lines that were searched.
    seen: u32,
    /// Lines that match.
    found: u32,
}

/// Where a search for a match begins, and its direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seek {
    pub from: u64,
    pub forward: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sought {
    At(u64),
    Nothing,
    /// Not all lines up to the match were searched yet.
    Unknown,
}

#[derive(Debug)]
pub(super) struct Scan {
    pub id: u64,
    matcher: Matcher,
    tallies: VecDeque<Tally>,
    /// Blocks before the first tally.
    first_block: u64,
    /// The next block between the start of the search and the end.
    next: u64,
    /// The next block before the start of the search.
    wrapped: u64,
    /// The block where the search began.
    origin: u64,
    searched: u64,
    matches: u64,
}

impl Scan {
    /// Searches from `line` on, then from the beginning.
    pub(super) fn new(id: u64, matcher: Matcher, line: u64, store: &LogStore) -> Self {
        let origin = store.block_of(line);
        Self {
            id,
            matcher,
            tallies: VecDeque::new(),
            first_block: store.blocks().start,
            next: origin,
            wrapped: store.blocks().start,
            origin,
            searched: 0,
            matches: 0,
        }
    }

    pub(super) fn searched(&self) -> u64 {
        self.searched
    }

    pub(super) fn matches(&self) -> u64 {
        self.matches
    }

    /// Forgets dropped blocks and adds new ones.
    fn catch_up(&mut self, store: &LogStore) {
        let blocks = store.blocks();
        while self.first_block < blocks.start {
            let gone = self.tallies.pop_front().unwrap_or_default();
            self.searched -= u64::from(gone.seen);
            self.matches -= u64::from(gone.found);
            self.first_block += 1;
        }
        self.next = self.next.max(blocks.start);
        self.wrapped = self.wrapped.max(blocks.start);
        let count = usize::try_from(blocks.end - blocks.start).unwrap_or(usize::MAX);
        self.tallies.resize(count, Tally::default());
    }

    fn tally(&self, block: u64) -> Tally {
        let at = usize::try_from(block - self.first_block).unwrap_or(usize::MAX);
        self.tallies.get(at).copied().unwrap_or_default()
    }

    fn is_searched(&self, block: u64, store: &LogStore) -> bool {
        let lines = store.lines_of(block);
        u64::from(self.tally(block).seen) == lines.end - lines.start
    }

    /// The block to search now. The last block comes last because it still grows.
    fn next_block(&mut self, store: &LogStore) -> Option<u64> {
        let last = store.blocks().end.checked_sub(1)?;
        if self.next < last {
            self.next += 1;
            return Some(self.next - 1);
        }
        if self.wrapped < self.origin.min(last) {
            self.wrapped += 1;
            return Some(self.wrapped - 1);
        }
        Some(last)
    }

    pub(super) fn is_complete(&self, store: &LogStore) -> bool {
        self.first_block == store.blocks().start && self.searched == store.end() - store.first()
    }

    /// Searches a block. Returns `false` if all were searched.
    pub(super) fn step(&mut self, store: &LogStore) -> io::Result<bool> {
        self.catch_up(store);
        if self.is_complete(store) {
            return Ok(false);
        }
        // Continues in a block that grew after it was searched.
        let Some(mut block) = self.next_block(store) else {
            return Ok(false);
        };
        if self.is_searched(block, store) {
            let grown = (store.blocks()).find(|block| !self.is_searched(*block, store));
            match grown {
                Some(grown) if block + 1 == store.blocks().end => block = grown,
                _ => return Ok(true),
            }
        }
        let before = self.tally(block);
        let from = store.lines_of(block).start + u64::from(before.seen);
        let mut tally = before;
        store.scan(block, from, |_, record| {
            tally.seen += 1;
            tally.found += u32::from(self.matcher.matches(record.text()));
            true
        })?;
        self.searched += u64::from(tally.seen - before.seen);
        self.matches += u64::from(tally.found - before.found);
        let at = usize::try_from(block - self.first_block).unwrap_or(usize::MAX);
        if let Some(place) = self.tallies.get_mut(at) {
            *place = tally;
        }
        Ok(true)
    }

    /// Finds the next match at or after a line, or the last one before it. The search wraps around.
    pub(super) fn seek(&mut self, seek: Seek, store: &LogStore) -> io::Result<Sought> {
        self.catch_up(store);
        let blocks = store.blocks();
        if blocks.is_empty() {
            return Ok(Sought::Nothing);
        }
        let start = store.block_of(seek.from);
        // The starting block is searched twice: first the part after the line, and at the end the rest.
        let (behind, rest) = (start + 1..blocks.end, blocks.start..start + 1);
        let ahead = (blocks.start..start).rev();
        let back = (start..blocks.end).rev();
        let order: Box<dyn Iterator<Item = u64>> = if seek.forward {
            Box::new(std::iter::once(start).chain(behind).chain(rest))
        } else {
            Box::new(std::iter::once(start).chain(ahead).chain(back))
        };
        for (step, block) in order.enumerate() {
            let tally = self.tally(block);
            if tally.found > 0 {
                let wanted = |line: u64| {
                    let is_ahead = (line >= seek.from) == seek.forward;
                    step > 0 || is_ahead
                };
                let mut at = None;
                store.scan(block, 0, |line, record| {
                    if wanted(line) && self.matcher.matches(record.text()) {
                        at = Some(line);
                        return !seek.forward;
                    }
                    true
                })?;
                if let Some(at) = at {
                    return Ok(Sought::At(at));
                }
            }
            if !self.is_searched(block, store) {
                return Ok(Sought::Unknown);
            }
        }
        Ok(Sought::Nothing)
    }

    /// The position of a line among the matches, from 1. `None` = not all earlier lines were searched.
    pub(super) fn position(&self, line: u64, store: &LogStore) -> io::Result<Option<u64>> {
        let block = store.block_of(line);
        let mut position = 0;
        for before in store.blocks().start..block {
            if before < self.first_block || !self.is_searched(before, store) {
                return Ok(None);
            }
            position += u64::from(self.tally(before).found);
        }
        let mut is_match = false;
        store.scan(block, 0, |number, record| {
            if number > line {
                return false;
            }
            is_match = self.matcher.matches(record.text());
            position += u64::from(is_match);
            true
        })?;
        Ok(is_match.then_some(position))
    }
}
