//! The orders of the log view and their results. `run/logs` reads, stores and searches the lines of a log.
//!
//! Lines have numbers from 0, which never change. While a long log is being read from its beginning, its last
//! lines are read as a preview. They have numbers from [`PREVIEW`] on, until the reader reaches them
//! ([`LogEvent::Joined`]).

use std::path::PathBuf;

use jiff::tz::TimeZone;

use super::{lines::LogEntry, search::Matcher};
use crate::{app::msg::Ticket, model::text::Clean, protocol::message::StreamEnd};

/// The number of the first line of a preview.
pub const PREVIEW: u64 = 1 << 48;

/// The lines that the view needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageRequest {
    /// The last lines.
    Last { lines: usize },
    /// This line, and `lines` on both sides.
    Around { number: u64, lines: usize },
}

/// An order of the view for an open log.
#[derive(Clone, Debug, PartialEq)]
pub enum LogOrder {
    Page(PageRequest),
    /// Counts the lines with matches, and searches the first one from a line on. It replaces the previous
    /// search.
    Search {
        id: u64,
        matcher: Matcher,
        from: u64,
    },
    /// Searches the next match at or after a line, or the last one before it. Continues at the other end of
    /// the log.
    Seek {
        id: u64,
        from: u64,
        forward: bool,
    },
    EndSearch,
    /// Saves all lines to a new file, with their times in this zone.
    Save {
        ticket: Ticket,
        path: PathBuf,
        times: Option<TimeZone>,
    },
}

/// An event of an open log.
#[derive(Clone, Debug, PartialEq)]
pub enum LogEvent {
    /// The log is being read from its beginning.
    Opened,
    /// The lines of the log have changed.
    Extent(Extent),
    /// The reader has reached the preview: this line of the preview is that line of the log.
    Joined {
        preview: u64,
        line: u64,
    },
    Page(LogPage),
    Searched(Searched),
    /// The result of a search or of one of its steps, `None` if nothing matches.
    Hit {
        id: u64,
        number: Option<u64>,
    },
    Ended(StreamEnd),
}

/// The range of lines in the log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// The first stored line.
    pub first: u64,
    /// One more than the last line, including unfinished ones.
    pub end: u64,
    /// The last lines, while those before them are still being read.
    pub preview: Option<(u64, u64)>,
    /// The end of the log isn't reached yet.
    pub loading: bool,
    /// Changes whenever a line changes.
    pub revision: u64,
    /// Why lines are stored only in memory, which has room for few.
    pub in_memory: Option<Clean>,
}

impl Extent {
    /// The first line and the end of the part of the log that contains this line.
    pub fn part(&self, number: u64) -> (u64, u64) {
        match self.preview {
            Some(preview) if number >= PREVIEW => preview,
            _ => (self.first, self.end),
        }
    }

    /// One more than the last line, including a preview.
    pub fn last(&self) -> u64 {
        self.preview.map_or(self.end, |(_, end)| end)
    }
}

/// Consecutive lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogPage {
    pub first: u64,
    pub entries: Vec<LogEntry>,
    /// The state of the log when they were read.
    pub extent: Extent,
}

/// The progress of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Searched {
    pub id: u64,
    /// Lines with matches.
    pub matches: u64,
    /// The lines that have been searched.
    pub searched: u64,
    /// All lines.
    pub lines: u64,
    /// All lines have been searched, and the end of the log is reached.
    pub complete: bool,
    /// The number of the last match, from 1.
    pub position: Option<u64>,
}
