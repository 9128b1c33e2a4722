//! Shows above the hints why the selected session doesn't run yet.

use super::{paint::Paint, status, text};
use crate::{
    app::{app::App, area::Areas},
    theme::face::Face,
};

/// The sentence with the reason, if the engine has reported one.
pub fn of(app: &App) -> Option<String> {
    let session = app.mirror.session(app.sessions.selected()?)?;
    let why = session.status_message.as_ref()?;
    let has_reason = session.status.is_starting() && !why.is_empty();
    has_reason.then(|| format!("{} {}: {why}", session.name, session.status))
}

pub fn draw(paint: &mut Paint<'_>, app: &App, areas: &Areas) {
    let (Some(area), Some(text)) = (areas.reason, of(app)) else {
        return;
    };
    let session = app
        .sessions
        .selected()
        .and_then(|id| app.mirror.session(id));
    let Some(session) = session else { return };
    let shape = paint.glyphs.shape(&session.status);
    let face = status::face(&session.status);
    let x = paint.text(area.x + 2, area.y, 1, shape, face) + 1;
    let room = area.right().saturating_sub(x + 1);
    let text = text::fit(&text, usize::from(room), paint.glyphs.ellipsis);
    paint.text(x, area.y, room, &text, Face::Text);
}
