//! Above the list: what the person holds of what may be held, two bars a resource. The upper one is of
//! the resource group, the lower one of everything.

use super::{
    glyphs::Glyphs,
    paint::{Paint, Piece},
    text,
};
use crate::{
    app::{
        app::App,
        area::{Areas, STATISTICS_ROWS},
        statistics::Counted,
    },
    model::{
        catalogue::AcceleratorKind,
        resources::Bytes,
        statistics::{Allotment, Kind, Part},
    },
    theme::face::Face,
};

/// From here on each of the two bars has a line of its own.
const WIDE: u16 = 100;
const TALL: u16 = 30;
const GAP: usize = 3;
const LONGEST_BAR: usize = 16;
const SHORTEST_BAR: usize = 4;

/// Lines of it on a screen of this size.
pub fn height(app: &App, columns: u16, rows: u16) -> u16 {
    if rows < STATISTICS_ROWS || app.statistics().is_none() {
        0
    } else if is_wide(columns, rows) {
        2
    } else {
        1
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
    let lines = if area.height > 1 {
        wide(&counted, &all, width, paint.glyphs)
    } else {
        vec![narrow(&counted, &all, width, paint.glyphs)]
    };
    for (line, y) in lines.iter().zip(area.top()..area.bottom()) {
        paint.pieces(area.x + 1, y, area.width.saturating_sub(2), line);
    }
}

/// The group's name; before it the context's where there are several.
fn title(counted: &Counted<'_>) -> String {
    let group = &counted.group.name;
    match counted.context {
        Some(context) => format!("{context}/{group}"),
        None => group.to_string(),
    }
}

/// `by 3 sessions`, `by 3 of 10 sessions`: by whom all that is held. Those that wait hold nothing and are not
/// counted, so the tab's number may be larger. Nothing to tell where nothing is held and nothing limits how many.
fn sessions(counted: &Counted<'_>, of: &str) -> Option<String> {
    let now = counted.statistics.sessions?;
    if now == 0 && counted.statistics.max_sessions.is_none() {
        return None;
    }
    let word = if now == 1 { "session" } else { "sessions" };
    Some(match counted.statistics.max_sessions {
        Some(most) => format!("by {now}{of}{most} sessions"),
        None => format!("by {now} {word}"),
    })
}

fn wide(
    counted: &Counted<'_>,
    all: &[Allotment],
    width: usize,
    glyphs: &Glyphs,
) -> Vec<Vec<Piece>> {
    const TOTAL: &str = "in total";
    let name = title(counted);
    let name_width = text::width(&name).clamp(text::width(TOTAL), 24);
    let sessions = sessions(counted, " of ").map(|by| format!("held {by}"));
    let sessions = sessions.unwrap_or_default();
    let room = width.saturating_sub(name_width + GAP + text::width(&sessions) + GAP);
    let (blocks, bar) = fitting(all, room, usize::max);
    let mut lines = Vec::new();
    let titles = [name.as_str(), TOTAL];
    for (row, title) in titles.into_iter().enumerate() {
        let part = |it: &Allotment| if row == 0 { it.in_group } else { it.in_total };
        let title = text::fit(title, name_width, glyphs.ellipsis);
        let face = if row == 0 { Face::Value } else { Face::Label };
        let mut line = vec![(pad(&title, name_width + GAP), face)];
        for block in &blocks {
            let label = if row == 0 { block.label.as_str() } else { "" };
            line.push((pad(label, text::width(&block.label) + 1), Face::Label));
            line.extend(single(part(block.allotment), bar, glyphs));
            let numbers = numbers(&block.allotment.kind, part(block.allotment));
            let cells = block.numbers + GAP;
            line.push((pad(&format!(" {numbers}"), cells + 1), Face::Value));
        }
        if row == 0 {
            let used: usize = line.iter().map(|(text, _)| text::width(text)).sum();
            let free = width.saturating_sub(used);
            line.push((format!("{sessions:>free$}"), Face::Label));
        }
        lines.push(line);
    }
    lines
}

/// Both bars of a resource in one line.
fn narrow(counted: &Counted<'_>, all: &[Allotment], width: usize, glyphs: &Glyphs) -> Vec<Piece> {
    let sessions = sessions(counted, "/").unwrap_or_default();
    let name = text::fit(&title(counted), 16, glyphs.ellipsis);
    let taken = text::width(&sessions) + GAP + text::width(&name) + GAP;
    let (blocks, bar) = fitting(all, width.saturating_sub(taken), |group, _| group);
    let mut line = vec![(format!("{name}   "), Face::Value)];
    for block in &blocks {
        let Allotment {
            kind,
            in_group,
            in_total,
        } = block.allotment;
        line.push((format!("{} ", block.label), Face::Label));
        line.extend(double(*in_group, *in_total, bar, glyphs));
        let numbers = numbers(kind, *in_group);
        line.push((format!(" {numbers}   "), Face::Value));
    }
    let used: usize = line.iter().map(|(text, _)| text::width(text)).sum();
    let free = width.saturating_sub(used);
    if free >= text::width(&sessions) {
        line.push((format!("{sessions:>free$}"), Face::Label));
    }
    line
}

struct Block<'a> {
    allotment: &'a Allotment,
    label: String,
    /// Cells of its numbers.
    numbers: usize,
}

impl<'a> Block<'a> {
    fn new(allotment: &'a Allotment, joined: fn(usize, usize) -> usize) -> Self {
        let cells = |part| text::width(&numbers(&allotment.kind, part));
        Self {
            label: label(&allotment.kind),
            numbers: joined(cells(allotment.in_group), cells(allotment.in_total)),
            allotment,
        }
    }
}

/// As many resources as there is room for, and how long their bars are then. `joined` gives the cells
/// of the numbers from those of the group's and those of the total's.
fn fitting(
    all: &[Allotment],
    room: usize,
    joined: fn(usize, usize) -> usize,
) -> (Vec<Block<'_>>, usize) {
    let mut blocks: Vec<Block<'_>> = all.iter().map(|it| Block::new(it, joined)).collect();
    loop {
        let fixed = |block: &Block<'_>| text::width(&block.label) + 2 + block.numbers + GAP;
        let fixed: usize = blocks.iter().map(fixed).sum();
        let bar = room.saturating_sub(fixed) / blocks.len().max(1);
        if bar >= SHORTEST_BAR || blocks.len() <= 1 {
            return (blocks, bar.min(LONGEST_BAR));
        }
        blocks.pop();
    }
}

fn label(kind: &Kind) -> String {
    match kind {
        Kind::Cpu => "CPU".to_owned(),
        Kind::Mem => "RAM".to_owned(),
        Kind::Accelerator(slot) => AcceleratorKind::usual_unit(slot),
    }
}

/// `3/8`, `2.5/16G`; without a whole only what is held.
fn numbers(kind: &Kind, part: Part) -> String {
    let (unit, letter) = match kind {
        Kind::Mem => (Bytes::GIB, "G"),
        Kind::Cpu | Kind::Accelerator(_) => (1000, ""),
    };
    let amount = |value: u64| {
        let text = format!("{:.2}", value as f64 / unit as f64);
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    };
    match part.all {
        Some(all) => format!("{}/{}{letter}", amount(part.used), amount(all)),
        None => format!("{}{letter}", amount(part.used)),
    }
}

/// How many of `cells` are full: the least that is held is seen, and full is only what is.
fn full(part: Part, cells: usize) -> usize {
    let share = part.share().unwrap_or(0.0);
    let full = (share * cells as f64).round() as usize;
    match share {
        0.0 => 0,
        1.0 => cells,
        _ => full.clamp(1, cells.saturating_sub(1).max(1)),
    }
}

fn face(part: Part) -> Face {
    match part.share() {
        Some(share) if share >= 0.8 => Face::BarWarning,
        _ => Face::BarNormal,
    }
}

fn single(part: Part, cells: usize, glyphs: &Glyphs) -> Vec<Piece> {
    let full = full(part, cells);
    vec![
        (glyphs.bar_full.repeat(full), face(part)),
        (glyphs.bar_empty.repeat(cells - full), Face::Bar),
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
        let all = Some(all);
        Part { used, all }
    }

    fn joined(pieces: &[Piece]) -> String {
        pieces.iter().map(|(text, _)| text.as_str()).collect()
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(numbers(&Kind::Cpu, part(500, 8000)), "0.5/8");
        let gib = Bytes::GIB;
        assert_eq!(numbers(&Kind::Mem, part(gib * 5 / 2, 16 * gib)), "2.5/16G");
        let endless = Part {
            used: 200,
            all: None,
        };
        let shares = Kind::Accelerator("cuda.shares".to_owned());
        assert_eq!(numbers(&shares, endless), "0.2");
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
