//! Draws the question about a name that is taken.

use jiff::Timestamp;
use ratatui::layout::Rect;

use super::Dialog;
use crate::{
    action::{Action, Scope},
    app::{
        app::App,
        area::DialogAreas,
        panels::conflict::ConflictDialog,
        transfers::{ConflictChoice, ConflictKind, ConflictSide},
    },
    model::resources::Bytes,
    theme::face::Face,
    view::{amount, dialog, paint::Paint, text},
};

const WIDTH: u16 = 66;
/// Lines above the answers: the border, a blank, what is taken, a blank, two sides, a blank.
const ABOVE: u16 = 7;
/// Lines below the answers: a blank, the switch for all, a blank, the border.
const BELOW: u16 = 4;

impl Dialog for ConflictDialog {
    fn place(&self, _: &App, screen: Rect) -> DialogAreas {
        let answers = ConflictChoice::ALL.len() as u16;
        let area = dialog::place(screen, WIDTH, ABOVE + answers + BELOW);
        dialog::areas(screen, area, dialog::rows(area, ABOVE, BELOW))
    }

    fn draw(&self, paint: &mut Paint<'_>, app: &App, areas: &DialogAreas, _: Timestamp) {
        let title = self.title.as_str();
        let inner = dialog::frame(paint, areas.screen, areas.area, title, Face::Title);
        let what = match self.conflict.kind {
            ConflictKind::Taken => tr!("already exists"),
            ConflictKind::ChangedMeanwhile => tr!("changed while you edited it"),
        };
        let room = usize::from(inner.width).saturating_sub(text::width(what) + 1);
        let name = self.conflict.name.as_str();
        let name = text::fit_middle(name, room, paint.glyphs.ellipsis);
        let x = paint.text(inner.x, inner.y + 1, inner.width, &name, Face::Strong) + 1;
        let cells = inner.right().saturating_sub(x);
        paint.text(x, inner.y + 1, cells, what, Face::Text);
        draw_side(
            paint,
            app,
            (inner, inner.y + 3),
            tr!("New"),
            self.conflict.new,
        );
        draw_side(
            paint,
            app,
            (inner, inner.y + 4),
            tr!("Old"),
            self.conflict.old,
        );
        draw_answers(paint, self, areas.rows);
        draw_all(paint, app, self, inner, areas.rows.bottom() + 1);
    }
}

/// The size and the time of one of the two files.
fn draw_side(
    paint: &mut Paint<'_>,
    app: &App,
    (inner, y): (Rect, u16),
    label: &str,
    side: ConflictSide,
) {
    paint.text(inner.x, y, 5, label, Face::Label);
    let size = side.size.map_or_else(
        || tr!("directory").to_owned(),
        |size| amount::short(Bytes(size)),
    );
    paint.right(inner.x + 5, y, 10, &size, Face::Value);
    if let Some(at) = side.modified {
        let zone = app.facts.time_zone.clone();
        let at = at.to_zoned(zone).strftime("%Y-%m-%d %H:%M:%S").to_string();
        paint.text(inner.x + 18, y, inner.width - 18, &at, Face::Text);
    }
}

fn draw_answers(paint: &mut Paint<'_>, dialog: &ConflictDialog, rows: Rect) {
    let is_edit = dialog.conflict.kind == ConflictKind::ChangedMeanwhile;
    for (choice, y) in ConflictChoice::ALL
        .into_iter()
        .zip(rows.top()..rows.bottom())
    {
        let (word, note) = match choice {
            ConflictChoice::KeepBoth => (tr!("Keep both"), tr!("the new file gets another name")),
            ConflictChoice::Replace if is_edit => (tr!("Replace"), tr!("the other change is lost")),
            ConflictChoice::Replace => (tr!("Replace"), tr!("the old file is lost")),
            ConflictChoice::Skip if is_edit => (tr!("Skip"), tr!("your change isn't saved")),
            ConflictChoice::Skip => (tr!("Skip"), tr!("the old file stays")),
        };
        let is_selected = choice == dialog.choice;
        if is_selected {
            dialog::mark(paint, Rect::new(rows.x, y, rows.width, 1));
        }
        let face = if is_selected {
            Face::Strong
        } else {
            Face::Text
        };
        paint.text(rows.x + 1, y, 12, word, face);
        paint.text(rows.x + 14, y, rows.width - 14, note, Face::Dim);
    }
}

fn draw_all(paint: &mut Paint<'_>, app: &App, dialog: &ConflictDialog, inner: Rect, y: u16) {
    if dialog.conflict.kind == ConflictKind::ChangedMeanwhile {
        return;
    }
    let mark = if dialog.all {
        paint.glyphs.on
    } else {
        paint.glyphs.off
    };
    let keys = app.keymap.keys_for(Scope::Conflict, Action::ConflictAll);
    let key = keys.into_iter().next().unwrap_or_default();
    let x = paint.text(inner.x, y, 3, &format!("{mark} "), Face::Text);
    let x = paint.text(x, y, 12, &key, Face::Key);
    let text = tr!(" same answer for all others");
    paint.text(x, y, inner.right().saturating_sub(x), text, Face::Text);
}
