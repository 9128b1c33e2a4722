//! The list of all shells: those that are open, and those that can be opened.

use ratatui::layout::Rect;

use super::{dialog, paint::Paint, text};
use crate::{
    app::{
        app::App,
        area::Areas,
        shells::{Door, Row, Shells},
    },
    theme::face::Face,
};

const WIDTH: u16 = 68;
/// Maximum visible rows.
const ROWS: u16 = 16;
/// Cells of a row's note.
const NOTE: u16 = 28;

pub fn area(shells: &Shells, screen: Rect) -> Rect {
    // Border, blank, search, blank, the rows, blank, border.
    let rows = shells.count().min(usize::from(ROWS)).max(1) as u16;
    dialog::place(
        screen,
        WIDTH,
        (rows + 6).min(screen.height.saturating_sub(3)),
    )
}

/// The rows of the list.
pub fn rows(area: Rect) -> Rect {
    dialog::rows(area, 4, 2)
}

pub fn draw(paint: &mut Paint<'_>, app: &App, shells: &Shells, areas: &Areas) {
    let (Some(area), Some(rows)) = (areas.dialog, areas.shell_rows) else {
        return;
    };
    let inner = dialog::frame(paint, areas.screen, area, "Shells", Face::Title);
    let field = Rect::new(inner.x + 1, inner.y + 1, inner.width - 1, 1);
    paint.input(field, shells.query(), true);
    if shells.query().is_empty() {
        let hint = "type to search";
        paint.text(field.x, field.y, field.width, hint, Face::Placeholder);
    }
    let marked = shells.marked().map(|row| row.door);
    let shown = shells.rows().skip(shells.scroll());
    for (line, row) in shown.take(usize::from(rows.height)).enumerate() {
        let place = Rect::new(rows.x, rows.y + line as u16, rows.width, 1);
        if marked == Some(row.door) {
            dialog::mark(paint, place);
        }
        draw_row(paint, app, place, row);
    }
    if marked.is_none() {
        let text = format!("no shell matches '{}'", shells.query().text());
        paint.text(rows.x + 1, rows.y, rows.width, &text, Face::Dim);
    }
}

fn draw_row(paint: &mut Paint<'_>, app: &App, place: Rect, row: &Row) {
    let face = match row.door {
        Door::Pane(_) => Face::Strong,
        Door::Window(..) => Face::Text,
        Door::Session(_) | Door::Host => Face::Text,
    };
    let is_active = matches!(row.door, Door::Pane(id)
        if app.panes.active().is_some_and(|pane| pane.id == id));
    let face = if is_active { Face::Accent } else { face };
    let indent = if matches!(row.door, Door::Window(..)) {
        4
    } else {
        1
    };
    let room = place.width.saturating_sub(NOTE + 2 + indent);
    let name = text::fit(row.name.as_str(), usize::from(room), paint.glyphs.ellipsis);
    paint.text(place.x + indent, place.y, room, &name, face);
    let note = text::fit(row.note.as_str(), usize::from(NOTE), paint.glyphs.ellipsis);
    let x = place.right().saturating_sub(NOTE + 1);
    paint.right(x, place.y, NOTE, &note, Face::Dim);
}
