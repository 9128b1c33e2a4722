//! How many screens of sessions fit, and where they are.

use ratatui::layout::Rect;

/// The smallest tile, with its frame. A line of a shell and the newest output can be read in it.
const COLUMNS: u16 = 38;
const ROWS: u16 = 9;
/// The largest number of tiles on a page, which bounds the connections.
const MOST: usize = 20;

/// Tiles of equal size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    pub columns: usize,
    pub rows: usize,
}

impl Grid {
    /// The grid for `count` sessions in an area: no more tiles than sessions, so that each tile is as large as
    /// possible.
    #[must_use]
    pub fn of(area: Rect, count: usize) -> Self {
        let most_columns = usize::from((area.width / COLUMNS).max(1));
        let most_rows = usize::from((area.height / ROWS).max(1));
        let most = (most_columns * most_rows).min(MOST);
        let wanted = count.clamp(1, most);
        // The fewest rows with tiles that aren't too narrow.
        let rows = wanted.div_ceil(most_columns).clamp(1, most_rows);
        let columns = wanted.div_ceil(rows).clamp(1, most_columns);
        Self { columns, rows }
    }

    #[must_use]
    pub fn per_page(self) -> usize {
        (self.columns * self.rows).min(MOST)
    }

    /// The tile at a position of the page.
    #[must_use]
    pub fn tile(self, area: Rect, at: usize) -> Rect {
        let part = |size: u16, parts: usize, at: usize| {
            let edge = |at: usize| (usize::from(size) * at / parts) as u16;
            (edge(at), edge(at + 1) - edge(at))
        };
        let (x, width) = part(area.width, self.columns, at % self.columns);
        let (y, height) = part(area.height, self.rows, at / self.columns);
        Rect::new(area.x + x, area.y + y, width, height).intersection(area)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_are_as_large_as_possible_and_fill_the_area() {
        let small = Rect::new(0, 1, 80, 22);
        assert_eq!(
            Grid::of(small, 1),
            Grid {
                columns: 1,
                rows: 1
            }
        );
        assert_eq!(
            Grid::of(small, 3),
            Grid {
                columns: 2,
                rows: 2
            }
        );
        assert_eq!(
            Grid::of(small, 100),
            Grid {
                columns: 2,
                rows: 2
            }
        );
        let large = Rect::new(0, 1, 200, 48);
        assert_eq!(Grid::of(large, 100).per_page(), 20);
        for (area, count) in [(small, 3), (small, 4), (large, 20), (large, 7)] {
            let grid = Grid::of(area, count);
            let tiles = (0..grid.columns * grid.rows).map(|at| grid.tile(area, at));
            let cells: u32 = tiles.map(Rect::area).sum();
            assert_eq!(cells, area.area());
        }
    }
}
