//! The floating shell: its frame over the view below.

use ratatui::layout::Rect;

use super::{dialog, paint::Paint, text};
use crate::{
    app::{
        area::Areas,
        panes::{Pane, head_name},
    },
    theme::face::Face,
};

/// The frame of the floating shell, which leaves the edges of the view visible. The last line has the keys.
#[must_use]
pub fn frame(screen: Rect) -> Rect {
    let (columns, rows) = (screen.width / 16, screen.height / 12);
    Rect::new(
        screen.x + columns,
        screen.y + rows,
        screen.width - 2 * columns,
        screen.height.saturating_sub(2 * rows + 1),
    )
}

/// The cells of its terminal.
#[must_use]
pub fn cells(frame: Rect) -> Rect {
    Rect::new(
        frame.x + 1,
        frame.y + 1,
        frame.width.saturating_sub(2),
        frame.height.saturating_sub(2),
    )
}

/// Paints the frame. The cells are painted like those of any pane.
pub fn draw(paint: &mut Paint<'_>, areas: &Areas, pane: &Pane) {
    let frame = areas.floating;
    paint.extras.clear(frame);
    paint.clear(frame);
    let room = usize::from(frame.width.saturating_sub(20));
    let name = text::fit(&head_name(pane), room, paint.glyphs.ellipsis);
    let title = tr!("Floating shell of {name}", name);
    dialog::border(paint, frame, &title, Face::Title);
    paint.extras.clear(areas.pane_status);
    paint.clear(areas.pane_status);
}
