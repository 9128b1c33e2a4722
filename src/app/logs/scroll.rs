//! Decides which rows of a log are visible, and scrolls them. It measures only rows near the screen. Lines
//! outside of the window are requested, and scrolling continues when they arrive.

use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

use super::{Logs, feed::PageRequest};

/// A row of the screen: part of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogRow {
    /// The number of the line.
    pub number: u64,
    /// The first byte of its text.
    pub start: usize,
    pub end: usize,
}

/// A place in the log: row `row` of line `number`, with the current wrapping.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct LogPosition {
    pub number: u64,
    pub row: usize,
}

/// The place that the view goes to when the lines there arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    /// Goes to the end and follows it.
    End,
    First,
    /// Puts this line at the top of the screen.
    Line(u64),
    /// Puts this line in the upper half of the screen.
    Match(u64),
}

impl Logs {
    /// The visible rows, no more than fit.
    pub fn visible(&self) -> Vec<LogRow> {
        let top = match self.top {
            Some(top) => top.max(self.window_start()),
            None => self.end_top(),
        };
        let mut rows = Vec::with_capacity(self.rows);
        let mut skip = top.row;
        for number in top.number..self.window.end() {
            if rows.len() >= self.rows {
                break;
            }
            rows.extend(self.rows_of(number).into_iter().skip(skip));
            skip = 0;
        }
        rows.truncate(self.rows);
        rows
    }

    fn window_start(&self) -> LogPosition {
        LogPosition {
            number: self.window.first(),
            row: 0,
        }
    }

    /// The place of the first row when the last line of the window is at the bottom.
    pub(super) fn end_top(&self) -> LogPosition {
        let mut rows = 0;
        for number in (self.window.first()..self.window.end()).rev() {
            rows += self.rows_of(number).len();
            if rows >= self.rows {
                return LogPosition {
                    number,
                    row: rows - self.rows,
                };
            }
        }
        self.window_start()
    }

    /// The rows of a line, or a single one if lines aren't wrapped.
    fn rows_of(&self, number: u64) -> Vec<LogRow> {
        let text = self.entry(number).map_or("", |it| it.line().text.as_str());
        let row = |start: usize, end: usize| LogRow { number, start, end };
        if !self.wrap || text.len() <= self.columns {
            return vec![row(0, text.len())];
        }
        let mut rows = Vec::new();
        let (mut start, mut cells) = (0, 0);
        for (at, grapheme) in text.grapheme_indices(true) {
            let width = grapheme.width();
            if cells + width > self.columns {
                rows.push(row(start, at));
                (start, cells) = (at, 0);
            }
            cells += width;
        }
        rows.push(row(start, text.len()));
        rows
    }

    fn leave_end(&mut self, place: LogPosition) {
        if self.top.is_none() {
            self.paused_at = self.extent.last();
        }
        self.top = Some(place);
    }

    /// Stops following and keeps the current position.
    pub(super) fn pause(&mut self) {
        self.leave_end(self.end_top());
    }

    /// Goes to a place, at once if its lines are in the window.
    pub(super) fn go_to(&mut self, goal: Goal) {
        self.rows_left = 0;
        self.goal = Some(goal);
        self.reach_goal();
    }

    /// Scrolls by rows. Reaching the end starts following again.
    pub(super) fn move_by(&mut self, rows: isize) {
        if self.goal.is_some() {
            self.rows_left = self.rows_left.saturating_add(rows);
            return;
        }
        let rows = rows.saturating_add(std::mem::take(&mut self.rows_left));
        let end = self.end_top();
        let mut place = self.top.unwrap_or(end).max(self.window_start());
        if rows < 0 {
            let left = self.up(&mut place, rows.unsigned_abs());
            let (first, _) = self.extent.part(place.number);
            if self.window.first() > first {
                self.rows_left = -left.cast_signed();
            }
            self.leave_end(place);
            return;
        }
        let left = self.down(&mut place, rows.unsigned_abs(), end);
        let (_, end_of_part) = self.extent.part(place.number);
        if self.window.end() < end_of_part {
            self.rows_left = left.cast_signed();
            self.leave_end(place);
        } else if place >= end && end_of_part == self.extent.last() {
            self.top = None;
        } else {
            self.leave_end(place);
        }
    }

    /// Scrolls up. Returns the rows that are left at the beginning of the window.
    fn up(&self, place: &mut LogPosition, mut rows: usize) -> usize {
        while rows > place.row {
            if place.number <= self.window.first() {
                rows -= place.row;
                *place = self.window_start();
                return rows;
            }
            rows -= place.row + 1;
            place.number -= 1;
            place.row = self.rows_of(place.number).len() - 1;
        }
        place.row -= rows;
        0
    }

    /// Scrolls down. Returns the rows that are left when the last line of the window is at the bottom.
    fn down(&self, place: &mut LogPosition, mut rows: usize, end: LogPosition) -> usize {
        while rows > 0 && *place < end {
            let in_line = self.rows_of(place.number).len();
            let last = if place.number == end.number {
                end.row
            } else {
                in_line
            };
            let step = rows.min(last - place.row);
            place.row += step;
            rows -= step;
            if place.row >= in_line {
                *place = LogPosition {
                    number: place.number + 1,
                    row: 0,
                };
            }
        }
        rows
    }

    /// Continues scrolling when the lines have arrived.
    pub(super) fn resume(&mut self) {
        self.reach_goal();
        if self.goal.is_none() && self.rows_left != 0 {
            self.move_by(0);
        }
    }

    /// Goes to the goal if its lines are in the window.
    pub(super) fn reach_goal(&mut self) {
        let Some(goal) = self.goal else {
            return;
        };
        let number = match goal {
            Goal::End if self.has_end() => {
                (self.goal, self.top) = (None, None);
                return;
            }
            Goal::End => return,
            Goal::First => self.extent.first,
            Goal::Line(number) | Goal::Match(number) => number,
        };
        let (first, end) = self.extent.part(number);
        if self.extent.loading && number >= end && self.extent.preview.is_none() {
            return;
        }
        let number = number.clamp(first, end.saturating_sub(1).max(first));
        let rows = self.rows as u64;
        let above = self.window.first() <= number.saturating_sub(rows).max(first);
        let below = self.window.end() >= (number + rows).min(end);
        if self.window.is_empty() || !above || !below {
            return;
        }
        self.goal = None;
        let place = LogPosition { number, row: 0 };
        self.leave_end(place);
        if let Goal::Match(_) = goal {
            self.rows_left -= isize::try_from(self.rows / 3).unwrap_or(0);
        } else if goal != Goal::First && self.window.end() == self.extent.last() {
            // Keeps the screen filled with the last lines.
            self.top = Some(place.min(self.end_top()));
        }
    }

    /// The last line of the log is in the window.
    fn has_end(&self) -> bool {
        self.window.end() == self.extent.last() && self.window.is_of(self.extent.revision)
    }

    /// The lines that must be read now.
    pub(super) fn needed_page(&self) -> Option<PageRequest> {
        let lines = self.rows * 4 + 100;
        let around = |number| Some(PageRequest::Around { number, lines });
        match self.goal {
            Some(Goal::End) => return Some(PageRequest::Last { lines }),
            Some(Goal::First) => return around(self.extent.first),
            Some(Goal::Line(number) | Goal::Match(number)) => {
                let (first, end) = self.extent.part(number);
                if number >= end && self.extent.loading {
                    return None;
                }
                return around(number.clamp(first, end.saturating_sub(1).max(first)));
            }
            None => {}
        }
        let Some(top) = self.top else {
            let stale = !self.window.is_of(self.extent.revision);
            let is_less = self.extent.end == 0 && self.extent.loading;
            return (stale && !is_less).then_some(PageRequest::Last { lines });
        };
        let (first, end) = self.extent.part(top.number);
        let (from, to) = (self.window.first(), self.window.end());
        let near = self.rows as u64 * 2;
        let above = from > first && top.number < from + near;
        let below = to < end && top.number + near + near > to;
        // The last lines can be unfinished, so they can change.
        let changes = !self.window.is_of(self.extent.revision) && top.number + near > to;
        if above || below || changes {
            return around(top.number.max(first));
        }
        None
    }

    /// Changes the numbers of a preview's lines when the reader reaches it.
    pub(super) fn renumber(&mut self, preview: u64, line: u64) {
        let new = |number: u64| {
            if number >= super::feed::PREVIEW {
                (number + line).saturating_sub(preview)
            } else {
                number
            }
        };
        self.window.move_to(new(self.window.first()));
        self.paused_at = new(self.paused_at);
        if let Some(top) = &mut self.top {
            top.number = new(top.number);
        }
        if let Some(Goal::Line(number) | Goal::Match(number)) = &mut self.goal {
            *number = new(*number);
        }
    }
}
