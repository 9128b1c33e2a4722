//! A bar and two numbers in a cell of the list.

use ratatui::layout::Rect;

use crate::{
    theme::face::Face,
    view::{
        bar::{self, Gauge},
        paint::Paint,
        text,
    },
};

/// Whether the bar is drawn, and the face of the numbers.
#[derive(Clone, Copy, Debug)]
pub struct GaugeLook {
    pub bar: bool,
    pub face: Face,
}

pub fn draw(paint: &mut Paint<'_>, cell: Rect, gauge: &Gauge, look: GaugeLook) {
    let usual: u16 = match cell.width {
        15.. => 8,
        12.. => 3,
        _ => 2,
    };
    // Long numbers (`0.00/0.05`) are never cut. The bar gets shorter instead.
    let long = text::width(&gauge.numbers) as u16 + 1;
    let cells = usual.min(cell.width.saturating_sub(long));
    let numbers = cell.width - cells - 1;
    if look.bar {
        let pieces = bar::pieces(gauge, usize::from(cells), paint.glyphs);
        paint.pieces(cell.x, cell.y, cells, &pieces);
    }
    let x = cell.x + cells + 1;
    paint.right(x, cell.y, numbers, &gauge.numbers, look.face);
}
