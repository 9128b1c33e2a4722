//! Charts of several rows in place of the sparklines of the usage, on details with room for them.

use jiff::Timestamp;

use super::{DetailLine, usage::UsageRow};
use crate::view::{
    chart::{self, ChartSize},
    glyphs::Glyphs,
};

/// A chart with fewer rows shows no more than a sparkline.
const LOWEST: usize = 2;
const HIGHEST: usize = 5;

/// How many rows each of `metrics` charts has, if `free` lines are left. 0 = sparklines.
pub fn rows(metrics: usize, free: usize) -> usize {
    // A blank line follows each chart.
    let each = (free / metrics.max(1)).saturating_sub(1);
    if each < LOWEST { 0 } else { each.min(HIGHEST) }
}

/// The lines of one chart, and a blank line below it.
pub fn lines(
    row: &UsageRow<'_>,
    at: &[Timestamp],
    (rows, width): (usize, usize),
    glyphs: &Glyphs,
) -> Vec<DetailLine> {
    let Some(series) = row.series else {
        return Vec::new();
    };
    let size = ChartSize { cells: width, rows };
    let drawn = chart::rows(at, &series.values, row.top(series), size, glyphs.spark);
    let face = row.face();
    let lines = drawn.into_iter().map(|line| vec![(line, face)]);
    lines.chain([Vec::new()]).collect()
}

#[cfg(test)]
mod tests {
    use super::rows;

    #[test]
    fn charts_are_drawn_where_there_is_room_for_all_of_them() {
        assert_eq!(rows(4, 0), 0);
        assert_eq!(rows(4, 11), 0);
        assert_eq!(rows(4, 12), 2);
        assert_eq!(rows(2, 100), 5);
        assert_eq!(rows(0, 10), 5);
    }
}
