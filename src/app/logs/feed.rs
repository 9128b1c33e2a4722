//! What the log view asks for and what it gets: the lines of a log are read, stored and searched outside of it, in
//! `run/logs`.
//!
//! Lines have numbers from 0, which never change. While a long log is still being read from its beginning, its last
//! lines are read beside it and have numbers from [`PREVIEW`] on, until they are reached
//! ([`LogEvent::Joined`]).

use std::path::PathBuf;

use jiff::tz::TimeZone;

use super::{lines::Entry, search::Matcher};
use crate::{app::msg::Ticket, model::text::Clean, protocol::message::StreamEnd};

/// The number of the first line of a preview.
pub const PREVIEW: u64 = 1 << 48;

/// Which lines are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    /// The last ones.
    Last { lines: usize },
    /// This one and so many on both sides.
    Around { number: u64, lines: usize },
}

/// What the view wants of an open log.
#[derive(Clone, Debug, PartialEq)]
pub enum LogOrder {
    Page(Want),
    /// Counts the lines with matches and looks for the first one from a line on. It replaces the search before it.
    Search {
        id: u64,
        matcher: Matcher,
        from: u64,
    },
    /// The next match at or after a line, or the last one before it; around the end of the log.
    Seek {
        id: u64,
        from: u64,
        forward: bool,
    },
    EndSearch,
    /// All lines to a new file, with their times in this zone.
    Save {
        ticket: Ticket,
        path: PathBuf,
        times: Option<TimeZone>,
    },
}

/// What happened to an open log.
#[derive(Clone, Debug, PartialEq)]
pub enum LogEvent {
    /// It is read from its beginning.
    Opened,
    /// There are other lines than before.
    Extent(Extent),
    /// The preview was reached: this line of it is that line of the log.
    Joined {
        preview: u64,
        line: u64,
    },
    Page(Page),
    Searched(Searched),
    /// Where a search or a step of it leads; `None` = nothing matches.
    Hit {
        id: u64,
        number: Option<u64>,
    },
    Ended(StreamEnd),
}

/// Which lines there are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// The first line kept.
    pub first: u64,
    /// One more than the last line; unfinished ones count.
    pub end: u64,
    /// The last lines, while those between are still being read.
    pub preview: Option<(u64, u64)>,
    /// The end of the log isn't reached yet.
    pub loading: bool,
    /// Changes with every change of a line.
    pub revision: u64,
    /// Why lines are kept in memory only, which holds few.
    pub in_memory: Option<Clean>,
}

impl Extent {
    /// First line and end of the part of the log that has this line.
    pub fn part(&self, number: u64) -> (u64, u64) {
        match self.preview {
            Some(preview) if number >= PREVIEW => preview,
            _ => (self.first, self.end),
        }
    }

    /// One more than the last line of all.
    pub fn last(&self) -> u64 {
        self.preview.map_or(self.end, |(_, end)| end)
    }
}

/// Lines in a row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    pub first: u64,
    pub entries: Vec<Entry>,
    /// What is known of the log when they are read.
    pub extent: Extent,
}

/// How far a search is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Searched {
    pub id: u64,
    /// Lines with matches.
    pub matches: u64,
    /// Lines that were searched.
    pub searched: u64,
    /// Lines there are.
    pub lines: u64,
    /// All of them were searched, and the end of the log is reached.
    pub complete: bool,
    /// Which match the last one found is, from 1.
    pub position: Option<u64>,
}
