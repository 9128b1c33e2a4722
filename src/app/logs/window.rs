//! The lines near the screen, in their visible form.

use jiff::{Timestamp, tz::TimeZone};

use super::{feed::LogPage, lines::LogEntry, log_line::LogLine};
use crate::{
    model::{log::LogSource, text::Clean},
    terminal::attributes::Attributes,
};

/// A line in its visible form.
#[derive(Debug)]
pub struct WindowLine {
    entry: LogEntry,
    /// The line with its time, while times are shown.
    timed: Option<LogLine>,
}

impl WindowLine {
    fn new(entry: LogEntry, zone: Option<&TimeZone>) -> Self {
        let timed = zone.and_then(|zone| timed(&entry.line, zone));
        Self { entry, timed }
    }

    pub fn source(&self) -> LogSource {
        self.entry.source
    }

    pub fn line(&self) -> &LogLine {
        self.timed.as_ref().unwrap_or(&self.entry.line)
    }

    /// Where the text of the log begins, after the time.
    pub fn text_start(&self) -> usize {
        self.line().text.as_str().len() - self.entry.line.text.as_str().len()
    }
}

/// The time before a line.
pub fn time_text(time: Timestamp, zone: &TimeZone) -> String {
    let time = time.to_zoned(zone.clone());
    time.strftime("%m-%d %H:%M:%S ").to_string()
}

fn timed(line: &LogLine, zone: &TimeZone) -> Option<LogLine> {
    let time = time_text(line.time?, zone);
    let dim = Attributes {
        dim: true,
        ..Attributes::default()
    };
    let mut styles = vec![(0, dim)];
    if line.styles.first().is_none_or(|(at, _)| *at > 0) {
        styles.push((time.len(), Attributes::default()));
    }
    let moved = line.styles.iter();
    styles.extend(moved.map(|(at, style)| (at + time.len(), *style)));
    Some(LogLine {
        time: line.time,
        text: Clean::new(&format!("{time}{}", line.text)),
        styles,
    })
}

#[derive(Debug, Default)]
pub struct LogWindow {
    first: u64,
    lines: Vec<WindowLine>,
    /// The revision of the log when the lines were read, `None` for another log.
    revision: Option<u64>,
}

impl LogWindow {
    pub fn new(page: LogPage, zone: Option<&TimeZone>) -> Self {
        let lines = page.entries.into_iter();
        Self {
            first: page.first,
            lines: lines.map(|entry| WindowLine::new(entry, zone)).collect(),
            revision: Some(page.extent.revision),
        }
    }

    pub fn first(&self) -> u64 {
        self.first
    }

    pub fn end(&self) -> u64 {
        self.first + self.lines.len() as u64
    }

    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    pub fn is_of(&self, revision: u64) -> bool {
        self.revision == Some(revision)
    }

    /// The log is being read again. These lines stay until the new ones arrive.
    pub fn outdate(&mut self) {
        self.revision = None;
    }

    pub fn get(&self, number: u64) -> Option<&WindowLine> {
        let at = usize::try_from(number.checked_sub(self.first)?).ok()?;
        self.lines.get(at)
    }

    /// Changes the numbers of the lines.
    pub fn move_to(&mut self, first: u64) {
        self.first = first;
    }

    /// Shows or hides the times of the lines.
    pub fn show_times(&mut self, zone: Option<&TimeZone>) {
        let lines = std::mem::take(&mut self.lines).into_iter();
        self.lines = lines.map(|it| WindowLine::new(it.entry, zone)).collect();
    }
}
