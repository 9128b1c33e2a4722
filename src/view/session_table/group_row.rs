//! The head of a group in the list: its name, how many sessions it has, and what they use of what they request.

use ratatui::layout::Rect;

use super::gauge::{self, GaugeLook};
use crate::{
    app::{
        app::App,
        sessions::{lines::Group, sort::Column},
    },
    model::{catalogue::AcceleratorKind, status::Tab},
    rules::{grouping::Grouping, launch::amounts::thousandths},
    theme::face::Face,
    view::{bar, columns::ColumnPlace, paint::Paint, text},
};

/// The mark of a folded or unfolded group, and the blank after it.
const MARK: u16 = 2;
/// Blank cells between the name and the count.
const GAP: u16 = 2;

pub fn draw(
    paint: &mut Paint<'_>,
    app: &App,
    (group, grouping): (&Group, Grouping),
    area: Rect,
    places: &[ColumnPlace],
) {
    let (Some(name), true) = (places.first(), area.height > 0) else {
        return;
    };
    let ended = app.sessions.tab() == Tab::Finished;
    // The name and the count share the room before the amounts.
    let is_amount = |place: &&ColumnPlace| match place.column {
        Column::Cpu | Column::Memory => !ended,
        Column::Accelerator => !group.requested.accelerators.is_empty(),
        _ => false,
    };
    let amounts: Vec<&ColumnPlace> = places.iter().filter(is_amount).collect();
    let first = places.iter().filter(is_amount).map(|place| place.x).min();
    let x = area.x + name.x;
    let end = area.x + first.map_or(area.width, |x| x.saturating_sub(GAP));
    // The counts are below each other, where the names have room.
    let second = places.get(1).map_or(x, |place| area.x + place.x);
    let width = end.saturating_sub(x);
    draw_title(paint, (group, grouping), (x, width, area.y), second);
    for place in amounts {
        let cell = Rect::new(area.x + place.x, area.y, place.width, 1);
        draw_amount(paint, group, place.column, cell);
    }
}

/// The mark, the name and the number of sessions. The number is at `count_from` or after a longer name.
fn draw_title(
    paint: &mut Paint<'_>,
    (group, grouping): (&Group, Grouping),
    (x, width, y): (u16, u16, u16),
    count_from: u16,
) {
    let mark = if group.folded {
        paint.glyphs.folded
    } else {
        paint.glyphs.unfolded
    };
    paint.text(x, y, MARK, mark, Face::Accent);
    let count = count(group);
    let room = width.saturating_sub(MARK + GAP + text::width(&count) as u16);
    let (name, face) = match group.name.as_str() {
        "" => (tr!("no {title}", title = grouping.title()), Face::Dim),
        name => (name.to_owned(), Face::Strong),
    };
    let name = text::fit(&name, usize::from(room), paint.glyphs.ellipsis);
    let end = paint.text(x + MARK, y, room, &name, face);
    let at = (end + GAP)
        .max(count_from)
        .min((x + width).saturating_sub(text::width(&count) as u16));
    let left = (x + width).saturating_sub(at);
    paint.text(at, y, left, &count, Face::Dim);
}

/// `12`, or `9 of 12 running`.
fn count(group: &Group) -> String {
    let all = text::grouped(group.len() as u64);
    match group.live {
        0 => all,
        live if live == group.len() => tr!("{all} running", all),
        live => tr!(
            "{live} of {all} running",
            live = text::grouped(live as u64),
            all
        ),
    }
}

fn draw_amount(paint: &mut Paint<'_>, group: &Group, column: Column, cell: Rect) {
    let gauge = match column {
        Column::Cpu => bar::cpu_of(group.used.map(|used| used.0), group.requested.cpu, None),
        Column::Memory => bar::memory_of(group.used.map(|used| used.1), group.requested.mem),
        _ => {
            let some = group.requested.accelerators.iter().filter(|(_, n)| **n > 0);
            let words: Vec<String> = some
                .map(|(slot, n)| {
                    let unit = AcceleratorKind::usual_unit(slot);
                    format!("{} {unit}", thousandths(*n))
                })
                .collect();
            let words = text::fit(
                &words.join(", "),
                usize::from(cell.width),
                paint.glyphs.ellipsis,
            );
            paint.text(cell.x, cell.y, cell.width, &words, Face::Text);
            return;
        }
    };
    let known = gauge.share.is_some();
    let look = GaugeLook {
        bar: known,
        face: if known { Face::Text } else { Face::Dim },
    };
    gauge::draw(paint, cell, &gauge, look);
}
