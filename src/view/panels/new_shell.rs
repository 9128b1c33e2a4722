//! The form for a new shell: its command, directory and user.

use jiff::Timestamp;
use ratatui::layout::Rect;

use super::Dialog;
use crate::{
    app::{
        app::App,
        area::DialogAreas,
        panels::new_shell::{NewShell, NewShellField},
    },
    theme::face::Face,
    view::{dialog, paint::Paint},
};

const WIDTH: u16 = 66;
/// Cells of a line's title.
const TITLE: u16 = 19;

impl Dialog for NewShell {
    fn place(&self, _: &App, screen: Rect) -> DialogAreas {
        // Border, blank, three lines, blank, the problem, border.
        let area = dialog::place(screen, WIDTH, 8);
        dialog::areas(screen, area, dialog::rows(area, 2, 3))
    }

    fn draw(&self, paint: &mut Paint<'_>, _: &App, areas: &DialogAreas, _: Timestamp) {
        let rows = areas.rows;
        let title = tr!("New shell in {name}", name = self.name);
        dialog::frame(paint, areas.screen, areas.area, &title, Face::Title);
        let problem = self.wrong();
        for (line, field) in NewShellField::ALL.into_iter().enumerate() {
            let y = rows.y + line as u16;
            let wrong = problem.as_ref().is_some_and(|(at, _)| *at == field);
            let face = if wrong { Face::InputError } else { Face::Label };
            paint.text(rows.x, y, TITLE, field.title(), face);
            let place = Rect::new(rows.x + TITLE, y, rows.width.saturating_sub(TITLE), 1);
            let input = self.input(field);
            paint.input(place, input, self.field() == field);
            if input.is_empty() {
                paint.text(place.x, y, place.width, field.usual(), Face::Placeholder);
            }
        }
        if let Some((_, why)) = problem {
            paint.text(
                rows.x,
                rows.bottom() + 1,
                rows.width,
                &why,
                Face::InputError,
            );
        }
    }
}
