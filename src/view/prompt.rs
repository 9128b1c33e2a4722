//! The line above the hints in which a filter or a new name is typed.

use ratatui::layout::Rect;

use super::{paint::Paint, text};
use crate::{
    app::{app::App, area::Areas, input::Input},
    theme::face::Face,
};

pub fn draw(paint: &mut Paint<'_>, app: &App, areas: &Areas) {
    let Some(area) = areas.prompt else { return };
    if let Some(rename) = &app.rename {
        let label = format!("Rename {} to", rename.old);
        // What is wrong with it stands where the hints are.
        line(paint, area, &label, &rename.input, ("", Face::Dim));
    } else if let Some(input) = app.sessions.filter.editing() {
        let all = app.mirror.count(app.sessions.tab());
        let note = format!("{} of {all}", app.sessions.len());
        line(paint, area, "/", input, (&note, Face::Dim));
    }
}

fn line(paint: &mut Paint<'_>, area: Rect, label: &str, input: &Input, note: (&str, Face)) {
    let x = paint.text(area.x + 1, area.y, area.width / 2, label, Face::Accent) + 1;
    let wanted = text::width(note.0) as u16 + 1;
    let typed = (text::width(input.text()) as u16 + 2).max(12);
    let room = area.right().saturating_sub(x);
    let taken = wanted.min(room.saturating_sub(typed));
    let field = Rect::new(x, area.y, room.saturating_sub(taken + 1), 1);
    paint.input(field, input, true);
    let right = area.right().saturating_sub(taken + 1);
    paint.right(right, area.y, taken, note.0, note.1);
}
