//! Asks for confirmation before a copy that is too long for the clipboard is saved in a file.

use std::path::Path;

use ratatui::layout::Rect;

use super::paste::draw_lines;
use crate::{
    model::text::Clean,
    terminal::clipboard,
    theme::face::Face,
    view::{dialog, paint::Paint, text},
};

const WIDTH: u16 = 72;
const HEIGHT: u16 = 9;

/// `title` is the question.
pub fn draw(paint: &mut Paint<'_>, screen: Rect, title: &str, bytes: u64, path: &Path) {
    let area = dialog::place(screen, WIDTH.min(screen.width), HEIGHT);
    let inner = dialog::frame(paint, screen, area, title, Face::Warning);
    let size = tr!(
        "You copied {bytes} bytes. A terminal's clipboard takes {clipboard}.",
        bytes = text::grouped(bytes),
        clipboard = text::grouped((clipboard::LONGEST / 4 * 3) as u64)
    );
    let path = Clean::new(&path.to_string_lossy());
    let path = text::fit(
        path.as_str(),
        usize::from(inner.width),
        paint.glyphs.ellipsis,
    );
    let lines = [
        (size.as_str(), Face::Text),
        (
            tr!("The text can be saved in a file that only you can read:"),
            Face::Text,
        ),
        ("", Face::Text),
        (path.as_ref(), Face::Accent),
    ];
    draw_lines(
        paint,
        inner,
        &lines,
        [("Enter", tr!("save")), ("Esc", tr!("cancel"))],
    );
}
