//! The prompt above the hints, for a filter or a new name.

use ratatui::layout::Rect;

use super::{paint::Paint, text};
use crate::{
    app::{app::App, area::Areas, input::Input, sessions::reach::SearchState},
    theme::face::Face,
};

pub fn draw(paint: &mut Paint<'_>, app: &App, areas: &Areas) {
    let Some(area) = areas.prompt else { return };
    if let Some(typed) = app.panels.prompt().and_then(|it| it.panel().prompt()) {
        // A problem with the typed text is shown in place of the hints.
        let note = (typed.note, Face::Dim);
        line(paint, area, &typed.label, typed.input, note);
    } else if let Some(input) = app.sessions.filter.editing() {
        let shown = app.sessions.shown();
        let all = app.mirror.count(shown, app.sessions.tab());
        let len = app.sessions.len();
        let note = match app.reach.found(&app.mirror, &app.sessions) {
            SearchState::Asking => format!("{len} so far"),
            _ => format!("{len} of {}", text::grouped(all)),
        };
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
