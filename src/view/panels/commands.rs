//! The list of equivalent commands.

use jiff::Timestamp;
use ratatui::layout::Rect;

use super::Dialog;
use crate::{
    app::{app::App, area::DialogAreas, panels::commands::CommandList},
    theme::face::Face,
    view::{dialog, paint::Paint, text},
};

const WIDTH: u16 = 110;
/// The fewest rows, so that the dialog doesn't grow with each command.
const FEWEST: u16 = 8;
/// Cells for the time of a command.
const TIME: u16 = 10;
/// Lines below the list: a blank one, and the marked command in full.
const FOOT: u16 = 3;

impl Dialog for CommandList {
    fn place(&self, app: &App, screen: Rect) -> DialogAreas {
        let count = (app.commands().entries().len() as u16).max(FEWEST);
        let height = (count + 3 + FOOT).min(screen.height.saturating_sub(3));
        let area = dialog::place(screen, WIDTH, height);
        dialog::areas(screen, area, dialog::rows(area, 2, 1 + FOOT))
    }

    fn draw(&self, paint: &mut Paint<'_>, app: &App, areas: &DialogAreas, _: Timestamp) {
        let (rows, entries) = (areas.rows, app.commands().entries());
        let title = tr!("Equivalent commands");
        let inner = dialog::frame(paint, areas.screen, areas.area, title, Face::Title);
        if entries.is_empty() {
            let lines = text::wrap(
                tr!(
                    "Nothing was changed yet. After each change, for example a launch, this list shows \
                 the command that does the same."
                ),
                usize::from(rows.width),
            );
            for (line, text) in lines.iter().enumerate() {
                paint.text(rows.x, rows.y + line as u16, rows.width, text, Face::Dim);
            }
            return;
        }
        dialog::more(paint, areas, self.list.scroll(), entries.len());
        let shown = entries.iter().enumerate().skip(self.list.scroll());
        for (line, (at, entry)) in shown.take(usize::from(rows.height)).enumerate() {
            let place = Rect::new(rows.x, rows.y + line as u16, rows.width, 1);
            if at == self.list.marked() {
                dialog::mark(paint, place);
            }
            let time = entry.at.to_zoned(app.facts.time_zone.clone());
            let time = time.strftime("%H:%M:%S").to_string();
            paint.text(place.x + 1, place.y, TIME - 2, &time, Face::Dim);
            let room = place.width.saturating_sub(TIME);
            paint.text(place.x + TIME, place.y, room, &entry.line, Face::Text);
        }
        if let Some(entry) = entries.get(self.list.marked()) {
            let lines = text::wrap(&entry.line, usize::from(inner.width));
            for (line, text) in lines.iter().take(usize::from(FOOT - 1)).enumerate() {
                let y = rows.bottom() + 1 + line as u16;
                paint.text(inner.x, y, inner.width, text, Face::Dim);
            }
        }
    }
}
