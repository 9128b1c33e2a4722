//! The dialog that asks for confirmation before it terminates sessions.

use ratatui::layout::Rect;

use super::{dialog, paint::Paint, text};
use crate::{
    action::{Action, Scope},
    app::{
        app::App,
        area::Areas,
        confirm::{Button, Confirm},
    },
    theme::face::Face,
};

const WIDTH: u16 = 58;
const BUTTONS: [&str; 2] = ["   No   ", "  Terminate  "];

pub fn area(confirm: &Confirm, screen: Rect) -> Rect {
    let kept = if confirm.kept.is_empty() {
        0
    } else {
        confirm.kept.len() + 1
    };
    let force = if confirm.can_force { 2 } else { 0 };
    // Border, blank, "Lost" and its lines, "Kept" with a blank, force with a blank, buttons, blank.
    let height = 2 + 1 + confirm.lost.len() + kept + force + 2 + 1;
    dialog::place(screen, WIDTH, height as u16)
}

/// The positions of the buttons No and Yes.
pub fn buttons(area: Rect) -> [Rect; 2] {
    let y = area.bottom().saturating_sub(3);
    let widths = BUTTONS.map(|text| text::width(text) as u16);
    let right = area.right().saturating_sub(3);
    let yes = Rect::new(right.saturating_sub(widths[1]), y, widths[1], 1);
    let no = Rect::new(yes.x.saturating_sub(widths[0] + 2), y, widths[0], 1);
    [no, yes]
}

pub fn draw(paint: &mut Paint<'_>, app: &App, confirm: &Confirm, areas: &Areas) {
    let Some(area) = areas.dialog else { return };
    let title = format!("Terminate {}?", confirm.name);
    let inner = dialog::frame(paint, areas.screen, area, &title, Face::Title);
    let mut y = inner.y + 1;
    y = section(paint, inner, y, "Lost", &confirm.lost);
    if !confirm.kept.is_empty() {
        y = section(paint, inner, y + 1, "Kept", &confirm.kept);
    }
    if confirm.can_force {
        draw_force(paint, app, confirm, inner, y + 1);
    }
    for (button, place) in [Button::No, Button::Yes].into_iter().zip(areas.buttons) {
        let face = match (confirm.button == button, button) {
            (false, _) => Face::Button,
            (true, Button::No) => Face::ButtonActive,
            (true, Button::Yes) => Face::ButtonDanger,
        };
        let text = BUTTONS[button as usize];
        paint.text(place.x, place.y, place.width, text, face);
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

fn draw_force(paint: &mut Paint<'_>, app: &App, confirm: &Confirm, inner: Rect, y: u16) {
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
