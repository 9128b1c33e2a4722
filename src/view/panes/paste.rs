//! Asks for confirmation before a text of several lines is pasted into a program that would run each line.

use ratatui::layout::Rect;

use crate::{
    theme::face::Face,
    view::{dialog, paint::Paint, text},
};

const WIDTH: u16 = 64;
const HEIGHT: u16 = 9;

/// `title` is the question. Shows the beginning of the text.
pub fn draw(paint: &mut Paint<'_>, screen: Rect, title: &str, pasted: &str) {
    let area = dialog::place(screen, WIDTH.min(screen.width), HEIGHT);
    let inner = dialog::frame(paint, screen, area, title, Face::Warning);
    let first = pasted.lines().next().unwrap_or_default();
    let first = crate::model::text::Clean::new(first.trim());
    let first = text::fit(
        first.as_str(),
        usize::from(inner.width),
        paint.glyphs.ellipsis,
    );
    let lines = [
        (
            tr!("The program takes each line as if you typed it"),
            Face::Text,
        ),
        (tr!("and pressed Enter. First line:"), Face::Text),
        ("", Face::Text),
        (first.as_ref(), Face::Accent),
    ];
    draw_lines(
        paint,
        inner,
        &lines,
        [("Enter", tr!("paste")), ("Esc", tr!("cancel"))],
    );
}

/// Draws the lines of a dialog, and the hints for its keys below.
pub(super) fn draw_lines(
    paint: &mut Paint<'_>,
    inner: Rect,
    lines: &[(&str, Face)],
    keys: [(&str, &str); 2],
) {
    for (y, (line, face)) in (inner.y + 1..inner.bottom()).zip(lines) {
        paint.text(inner.x, y, inner.width, line, *face);
    }
    let y = inner.bottom().saturating_sub(1);
    let mut x = inner.x;
    for (key, word) in keys {
        x = paint.text(x, y, inner.right().saturating_sub(x), key, Face::Key) + 1;
        x = paint.text(x, y, inner.right().saturating_sub(x), word, Face::Dim) + 3;
    }
}
