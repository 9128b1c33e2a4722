//! The list of all shells: those that are open, and those that can be opened.

use jiff::Timestamp;
use ratatui::layout::Rect;

use super::Dialog;
use crate::{
    app::{
        app::App,
        area::DialogAreas,
        panels::shells::{ShellPicker, ShellRow, ShellTarget},
    },
    theme::face::Face,
    view::{dialog, paint::Paint, text},
};

const WIDTH: u16 = 68;
/// Maximum visible rows.
const ROWS: u16 = 16;
/// Cells of a row's note.
const NOTE: u16 = 28;

impl Dialog for ShellPicker {
    fn place(&self, _: &App, screen: Rect) -> DialogAreas {
        // Border, blank, search, blank, the rows, blank, border.
        let rows = self.count().min(usize::from(ROWS)).max(1) as u16;
        let height = (rows + 6).min(screen.height.saturating_sub(3));
        let area = dialog::place(screen, WIDTH, height);
        dialog::areas(screen, area, dialog::rows(area, 4, 2))
    }

    fn draw(&self, paint: &mut Paint<'_>, app: &App, areas: &DialogAreas, _: Timestamp) {
        let rows = areas.rows;
        let inner = dialog::frame(paint, areas.screen, areas.area, tr!("Shells"), Face::Title);
        let field = Rect::new(inner.x + 1, inner.y + 1, inner.width - 1, 1);
        paint.input(field, self.query(), true);
        if self.query().is_empty() {
            let hint = tr!("type to search");
            paint.text(field.x, field.y, field.width, hint, Face::Placeholder);
        }
        let marked = self.marked().map(|row| row.target);
        dialog::more(paint, areas, self.list.scroll(), self.rows().count());
        let shown = self.rows().skip(self.list.scroll());
        for (line, row) in shown.take(usize::from(rows.height)).enumerate() {
            let place = Rect::new(rows.x, rows.y + line as u16, rows.width, 1);
            if marked == Some(row.target) {
                dialog::mark(paint, place);
            }
            draw_row(paint, app, place, row);
        }
        if marked.is_none() {
            let text = tr!("no shell matches '{query}'", query = self.query().text());
            paint.text(rows.x + 1, rows.y, rows.width, &text, Face::Dim);
        }
    }
}

fn draw_row(paint: &mut Paint<'_>, app: &App, place: Rect, row: &ShellRow) {
    let face = match row.target {
        ShellTarget::Pane(_) => Face::Strong,
        ShellTarget::Window(..) => Face::Text,
        ShellTarget::Session(_) | ShellTarget::Host => Face::Text,
    };
    let is_active = matches!(row.target, ShellTarget::Pane(id)
        if app.panes.active().is_some_and(|pane| pane.id == id));
    let face = if is_active { Face::Accent } else { face };
    let indent = if matches!(row.target, ShellTarget::Window(..)) {
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
