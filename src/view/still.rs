//! Finds the parts of the screen that don't change between frames: terminal rows without new output. They are
//! neither painted nor compared again.

use ratatui::layout::Rect;

use crate::{
    app::{
        app::App,
        area::Areas,
        focus::Page,
        panes::{PanePrompt, PaneState},
    },
    terminal::emulator::{Emulator, Revision},
};

/// The content that decides how the cells of terminals look in a frame.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Picture {
    terminals: Vec<TerminalRows>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct TerminalRows {
    area: Rect,
    /// When each row of the area was last printed on, `None` if the terminal has no such row.
    rows: Vec<Option<Revision>>,
}

impl Picture {
    /// The picture of the next frame. It is empty if something can cover the terminals.
    #[must_use]
    pub fn of(app: &App, areas: &Areas) -> Self {
        let mut picture = Self::default();
        let dialog = app.panes.prompt().is_some_and(PanePrompt::is_dialog);
        let labels = app.panes.quick_select().is_some();
        let covered = app.explains_sequence()
            || areas.dialog.is_some()
            || !areas.toasts.is_empty()
            || dialog
            || labels
            || app.panes.is_floating();
        if app.page != Page::Panes || areas.too_small || covered {
            return picture;
        }
        for place in &areas.panes {
            if let Some(pane) = app.panes.pane(place.pane)
                && pane.state == PaneState::Live
            {
                picture.add(&pane.emulator, place.cells);
            }
        }
        picture
    }

    /// Adds a terminal that is painted alone into this area.
    pub fn add(&mut self, emulator: &Emulator, area: Rect) {
        let rows = (0..area.height).map(|row| emulator.revision(row));
        let rows = rows.collect();
        self.terminals.push(TerminalRows { area, rows });
    }
}

/// Unchanged parts of the screen, each in one row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Still {
    /// From top to bottom, and from left to right in each row.
    spans: Vec<Rect>,
}

impl Still {
    /// Returns the unchanged parts of two frames of the same size.
    #[must_use]
    pub fn between(before: &Picture, now: &Picture) -> Self {
        let mut spans = Vec::new();
        for terminal in &now.terminals {
            let same = |it: &&TerminalRows| it.area == terminal.area;
            let Some(old) = before.terminals.iter().find(same) else {
                continue;
            };
            let rows = (terminal.area.y..).zip(terminal.rows.iter().zip(&old.rows));
            spans.extend(
                rows.filter(|(_, (now, old))| now == old)
                    .map(|(y, _)| Rect {
                        y,
                        height: 1,
                        ..terminal.area
                    }),
            );
        }
        spans.sort_by_key(|span| (span.y, span.x));
        Self { spans }
    }

    /// Whether the part of a row that begins at this cell is unchanged.
    #[must_use]
    pub fn contains(&self, x: u16, y: u16) -> bool {
        let found = self
            .spans
            .binary_search_by_key(&(y, x), |span| (span.y, span.x));
        found.is_ok()
    }

    /// Returns all changed parts, row by row.
    pub fn loose(&self, screen: Rect) -> impl Iterator<Item = Rect> {
        let mut spans = self.spans.iter().peekable();
        screen.rows().flat_map(move |row| {
            let mut parts = Vec::new();
            let mut left = row.x;
            while let Some(span) = spans.next_if(|span| span.y <= row.y) {
                let right = span.x.min(row.right());
                parts.push(part(row, left, right));
                left = span.right();
            }
            parts.push(part(row, left, row.right()));
            parts.into_iter().filter(|part| part.width > 0)
        })
    }
}

fn part(row: Rect, left: u16, right: u16) -> Rect {
    Rect {
        x: left,
        width: right.saturating_sub(left),
        ..row
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;

    fn picture(emulators: &[(&Emulator, Rect)]) -> Picture {
        let mut picture = Picture::default();
        for (emulator, area) in emulators {
            picture.add(emulator, *area);
        }
        picture
    }

    #[test]
    fn rows_that_were_printed_on_and_what_is_no_terminal_are_loose() {
        let mut left = Emulator::new(4, 2);
        let right = Emulator::new(4, 3);
        let (here, there) = (Rect::new(0, 1, 4, 2), Rect::new(5, 0, 4, 3));
        let before = picture(&[(&left, here), (&right, there)]);
        left.feed(b"\x1b[2;1Hx", Timestamp::UNIX_EPOCH);
        let now = picture(&[(&left, here), (&right, there)]);
        let still = Still::between(&before, &now);
        let loose: Vec<Rect> = still.loose(Rect::new(0, 0, 10, 4)).collect();
        assert_eq!(
            loose,
            [
                Rect::new(0, 0, 5, 1),
                Rect::new(9, 0, 1, 1),
                Rect::new(4, 1, 1, 1),
                Rect::new(9, 1, 1, 1),
                Rect::new(0, 2, 5, 1),
                Rect::new(9, 2, 1, 1),
                Rect::new(0, 3, 10, 1),
            ]
        );
        assert!(still.contains(0, 1) && still.contains(5, 0) && !still.contains(0, 2));
    }

    #[test]
    fn another_place_and_another_terminal_are_loose() {
        let emulator = Emulator::new(4, 1);
        let area = Rect::new(0, 0, 4, 1);
        let before = picture(&[(&emulator, area)]);
        let elsewhere = picture(&[(&emulator, Rect::new(0, 1, 4, 1))]);
        let other = picture(&[(&Emulator::new(4, 1), area)]);
        for now in [elsewhere, other, Picture::default()] {
            assert_eq!(Still::between(&before, &now), Still::default());
        }
    }
}
