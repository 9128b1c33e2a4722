//! The dialog that asks for confirmation before it terminates sessions.

use jiff::Timestamp;
use ratatui::layout::Rect;

use super::Dialog;
use crate::{
    action::{Action, Scope},
    app::{
        app::App,
        area::DialogAreas,
        panels::terminate::{LossFiles, SHOWN, TerminateDialog},
    },
    model::loss::UnsavedFile,
    theme::face::Face,
    view::{dialog, paint::Paint, text},
};

const WIDTH: u16 = 58;
const BUTTONS: [&str; 2] = [tr_later!("   No   "), tr_later!("  Terminate  ")];

impl Dialog for TerminateDialog {
    fn place(&self, _: &App, screen: Rect) -> DialogAreas {
        let width = usize::from(dialog::place(screen, WIDTH, 1).width);
        let lines = |texts: &[String]| wrapped(texts, width.saturating_sub(13)).len();
        let kept = match self.kept_lines().as_slice() {
            [] => 0,
            kept => lines(kept) + 1,
        };
        let files = match self.files.listed().len() {
            0 => 0,
            count => count.min(SHOWN) + 2,
        };
        let force = if self.can_force { 2 } else { 0 };
        // Border, blank, "Lost" and its lines, files and "Kept" with a blank, force with a blank, buttons, blank.
        let height = 2 + 1 + lines(&self.lost_lines()) + files + kept + force + 2 + 1;
        let area = dialog::place(screen, WIDTH, height as u16);
        DialogAreas {
            screen,
            area,
            buttons: dialog::buttons(area, BUTTONS),
            ..DialogAreas::default()
        }
    }

    fn draw(&self, paint: &mut Paint<'_>, app: &App, areas: &DialogAreas, _: Timestamp) {
        let title = tr!("Terminate {name}?", name = self.name);
        let inner = dialog::frame(paint, areas.screen, areas.area, &title, Face::Title);
        let mut y = inner.y + 1;
        y = section(paint, inner, y, tr!("Lost"), &self.lost_lines());
        let kept = self.kept_lines();
        if !kept.is_empty() {
            y = section(paint, inner, y + 1, tr!("Kept"), &kept);
        }
        y = draw_files(paint, app, self, inner, y);
        if self.can_force {
            draw_force(paint, app, self, inner, y + 1);
        }
        dialog::draw_buttons(paint, areas.buttons, BUTTONS, self.button);
    }
}

fn section(paint: &mut Paint<'_>, inner: Rect, y: u16, label: &str, lines: &[String]) -> u16 {
    paint.text(inner.x, y, 6, label, Face::Label);
    let lines = wrapped(lines, usize::from(inner.width.saturating_sub(7)));
    for (line, text) in lines.iter().enumerate() {
        let y = y + line as u16;
        paint.text(inner.x + 7, y, inner.width - 7, text, Face::Text);
    }
    y + lines.len() as u16
}

fn wrapped(texts: &[String], width: usize) -> Vec<String> {
    texts.iter().flat_map(|it| text::wrap(it, width)).collect()
}

/// The newest files, and which ones are chosen for a copy.
fn draw_files(
    paint: &mut Paint<'_>,
    app: &App,
    dialog: &TerminateDialog,
    inner: Rect,
    y: u16,
) -> u16 {
    let LossFiles::Known(known) = &dialog.files else {
        return y;
    };
    let listed = dialog.files.listed();
    if listed.is_empty() {
        return y;
    }
    let keys = app.keymap.keys_for(Scope::Confirm, Action::ConfirmRescue);
    let key = keys.into_iter().next().unwrap_or_default();
    let what = match known.chosen.len() {
        0 => tr!("copy all files to a folder first").to_owned(),
        1 => tr!("copy the chosen file to a folder first").to_owned(),
        many => tr!("copy the {many} chosen files to a folder first", many),
    };
    let head = [
        (tr!("Newest  ").to_owned(), Face::Label),
        (key, Face::Key),
        (format!(" {what}"), Face::Text),
    ];
    paint.pieces(inner.x, y + 1, inner.width, &head);
    let first = dialog.files.first_shown();
    let shown = listed.iter().enumerate().skip(first).take(SHOWN);
    let mut at = y + 2;
    for (number, (file, is_lost)) in shown {
        let row = Rect::new(inner.x, at, inner.width, 1);
        if number == known.cursor {
            dialog::mark(paint, row);
        }
        draw_file(paint, row, file, *is_lost, known.chosen.contains(&number));
        at += 1;
    }
    at
}

fn draw_file(paint: &mut Paint<'_>, row: Rect, file: &UnsavedFile, is_lost: bool, chosen: bool) {
    let mark = if chosen { paint.glyphs.on } else { " " };
    let end = if is_lost {
        tr_in!("file", "lost")
    } else {
        tr_in!("file", "kept")
    };
    let end = format!("{:>10}  {end}", file.size.to_string());
    let room = usize::from(row.width).saturating_sub(text::width(&end) + 5);
    let (path, _) = text::fit_path(&format!("/{}", file.path), room, paint.glyphs.ellipsis);
    paint.text(row.x + 1, row.y, 2, mark, Face::Key);
    paint.text(row.x + 3, row.y, row.width, &path, Face::Text);
    let face = if is_lost { Face::Warning } else { Face::Dim };
    paint.right(row.x, row.y, row.width, &end, face);
}

fn draw_force(paint: &mut Paint<'_>, app: &App, confirm: &TerminateDialog, inner: Rect, y: u16) {
    let mark = if confirm.force {
        paint.glyphs.on
    } else {
        paint.glyphs.off
    };
    let face = if confirm.force {
        Face::Warning
    } else {
        Face::Text
    };
    let keys = app.keymap.keys_for(Scope::Confirm, Action::ConfirmForce);
    let key = keys.into_iter().next().unwrap_or_default();
    let text = tr!("kill at once, without time to exit");
    paint.pieces(
        inner.x,
        y,
        inner.width,
        &[
            (format!("[{mark}] "), face),
            (format!("{key} "), Face::Key),
            (text.to_owned(), face),
        ],
    );
}
