//! The help: a scrolling list of keys and their actions.

use jiff::Timestamp;
use ratatui::layout::Rect;

use super::Dialog;
use crate::{
    action::{Action, Scope},
    app::{
        app::App,
        area::DialogAreas,
        panels::help::{Help, HelpRow},
    },
    theme::face::Face,
    view::{dialog, paint::Paint, text},
};

/// Cells for the keys of an action.
const KEYS: u16 = 20;

impl Dialog for Help {
    fn place(&self, _: &App, screen: Rect) -> DialogAreas {
        // A low screen needs all lines for the list.
        let around = if screen.height >= 30 { 6 } else { 1 };
        let height = screen.height.saturating_sub(around);
        let area = dialog::place(screen, 80, height);
        // Above the list is the search line.
        dialog::areas(screen, area, dialog::rows(area, 3, 1))
    }

    fn draw(&self, paint: &mut Paint<'_>, app: &App, areas: &DialogAreas, _: Timestamp) {
        let rows = areas.rows;
        let inner = dialog::frame(paint, areas.screen, areas.area, "Keys", Face::Title);
        draw_search(paint, app, self, Rect { height: 1, ..inner });
        let shown = self.rows().iter().skip(self.scroll());
        for (line, row) in shown.take(usize::from(rows.height)).enumerate() {
            draw_row(paint, rows, rows.y + line as u16, row);
        }
        draw_more(paint, self, areas.area, rows);
    }
}

fn draw_search(paint: &mut Paint<'_>, app: &App, help: &Help, line: Rect) {
    let (shown, all) = help.counts();
    let note = if help.search().is_empty() {
        format!("{all} entries")
    } else {
        format!("{shown} of {all}")
    };
    paint.right(line.x, line.y, line.width, &note, Face::Dim);
    if help.searching || !help.search().is_empty() {
        let x = paint.text(line.x, line.y, 2, "/ ", Face::Accent);
        let field = Rect::new(x, line.y, line.width.saturating_sub(26), 1);
        paint.input(field, help.search(), help.searching);
        return;
    }
    let key = app
        .keymap
        .keys_for(Scope::Help, Action::HelpSearch)
        .into_iter()
        .next()
        .unwrap_or_default();
    let pieces = [(key, Face::Key), (" searches".to_owned(), Face::Dim)];
    paint.pieces(line.x, line.y, line.width, &pieces);
}

fn draw_row(paint: &mut Paint<'_>, area: Rect, y: u16, row: &HelpRow) {
    match row {
        HelpRow::Gap => {}
        HelpRow::Note(text) => {
            paint.text(area.x + 2, y, area.width - 2, text, Face::Dim);
        }
        HelpRow::Title(title) => {
            paint.text(area.x, y, area.width, title, Face::Title);
        }
        HelpRow::Entry { keys, doc, .. } => {
            let keys = fitting(keys, usize::from(KEYS - 3));
            paint.text(area.x + 2, y, KEYS - 3, keys, Face::Key);
            let room = area.width.saturating_sub(KEYS);
            paint.text(area.x + KEYS, y, room, doc, Face::Text);
        }
    }
}

/// Returns as many of the keys as fit, the most convenient ones first.
fn fitting(keys: &str, cells: usize) -> &str {
    let mut end = keys.len();
    while text::width(&keys[..end]) > cells {
        match keys[..end].rfind("  ") {
            Some(at) => end = at,
            None => break,
        }
    }
    &keys[..end]
}

/// Marks in the border that the list has more rows above or below.
fn draw_more(paint: &mut Paint<'_>, help: &Help, area: Rect, rows: Rect) {
    let x = area.right().saturating_sub(4);
    let (up, down) = (paint.glyphs.up, paint.glyphs.down);
    if help.scroll() > 0 {
        paint.text(x, area.y, 3, &format!(" {up} "), Face::Accent);
    }
    if help.scroll() + usize::from(rows.height) < help.rows().len() {
        let bottom = area.bottom() - 1;
        paint.text(x, bottom, 3, &format!(" {down} "), Face::Accent);
    }
}
