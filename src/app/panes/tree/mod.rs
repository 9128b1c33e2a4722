//! Divides the area of a tab among its panes: a tree of halves. It only computes positions.

mod saved;

use ratatui::layout::{Position, Rect};
use serde::{Deserialize, Serialize};

use super::PaneId;

/// Minimum columns and rows of a half, including its head line.
const LEAST: (u16, u16) = (20, 4);
/// The whole, in the unit of shares.
const WHOLE: u32 = 10_000;

/// The direction of a split.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Axis {
    /// Left and right, with a border of one column between them.
    Beside,
    /// Above and below, separated by the head line of the lower half.
    Below,
}

/// A direction from a pane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Left,
    Down,
    Up,
    Right,
}

impl Side {
    fn axis(self) -> Axis {
        match self {
            Self::Left | Self::Right => Axis::Beside,
            Self::Down | Self::Up => Axis::Below,
        }
    }
}

/// A pane with its head line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    pub pane: PaneId,
    pub area: Rect,
}

/// The border between two halves, which can be dragged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Border {
    pub area: Rect,
    pub axis: Axis,
    /// The number of its split, counted from the root down, the first half before the second.
    pub split: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tree {
    Pane(PaneId),
    Split(Box<Split>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    axis: Axis,
    /// The share of the first half, in ten thousandths.
    share: u32,
    first: Tree,
    second: Tree,
}

impl Split {
    /// The first half, the border, the second half.
    fn areas(&self, area: Rect) -> (Rect, Rect, Rect) {
        match self.axis {
            Axis::Beside => {
                let room = area.width.saturating_sub(1);
                let width = part(room, self.share);
                let first = Rect { width, ..area };
                let line = Rect {
                    x: first.right(),
                    width: 1.min(area.width),
                    ..area
                };
                let second = Rect {
                    x: line.right(),
                    width: room - width,
                    ..area
                };
                (first, line, second)
            }
            Axis::Below => {
                let height = part(area.height, self.share);
                let first = Rect { height, ..area };
                let second = Rect {
                    y: first.bottom(),
                    height: area.height - height,
                    ..area
                };
                let line = Rect {
                    height: 1.min(second.height),
                    ..second
                };
                (first, line, second)
            }
        }
    }

    /// Gives the first half this number of cells, as far as both halves keep their minimum.
    fn set_first(&mut self, cells: i32, area: Rect) {
        let (room, least) = match self.axis {
            Axis::Beside => (area.width.saturating_sub(1), LEAST.0),
            Axis::Below => (area.height, LEAST.1),
        };
        let (room, least) = (i32::from(room), i32::from(least));
        if room < 2 * least {
            return;
        }
        let cells = cells.clamp(least, room - least).unsigned_abs();
        // Rounds up, so that the same share results in the same cells.
        self.share = (cells * WHOLE).div_ceil(room.unsigned_abs());
    }
}

fn part(room: u16, share: u32) -> u16 {
    u16::try_from(u32::from(room) * share / WHOLE).unwrap_or(room)
}

impl Tree {
    /// The panes in reading order.
    pub fn panes(&self) -> Vec<PaneId> {
        match self {
            Self::Pane(pane) => vec![*pane],
            Self::Split(split) => [split.first.panes(), split.second.panes()].concat(),
        }
    }

    /// The area of each pane in `area`, and the borders between them.
    pub fn place(&self, area: Rect) -> (Vec<Placed>, Vec<Border>) {
        let (mut panes, mut borders) = (Vec::new(), Vec::new());
        self.place_into(area, &mut panes, &mut borders);
        (panes, borders)
    }

    fn place_into(&self, area: Rect, panes: &mut Vec<Placed>, borders: &mut Vec<Border>) {
        match self {
            Self::Pane(pane) => panes.push(Placed { pane: *pane, area }),
            Self::Split(split) => {
                let (first, line, second) = split.areas(area);
                borders.push(Border {
                    area: line,
                    axis: split.axis,
                    split: borders.len(),
                });
                split.first.place_into(first, panes, borders);
                split.second.place_into(second, panes, borders);
            }
        }
    }

    /// Splits the area of `pane` for `new`. Returns `false` if there isn't enough room in `area`.
    pub fn split(&mut self, pane: PaneId, new: PaneId, axis: Axis, area: Rect) -> bool {
        let placed = self.place(area).0.into_iter().find(|it| it.pane == pane);
        let fits = placed.is_some_and(|it| match axis {
            Axis::Beside => it.area.width > 2 * LEAST.0,
            Axis::Below => it.area.height >= 2 * LEAST.1,
        });
        fits && self.replace(pane, &mut |old| {
            Self::Split(Box::new(Split {
                axis,
                share: WHOLE / 2,
                first: old,
                second: Self::Pane(new),
            }))
        })
    }

    fn replace(&mut self, pane: PaneId, by: &mut dyn FnMut(Self) -> Self) -> bool {
        match self {
            Self::Pane(own) if *own == pane => {
                *self = by(Self::Pane(pane));
                true
            }
            Self::Pane(_) => false,
            Self::Split(split) => split.first.replace(pane, by) || split.second.replace(pane, by),
        }
    }

    /// Removes a pane, and its neighbor takes its area. Returns `None` if nothing is left.
    pub fn without(self, pane: PaneId) -> Option<Self> {
        match self {
            Self::Pane(own) => (own != pane).then_some(Self::Pane(own)),
            Self::Split(split) => {
                let Split {
                    axis,
                    share,
                    first,
                    second,
                } = *split;
                match (first.without(pane), second.without(pane)) {
                    (Some(first), Some(second)) => Some(Self::Split(Box::new(Split {
                        axis,
                        share,
                        first,
                        second,
                    }))),
                    (one, None) | (None, one) => one,
                }
            }
        }
    }

    /// The next pane on that side of `pane`. Of several, the one with the longest common edge.
    pub fn beside(&self, pane: PaneId, side: Side, area: Rect) -> Option<PaneId> {
        let placed = self.place(area).0;
        let from = placed.iter().find(|it| it.pane == pane)?.area;
        let candidates = placed.iter().filter_map(|it| {
            let (gap, common) = neighbours(from, it.area, side)?;
            Some((gap, std::cmp::Reverse(common), it.pane))
        });
        candidates.min().map(|(_, _, pane)| pane)
    }

    /// Moves the nearest border of `pane` in this direction by `cells` cells.
    pub fn push_border(&mut self, pane: PaneId, side: Side, cells: u16, area: Rect) -> bool {
        let Self::Split(split) = self else {
            return false;
        };
        let (first, _, second) = split.areas(area);
        let in_first = split.first.panes().contains(&pane);
        if !in_first && !split.second.panes().contains(&pane) {
            return false;
        }
        let deeper = if in_first {
            split.first.push_border(pane, side, cells, first)
        } else {
            split.second.push_border(pane, side, cells, second)
        };
        if deeper || split.axis != side.axis() {
            return deeper;
        }
        let now = match split.axis {
            Axis::Beside => first.width,
            Axis::Below => first.height,
        };
        let by = match side {
            Side::Left | Side::Up => -i32::from(cells),
            Side::Right | Side::Down => i32::from(cells),
        };
        split.set_first(i32::from(now) + by, area);
        true
    }

    /// Moves a border to the position where it was dragged.
    pub fn drag_border(&mut self, border: usize, to: Position, area: Rect) {
        self.drag(&mut { border }, to, area);
    }

    /// `left` is the number of splits before it. Returns whether the border was found.
    fn drag(&mut self, left: &mut usize, to: Position, area: Rect) -> bool {
        let Self::Split(split) = self else {
            return false;
        };
        if *left == 0 {
            let cells = match split.axis {
                Axis::Beside => i32::from(to.x) - i32::from(area.x),
                Axis::Below => i32::from(to.y) - i32::from(area.y),
            };
            split.set_first(cells, area);
            return true;
        }
        *left -= 1;
        let (first, _, second) = split.areas(area);
        split.first.drag(left, to, first) || split.second.drag(left, to, second)
    }
}

/// The distance of `to` on that side of `from`, and the cells of their common edge. `None` if it isn't on
/// that side.
fn neighbours(from: Rect, to: Rect, side: Side) -> Option<(u16, u16)> {
    let gap = match side {
        Side::Left => from.x.checked_sub(to.right()),
        Side::Right => to.x.checked_sub(from.right()),
        Side::Up => from.y.checked_sub(to.bottom()),
        Side::Down => to.y.checked_sub(from.bottom()),
    }?;
    let (a, b, c, d) = match side.axis() {
        Axis::Beside => (from.y, from.bottom(), to.y, to.bottom()),
        Axis::Below => (from.x, from.right(), to.x, to.right()),
    };
    let common = b.min(d).saturating_sub(a.max(c));
    (common > 0).then_some((gap, common))
}

#[cfg(test)]
mod tests;
