//! Which rows of a log are on the screen, and moving them. Only rows near the screen are measured.

use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

use super::Logs;

/// A row of the screen: part of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The line's number.
    pub number: usize,
    /// Bytes of its text.
    pub start: usize,
    pub end: usize,
}

/// A place in the log: row `row` of line `number`, as lines are wrapped now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub number: usize,
    pub row: usize,
}

impl Logs {
    /// The rows on the screen now, at most as many as fit.
    pub fn visible(&self) -> Vec<Row> {
        let top = match self.top {
            Some(top) => top.max(self.first_place()),
            None => self.end_top(),
        };
        let mut rows = Vec::with_capacity(self.rows);
        let mut skip = top.row;
        for number in top.number..self.store.end() {
            if rows.len() >= self.rows {
                break;
            }
            rows.extend(self.rows_of(number).into_iter().skip(skip));
            skip = 0;
        }
        rows.truncate(self.rows);
        rows
    }

    pub(super) fn first_place(&self) -> Place {
        Place {
            number: self.store.first(),
            row: 0,
        }
    }

    /// The place of the first row when the end is at the bottom.
    pub(super) fn end_top(&self) -> Place {
        let mut rows = 0;
        for number in (self.store.first()..self.store.end()).rev() {
            rows += self.rows_of(number).len();
            if rows >= self.rows {
                return Place {
                    number,
                    row: rows - self.rows,
                };
            }
        }
        self.first_place()
    }

    /// A line as rows; one when lines are not wrapped.
    fn rows_of(&self, number: usize) -> Vec<Row> {
        let text = self.entry(number).map_or("", |e| e.line.text.as_str());
        let row = |start: usize, end: usize| Row { number, start, end };
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

    pub(super) fn leave_end(&mut self, place: Place) {
        if self.top.is_none() {
            self.paused_at = self.store.end();
        }
        self.top = Some(place);
    }

    /// Scrolls by rows; reaching the end follows again.
    pub(super) fn move_by(&mut self, rows: isize) {
        let end = self.end_top();
        let mut place = self.top.unwrap_or(end).max(self.first_place());
        if rows < 0 {
            self.up(&mut place, rows.unsigned_abs());
            self.leave_end(place);
            return;
        }
        self.down(&mut place, rows.unsigned_abs());
        if place >= end {
            self.top = None;
        } else {
            self.leave_end(place);
        }
    }

    fn up(&self, place: &mut Place, mut rows: usize) {
        while rows > place.row {
            if place.number <= self.store.first() {
                *place = self.first_place();
                return;
            }
            rows -= place.row + 1;
            place.number -= 1;
            place.row = self.rows_of(place.number).len() - 1;
        }
        place.row -= rows;
    }

    fn down(&self, place: &mut Place, mut rows: usize) {
        while place.number < self.store.end() {
            let rest = self
                .rows_of(place.number)
                .len()
                .saturating_sub(place.row + 1);
            if rows <= rest {
                place.row += rows;
                return;
            }
            rows -= rest + 1;
            place.number += 1;
            place.row = 0;
        }
    }
}
