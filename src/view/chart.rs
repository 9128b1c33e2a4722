//! Draws a series of samples as bars of several rows: four steps in each row of braille cells, two of half blocks, or
//! the characters of an ASCII ramp.

use jiff::Timestamp;

use super::spark::{self, Form};

/// The size of a chart, in cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChartSize {
    pub cells: usize,
    pub rows: usize,
}

/// The rows of a chart, the upper one first; the newest sample is on the right. `top` fills a bar. Unknown samples
/// are blank, and a known one has at least a dot.
pub fn rows(
    at: &[Timestamp],
    values: &[Option<u64>],
    top: u64,
    size: ChartSize,
    form: Form,
) -> Vec<String> {
    let (steps, per_cell) = match form {
        Form::Braille => (4, 2),
        Form::Ramp(ramp) => (ramp.len(), 1),
    };
    let bars = spark::bars(at, values, size.cells * per_cell);
    let heights = spark::heights(&bars, top, steps * size.rows);
    (0..size.rows)
        .rev()
        .map(|row| {
            let levels: Vec<usize> = heights
                .iter()
                .map(|height| height.saturating_sub(row * steps).min(steps))
                .collect();
            spark::cells(&levels, form)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(values: &[u64], cells: usize, rows: usize, form: Form) -> Vec<String> {
        let at = (1..).map(|second| Timestamp::from_second(second).unwrap());
        let at: Vec<Timestamp> = at.take(values.len()).collect();
        let values: Vec<Option<u64>> = values.iter().copied().map(Some).collect();
        super::rows(&at, &values, 100, ChartSize { cells, rows }, form)
    }

    #[test]
    fn bars_grow_over_rows_of_braille() {
        let rows = shown(&[0, 50, 100, 100], 2, 2, Form::Braille);
        assert_eq!(rows, ["⢀⣿", "⣸⣿"].map(str::to_owned).to_vec());
        assert_eq!(
            shown(&[0, 0], 1, 3, Form::Braille)[..2],
            ["", ""].map(|_| " ".to_owned())
        );
        assert_eq!(shown(&[0, 0], 1, 3, Form::Braille)[2], "⣀");
    }

    #[test]
    fn bars_grow_over_rows_of_half_blocks() {
        let rows = shown(&[0, 30, 70, 100], 4, 2, crate::view::glyphs::BLOCKS.spark);
        assert_eq!(rows, ["  ▄█", "▄███"].map(str::to_owned).to_vec());
    }

    #[test]
    fn bars_grow_over_rows_of_plain_text() {
        let ramp = Form::Ramp(&[".", "#"]);
        let rows = shown(&[0, 40, 70, 100], 4, 2, ramp);
        assert_eq!(rows, ["  .#", ".###"].map(str::to_owned).to_vec());
        assert_eq!(
            shown(&[], 3, 2, ramp),
            ["   ", "   "].map(str::to_owned).to_vec()
        );
    }
}
