//! Draws frames on a backend. It writes only the cells that changed and doesn't paint the parts that can't
//! have changed.

use ratatui::{
    backend::{Backend, TestBackend},
    buffer::{Cell, CellWidth as _},
    layout::{Position, Rect, Size},
    style::{Color, Modifier},
};

use crate::view::{
    still::{Picture, Still},
    surface::{Extras, Surface},
};

/// A backend that writes cells with their extra attributes, as far as it supports them.
pub trait CellOutput: Backend {
    fn write_cells<'a>(
        &mut self,
        cells: impl Iterator<Item = (u16, u16, &'a Cell)>,
        extras: &Extras,
    ) -> Result<(), Self::Error>;
}

/// Shows no extra attributes.
impl CellOutput for TestBackend {
    fn write_cells<'a>(
        &mut self,
        cells: impl Iterator<Item = (u16, u16, &'a Cell)>,
        _extras: &Extras,
    ) -> Result<(), Self::Error> {
        self.draw(cells)
    }
}

/// Paints the parts of the surface that aren't still, and returns the position of the cursor. `None` = the
/// cursor is hidden.
pub type Painter<'a> = &'a mut dyn FnMut(&mut Surface, &Still) -> Option<Position>;

pub struct Canvas<B> {
    backend: B,
    /// The cells on the screen. `None` = it is empty: the memory isn't touched before the first frame is written.
    shown: Option<Surface>,
    /// The surface for the next frame. Between frames it equals `shown`.
    next: Surface,
    picture: Picture,
    cursor: Cursor,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cursor {
    Unknown,
    Hidden,
    At(Position),
    /// Shown, and moved by the last write.
    Moved,
}

impl<B: CellOutput> Canvas<B> {
    /// Creates a canvas on an empty screen.
    pub fn new(backend: B) -> Result<Self, B::Error> {
        let size = backend.size()?;
        Ok(Self {
            backend,
            shown: None,
            next: Surface::empty(Rect::from((Position::ORIGIN, size))),
            picture: Picture::default(),
            cursor: Cursor::Unknown,
        })
    }

    /// The size of the frames.
    pub fn size(&self) -> Size {
        self.next.buffer.area.as_size()
    }

    /// Whether the size of the backend has changed. If so, call [`Canvas::forget`].
    pub fn has_other_size(&self) -> Result<bool, B::Error> {
        Ok(self.backend.size()? != self.size())
    }

    /// Starts over after the screen was cleared or resized.
    pub fn forget(&mut self) -> Result<(), B::Error> {
        let size = self.backend.size()?;
        self.shown = None;
        self.next = Surface::empty(Rect::from((Position::ORIGIN, size)));
        self.picture = Picture::default();
        self.cursor = Cursor::Unknown;
        Ok(())
    }

    /// Draws a frame whose terminals look like `picture`. Writes nothing if nothing changed.
    pub fn draw(&mut self, picture: Picture, paint: Painter<'_>) -> Result<(), B::Error> {
        let still = Still::between(&self.picture, &picture);
        let loose: Vec<Rect> = still.loose(self.next.buffer.area).collect();
        for part in &loose {
            self.next.clear(*part);
        }
        let cursor = paint(&mut self.next, &still);
        // After most keys, a few rows differ. The cells of the others aren't measured.
        let (shown, next) = (self.shown.as_ref(), &self.next);
        let differs = |part: &Rect| shown.is_none_or(|shown| !shown.is_equal(next, *part));
        let loose: Vec<Rect> = loose.into_iter().filter(differs).collect();
        let changed = loose.iter().flat_map(|part| {
            let cells = changed(shown, next, *part).into_iter();
            cells.map(|(at, cell)| (part.x + at, part.y, cell))
        });
        let mut changed = changed.peekable();
        if changed.peek().is_some() {
            self.backend.write_cells(changed, &next.extras)?;
            if let Cursor::At(_) = self.cursor {
                self.cursor = Cursor::Moved;
            }
        }
        for part in &loose {
            if let Some(shown) = &mut self.shown {
                shown.copy(&self.next, *part);
            }
        }
        self.picture = picture;
        self.place_cursor(cursor)?;
        self.backend.flush()?;
        self.shown.get_or_insert_with(|| self.next.clone());
        Ok(())
    }

    fn place_cursor(&mut self, wanted: Option<Position>) -> Result<(), B::Error> {
        let wanted = wanted.map_or(Cursor::Hidden, Cursor::At);
        if wanted == self.cursor {
            return Ok(());
        }
        match wanted {
            Cursor::At(position) => {
                if matches!(self.cursor, Cursor::Unknown | Cursor::Hidden) {
                    self.backend.show_cursor()?;
                }
                self.backend.set_cursor_position(position)?;
            }
            _ => self.backend.hide_cursor()?,
        }
        self.cursor = wanted;
        Ok(())
    }

    /// The cells on the screen. `None` before the first frame.
    pub fn shown(&self) -> Option<&Surface> {
        self.shown.as_ref()
    }

    pub fn backend(&self) -> &B {
        &self.backend
    }

    pub fn backend_mut(&mut self) -> &mut B {
        &mut self.backend
    }
}

/// The cells to write so that a part of a row looks like `next`, with their columns in the part. The right
/// half of a wide character isn't written. The cells that a wide character covered are, if their style shows
/// on blanks: terminals differ in what they leave there.
fn changed<'a>(shown: Option<&Surface>, next: &'a Surface, part: Rect) -> Vec<(u16, &'a Cell)> {
    let differs = |at| {
        let (x, y) = (part.x + column(at), part.y);
        shown.and_then(|shown| shown.extras.at(x, y)) != next.extras.at(x, y)
    };
    let new = next.row(part);
    let old_row = shown.map(|shown| shown.row(part));
    let old = |at: usize| match old_row {
        Some(row) => row.get(at),
        None => (at < new.len()).then_some(&Cell::EMPTY),
    };
    let mut changed = Vec::new();
    // All cells before this column must be written.
    let mut stale = 0;
    let mut at = 0;
    while let Some((before, now)) = old(at).zip(new.get(at)) {
        let width = usize::from(now.cell_width()).max(1);
        if before != now || at < stale || differs(at) {
            let was_wide = usize::from(before.cell_width());
            if at >= stale && was_wide > width && shows_on_blanks(before) {
                stale = at + was_wide;
            }
            changed.push((column(at), now));
            // A sign shown as an emoji: not all terminals clear the cells that it covers.
            if width > 1 && now.symbol().contains('\u{fe0f}') {
                let under =
                    (at + 1..at + width).filter_map(|at| Some((at, old(at)?, new.get(at)?)));
                let under = under.filter(|(_, before, now)| before.symbol() != now.symbol());
                changed.extend(under.map(|(at, _, now)| (column(at), now)));
            }
        }
        at += width;
    }
    changed
}

fn column(at: usize) -> u16 {
    u16::try_from(at).unwrap_or(u16::MAX)
}

fn shows_on_blanks(cell: &Cell) -> bool {
    let modifiers = Modifier::REVERSED
        | Modifier::UNDERLINED
        | Modifier::SLOW_BLINK
        | Modifier::RAPID_BLINK
        | Modifier::CROSSED_OUT;
    cell.bg != Color::Reset || cell.modifier.intersects(modifiers)
}

#[cfg(test)]
mod tests;
