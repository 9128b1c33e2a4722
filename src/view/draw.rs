//! Draws the whole frame.

use jiff::Timestamp;
use ratatui::layout::Position;

use super::{
    badge, banner, detail,
    glyphs::Glyphs,
    header, hints, logs, overview,
    paint::Paint,
    panels::{self, commit},
    panes, prompt, reason, session_table, state, statistics,
    still::Still,
    surface::Surface,
    tabs, toasts, tour, which_key,
};
use crate::{
    app::{
        app::App,
        area::Areas,
        focus::Page,
        panels::{AnyPanel, explorer::Explorer},
    },
    model::capability::EngineState,
    theme::Theme,
};

/// Paints the frame except the unchanged parts. `areas` is the result of `layout` for this frame's size.
/// Returns the position of the cursor.
pub fn draw(
    surface: &mut Surface,
    app: &App,
    theme: &Theme,
    (areas, still): (&Areas, &Still),
    now: Timestamp,
) -> Option<Position> {
    let glyphs = Glyphs::of(&app.facts);
    let mut paint = Paint::new(surface, theme, glyphs);
    for part in still.loose(areas.screen) {
        paint.clear(part);
    }
    if areas.too_small {
        state::too_small(&mut paint, app, areas);
        return None;
    }
    match (app.page_below(), &app.logs) {
        (Page::Panes, _) => {
            let badge = badge::pieces(app, now);
            panes::draw(
                &mut paint,
                areas,
                &app.panes,
                &app.keymap,
                (&badge, still),
                app.mirror.is_unresponsive(),
            );
        }
        (Page::Logs, Some(open)) => {
            let badge = badge::pieces(app, now);
            let away = match app.mirror.engine(open.session.context) {
                Some(EngineState::Lost { why, .. }) => Some(why),
                _ => None,
            };
            logs::draw(&mut paint, areas, open, &app.keymap, (&badge, away));
        }
        _ => sessions(&mut paint, app, areas, now),
    }
    if app.panes.is_floating() {
        let badge = badge::pieces(app, now);
        paint.cursor = None;
        panes::draw_floating(&mut paint, areas, app, &badge);
    }
    overlays(&mut paint, app, areas, now);
    tour::draw(&mut paint, app, areas);
    paint.cursor
}

fn sessions(paint: &mut Paint<'_>, app: &App, areas: &Areas, now: Timestamp) {
    header::draw(paint, app, areas, now);
    statistics::draw(paint, app, areas);
    tabs::draw(paint, app, areas);
    banner::draw(paint, app, areas, now);
    if areas.rows.height > 0 {
        if app.sessions.is_empty() {
            state::draw(paint, app, areas);
        } else {
            session_table::draw(paint, app, areas, now);
        }
    }
    overview::draw(paint, app, areas);
    if let Some(open) = &app.detail {
        detail::draw(paint, app, open, areas, now);
    }
    reason::draw(paint, app, areas);
    if let Some(AnyPanel::Commit(form)) = app.panels.prompt() {
        commit::draw(paint, app, form, areas);
    }
    prompt::draw(paint, app, areas);
    hints::draw(paint, app, areas, now);
}

/// The explorer, if another dialog is on top of it.
fn below(app: &App) -> Option<&dyn panels::Dialog> {
    let explorer = app.panels.get::<Explorer>()?;
    let is_top = matches!(app.panels.dialog(), Some(AnyPanel::Explorer(_)));
    (!is_top).then_some(explorer as &dyn panels::Dialog)
}

/// Draws the dialog on top of a view, which has the cursor then.
fn overlays(paint: &mut Paint<'_>, app: &App, areas: &Areas, now: Timestamp) {
    let top = app.panels.dialog().and_then(panels::dialog);
    if let (Some(top), Some(dialog)) = (top, &areas.dialog) {
        // The explorer is a view of its own, so it stays visible below a dialog.
        if let Some(explorer) = below(app) {
            let area = explorer.place(app, dialog.screen);
            explorer.draw(paint, app, &area, now);
        }
        paint.cursor = None;
        top.draw(paint, app, dialog, now);
        let hints_line = areas.hints;
        paint.extras.clear(hints_line);
        paint.clear(hints_line);
        hints::draw(paint, app, areas, now);
    }
    which_key::draw(paint, app, areas);
    toasts::draw(paint, app, areas);
}
