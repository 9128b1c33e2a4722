//! Draws the whole frame.

use jiff::Timestamp;
use ratatui::layout::Position;

use super::{
    banner, commit, confirm, detail, glyphs::Glyphs, header, help, hints, keep, launcher, list,
    logs, new_shell, notices, paint::Paint, panes, picker, prompt, pull, reason, recents,
    scheduling, shells, state, statistics, still::Still, surface::Surface, tabs, toasts, whynot,
};
use crate::{
    app::{app::App, area::Areas, focus::Page, panels::AnyPanel},
    model::capability::EngineState,
    theme::{Theme, face::Face},
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
    let glyphs = Glyphs::choose(app.facts.unicode);
    let mut paint = Paint::new(surface, theme, glyphs);
    for part in still.loose(areas.screen) {
        paint.fill(part, Face::Text);
    }
    if areas.too_small {
        state::too_small(&mut paint, areas);
        return None;
    }
    match (app.page, &app.logs) {
        (Page::Panes, _) => {
            let badge = notices::badge(app, now);
            panes::draw(
                &mut paint,
                areas,
                &app.panes,
                &app.keymap,
                (&badge, still),
                app.mirror.is_silent(),
            );
        }
        (Page::Logs, Some(open)) => {
            let badge = notices::badge(app, now);
            let away = match app.mirror.engine(open.session.context) {
                Some(EngineState::Lost { why, .. }) => Some(why),
                _ => None,
            };
            logs::draw(&mut paint, areas, open, &app.keymap, (&badge, away));
        }
        _ => sessions(&mut paint, app, areas, now),
    }
    overlays(&mut paint, app, areas, now);
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
            list::draw(paint, app, areas, now);
        }
    }
    if let Some(open) = &app.detail {
        detail::draw(paint, app, open, areas, now);
    }
    reason::draw(paint, app, areas);
    if let Some(AnyPanel::Commit(form)) = app.panels.top_prompt() {
        commit::draw(paint, app, form, areas);
    }
    prompt::draw(paint, app, areas);
    hints::draw(paint, app, areas, now);
}

/// Draws the panels on top of a view. They have the cursor then.
fn overlays(paint: &mut Paint<'_>, app: &App, areas: &Areas, now: Timestamp) {
    if areas.dialog.is_some() {
        paint.cursor = None;
        if let Some(open) = &app.help {
            help::draw(paint, app, open, areas);
        } else if let Some(open) = &app.confirm {
            confirm::draw(paint, app, open, areas);
        } else if let Some(open) = &app.keep {
            keep::draw(paint, app, open, areas, now);
        } else if let Some(open) = &app.notice_list {
            notices::draw(paint, app, open, areas, now);
        } else if let Some(open) = &app.waits {
            whynot::draw(paint, app, open, areas, now);
        } else if app.pulled().is_some() {
            pull::draw(paint, app, areas);
        } else if let Some(open) = &app.scheduling {
            scheduling::draw(paint, app, open, areas, now);
        } else if let Some(open) = &app.recents {
            recents::draw(paint, app, open, areas, now);
        } else if let Some(open) = &app.launcher {
            launcher::draw(paint, app, open, areas);
        } else if let Some(open) = &app.picker {
            picker::draw(paint, app, open, areas);
        } else if let Some(open) = &app.shells {
            shells::draw(paint, app, open, areas);
        } else if let Some(open) = &app.new_shell {
            new_shell::draw(paint, open, areas);
        }
        let hints_line = areas.hints;
        paint.extras.clear(hints_line);
        for x in hints_line.left()..hints_line.right() {
            if let Some(cell) = paint.buffer.cell_mut((x, hints_line.y)) {
                cell.reset();
            }
        }
        hints::draw(paint, app, areas, now);
    }
    toasts::draw(paint, app, areas);
}
