//! The logic of an open log: takes bytes, stores lines, and returns pages and matches. It never waits.
//! `super` brings the bytes and the orders.

use std::{
    io::{self, Write as _},
    mem,
    path::{Path, PathBuf},
};

use jiff::{Timestamp, tz::TimeZone};

use super::{
    super::files,
    preview::{self, Preview},
    scan::{Scan, Seek, Sought},
    store::{LogStore, LogStoreLimits},
};
use crate::{
    app::{
        logs::{
            feed::{Extent, LogEvent, LogOrder, LogPage, PREVIEW, PageRequest, Searched},
            lines::{Lines, LogEntry},
            window::time_text,
        },
        msg::{Msg, Ticket},
    },
    model::{log::LogSource, text::Clean},
    protocol::message::{StreamEnd, StreamId},
};

/// Size from which the end of a log is shown before the log is read.
const PREVIEW_AFTER: usize = 128 << 10;
/// Blocks searched in one step.
const STEP: usize = 4;

#[derive(Debug)]
enum LogEnd {
    /// Not needed yet, or not needed anymore.
    None,
    /// The end is being read.
    Open(Preview),
    /// The log is read up to the preview, so the preview isn't read anymore. Its last line isn't reached yet.
    Reached(Preview),
    Over,
}

/// An open log.
#[derive(Debug)]
pub struct LogReader {
    log: StreamId,
    store: LogStore,
    lines: Lines,
    end: LogEnd,
    /// A line of the preview, and the same line of the log.
    joined: Option<(u64, u64)>,
    opened_at: Timestamp,
    loading: bool,
    /// Bytes read.
    read: usize,
    /// Time of the last line.
    last_time: Option<Timestamp>,
    revision: u64,
    scan: Option<Scan>,
    seek: Option<Seek>,
    /// The last match found.
    hit: Option<u64>,
    /// All lines have been searched once.
    was_complete: bool,
    reported: (Extent, Searched),
    out: Vec<LogEvent>,
}

impl LogReader {
    /// Spools lines in this directory. Without a directory, only a few lines are kept, in memory. `timed`
    /// lines begin with their times.
    pub fn new(
        log: StreamId,
        spool: Option<PathBuf>,
        limits: LogStoreLimits,
        timed: bool,
        now: Timestamp,
    ) -> Self {
        Self {
            log,
            store: LogStore::new(spool, limits),
            lines: if timed {
                Lines::with_times()
            } else {
                Lines::default()
            },
            end: LogEnd::None,
            joined: None,
            opened_at: now,
            loading: true,
            read: 0,
            last_time: None,
            revision: 0,
            scan: None,
            seek: None,
            hit: None,
            was_complete: false,
            reported: (Extent::default(), Searched::default()),
            out: Vec::new(),
        }
    }

    /// The engine starts to send the log.
    pub fn opened(&mut self) {
        self.revision += 1;
        self.out.push(LogEvent::Opened);
    }

    /// Takes the next bytes of the log.
    pub fn read(&mut self, source: LogSource, bytes: &[u8]) {
        let mut entries = Vec::new();
        self.lines.read(source, bytes, |entry| entries.push(entry));
        self.read += bytes.len();
        self.add(&entries);
        // A line from before the log was opened isn't the last one, even if it came late.
        self.loading |= self.last_time.is_some_and(|time| time < self.opened_at);
        self.find_preview(&entries);
        let time = self.last_time;
        if self.loading && time.is_some_and(|time| time >= self.opened_at) {
            self.loaded();
        }
    }

    fn add(&mut self, entries: &[LogEntry]) {
        self.revision += 1;
        self.store.append(entries);
        let times = entries.iter().filter_map(|entry| entry.line.time);
        self.last_time = times.max().or(self.last_time);
    }

    /// Whether the end of the log should be read in parallel.
    pub fn needs_preview(&self) -> bool {
        let has_times = self.last_time.is_some();
        let is_long = self.read > PREVIEW_AFTER && self.store.end() > preview::LINES.into();
        self.loading && has_times && is_long && matches!(self.end, LogEnd::None)
    }

    /// The end is now read in parallel.
    pub fn preview_opened(&mut self) {
        if self.loading {
            self.end = LogEnd::Open(Preview::new());
        }
    }

    pub fn preview(&mut self, source: LogSource, bytes: &[u8]) {
        if let LogEnd::Open(preview) = &mut self.end {
            preview.read(source, bytes);
            self.revision += 1;
        }
    }

    /// Whether more bytes of the end are useless.
    pub fn has_preview_enough(&self) -> bool {
        matches!(self.end, LogEnd::Reached(_) | LogEnd::Over)
    }

    /// Checks whether the log is read as far as the preview.
    fn find_preview(&mut self, entries: &[LogEntry]) {
        let Some(time) = self.last_time else {
            return;
        };
        self.end = match mem::replace(&mut self.end, LogEnd::Over) {
            LogEnd::Open(preview) if preview.begins_before(time) => LogEnd::Reached(preview),
            other => other,
        };
        let LogEnd::Reached(preview) = &self.end else {
            return;
        };
        let Some(last) = preview.last() else {
            self.loaded();
            return;
        };
        let first = self.store.end() - entries.len() as u64;
        let is_last = |entry: &LogEntry| {
            entry.line.time.is_some()
                && (entry.line.time, entry.source) == (last.line.time, last.source)
        };
        let line = entries.iter().rposition(is_last);
        if let Some(line) = line {
            self.join(first + line as u64 + 1);
        } else if last.line.time.is_none_or(|last| last < time) {
            self.join(self.store.end());
        }
    }

    /// The preview up to its end matches the log up to this line.
    fn join(&mut self, line: u64) {
        if let LogEnd::Open(preview) | LogEnd::Reached(preview) = &self.end {
            let preview = preview.ended();
            self.joined = Some((preview, line));
            self.out.push(LogEvent::Joined { preview, line });
            self.end = LogEnd::Over;
        }
        self.loading = false;
        self.revision += 1;
    }

    /// The log is read up to its present end.
    fn loaded(&mut self) {
        self.join(self.store.end());
    }

    pub fn is_loading(&self) -> bool {
        self.loading
    }

    /// No bytes came for a while. If the preview has lines, there is more to read.
    pub fn idle(&mut self) {
        let waits = matches!(&self.end, LogEnd::Open(preview) if preview.last().is_some());
        if self.loading && !waits {
            self.loaded();
        }
    }

    /// The stream has ended.
    pub fn ended(&mut self, end: StreamEnd) {
        let rest = self.lines.finish();
        self.add(&rest);
        if self.loading {
            self.loaded();
        }
        self.report_changes();
        self.out.push(LogEvent::Ended(end));
    }

    /// The number in the log of a line that may be from the preview.
    fn number(&self, number: u64) -> u64 {
        match self.joined {
            Some((preview, line)) if number >= PREVIEW => (number + line).saturating_sub(preview),
            _ => number,
        }
    }

    /// Carries out an order.
    pub fn order(&mut self, order: LogOrder) -> Option<Msg> {
        match order {
            LogOrder::Page(want) => match self.page(want) {
                Ok(page) => {
                    self.reported.0 = page.extent.clone();
                    self.out.push(LogEvent::Page(page));
                }
                Err(error) => self.broken(&error),
            },
            LogOrder::Search { id, matcher, from } => {
                let line = self.number(from);
                self.scan = Some(Scan::new(id, matcher, line, &self.store));
                self.hit = None;
                self.was_complete = false;
                self.begin_seek(from, true);
            }
            LogOrder::Seek { id, from, forward } => {
                if self.scan.as_ref().is_some_and(|scan| scan.id == id) {
                    self.begin_seek(from, forward);
                }
            }
            LogOrder::EndSearch => {
                self.scan = None;
                self.seek = None;
            }
            LogOrder::Save {
                ticket,
                path,
                times,
            } => return Some(self.save(ticket, &path, times.as_ref())),
        }
        None
    }

    fn begin_seek(&mut self, from: u64, forward: bool) {
        self.seek = Some(Seek { from, forward });
        self.try_seek();
    }

    /// Whether lines remain to be searched.
    pub fn has_work(&self) -> bool {
        self.scan
            .as_ref()
            .is_some_and(|scan| !scan.is_complete(&self.store))
    }

    /// Searches a few blocks.
    pub fn work(&mut self) {
        let Some(scan) = &mut self.scan else {
            return;
        };
        for _ in 0..STEP {
            match scan.step(&self.store) {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => return self.broken(&error),
            }
        }
        self.try_seek();
    }

    fn try_seek(&mut self) {
        let (Some(scan), Some(seek)) = (&mut self.scan, self.seek) else {
            return;
        };
        if seek.from >= PREVIEW && self.joined.is_none() && self.loading {
            return;
        }
        let from = match self.joined {
            Some((preview, line)) if seek.from >= PREVIEW => {
                (seek.from + line).saturating_sub(preview)
            }
            _ => seek.from,
        };
        let number = match scan.seek(Seek { from, ..seek }, &self.store) {
            Ok(Sought::At(number)) => Some(number),
            Ok(Sought::Nothing) if !self.loading => None,
            Ok(_) => return,
            Err(error) => return self.broken(&error),
        };
        self.seek = None;
        self.hit = number.or(self.hit);
        let id = scan.id;
        self.out.push(LogEvent::Hit { id, number });
    }

    /// The messages since the last call.
    pub fn take(&mut self) -> Vec<Msg> {
        self.report_changes();
        let log = self.log;
        let events = mem::take(&mut self.out).into_iter();
        events.map(|event| Msg::Log { log, event }).collect()
    }

    fn report_changes(&mut self) {
        let extent = self.extent();
        if extent != self.reported.0 {
            self.reported.0 = extent.clone();
            self.out.push(LogEvent::Extent(extent));
        }
        match self.searched() {
            Ok(Some(state)) if state != self.reported.1 => {
                self.reported.1 = state;
                self.out.push(LogEvent::Searched(state));
            }
            Ok(_) => {}
            Err(error) => self.broken(&error),
        }
    }

    fn extent(&self) -> Extent {
        let preview = match &self.end {
            LogEnd::Open(preview) | LogEnd::Reached(preview) => preview.extent(),
            LogEnd::None | LogEnd::Over => None,
        };
        Extent {
            first: self.store.first(),
            end: self.store.end() + self.lines.unfinished().len() as u64,
            preview,
            loading: self.loading,
            revision: self.revision,
            in_memory: self.store.in_memory().cloned(),
        }
    }

    fn searched(&mut self) -> io::Result<Option<Searched>> {
        let Some(scan) = &self.scan else {
            return Ok(None);
        };
        self.was_complete |= !self.loading && scan.is_complete(&self.store);
        let position = match self.hit {
            Some(line) => scan.position(line, &self.store)?,
            None => None,
        };
        Ok(Some(Searched {
            id: scan.id,
            matches: scan.matches(),
            searched: scan.searched(),
            lines: self.store.end() - self.store.first(),
            complete: self.was_complete,
            position,
        }))
    }

    fn page(&self, want: PageRequest) -> io::Result<LogPage> {
        let extent = self.extent();
        let (number, lines) = match want {
            PageRequest::Last { lines } => (extent.last(), lines as u64),
            PageRequest::Around { number, lines } => (self.number(number), lines as u64),
        };
        let preview = match &self.end {
            LogEnd::Open(preview) | LogEnd::Reached(preview) if number >= PREVIEW => Some(preview),
            _ => None,
        };
        let (first, entries) = match preview {
            Some(preview) => preview.page(number, lines),
            None => self.stored(number, lines)?,
        };
        Ok(LogPage {
            first,
            entries,
            extent,
        })
    }

    /// Stored lines, and the unfinished lines after the last stored one.
    fn stored(&self, number: u64, lines: u64) -> io::Result<(u64, Vec<LogEntry>)> {
        let number = number.min(self.store.end() + 1);
        let (first, mut entries) = self.store.page(number, lines)?;
        if first + entries.len() as u64 == self.store.end() {
            entries.extend(self.lines.unfinished());
        }
        Ok((first, entries))
    }

    /// Reports that the spool can't be read.
    fn broken(&mut self, error: &io::Error) {
        self.scan = None;
        self.seek = None;
        let why = Clean::new(&tr!("The stored lines can't be read: {error}", error));
        self.out.push(LogEvent::Ended(StreamEnd::Lost { why }));
    }

    fn save(&self, ticket: Ticket, path: &Path, times: Option<&TimeZone>) -> Msg {
        let saved = files::save_with(path, |file| self.write_text(file, times));
        let result = saved.map(|path| {
            let path = path.display();
            Clean::new(&if self.loading {
                let lines = self.store.end();
                tr!(
                    "saved the first {lines} lines to {path}, the log is still being read",
                    lines,
                    path
                )
            } else {
                tr!("saved to {path}", path)
            })
        });
        Msg::Done {
            ticket,
            result: result.map_err(|why| Clean::new(&why)),
        }
    }

    /// Writes the whole text to `out`, without escape sequences.
    pub fn write_text(&self, out: impl io::Write, times: Option<&TimeZone>) -> io::Result<()> {
        let mut out = io::BufWriter::new(out);
        if self.store.first() > 0 {
            writeln!(out, "[{} earlier lines dropped]", self.store.first())?;
        }
        let mut line = |time: Option<Timestamp>, text: &str| {
            let time = time.zip(times).map(|(time, zone)| time_text(time, zone));
            writeln!(out, "{}{text}", time.unwrap_or_default())
        };
        for block in self.store.blocks() {
            let mut written = Ok(());
            self.store.scan(block, 0, |_, record| {
                written = line(record.time(), record.text());
                written.is_ok()
            })?;
            written?;
        }
        for entry in self.lines.unfinished() {
            line(entry.line.time, entry.line.text.as_str())?;
        }
        out.flush()
    }
}

#[cfg(test)]
mod tests;
