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

/// How many of the first metrics have a chart, and how many rows each chart has. The others have sparklines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChartPlan {
    pub count: usize,
    pub rows: usize,
}

impl ChartPlan {
    /// The charts of `metrics` metrics in `free` lines.
    pub fn of(metrics: usize, free: usize) -> Self {
        // A blank line follows each chart.
        let count = metrics.min(free / (LOWEST + 1));
        let rows = (free / count.max(1)).saturating_sub(1).min(HIGHEST);
        if count == 0 {
            return Self::default();
        }
        Self { count, rows }
    }
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
    use super::ChartPlan;

    #[test]
    fn charts_are_drawn_where_there_is_room_the_first_metrics_first() {
        let rows = |metrics, free| {
            let plan = ChartPlan::of(metrics, free);
            (plan.count, plan.rows)
        };
        assert_eq!(rows(4, 2), (0, 0));
        assert_eq!(rows(4, 3), (1, 2));
        assert_eq!(rows(4, 8), (2, 3));
        assert_eq!(rows(4, 12), (4, 2));
        assert_eq!(rows(2, 100), (2, 5));
        assert_eq!(rows(0, 10), (0, 0));
    }
}
