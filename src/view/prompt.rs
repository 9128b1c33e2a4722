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
            SearchState::Asking => tr!("{len} so far", len),
            _ => tr!("{len} of {all}", len, all = text::grouped(all)),
        };
        line(paint, area, "/", input, (&note, Face::Dim));
        draw_completion(paint, app, area, input, text::width(&note) as u16);
    }
}

/// An example of each kind of term, while nothing is typed.
const TERMS: &str = "name  status:failed  env:python  owner:me  cpu>=2  age>2h  -not";

/// What Tab would add to the filter, dimmed, and the other candidates.
fn draw_completion(paint: &mut Paint<'_>, app: &App, area: Rect, input: &Input, note: u16) {
    let typed = input.text();
    let x = area.x + 3 + text::width(typed) as u16;
    let room = (area.right().saturating_sub(note + 3)).saturating_sub(x + 1);
    if typed.is_empty() {
        let terms = text::fit(TERMS, usize::from(room), paint.glyphs.ellipsis);
        paint.text(x + 1, area.y, room, &terms, Face::Placeholder);
        return;
    }
    let completion = app.filter_completion();
    let Some((first, others)) = completion.candidates.split_first() else {
        return;
    };
    let part = typed.len() - completion.start;
    // A quoted value doesn't continue what is typed, so Tab replaces it.
    let rest = if first
        .to_lowercase()
        .starts_with(&typed[completion.start..].to_lowercase())
    {
        first.get(part..).unwrap_or_default()
    } else {
        first
    };
    let gap = if others.is_empty() { "" } else { "  " };
    let others = others.get(..8).unwrap_or(others).join("  ");
    let shown = format!("{rest}{gap}{others}");
    let shown = text::fit(&shown, usize::from(room), paint.glyphs.ellipsis);
    paint.text(x, area.y, room, &shown, Face::Placeholder);
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
