//! A number as a slider: the input, a bar up to the maximum with a mark at the free amount, and what the
//! queue would do.

use super::super::sheet::{FormSheet, VALUES};
use crate::{
    app::launcher::{
        FormRow,
        allocation::{AmountForecast, AmountSlot, NumberBounds, Slider},
    },
    model::launch_field::LaunchField as Field,
    theme::face::Face,
    view::{paint::Piece, text},
};

/// Cells of the number.
const NUMBER: u16 = 10;
/// Maximum and minimum cells of the bar. Without room for the minimum, the bar is left out.
const LONGEST: u16 = 36;
const SHORTEST: u16 = 8;
/// From this width of the sheet, the minimum is shown next to the maximum.
const WIDE: u16 = 90;

/// Makes all bars of the page begin and end at the same columns.
#[derive(Clone, Copy, Debug)]
pub struct Columns {
    bar: u16,
}

impl Columns {
    pub fn of(sheet: &FormSheet<'_>, rows: &[FormRow]) -> Self {
        let launcher = sheet.launcher;
        let words = rows.iter().filter_map(|row| {
            let slider = launcher.allocation.slider(*row)?;
            let bounds = launcher.allocation.bounds(*row, launcher.info());
            Some(text::width(&range(sheet, slider, &bounds, *row)) as u16)
        });
        let words = words.max().unwrap_or(0);
        let room = sheet.width.saturating_sub(VALUES + NUMBER + 2 + words);
        let bar = if room < SHORTEST {
            0
        } else {
            room.min(LONGEST)
        };
        Self { bar }
    }
}

pub fn write(
    sheet: &mut FormSheet<'_>,
    row: FormRow,
    label: &str,
    slot: Option<AmountSlot<'_>>,
    columns: Columns,
) {
    let launcher = sheet.launcher;
    let Some(slider) = launcher.allocation.slider(row) else {
        return;
    };
    let bounds = launcher.allocation.bounds(row, launcher.info());
    let focused = sheet.is_focused(row);
    let mut line = sheet
        .label(row, label)
        .input(VALUES, NUMBER - 1, slider.input(), focused);
    let x = VALUES + NUMBER;
    let mut after = x;
    if columns.bar > 0 {
        let pieces = bar(sheet, slider, &bounds, usize::from(columns.bar), focused);
        line = line.pieces(x, x + columns.bar, pieces);
        after = x + columns.bar + 2;
    }
    let room = sheet.width.saturating_sub(after);
    line = line.text(after, room, range(sheet, slider, &bounds, row), Face::Dim);
    sheet.push(line);
    below(sheet, row, slider, &bounds, slot);
}

/// The problem with the number, otherwise what the queue would do.
fn below(
    sheet: &mut FormSheet<'_>,
    row: FormRow,
    slider: &Slider,
    bounds: &NumberBounds,
    slot: Option<AmountSlot<'_>>,
) {
    let launcher = sheet.launcher;
    if let Some(why) = problem(sheet, row, slot) {
        return sheet.sentence(row, &why, Face::InputError);
    }
    let Some(slot) = slot else {
        // The code that draws shared memory adds its own text.
        if row.field != Field::SharedMemory {
            sheet.message(row);
        }
        return;
    };
    let facts = launcher.allocation.amount_facts(launcher.info());
    let focused = sheet.is_focused(row);
    let forecast = facts.forecast(slot, slider.value().unwrap_or(0));
    if let AmountForecast::Waits(why) = &forecast {
        sheet.sentence(row, why, Face::Warning);
    }
    if !focused {
        return;
    }
    let unit = slider.unit();
    let mut words = Vec::new();
    if sheet.width < WIDE && bounds.least > 0 && bounds.most.is_some() {
        words.push(tr!("min {least}", least = unit.short(bounds.least)));
    }
    if let AmountForecast::Free(free) = forecast {
        words.push(free);
    }
    if let AmountSlot::Accelerator(slot, _) = slot {
        let kind = facts.kinds().iter().find(|kind| kind.slot == slot);
        let note = kind.and_then(|kind| kind.note.as_ref());
        words.extend(note.map(ToString::to_string));
        words.push(slot.to_owned());
    }
    if !words.is_empty() {
        let dot = format!(" {} ", sheet.glyphs.dot);
        sheet.sentence(row, &words.join(&dot), Face::Dim);
    }
}

/// The problem with a number. Each kind of accelerator shows only its own problem.
fn problem(sheet: &FormSheet<'_>, row: FormRow, slot: Option<AmountSlot<'_>>) -> Option<String> {
    let launcher = sheet.launcher;
    let Some(AmountSlot::Accelerator(slot, _)) = slot else {
        let threads = row.field == Field::OpenMp && row.item == 0;
        let shared = row.field == Field::SharedMemory;
        let own = !threads && !shared;
        return launcher
            .problem(row.field)
            .filter(|_| own)
            .map(str::to_owned);
    };
    let of_it = |message: &str| message.split([' ', ':', '(', ')']).any(|word| word == slot);
    let all = launcher.problems().iter();
    let mut own = all.filter(|it| it.field == Field::Accelerator && of_it(&it.message));
    own.next().map(|it| it.message.clone())
}

/// The bar is filled up to the number. The part beyond the free amount is a warning.
fn bar(
    sheet: &FormSheet<'_>,
    slider: &Slider,
    bounds: &NumberBounds,
    cells: usize,
    focused: bool,
) -> Vec<Piece> {
    let Some(most) = bounds.most.filter(|most| *most > 0) else {
        return Vec::new();
    };
    let value = slider.value().unwrap_or(0);
    let filled = cells_of(value, most, cells);
    let free = bounds.free.filter(|free| *free < most);
    let tick = free.map(|free| cells_of(free, most, cells).min(cells - 1));
    let within = if focused { Face::Accent } else { Face::Value };
    let face = |at: usize| match (at < filled, tick) {
        (true, _) if value > most => Face::BarCritical,
        (true, Some(tick)) if at >= tick && value > free.unwrap_or(most) => Face::BarWarning,
        (true, _) => within,
        (false, _) => Face::Bar,
    };
    let glyph = |at: usize| match (Some(at) == tick, at < filled) {
        (true, _) => sheet.glyphs.tick,
        (false, true) => sheet.glyphs.bar_full,
        (false, false) => sheet.glyphs.bar_empty,
    };
    let face = |at: usize| {
        if Some(at) == tick && at >= filled {
            Face::Dim
        } else {
            face(at)
        }
    };
    runs((0..cells).map(|at| (glyph(at), face(at))))
}

/// A number above 0 stays visible, and only the maximum fills the bar.
fn cells_of(value: u64, most: u64, cells: usize) -> usize {
    if value >= most {
        return cells;
    }
    let share = u128::from(value) * cells as u128 / u128::from(most);
    let share = usize::try_from(share).unwrap_or(cells);
    share.max(usize::from(value > 0)).min(cells - 1)
}

/// Joins cells that look alike into one piece.
fn runs(cells: impl Iterator<Item = (&'static str, Face)>) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    for (glyph, face) in cells {
        match pieces.last_mut() {
            Some((text, last)) if *last == face => text.push_str(glyph),
            _ => pieces.push((glyph.to_owned(), face)),
        }
    }
    pieces
}

/// `of 64 cores, 12 free`, with the minimum if there is room. If the maximum of a container is lower than the
/// total: `up to 2 of 64 cores, 12 free`.
fn range(sheet: &FormSheet<'_>, slider: &Slider, bounds: &NumberBounds, row: FormRow) -> String {
    let unit = slider.unit();
    let launcher = sheet.launcher;
    let facts = launcher.allocation.amount_facts(launcher.info());
    let whole = facts
        .whole(row.field)
        .filter(|(all, _)| bounds.most.is_some_and(|most| most < *all));
    let what = match (row.field, bounds.most) {
        (Field::Cpu, Some(1000)) => tr!(" core"),
        (Field::Cpu, _) => tr!(" cores"),
        _ => "",
    };
    let mut text = match (bounds.most, whole) {
        // The range is empty, and the problem below explains why.
        (Some(most), _) if most < bounds.least => {
            tr!("max {most}{what}", most = unit.short(most), what)
        }
        (Some(most), Some((all, _))) => {
            let cores = if row.field == Field::Cpu {
                tr!(" cores")
            } else {
                ""
            };
            tr!(
                "up to {most} of {all}{cores}",
                most = unit.short(most),
                all = unit.short(all),
                cores
            )
        }
        (Some(most), None) if sheet.width >= WIDE => {
            tr!(
                "{least} to {most}{what}",
                least = unit.short(bounds.least),
                most = unit.short(most),
                what
            )
        }
        (Some(most), None) => tr!("of {most}{what}", most = unit.short(most), what),
        (None, _) => tr!("min {least}", least = unit.short(bounds.least)),
    };
    if let Some(free) = whole.map(|(_, free)| free).or(bounds.free) {
        text = tr!("{text}, {free} free", text, free = unit.short(free));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_fill_with_the_number() {
        assert_eq!(cells_of(0, 64, 20), 0);
        assert_eq!(cells_of(1, 6400, 20), 1, "a little is seen");
        assert_eq!(cells_of(32, 64, 20), 10);
        assert_eq!(cells_of(63, 64, 20), 19, "only the most is full");
        assert_eq!(cells_of(64, 64, 20), 20);
        assert_eq!(cells_of(99, 64, 20), 20);
    }

    #[test]
    fn alike_cells_are_one_piece() {
        let cells = [
            ("-", Face::Bar),
            ("-", Face::Bar),
            ("=", Face::Bar),
            ("=", Face::Dim),
        ];
        assert_eq!(
            runs(cells.into_iter()),
            [("--=".to_owned(), Face::Bar), ("=".to_owned(), Face::Dim)]
        );
    }
}
