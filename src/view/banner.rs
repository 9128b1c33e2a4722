//! Above the list when the daemon or the engine is away: why, what to do, how old the list is.

use jiff::Timestamp;

use super::{
    paint::{Paint, Piece},
    text,
};
use crate::{
    app::{app::App, area::Areas, clock, mirror::Line},
    model::capability::EngineState,
    theme::face::Face,
};

/// The most lines a banner takes.
const MAX_LINES: usize = 5;

/// The banner's lines for a width; none when all is well. Their number does not depend on `now`.
pub fn lines(app: &App, width: u16, now: Option<Timestamp>) -> Vec<Vec<Piece>> {
    let Some((what, mend, attempt)) = trouble(app) else {
        return Vec::new();
    };
    let cells = usize::from(width.saturating_sub(6));
    let mut lines: Vec<Vec<Piece>> = text::wrap(&what, cells)
        .into_iter()
        .take(2)
        .map(|line| vec![(line, Face::Bad)])
        .collect();
    if let Some(mend) = mend {
        let mend = text::wrap(&text::sentence(&mend), cells)
            .into_iter()
            .take(2);
        lines.extend(mend.map(|line| vec![(line, Face::Text)]));
    }
    let age = match (app.mirror.stale_since(), now) {
        (Some(since), Some(now)) => ago(now.as_second() - since.as_second()),
        _ => String::new(),
    };
    let tries = match attempt {
        0 | 1 => "Trying again by itself".to_owned(),
        n => format!("Trying again by itself ({n} so far)"),
    };
    let list = if app.sessions.is_empty() {
        String::new()
    } else {
        format!("; the list is as it was {age}")
    };
    lines.push(vec![(format!("{tries}{list}."), Face::Dim)]);
    lines.truncate(MAX_LINES);
    lines
}

fn ago(seconds: i64) -> String {
    if seconds < 60 {
        "a moment ago".to_owned()
    } else {
        format!("{} ago", clock::coarse(seconds))
    }
}

/// What is away and why, what a person can do, how often it was tried.
fn trouble(app: &App) -> Option<(String, Option<String>, u32)> {
    if let Line::Down { why, attempt, .. } = app.mirror.line() {
        let what = format!("The daemon does not answer: {why}");
        return Some((what, None, *attempt));
    }
    match app.mirror.engine()? {
        (_, EngineState::Lost { why, mend, attempt }) => Some((
            text::sentence(why.as_str()),
            mend.as_ref().map(ToString::to_string),
            *attempt,
        )),
        _ => None,
    }
}

pub fn draw(paint: &mut Paint<'_>, app: &App, areas: &Areas, now: Timestamp) {
    let Some(area) = areas.banner else { return };
    let lines = lines(app, area.width, Some(now));
    let shape = paint.glyphs.shapes.bad;
    paint.text(area.x + 2, area.y, 1, shape, Face::Bad);
    for (line, pieces) in lines.iter().take(usize::from(area.height)).enumerate() {
        let y = area.y + line as u16;
        paint.pieces(area.x + 4, y, area.width.saturating_sub(6), pieces);
    }
}
