//! The labels of quick select, over the screen as it was when they were placed.

use ratatui::{
    layout::Rect,
    style::{Color, Modifier, Style},
};

use super::paint::Paint;
use crate::{
    app::quick_select::{MatchCells, QuickMatch, QuickSelect, lines::ScreenLine},
    theme::face::Face,
};

/// The keys in the status line.
pub const HINTS: &[(&str, &str)] = &[
    (tr_later!("letters"), tr_later!("copy")),
    (tr_later!("capitals"), tr_later!("open")),
    ("esc", tr_later!("cancel")),
    ("up/down enter", tr_later!("copy")),
];

/// Paints the screen and the labels into the cells of a terminal or a log.
pub fn draw(paint: &mut Paint<'_>, area: Rect, select: &QuickSelect) {
    paint.extras.clear(area);
    paint.clear(area);
    for line in select.lines() {
        draw_line(paint, area, line);
    }
    for it in select.open() {
        let is_marked = select.marked() == Some(it);
        for cells in &it.cells {
            if let Some(cells) = on_screen(area, *cells) {
                // The rest of the screen is dim, this is not.
                let plain = Style::new().fg(Color::Reset).remove_modifier(Modifier::DIM);
                paint.buffer.set_style(cells, plain);
                paint.fill(cells, Face::Text);
                paint.fill(cells, Face::Match);
                if is_marked {
                    paint.buffer.set_style(cells, Modifier::REVERSED);
                }
            }
        }
    }
    for it in select.open() {
        draw_label(paint, area, it, select.typed().len());
    }
}

/// How many texts can still be chosen.
#[must_use]
pub fn count(select: &QuickSelect) -> String {
    match select.open().count() {
        1 => tr!("1 match").to_owned(),
        count => tr!("{count} matches", count),
    }
}

fn draw_line(paint: &mut Paint<'_>, area: Rect, line: &ScreenLine) {
    for (position, place) in line.places.iter().enumerate() {
        let x = area.x.saturating_add(place.column);
        let y = area.y.saturating_add(place.row);
        let text = line.character(position);
        if y < area.bottom() && x + place.width <= area.right() && text != " " {
            paint.text(x, y, place.width, text, Face::Dim);
        }
    }
}

fn on_screen(area: Rect, cells: MatchCells) -> Option<Rect> {
    let cells = Rect::new(
        area.x.saturating_add(cells.column),
        area.y.saturating_add(cells.row),
        cells.width,
        1,
    );
    Some(cells.intersection(area)).filter(|it| !it.is_empty())
}

/// The label covers the beginning of the text. The letters that were typed are dim.
fn draw_label(paint: &mut Paint<'_>, area: Rect, it: &QuickMatch, typed: usize) {
    let Some(start) = it.cells.first().and_then(|cells| on_screen(area, *cells)) else {
        return;
    };
    let room = area.right() - start.x;
    let width = (it.label.len() as u16).min(room);
    // A wide character is covered whole.
    let covered = if width < room && is_wide_at(paint, start.x + width - 1, start.y) {
        width + 1
    } else {
        width
    };
    for x in start.x..start.x + covered {
        paint.text(x, start.y, 1, " ", Face::Match);
    }
    let (before, rest) = it.label.split_at(typed.min(it.label.len()));
    let x = paint.text(start.x, start.y, width, before, Face::Dim);
    let left = width.saturating_sub(x - start.x);
    paint.text(x, start.y, left, rest, Face::ButtonActive);
}

fn is_wide_at(paint: &Paint<'_>, x: u16, y: u16) -> bool {
    let cell = paint.buffer.cell((x, y));
    cell.is_some_and(|cell| super::text::width(cell.symbol()) > 1)
}
