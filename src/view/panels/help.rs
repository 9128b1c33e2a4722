//! The help: a list of keys and their actions, with a search.

use jiff::Timestamp;
use ratatui::layout::Rect;

use super::Dialog;
use crate::{
    app::{
        app::App,
        area::DialogAreas,
        panels::help::{Help, HelpEntry, HelpRow},
    },
    theme::face::Face,
    view::{dialog, paint::Paint, text},
};

/// Cells for the keys of an action.
const KEYS: u16 = 20;
/// The width of the dialog, and on screens with room for the names of actions.
const WIDTH: u16 = 80;
const WIDE: u16 = 104;
/// With this width, no description is cut.
const WIDEST: u16 = 120;
/// Cells for the name of an action on a wide screen.
const NAME: u16 = 28;

impl Dialog for Help {
    fn place(&self, _: &App, screen: Rect) -> DialogAreas {
        // A low screen needs all lines for the list.
        let around = if screen.height >= 30 { 6 } else { 1 };
        let height = screen.height.saturating_sub(around);
        let width = if screen.width >= WIDE + 6 {
            WIDEST.min(screen.width - 6)
        } else {
            WIDTH
        };
        let area = dialog::place(screen, width, height);
        // Above the list is the search line.
        dialog::areas(screen, area, dialog::rows(area, 3, 1))
    }

    fn draw(&self, paint: &mut Paint<'_>, _: &App, areas: &DialogAreas, _: Timestamp) {
        let rows = areas.rows;
        let inner = dialog::frame(paint, areas.screen, areas.area, tr!("Keys"), Face::Title);
        draw_search(paint, self, Rect { height: 1, ..inner });
        let scroll = self.list.scroll();
        let shown = self.rows().iter().enumerate().skip(scroll);
        for (line, (at, row)) in shown.take(usize::from(rows.height)).enumerate() {
            let place = Rect::new(rows.x, rows.y + line as u16, rows.width, 1);
            if at == self.list.marked() && matches!(row, HelpRow::Entry(_)) {
                dialog::mark(paint, place);
            }
            draw_row(paint, self, place, row);
        }
        if self.rows().is_empty() {
            let text = tr!(
                "No key or action matches '{search}'",
                search = self.search().text()
            );
            paint.text(rows.x + 1, rows.y, rows.width - 1, &text, Face::Dim);
        }
        dialog::more(paint, areas, scroll, self.rows().len());
    }
}

fn draw_search(paint: &mut Paint<'_>, help: &Help, line: Rect) {
    let (shown, all) = help.counts();
    let note = if help.search().is_empty() {
        tr!("{all} entries", all)
    } else {
        tr!("{shown} of {all}", shown, all)
    };
    paint.right(line.x, line.y, line.width, &note, Face::Dim);
    let field = Rect::new(line.x + 1, line.y, line.width.saturating_sub(24), 1);
    paint.input(field, help.search(), true);
    if help.search().is_empty() {
        let hint = tr!("type a word or a key to search");
        paint.text(field.x, field.y, field.width, hint, Face::Placeholder);
    }
}

fn draw_row(paint: &mut Paint<'_>, help: &Help, area: Rect, row: &HelpRow) {
    match row {
        HelpRow::Gap => {}
        HelpRow::Note(text) => {
            paint.text(area.x + 2, area.y, area.width - 2, text, Face::Dim);
        }
        HelpRow::Title(title) => {
            paint.text(area.x, area.y, area.width, title, Face::Title);
        }
        HelpRow::Entry(entry) => draw_entry(paint, help, area, entry),
    }
}

/// The keys of an action that can't be run from here are dim.
fn draw_entry(paint: &mut Paint<'_>, help: &Help, area: Rect, entry: &HelpEntry) {
    let here = help.is_here(entry.scope);
    let keys = fitting(&entry.keys, usize::from(KEYS - 3));
    let face = if here { Face::Key } else { Face::Dim };
    paint.text(area.x + 2, area.y, KEYS - 3, &keys, face);
    let name = if area.width > WIDTH { NAME } else { 0 };
    let room = area.width.saturating_sub(KEYS + name);
    let face = if here { Face::Text } else { Face::Dim };
    paint.text(area.x + KEYS, area.y, room, entry.doc(), face);
    let x = area.right().saturating_sub(name);
    paint.right(x, area.y, name, entry.name(), Face::Dim);
}

/// As many of the keys as fit, the most convenient ones first.
fn fitting(keys: &[String], cells: usize) -> String {
    let mut shown = keys.first().cloned().unwrap_or_default();
    for key in keys.iter().skip(1) {
        let more = format!("{shown}  {key}");
        if text::width(&more) > cells {
            break;
        }
        shown = more;
    }
    shown
}
