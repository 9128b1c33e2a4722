//! The dialog that asks for confirmation before it terminates sessions.

use jiff::Timestamp;
use ratatui::layout::Rect;

use super::Dialog;
use crate::{
    action::{Action, Scope},
    app::{app::App, area::DialogAreas, panels::terminate::TerminateDialog},
    theme::face::Face,
    view::{dialog, paint::Paint},
};

const WIDTH: u16 = 58;
const BUTTONS: [&str; 2] = ["   No   ", "  Terminate  "];

impl Dialog for TerminateDialog {
    fn place(&self, _: &App, screen: Rect) -> DialogAreas {
        let kept = if self.kept.is_empty() {
            0
        } else {
            self.kept.len() + 1
        };
        let force = if self.can_force { 2 } else { 0 };
        // Border, blank, "Lost" and its lines, "Kept" with a blank, force with a blank, buttons, blank.
        let height = 2 + 1 + self.lost.len() + kept + force + 2 + 1;
        let area = dialog::place(screen, WIDTH, height as u16);
        DialogAreas {
            screen,
            area,
            buttons: dialog::buttons(area, BUTTONS),
            ..DialogAreas::default()
        }
    }

    fn draw(&self, paint: &mut Paint<'_>, app: &App, areas: &DialogAreas, _: Timestamp) {
        let title = format!("Terminate {}?", self.name);
        let inner = dialog::frame(paint, areas.screen, areas.area, &title, Face::Title);
        let mut y = inner.y + 1;
        y = section(paint, inner, y, "Lost", &self.lost);
        if !self.kept.is_empty() {
            y = section(paint, inner, y + 1, "Kept", &self.kept);
        }
        if self.can_force {
            draw_force(paint, app, self, inner, y + 1);
        }
        dialog::draw_buttons(paint, areas.buttons, BUTTONS, self.button);
    }
}

fn section(paint: &mut Paint<'_>, inner: Rect, y: u16, label: &str, lines: &[String]) -> u16 {
    paint.text(inner.x, y, 6, label, Face::Label);
    for (line, text) in lines.iter().enumerate() {
        let y = y + line as u16;
        paint.text(inner.x + 7, y, inner.width - 7, text, Face::Text);
    }
    y + lines.len() as u16
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
    let text = "kill at once, without time to exit";
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
