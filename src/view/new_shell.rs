//! The form for a new shell: its command, directory and user.

use ratatui::layout::Rect;

use super::{dialog, paint::Paint};
use crate::{
    app::{
        area::Areas,
        new_shell::{Field, NewShell},
    },
    theme::face::Face,
};

const WIDTH: u16 = 66;
/// Cells of a line's title.
const TITLE: u16 = 19;

pub fn area(screen: Rect) -> Rect {
    // Border, blank, three lines, blank, the problem, border.
    dialog::place(screen, WIDTH, 8)
}

/// The positions of the lines.
pub fn rows(area: Rect) -> Rect {
    dialog::rows(area, 2, 3)
}

pub fn draw(paint: &mut Paint<'_>, form: &NewShell, areas: &Areas) {
    let (Some(area), Some(rows)) = (areas.dialog, areas.new_shell_rows) else {
        return;
    };
    let title = format!("New shell in {}", form.name);
    dialog::frame(paint, areas.screen, area, &title, Face::Title);
    let problem = form.problem();
    for (line, field) in Field::ALL.into_iter().enumerate() {
        let y = rows.y + line as u16;
        let wrong = problem.as_ref().is_some_and(|(at, _)| *at == field);
        let face = if wrong { Face::InputError } else { Face::Label };
        paint.text(rows.x, y, TITLE, field.title(), face);
        let place = Rect::new(rows.x + TITLE, y, rows.width.saturating_sub(TITLE), 1);
        let input = form.input(field);
        paint.input(place, input, form.field() == field);
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
