//! The progress of an image pull: source, amount, speed, remaining time.

use jiff::Timestamp;
use ratatui::layout::Rect;

use super::Dialog;
use crate::{
    app::{app::App, area::DialogAreas, panels::pull::PullDialog},
    model::pull::Pull,
    theme::face::Face,
    view::{bar, dialog, paint::Paint, text},
};

const WIDTH: u16 = 62;
/// Lines for the progress. Their number is fixed, so that the dialog doesn't jump.
const DETAILS: u16 = 3;
/// Border, blank, image and source, blank, progress, blank, border.
const HEIGHT: u16 = 7 + DETAILS;
/// Cells after the bar: ` 100%`.
const PERCENT: u16 = 5;

impl Dialog for PullDialog {
    fn place(&self, _: &App, screen: Rect) -> DialogAreas {
        let area = dialog::place(screen, WIDTH, HEIGHT);
        dialog::areas(screen, area, Rect::ZERO)
    }

    fn draw(&self, paint: &mut Paint<'_>, app: &App, areas: &DialogAreas, _: Timestamp) {
        let Some(session) = self.session(&app.mirror) else {
            return;
        };
        let Some(pull) = &session.pull else { return };
        let title = match self.launched.len() {
            0 | 1 => tr!("Pulling the image for {name}", name = session.name),
            count => tr!("Pulling the image for {count} sessions", count),
        };
        let inner = dialog::frame(paint, areas.screen, areas.area, &title, Face::Title);
        let room = usize::from(inner.width);
        let reference = text::fit(pull.reference.as_str(), room, paint.glyphs.ellipsis);
        paint.text(inner.x, inner.y + 1, inner.width, &reference, Face::Text);
        let from = match pull.attempt {
            0 | 1 => tr!("from {registry}", registry = pull.registry),
            attempt => tr!(
                "from {registry}, attempt {attempt}",
                registry = pull.registry,
                attempt
            ),
        };
        let from = text::fit(&from, room, paint.glyphs.ellipsis);
        paint.text(inner.x, inner.y + 2, inner.width, &from, Face::Dim);
        let details = Rect {
            y: inner.y + 4,
            height: DETAILS,
            ..inner
        };
        draw_details(paint, details, pull);
    }
}

fn draw_details(paint: &mut Paint<'_>, area: Rect, pull: &Pull) {
    if let Some(why) = &pull.broken {
        let text = tr!("Retrying: {why}", why);
        let lines = text::wrap(&text, usize::from(area.width));
        return draw_lines(paint, area, &lines, Face::Warning);
    }
    if pull.figures.layers == 0 {
        let asking = [tr!("Asking the registry").to_owned()];
        return draw_lines(paint, area, &asking, Face::Text);
    }
    if let Some(percent) = pull.figures.percent() {
        let cells = usize::from(area.width.saturating_sub(PERCENT));
        let mut pieces = bar::progress(percent, cells, paint.glyphs);
        pieces.push((format!(" {percent:>3}%"), Face::Value));
        paint.pieces(area.x, area.y, area.width, &pieces);
    }
    let words = pull.words();
    // The amount that has arrived, then the remaining time.
    let lines: Vec<String> = words.chunks(2).map(|words| words.join(", ")).collect();
    let below = Rect {
        y: area.y + 1,
        height: area.height - 1,
        ..area
    };
    draw_lines(paint, below, &lines, Face::Text);
}

fn draw_lines(paint: &mut Paint<'_>, area: Rect, lines: &[String], face: Face) {
    for (line, y) in lines.iter().zip(area.top()..area.bottom()) {
        paint.text(area.x, y, area.width, line, face);
    }
}
