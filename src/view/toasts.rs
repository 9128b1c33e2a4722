//! Short messages at the bottom right.

use ratatui::layout::Rect;

use super::{dialog, paint::Paint, text};
use crate::{
    app::{app::App, area::Areas},
    model::{change::Level, text::Clean},
    theme::face::Face,
};

const WIDTH: u16 = 60;
const MAX_LINES: usize = 4;

/// A place for each toast, the newest at the bottom, above the hints.
pub fn places(app: &App, screen: Rect, bottom: u16) -> Vec<Rect> {
    let mut below = bottom;
    let mut places: Vec<Rect> = app
        .toasts
        .iter()
        .rev()
        .map_while(|toast| {
            let lines = lines(&app.told(toast).1, screen.width);
            let widest = lines
                .iter()
                .map(|line| text::width(line))
                .max()
                .unwrap_or(0);
            let width = (widest as u16 + 4).min(screen.width);
            let height = lines.len() as u16;
            // The header and the tabs stay free.
            let top = below
                .checked_sub(height)
                .filter(|top| *top >= screen.y + 3)?;
            below = top.saturating_sub(1);
            Some(Rect::new(
                screen.right().saturating_sub(width + 1),
                top,
                width,
                height,
            ))
        })
        .collect();
    places.reverse();
    places
}

fn lines(said: &Clean, width: u16) -> Vec<String> {
    let cells = usize::from(WIDTH.min(width.saturating_sub(4)) - 4);
    let mut lines = text::wrap(said.as_str(), cells);
    lines.truncate(MAX_LINES);
    lines
}

pub fn draw(paint: &mut Paint<'_>, app: &App, areas: &Areas) {
    let hidden = app.toasts.iter().count() - areas.toasts.len().min(app.toasts.iter().count());
    for (toast, area) in app.toasts.iter().skip(hidden).zip(&areas.toasts) {
        dialog::blank(paint, *area);
        paint.fill(*area, Face::Toast);
        let (level, said) = app.told(toast);
        let face = match level {
            Level::Info => Face::Info,
            Level::Success => Face::Success,
            Level::Warning => Face::Warning,
            Level::Error => Face::Bad,
        };
        for (line, text) in lines(&said, areas.screen.width).iter().enumerate() {
            let y = area.y + line as u16;
            let marker = paint.glyphs.marker;
            paint.text(area.x, y, 1, marker, face);
            paint.text(area.x + 2, y, area.width - 3, text, Face::Toast);
        }
    }
}
