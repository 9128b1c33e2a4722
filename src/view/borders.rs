//! Draws the lines between panes. The lines around the focused pane have its color.

use super::paint::Paint;
use crate::{
    app::{
        area::Areas,
        panes::{Axis, PaneArea, Panes},
    },
    theme::face::Face,
};

pub fn draw(paint: &mut Paint<'_>, areas: &Areas, panes: &Panes) {
    let active = panes.active().map(|pane| pane.id);
    let focused = areas.panes.iter().find(|it| Some(it.pane) == active);
    let beside = areas.pane_borders.iter();
    for border in beside.filter(|it| it.axis == Axis::Beside) {
        let x = border.area.x;
        for y in border.area.top()..border.area.bottom() {
            let face = if focused.is_some_and(|it| touches(it, x, y)) {
                Face::BorderFocused
            } else {
                Face::Border
            };
            let [right, left, both, end] = paint.glyphs.junctions;
            let glyph = match meets(areas, x, y) {
                (false, false) => paint.glyphs.vertical,
                (false, true) => right,
                (true, false) => left,
                (true, true) if y == border.area.top() => end,
                (true, true) => both,
            };
            paint.text(x, y, 1, glyph, face);
        }
    }
}

/// Whether a pane is next to this cell of a border.
fn touches(place: &PaneArea, x: u16, y: u16) -> bool {
    let top = place.head.map_or(place.cells.y, |head| head.y);
    let beside = place.cells.x == x + 1 || place.cells.right() == x;
    beside && (top..place.cells.bottom()).contains(&y)
}

/// Whether heads meet a border at this cell from the left and from the right.
fn meets(areas: &Areas, x: u16, y: u16) -> (bool, bool) {
    let heads = || areas.panes.iter().filter_map(|it| it.head);
    let left = heads().any(|head| head.y == y && head.right() == x);
    let right = heads().any(|head| head.y == y && head.x == x + 1);
    (left, right)
}
