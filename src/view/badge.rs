//! The notes at the edge of every view: the next reclaim and the number of new notifications.

use jiff::Timestamp;
use ratatui::layout::Rect;

use super::{
    paint::{Paint, Piece},
    text,
};
use crate::{
    app::{app::App, durations},
    theme::face::Face,
};

/// What every view shows at its edge: the session that will be reclaimed soon, the transfers, the number of new
/// notifications, and whether notifications are quiet.
pub fn pieces(app: &App, now: Timestamp) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    if let Some((name, left)) = app.next_end(now) {
        let name = text::fit(name.as_str(), 20, "");
        let said = tr!(
            "{name}: reclaim in {left}",
            name,
            left = durations::coarse(left)
        );
        pieces.push((said, Face::Warning));
    }
    pieces.extend(transfers(app));
    match app.notices.unread() {
        0 => {}
        count => pieces.push((tr!("{count} new", count), Face::Accent)),
    }
    if app.notices.quiet {
        pieces.push((tr!("quiet").to_owned(), Face::Dim));
    }
    let last = pieces.len().saturating_sub(1);
    for (said, _) in pieces.iter_mut().take(last) {
        said.push_str("  ");
    }
    pieces
}

/// How many transfers are open and how far they are, or that one waits for an answer.
fn transfers(app: &App) -> Option<Piece> {
    let count = app.transfers.open().count();
    if app.transfers.asking().is_some() {
        return Some((tr!("transfer waits: T").to_owned(), Face::Warning));
    }
    let what = match count {
        0 => return None,
        1 => tr!("1 transfer").to_owned(),
        n => tr!("{n} transfers", n),
    };
    let percent = app.transfers.percent();
    let percent = percent.map_or_else(String::new, |it| format!(" {it}%"));
    Some((format!("{what}{percent}"), Face::StatusProgress))
}

/// Writes the badge at the right end of a line. Returns the cells that it took, with the gap before it.
pub fn draw(paint: &mut Paint<'_>, line: Rect, badge: &[Piece]) -> u16 {
    if badge.is_empty() {
        return 0;
    }
    let width: usize = badge.iter().map(|(said, _)| text::width(said)).sum();
    let width = (width as u16).min(line.width.saturating_sub(1));
    let x = line.right().saturating_sub(width + 1);
    paint.pieces(x, line.y, width, badge);
    width + 3
}
