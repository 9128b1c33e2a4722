//! Short messages at the bottom right.

use ratatui::layout::Rect;

use super::{dialog, paint::Paint, text};
use crate::{
    app::{app::App, area::Areas},
    model::{notice::Level, text::Clean},
    theme::face::Face,
};

const WIDTH: u16 = 60;
/// Maximum lines of a toast. A longer one ends in an ellipsis.
const MAX_LINES: u16 = 10;
/// Lines of the screen that stay free: header, tabs, hints.
const FREE: u16 = 5;

/// The position of each toast above the hints, the newest at the bottom.
pub fn places(app: &App, screen: Rect, bottom: u16) -> Vec<Rect> {
    let mut below = bottom;
    let mut places: Vec<Rect> = app
        .toasts
        .iter()
        .rev()
        .map_while(|toast| {
            let lines = lines(&app.toast_text(toast).1, screen);
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

fn lines(said: &Clean, screen: Rect) -> Vec<String> {
    let cells = usize::from(WIDTH.min(screen.width.saturating_sub(4)) - 4);
    let most = usize::from(MAX_LINES.min(screen.height.saturating_sub(FREE)));
    let mut lines = text::wrap(said.as_str(), cells);
    if lines.len() > most {
        lines.truncate(most);
        if let Some(last) = lines.last_mut() {
            *last = format!("{}...", text::take(last, cells.saturating_sub(3)));
        }
    }
    lines
}

pub fn draw(paint: &mut Paint<'_>, app: &App, areas: &Areas) {
    let hidden = app.toasts.iter().count() - areas.toasts.len().min(app.toasts.iter().count());
    for (toast, area) in app.toasts.iter().skip(hidden).zip(&areas.toasts) {
        dialog::blank(paint, *area);
        paint.fill(*area, Face::Toast);
        let (level, said) = app.toast_text(toast);
        let face = match level {
            Level::Info => Face::Info,
            Level::Success => Face::Success,
            Level::Warning => Face::Warning,
            Level::Error => Face::Bad,
        };
        for (line, text) in lines(&said, areas.screen).iter().enumerate() {
            let y = area.y + line as u16;
            let marker = paint.glyphs.marker;
            paint.text(area.x, y, 1, marker, face);
            paint.text(area.x + 2, y, area.width - 3, text, Face::Toast);
        }
    }
}
