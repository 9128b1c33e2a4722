//! The cells of a frame: a ratatui buffer, and beside it a sparse grid of what ratatui's cells can't express.

use std::{collections::BTreeMap, sync::Arc};

use ratatui::{
    buffer::{Buffer, Cell},
    layout::Rect,
};

use crate::terminal::{attributes::Underline, link::Link};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    pub buffer: Buffer,
    pub extras: Extras,
}

/// Attributes for which a ratatui cell has no field.
#[derive(Clone, Debug, Default)]
pub struct Extra {
    /// The style of the underline, if the cell is underlined and the line isn't a single one.
    pub underline: Option<Underline>,
    pub link: Option<Arc<Link>>,
}

/// Extra attributes by row and column. Most cells have none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Extras(BTreeMap<u16, BTreeMap<u16, Extra>>);

impl Surface {
    pub fn empty(area: Rect) -> Self {
        Self {
            buffer: Buffer::empty(area),
            extras: Extras::default(),
        }
    }

    /// Blanks a part of one row.
    pub fn clear(&mut self, part: Rect) {
        row_mut(&mut self.buffer, part).fill(Cell::EMPTY);
        self.extras.clear(part);
    }

    /// The cells of a part of one row.
    pub fn row(&self, part: Rect) -> &[Cell] {
        let start = self.buffer.index_of(part.x, part.y);
        &self.buffer.content[start..start + usize::from(part.width)]
    }

    /// Whether a part of one row looks like that part of another surface.
    pub fn is_equal(&self, other: &Self, part: Rect) -> bool {
        self.row(part) == other.row(part)
            && self.extras.0.get(&part.y) == other.extras.0.get(&part.y)
    }

    /// Makes a part of one row equal to that part of another surface.
    pub fn copy(&mut self, from: &Self, part: Rect) {
        let cells = row_mut(&mut self.buffer, part).iter_mut();
        for (cell, new) in cells.zip(from.row(part)) {
            if cell != new {
                cell.clone_from(new);
            }
        }
        self.extras.copy(&from.extras, part);
    }
}

fn row_mut(buffer: &mut Buffer, part: Rect) -> &mut [Cell] {
    let start = buffer.index_of(part.x, part.y);
    &mut buffer.content[start..start + usize::from(part.width)]
}

impl Extras {
    pub fn at(&self, x: u16, y: u16) -> Option<&Extra> {
        self.0.get(&y)?.get(&x)
    }

    /// Sets the extra attributes of a cell that had none.
    pub fn set(&mut self, x: u16, y: u16, underline: Underline, link: Option<&Arc<Link>>) {
        let plain = matches!(underline, Underline::None | Underline::Single);
        if plain && link.is_none() {
            return;
        }
        let extra = Extra {
            underline: (!plain).then_some(underline),
            link: link.cloned(),
        };
        self.0.entry(y).or_default().insert(x, extra);
    }

    pub fn clear(&mut self, area: Rect) {
        for y in area.top()..area.bottom() {
            if let Some(row) = self.0.get_mut(&y) {
                row.retain(|x, _| !(area.left()..area.right()).contains(x));
                if row.is_empty() {
                    self.0.remove(&y);
                }
            }
        }
    }

    /// Makes a part of one row equal to that part of other extras.
    fn copy(&mut self, from: &Self, part: Rect) {
        self.clear(part);
        if let Some(row) = from.0.get(&part.y) {
            let new = row.range(part.left()..part.right());
            let row = self.0.entry(part.y).or_default();
            row.extend(new.map(|(x, extra)| (*x, extra.clone())));
            if row.is_empty() {
                self.0.remove(&part.y);
            }
        }
    }
}

/// Links are compared by number, because the outer terminal gets the number.
impl PartialEq for Extra {
    fn eq(&self, other: &Self) -> bool {
        let number = |it: &Self| it.link.as_ref().map(|link| link.number());
        self.underline == other.underline && number(self) == number(other)
    }
}
