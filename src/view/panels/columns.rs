//! Draws the list of columns.

use jiff::Timestamp;
use ratatui::layout::Rect;

use super::Dialog;
use crate::{
    app::{app::App, area::DialogAreas, panels::columns::ColumnPicker},
    theme::face::Face,
    view::{dialog, paint::Paint},
};

const WIDTH: u16 = 40;

impl Dialog for ColumnPicker {
    fn place(&self, _: &App, screen: Rect) -> DialogAreas {
        let height = self.choices.len() as u16 + 4;
        let area = dialog::place(screen, WIDTH, height.min(screen.height.saturating_sub(3)));
        // At the right, so that the names of the list stay visible.
        let area = Rect {
            x: screen.right().saturating_sub(area.width),
            ..area
        };
        dialog::areas(screen, area, dialog::rows(area, 2, 2))
    }

    fn draw(&self, paint: &mut Paint<'_>, _: &App, areas: &DialogAreas, _: Timestamp) {
        let title = tr!("Columns of {title}", title = self.tab.title());
        dialog::frame(paint, areas.screen, areas.area, &title, Face::Title);
        let rows = areas.rows;
        let shown = self.choices.iter().enumerate().skip(self.list.scroll());
        for ((at, choice), y) in shown.zip(rows.top()..rows.bottom()) {
            if at == self.list.marked() {
                dialog::mark(paint, Rect::new(rows.x, y, rows.width, 1));
            }
            let (mark, face) = if choice.shown {
                (paint.glyphs.on, Face::Text)
            } else {
                (paint.glyphs.off, Face::Dim)
            };
            paint.text(rows.x + 1, y, 4, &format!("[{mark}]"), face);
            paint.text(rows.x + 5, y, rows.width - 5, choice.column.title(), face);
            let width = match choice.width {
                Some(width) => width.to_string(),
                None => tr!("fits").to_owned(),
            };
            paint.right(rows.x, y, rows.width, &width, Face::Dim);
        }
    }
}
