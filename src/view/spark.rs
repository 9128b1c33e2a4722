//! Draws a series of samples as small bars: two bars of four steps in each braille cell, or one bar in each
//! cell of plain ASCII. Unknown samples are blank.

use jiff::Timestamp;

/// The characters of the bars.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Braille,
    /// One character for each height of a bar, from the lowest to the highest.
    Ramp(&'static [&'static str]),
}

/// The dots in the left and the right half of a cell, by the height of the bar.
const LEFT: [u32; 5] = [0, 0x40, 0x44, 0x46, 0x47];
const RIGHT: [u32; 5] = [0, 0x80, 0xa0, 0xb0, 0xb8];
const BRAILLE: u32 = 0x2800;

/// Draws the samples in `cells` cells, the newest on the right. `top` fills a bar. A bar covers at least a
/// second, so a short series leaves the left side blank.
pub fn line(
    at: &[Timestamp],
    values: &[Option<u64>],
    top: u64,
    cells: usize,
    form: Form,
) -> String {
    match form {
        Form::Braille => {
            let heights = heights(&bars(at, values, cells * 2), top, 4);
            self::cells(&heights, form)
        }
        Form::Ramp(ramp) => {
            let heights = heights(&bars(at, values, cells), top, ramp.len());
            self::cells(&heights, form)
        }
    }
}

/// One row of bars with these heights, from 0 to the number of steps of a cell.
pub(super) fn cells(heights: &[usize], form: Form) -> String {
    match form {
        Form::Braille => heights.chunks(2).map(cell).collect(),
        Form::Ramp(ramp) => {
            let shown = heights.iter().map(|height| match height {
                0 => " ",
                height => ramp[height - 1],
            });
            shown.collect()
        }
    }
}

fn cell(halves: &[usize]) -> char {
    let right = halves.get(1).copied().unwrap_or(0);
    match LEFT[halves[0]] | RIGHT[right] {
        0 => ' ',
        dots => char::from_u32(BRAILLE + dots).unwrap_or(' '),
    }
}

/// The height of each bar. A known value has a height of at least one, so that a row of zeros is visible.
pub(super) fn heights(bars: &[Option<u64>], top: u64, steps: usize) -> Vec<usize> {
    let height = |value: u64| {
        let share = value as f64 / top.max(1) as f64;
        1 + (share.min(1.0) * (steps - 1) as f64).round() as usize
    };
    bars.iter().map(|bar| bar.map_or(0, height)).collect()
}

/// The highest value in each of `count` equal parts of the time.
pub(super) fn bars(at: &[Timestamp], values: &[Option<u64>], count: usize) -> Vec<Option<u64>> {
    let mut bars = vec![None; count];
    let (Some(first), Some(last)) = (at.first(), at.last()) else {
        return bars;
    };
    if count == 0 {
        return bars;
    }
    let millis = |time: &Timestamp| time.as_millisecond();
    // A bar covers at least one second.
    let span = (millis(last) - millis(first)).max(count.cast_signed() as i64 * 1000);
    let from = millis(last) - span;
    let place = |time: &Timestamp| {
        // A sample at the border of two bars belongs to the earlier one.
        let parts = (millis(time) - from) * count.cast_signed() as i64;
        let place = (parts + span - 1) / span - 1;
        usize::try_from(place).unwrap_or(0).min(count - 1)
    };
    let mut before: Option<usize> = None;
    for (time, value) in at.iter().zip(values) {
        let end = place(time);
        // A sample covers the time since the previous one, unless there is a gap between them.
        let begin = before.map_or(end, |before| (before + 1).min(end));
        before = value.map(|_| end);
        for bar in &mut bars[begin..=end] {
            *bar = (*bar).max(*value);
        }
    }
    bars
}

#[cfg(test)]
mod tests {
    use super::*;

    const RAMP: Form = Form::Ramp(&[".", "-", "#"]);

    fn seconds(all: &[i64]) -> Vec<Timestamp> {
        let at = |second: &i64| Timestamp::from_second(*second).unwrap();
        all.iter().map(at).collect()
    }

    fn shown(at: &[i64], values: &[Option<u64>], cells: usize, form: Form) -> String {
        line(&seconds(at), values, 100, cells, form)
    }

    #[test]
    fn the_newest_is_at_the_right_and_a_bar_is_a_second_at_least() {
        let values = [Some(0), Some(50), Some(100)];
        assert_eq!(shown(&[1, 2, 3], &values, 6, RAMP), "   .-#");
        assert_eq!(shown(&[9], &[Some(0)], 4, RAMP), "   .");
        assert_eq!(shown(&[], &[], 4, RAMP), "    ");
        assert_eq!(shown(&[1], &[Some(1)], 0, RAMP), "");
    }

    #[test]
    fn what_is_not_known_is_blank_and_samples_far_apart_are_not() {
        let values = [Some(100), Some(100), None, Some(0), Some(0)];
        // 10 s apart, then no samples for half a minute.
        let at = [0, 10, 11, 40, 50];
        assert_eq!(shown(&at, &values, 10, RAMP), "##     ...");
    }

    #[test]
    fn the_highest_of_many_is_seen() {
        let at: Vec<i64> = (0..100).collect();
        let mut values = vec![Some(0); 100];
        values[37] = Some(100);
        let line = shown(&at, &values, 10, RAMP);
        assert_eq!(line, "...#......");
    }

    #[test]
    fn braille_has_two_bars_a_cell() {
        let values: Vec<Option<u64>> = [0, 33, 66, 100, 100, 0].map(Some).to_vec();
        let line = shown(&[1, 2, 3, 4, 5, 6], &values, 3, Form::Braille);
        assert_eq!(line, "⣠⣾⣇");
        let odd = shown(&[1, 2], &[Some(100), None], 2, Form::Braille);
        assert_eq!(odd, " ⡇");
        // A value above the top fills the bar.
        assert_eq!(shown(&[1], &[Some(900)], 1, Form::Braille), "⢸");
    }
}
