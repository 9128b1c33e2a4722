//! Shows above the list, with one bar for each resource, what you use of the resource group, what others use
//! and what is free. With limits or several groups, a second bar shows everything that you use.

use super::{
    glyphs::Glyphs,
    paint::{Paint, Piece},
    text,
};
use crate::{
    app::{
        app::App,
        app::statistics::Counted,
        area::{Areas, STATISTICS_ROWS},
    },
    model::{
        catalogue::AcceleratorKind,
        resources::Bytes,
        statistics::{Allotment, Part, ResourceKind, Whole},
    },
    theme::face::Face,
};

/// From this width, each of the two bars has its own line.
const WIDE: u16 = 100;
const TALL: u16 = 30;
const GAP: usize = 3;
const LONGEST_BAR: usize = 16;
const SHORTEST_BAR: usize = 4;
/// Minimum length of a bar next to words.
const WORDED_BAR: usize = 6;

/// The height of the bars on a screen of this size.
pub fn height(app: &App, columns: u16, rows: u16) -> u16 {
    match app.statistics() {
        Some(counted) if rows >= STATISTICS_ROWS => {
            1 + u16::from(is_wide(columns, rows) && counted.statistics.has_total())
        }
        _ => 0,
    }
}

pub fn is_wide(columns: u16, rows: u16) -> bool {
    columns >= WIDE && rows >= TALL
}

pub fn draw(paint: &mut Paint<'_>, app: &App, areas: &Areas) {
    let (Some(area), Some(counted)) = (areas.statistics, app.statistics()) else {
        return;
    };
    let width = usize::from(area.width.saturating_sub(2));
    let all = counted.statistics.allotments(counted.group);
    let lines = if is_wide(areas.screen.width, areas.screen.height) {
        wide(&counted, &all, width, paint.glyphs)
    } else {
        vec![narrow(&counted, &all, width, paint.glyphs)]
    };
    for (line, y) in lines.iter().zip(area.top()..area.bottom()) {
        paint.pieces(area.x + 1, y, area.width.saturating_sub(2), line);
    }
}

/// The group's name, after the context's name if there are several contexts.
fn title(counted: &Counted<'_>) -> String {
    let group = &counted.group.name;
    match counted.context {
        Some(context) => format!("{context}/{group}"),
        None => group.to_string(),
    }
}

/// `by 3 sessions`, `by 3 of 10 sessions`: the sessions that use the resources. Waiting sessions use nothing
/// and aren't counted, so the tab's number can be larger. Returns `None` if no session uses resources and
/// their number isn't limited.
fn sessions(counted: &Counted<'_>, is_short: bool) -> Option<String> {
    let now = counted.statistics.sessions?;
    if now == 0 && counted.statistics.max_sessions.is_none() {
        return None;
    }
    Some(match (counted.statistics.max_sessions, is_short) {
        (Some(most), true) => tr!("by {now}/{most} sessions", now, most),
        (Some(most), false) => tr!("held by {now} of {most} sessions", now, most),
        (None, true) => tr_plural!(now, "by {now} session", "by {now} sessions", now),
        (None, false) => tr_plural!(now, "held by {now} session", "held by {now} sessions", now),
    })
}

fn wide(
    counted: &Counted<'_>,
    all: &[Allotment],
    width: usize,
    glyphs: &Glyphs,
) -> Vec<Vec<Piece>> {
    let total = tr!("in total");
    let rows = 1 + usize::from(counted.statistics.has_total());
    let name = title(counted);
    let name_width = text::width(&name).clamp(text::width(total), 24);
    let sessions = sessions(counted, false).unwrap_or_default();
    let room = width.saturating_sub(name_width + GAP + text::width(&sessions) + GAP);
    // Uses words if there is room for them.
    let (mut blocks, mut bar) = fitting(all, room, |it| both_rows(it, words));
    let worded = blocks.len() == all.len() && bar >= WORDED_BAR;
    if !worded {
        (blocks, bar) = fitting(all, room, |it| both_rows(it, numbers));
    }
    let mut lines = Vec::new();
    let titles = [name.as_str(), total];
    for (row, title) in titles.into_iter().enumerate().take(rows) {
        let part = |it: &Allotment| if row == 0 { it.in_group } else { it.in_total };
        let title = text::fit(title, name_width, glyphs.ellipsis);
        let face = if row == 0 { Face::Value } else { Face::Label };
        let mut line = vec![(pad(&title, name_width + GAP), face)];
        for block in &blocks {
            let label = if row == 0 { block.label.as_str() } else { "" };
            line.push((pad(label, text::width(&block.label) + 1), Face::Label));
            line.extend(single(part(block.allotment), bar, glyphs));
            let kind = &block.allotment.kind;
            let numbers = match row {
                0 if worded => words(kind, block.allotment.in_group),
                _ => numbers(kind, part(block.allotment)),
            };
            let cells = block.numbers + GAP;
            line.push((pad(&format!(" {numbers}"), cells + 1), Face::Value));
        }
        if row == 0 {
            let used: usize = line.iter().map(|(text, _)| text::width(text)).sum();
            let free = width.saturating_sub(used);
            line.push((text::pad_left(&sessions, free), Face::Label));
        }
        lines.push(line);
    }
    lines
}

/// Both bars of a resource in one line.
fn narrow(counted: &Counted<'_>, all: &[Allotment], width: usize, glyphs: &Glyphs) -> Vec<Piece> {
    let sessions = sessions(counted, true).unwrap_or_default();
    let name = text::fit(&title(counted), 16, glyphs.ellipsis);
    let taken = text::width(&sessions) + GAP + text::width(&name) + GAP;
    let room = width.saturating_sub(taken);
    let (blocks, bar) = fitting(all, room, |it| text::width(&numbers(&it.kind, it.in_group)));
    let mut line = vec![(format!("{name}   "), Face::Value)];
    for block in &blocks {
        let Allotment {
            kind,
            in_group,
            in_total,
        } = block.allotment;
        line.push((format!("{} ", block.label), Face::Label));
        // A bar that shows the use of others has no room for the limit.
        if counted.statistics.has_total() && in_group.others == 0 {
            line.extend(double(*in_group, *in_total, bar, glyphs));
        } else {
            line.extend(single(*in_group, bar, glyphs));
        }
        let numbers = numbers(kind, *in_group);
        line.push((format!(" {numbers}   "), Face::Value));
    }
    let used: usize = line.iter().map(|(text, _)| text::width(text)).sum();
    let free = width.saturating_sub(used);
    if free >= text::width(&sessions) {
        line.push((text::pad_left(&sessions, free), Face::Label));
    }
    line
}

struct AllotmentBlock<'a> {
    allotment: &'a Allotment,
    label: String,
    /// Cells of its numbers.
    numbers: usize,
}

impl<'a> AllotmentBlock<'a> {
    fn new(allotment: &'a Allotment, width: fn(&Allotment) -> usize) -> Self {
        Self {
            label: label(&allotment.kind),
            numbers: width(allotment),
            allotment,
        }
    }
}

/// The cells that the numbers of both rows need. `in_group` formats those of the group.
fn both_rows(allotment: &Allotment, in_group: fn(&ResourceKind, Part) -> String) -> usize {
    let Allotment {
        kind,
        in_group: group,
        in_total,
    } = allotment;
    let total = text::width(&numbers(kind, *in_total));
    text::width(&in_group(kind, *group)).max(total)
}

/// Returns as many resources as fit, and the length of their bars. `width` returns the cells of a resource's
/// numbers.
fn fitting(
    all: &[Allotment],
    room: usize,
    width: fn(&Allotment) -> usize,
) -> (Vec<AllotmentBlock<'_>>, usize) {
    let mut blocks: Vec<AllotmentBlock<'_>> = all
        .iter()
        .map(|it| AllotmentBlock::new(it, width))
        .collect();
    loop {
        let fixed =
            |block: &AllotmentBlock<'_>| text::width(&block.label) + 2 + block.numbers + GAP;
        let fixed: usize = blocks.iter().map(fixed).sum();
        let bar = room.saturating_sub(fixed) / blocks.len().max(1);
        if bar >= SHORTEST_BAR || blocks.len() <= 1 {
            return (blocks, bar.min(LONGEST_BAR));
        }
        blocks.pop();
    }
}

fn label(kind: &ResourceKind) -> String {
    match kind {
        ResourceKind::Cpu => tr!("CPU").to_owned(),
        ResourceKind::Mem => tr!("RAM").to_owned(),
        ResourceKind::Accelerator(slot) => AcceleratorKind::usual_unit(slot),
    }
}

/// An amount without its unit.
fn amount(kind: &ResourceKind, value: u64) -> String {
    let unit = match kind {
        ResourceKind::Mem => Bytes::GIB,
        ResourceKind::Cpu | ResourceKind::Accelerator(_) => 1000,
    };
    let text = format!("{:.2}", value as f64 / unit as f64);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn letter(kind: &ResourceKind) -> &'static str {
    match kind {
        ResourceKind::Mem => "G",
        ResourceKind::Cpu | ResourceKind::Accelerator(_) => "",
    }
}

/// `3/8`, `2.5/16G`, `3+4/8` with the use of others, `3, limit 8`, `3 of ?`. Without a total, only the used
/// amount.
fn numbers(kind: &ResourceKind, part: Part) -> String {
    let others = match part.others {
        0 => String::new(),
        others => format!("+{}", amount(kind, others)),
    };
    let (used, letter) = (amount(kind, part.used), letter(kind));
    match part.whole {
        Whole::Total(all) => format!("{used}{others}/{}{letter}", amount(kind, all)),
        Whole::Limit(all) => tr!(
            "{used}{letter}, limit {all}{letter}",
            used,
            letter,
            all = amount(kind, all)
        ),
        Whole::Hidden => tr!("{used}{letter} of ?", used, letter),
        Whole::Unlimited => format!("{used}{letter}"),
    }
}

/// `3 yours, 4 others', 1 of 8 free`, `3 yours, 5 available, limit 8`, `3 yours, 5 available, total hidden`.
fn words(kind: &ResourceKind, part: Part) -> String {
    let letter = letter(kind);
    let used = amount(kind, part.used);
    let free = part.free.map(|free| amount(kind, free));
    match (part.whole, free) {
        (Whole::Total(all), free) => {
            let (free, all) = (free.unwrap_or_else(|| "0".to_owned()), amount(kind, all));
            match part.others {
                0 => tr!(
                    "{used} yours, {free} of {all}{letter} free",
                    used,
                    free,
                    all,
                    letter
                ),
                others => tr!(
                    "{used} yours, {others} others', {free} of {all}{letter} free",
                    used,
                    others = amount(kind, others),
                    free,
                    all,
                    letter
                ),
            }
        }
        (Whole::Limit(all), Some(free)) => tr!(
            "{used}{letter} yours, {free}{letter} available, limit {all}{letter}",
            used,
            letter,
            free,
            all = amount(kind, all)
        ),
        (Whole::Limit(all), None) => tr!(
            "{used}{letter} yours, limit {all}{letter}",
            used,
            letter,
            all = amount(kind, all)
        ),
        (Whole::Hidden, Some(free)) => tr!(
            "{used}{letter} yours, {free}{letter} available, total hidden",
            used,
            letter,
            free
        ),
        (Whole::Hidden, None) => tr!("{used}{letter} yours, total hidden", used, letter),
        (Whole::Unlimited, _) => numbers(kind, part),
    }
}

/// How many of `cells` cells show `value`. A low value stays visible, and only the full amount fills all
/// cells.
fn cells_of(value: u64, all: Option<u64>, cells: usize) -> usize {
    let share = match all {
        Some(all) if all > 0 => value as f64 / all as f64,
        _ => 0.0,
    };
    let full = (share * cells as f64).round() as usize;
    match share {
        0.0 => 0,
        1.0.. => cells,
        _ => full.clamp(1, cells.saturating_sub(1).max(1)),
    }
}

fn full(part: Part, cells: usize) -> usize {
    cells_of(part.used, part.all(), cells)
}

/// Warns if nothing is left for you.
fn face(part: Part) -> Face {
    match part.free {
        Some(0) if part.used > 0 => Face::BarWarning,
        _ => Face::BarNormal,
    }
}

/// Your use, the use of others, and what is free.
fn single(part: Part, cells: usize, glyphs: &Glyphs) -> Vec<Piece> {
    let held = cells_of(part.used.saturating_add(part.others), part.all(), cells);
    // If both would share the last cell, the use of others stays visible.
    let least = usize::from(part.others > 0 && held > 1);
    let mine = full(part, cells).min(held - least);
    vec![
        (glyphs.bar_full.repeat(mine), face(part)),
        (glyphs.bar_others.repeat(held - mine), Face::BarOthers),
        (glyphs.bar_empty.repeat(cells - held), Face::Bar),
    ]
}

/// Two bars in one line of cells.
fn double(upper: Part, lower: Part, cells: usize, glyphs: &Glyphs) -> Vec<Piece> {
    let (above, below) = (full(upper, cells), full(lower, cells));
    let [top, bottom, both, none] = glyphs.halves;
    let one = if above > below { top } else { bottom };
    let (both_cells, ends) = (above.min(below), above.max(below));
    let worst = if face(lower) == Face::BarWarning {
        lower
    } else {
        upper
    };
    vec![
        (both.repeat(both_cells), face(worst)),
        (one.repeat(ends - both_cells), face(worst)),
        (none.repeat(cells - ends), Face::Bar),
    ]
}

fn pad(text: &str, cells: usize) -> String {
    let blank = cells.saturating_sub(text::width(text));
    format!("{text}{}", " ".repeat(blank))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::glyphs::{ASCII, UNICODE};

    fn part(used: u64, all: u64) -> Part {
        shared(used, 0, all)
    }

    fn shared(used: u64, others: u64, all: u64) -> Part {
        Part {
            used,
            others,
            free: Some(all - used - others),
            whole: Whole::Total(all),
        }
    }

    fn joined(pieces: &[Piece]) -> String {
        pieces.iter().map(|(text, _)| text.as_str()).collect()
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(numbers(&ResourceKind::Cpu, part(500, 8000)), "0.5/8");
        let gib = Bytes::GIB;
        assert_eq!(
            numbers(&ResourceKind::Mem, part(gib * 5 / 2, 16 * gib)),
            "2.5/16G"
        );
        let endless = Part {
            whole: Whole::Unlimited,
            ..part(200, 200)
        };
        let shares = ResourceKind::Accelerator("cuda.shares".to_owned());
        assert_eq!(numbers(&shares, endless), "0.2");
    }

    #[test]
    fn what_others_use_is_reported_and_drawn_apart() {
        let shared = shared(5050, 6950, 12_000);
        assert_eq!(numbers(&ResourceKind::Cpu, shared), "5.05+6.95/12");
        assert_eq!(
            words(&ResourceKind::Cpu, shared),
            "5.05 yours, 6.95 others', 0 of 12 free"
        );
        assert_eq!(
            words(&ResourceKind::Cpu, part(1000, 4000)),
            "1 yours, 3 of 4 free"
        );
        assert_eq!(joined(&single(shared, 12, &ASCII)), "=====~~~~~~~");
        let little = Part {
            used: 11_900,
            others: 100,
            ..shared
        };
        assert_eq!(joined(&single(little, 12, &ASCII)), "===========~");
        assert_eq!(joined(&single(part(0, 12), 4, &ASCII)), "----");
        let theirs = Part { used: 0, ..shared };
        assert_eq!(joined(&single(theirs, 12, &ASCII)), "~~~~~~~-----");
    }

    #[test]
    fn what_is_no_total_says_so() {
        let limit = Part {
            free: Some(2000),
            whole: Whole::Limit(8000),
            ..part(3000, 3000)
        };
        assert_eq!(numbers(&ResourceKind::Cpu, limit), "3, limit 8");
        assert_eq!(
            words(&ResourceKind::Cpu, limit),
            "3 yours, 2 available, limit 8"
        );
        assert_eq!(joined(&single(limit, 8, &ASCII)), "===-----");
        let gib = Bytes::GIB;
        let hidden = Part {
            free: Some(5 * gib),
            whole: Whole::Hidden,
            ..part(3 * gib, 3 * gib)
        };
        assert_eq!(numbers(&ResourceKind::Mem, hidden), "3G of ?");
        let expected = "3G yours, 5G available, total hidden";
        assert_eq!(words(&ResourceKind::Mem, hidden), expected);
        assert_eq!(joined(&single(hidden, 4, &ASCII)), "----");
        let unknown = Part {
            free: None,
            ..hidden
        };
        assert_eq!(words(&ResourceKind::Mem, unknown), "3G yours, total hidden");
    }

    #[test]
    fn the_least_is_seen_and_only_all_is_full() {
        assert_eq!(full(part(0, 9), 6), 0);
        assert_eq!(full(part(1, 900), 6), 1);
        assert_eq!(full(part(899, 900), 6), 5);
        assert_eq!(full(part(900, 900), 6), 6);
    }

    #[test]
    fn two_bars_lie_in_one_line() {
        let both = double(part(2, 4), part(1, 4), 8, &UNICODE);
        assert_eq!(joined(&both), "⣿⣿⠛⠛⠒⠒⠒⠒");
        let lower = double(part(0, 4), part(4, 4), 4, &ASCII);
        assert_eq!(joined(&lower), "....");
        assert_eq!(lower[1].1, Face::BarWarning);
    }
}
