//! The frame of dialogs: a border and a title on top of a shaded view.

use ratatui::{layout::Rect, style::Style};

use super::{paint::Paint, text};
use crate::{
    app::{area::DialogAreas, panels::DialogButton},
    locale,
    theme::face::Face,
};

/// Returns an area of this size in the middle of `screen`, slightly above the center.
pub fn place(screen: Rect, width: u16, height: u16) -> Rect {
    // A dialog that is almost as wide as the screen takes its full width: narrow strips of the view at its
    // sides would distract.
    let width = if width + 6 > screen.width {
        screen.width
    } else {
        width
    };
    let height = height.min(screen.height.saturating_sub(1));
    Rect::new(
        screen.x + (screen.width - width) / 2,
        screen.y + (screen.height - height) * 2 / 5,
        width,
        height,
    )
}

/// The areas of a dialog with a list.
pub fn areas(screen: Rect, area: Rect, rows: Rect) -> DialogAreas {
    DialogAreas {
        screen,
        area,
        rows,
        ..DialogAreas::default()
    }
}

/// Draws the frame and returns the room inside it, with two blank columns on either side.
pub fn frame(paint: &mut Paint<'_>, screen: Rect, area: Rect, title: &str, face: Face) -> Rect {
    shade(paint, screen);
    border(paint, area, title, face)
}

/// Draws the frame without shading the rest of the screen.
pub fn border(paint: &mut Paint<'_>, area: Rect, title: &str, face: Face) -> Rect {
    blank(paint, area);
    let [top_left, top_right, bottom_left, bottom_right] = paint.glyphs.corners;
    let (right, bottom) = (area.right() - 1, area.bottom() - 1);
    for y in [area.y, bottom] {
        let glyph = paint.glyphs.rule;
        paint.line(area.x, y, area.width, glyph, Face::BorderFocused);
    }
    for y in area.y + 1..bottom {
        let glyph = paint.glyphs.vertical;
        paint.text(area.x, y, 1, glyph, Face::BorderFocused);
        paint.text(right, y, 1, glyph, Face::BorderFocused);
    }
    for (x, y, glyph) in [
        (area.x, area.y, top_left),
        (right, area.y, top_right),
        (area.x, bottom, bottom_left),
        (right, bottom, bottom_right),
    ] {
        paint.text(x, y, 1, glyph, Face::BorderFocused);
    }
    let title = text::fit(
        title,
        usize::from(area.width.saturating_sub(6)),
        paint.glyphs.ellipsis,
    );
    paint.text(
        area.x + 2,
        area.y,
        area.width - 4,
        &format!(" {title} "),
        face,
    );
    Rect::new(
        area.x + 3,
        area.y + 1,
        area.width.saturating_sub(6),
        area.height.saturating_sub(2),
    )
}

/// The rows of a list inside the frame: `above` lines below the dialog's top and `below` lines above its
/// bottom.
pub fn rows(area: Rect, above: u16, below: u16) -> Rect {
    Rect::new(
        area.x + 3,
        area.y + above,
        area.width.saturating_sub(6),
        area.height.saturating_sub(above + below),
    )
}

/// Highlights the marked row of a list.
pub fn mark(paint: &mut Paint<'_>, row: Rect) {
    let row = Rect::new(row.x - 1, row.y, row.width + 2, 1);
    paint.fill(row, Face::RowSelected);
    let marker = paint.glyphs.marker;
    paint.text(row.x, row.y, 1, marker, Face::RowMarker);
}

/// Marks in the border that the list of a dialog, scrolled by `scroll` of `count` rows, has more above or below.
pub fn more(paint: &mut Paint<'_>, areas: &DialogAreas, scroll: usize, count: usize) {
    let (area, rows) = (areas.area, usize::from(areas.rows.height));
    let x = area.right().saturating_sub(4);
    let (up, down) = (paint.glyphs.up, paint.glyphs.down);
    if scroll > 0 {
        paint.text(x, area.y, 3, &format!(" {up} "), Face::Accent);
    }
    if scroll + rows < count {
        let bottom = area.bottom().saturating_sub(1);
        paint.text(x, bottom, 3, &format!(" {down} "), Face::Accent);
    }
}

/// Whether a character belongs to a chart. Shaded dots beside a dialog would look like its own.
fn is_drawn(symbol: &str) -> bool {
    let mut chars = symbol.chars();
    chars
        .next()
        .is_some_and(|c| matches!(c, '▀' | '▄' | '█' | '\u{2800}'..='\u{28ff}'))
}

/// Shades the whole screen, and removes the charts on it.
fn shade(paint: &mut Paint<'_>, screen: Rect) {
    let shade = paint.style(Face::Shade);
    let ground = Style {
        bg: paint.style(Face::Screen).bg,
        ..Style::default()
    };
    for position in screen.positions() {
        if let Some(cell) = paint.buffer.cell_mut(position) {
            let symbol_style = Style::reset();
            cell.set_style(symbol_style);
            cell.set_style(ground);
            cell.set_style(shade);
            if is_drawn(cell.symbol()) {
                cell.set_symbol(" ");
            }
        }
    }
}

/// Clears an area and gives it the style of a dialog. A wide character that crosses its edge is removed
/// completely.
pub fn blank(paint: &mut Paint<'_>, area: Rect) {
    let area = area.intersection(paint.buffer.area);
    paint.extras.clear(area);
    for y in area.top()..area.bottom() {
        if area.x > paint.buffer.area.x
            && let Some(cell) = paint.buffer.cell_mut((area.x - 1, y))
            && text::width(cell.symbol()) > 1
        {
            cell.set_symbol(" ");
        }
    }
    paint.clear(area);
    paint.fill(area, Face::Dialog);
}

/// The lines of sections: each has the label if it is the first one of a section, and the text. An empty line is
/// between two sections.
pub fn section_lines(
    sections: Vec<(&'static str, Vec<String>)>,
    width: u16,
) -> Vec<(&'static str, String)> {
    let mut lines: Vec<(&'static str, String)> = Vec::new();
    for (label, texts) in sections {
        if !lines.is_empty() {
            lines.push(("", String::new()));
        }
        let wrapped = texts
            .iter()
            .flat_map(|it| text::wrap(it, usize::from(width)));
        let labels = std::iter::once(label).chain(std::iter::repeat(""));
        lines.extend(labels.zip(wrapped));
    }
    lines
}

/// The positions of the buttons No and Yes. Their labels are in English.
pub fn buttons(area: Rect, labels: [&str; 2]) -> [Rect; 2] {
    let y = area.bottom().saturating_sub(3);
    let [no, yes] = labels.map(|label| text::width(locale::of(label)) as u16);
    let right = area.right().saturating_sub(3);
    let yes = Rect::new(right.saturating_sub(yes), y, yes, 1);
    [Rect::new(yes.x.saturating_sub(no + 2), y, no, 1), yes]
}

pub fn draw_buttons(
    paint: &mut Paint<'_>,
    places: [Rect; 2],
    labels: [&str; 2],
    marked: DialogButton,
) {
    let buttons = [DialogButton::No, DialogButton::Yes].into_iter();
    for (button, (place, label)) in buttons.zip(places.into_iter().zip(labels)) {
        let face = match (marked == button, button) {
            (false, _) => Face::Button,
            (true, DialogButton::No) => Face::ButtonActive,
            (true, DialogButton::Yes) => Face::ButtonDanger,
        };
        paint.text(place.x, place.y, place.width, locale::of(label), face);
    }
}
