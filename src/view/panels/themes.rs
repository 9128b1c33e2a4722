//! The list of themes at the left edge, beside the view that shows the marked one, with a sample below the list.

use jiff::Timestamp;
use ratatui::layout::Rect;

use super::Dialog;
use crate::{
    app::{
        app::App,
        area::DialogAreas,
        panels::themes::ThemePicker,
        themes::{AUTO, ThemeKind, Themes},
    },
    theme::face::Face,
    view::{
        dialog,
        paint::{Paint, Piece},
    },
};

const WIDTH: u16 = 38;
/// Lines below the list: a blank one, the sample, and where the choice is saved.
const FOOT: u16 = 5;
/// Cells of the word behind a name.
const KIND: u16 = 7;

impl Dialog for ThemePicker {
    fn place(&self, app: &App, screen: Rect) -> DialogAreas {
        let all = app.themes.rows.len() as u16 + 2;
        // Border, blank, search, blank, the rows, the foot, border.
        let height = (2 + 3 + all + FOOT).min(screen.height.saturating_sub(1));
        let area = Rect {
            width: WIDTH.min(screen.width),
            height,
            ..screen
        };
        let room = dialog::rows(area, 4, 1 + FOOT);
        dialog::areas(screen, area, room)
    }

    fn draw(&self, paint: &mut Paint<'_>, app: &App, areas: &DialogAreas, _: Timestamp) {
        let rows = areas.rows;
        // The view beside it isn't shaded: it is the preview.
        let inner = dialog::border(paint, areas.area, tr!("Choose a theme"), Face::Title);
        draw_search(paint, self, inner);
        dialog::more(paint, areas, self.list.scroll(), self.rows().len());
        let shown = self.rows().iter().skip(self.list.scroll());
        for (line, name) in shown.take(usize::from(rows.height)).enumerate() {
            let place = Rect::new(rows.x, rows.y + line as u16, rows.width, 1);
            let marked = self.marked() == Some(name);
            if marked {
                dialog::mark(paint, place);
            }
            let face = if marked { Face::Strong } else { Face::Text };
            let cells = place.width.saturating_sub(KIND + 2);
            paint.text(place.x + 1, place.y, cells, name.as_str(), face);
            let word = kind(&app.themes, name.as_str());
            paint.right(
                place.right().saturating_sub(KIND),
                place.y,
                KIND,
                word,
                Face::Dim,
            );
        }
        if self.rows().is_empty() {
            let text = tr!("no theme matches '{query}'", query = self.query().text());
            paint.text(rows.x + 1, rows.y, rows.width, &text, Face::Dim);
        }
        let foot = Rect::new(inner.x, rows.bottom() + 1, inner.width, FOOT - 1);
        draw_sample(paint, foot);
    }
}

fn draw_search(paint: &mut Paint<'_>, picker: &ThemePicker, inner: Rect) {
    let field = Rect::new(inner.x + 1, inner.y + 1, inner.width.saturating_sub(1), 1);
    paint.input(field, picker.query(), true);
    if picker.query().is_empty() {
        let hint = tr!("type to search");
        paint.text(field.x, field.y, field.width, hint, Face::Placeholder);
    }
}

/// `dark`, `light`, `yours`: what a theme is for, or whose it is.
fn kind(themes: &Themes, name: &str) -> &'static str {
    let row = themes.row(name);
    match row.map(|row| row.kind) {
        None if name == AUTO => tr!("follows"),
        None => "",
        Some(ThemeKind::Broken) => tr!("invalid"),
        _ if row.is_some_and(|row| row.own) => tr!("yours"),
        Some(ThemeKind::Dark) => tr!("dark"),
        Some(ThemeKind::Light) => tr!("light"),
        Some(ThemeKind::Any) => tr!("any"),
    }
}

/// A few words in the colors that a list without sessions lacks.
fn draw_sample(paint: &mut Paint<'_>, area: Rect) {
    let shapes = &paint.glyphs.shapes;
    let word = |shape: &str, word: &str, face| (format!("{shape} {word}  "), face);
    let statuses: [Vec<Piece>; 2] = [
        vec![
            word(shapes.good, "RUNNING", Face::StatusGood),
            word(shapes.progress, "PENDING", Face::StatusProgress),
        ],
        vec![
            word(shapes.bad, "ERROR  ", Face::StatusBad),
            (
                format!("{}{}", paint.glyphs.bar_full.repeat(5), " "),
                Face::BarNormal,
            ),
            (
                format!("{}{}", paint.glyphs.bar_full.repeat(2), " "),
                Face::BarWarning,
            ),
            (paint.glyphs.bar_empty.repeat(3), Face::Bar),
        ],
    ];
    for (line, pieces) in statuses.iter().enumerate() {
        paint.pieces(area.x + 1, area.y + line as u16, area.width, pieces);
    }
    let y = area.y + 3;
    paint.text(
        area.x + 1,
        y,
        area.width,
        tr!("enter saves it as ui.theme"),
        Face::Dim,
    );
}
