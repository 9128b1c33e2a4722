//! The dialog before one of your own commands runs.

use jiff::Timestamp;
use ratatui::layout::Rect;

use super::Dialog;
use crate::{
    app::{app::App, area::DialogAreas, panels::custom_command::CommandDialog},
    theme::face::Face,
    view::{dialog, paint::Paint},
};

const WIDTH: u16 = 76;
/// The column of labels, with a blank.
const LABEL: u16 = 10;
/// Lines besides the text: the border, a blank at the top, the buttons, and the blanks around them.
const FRAME: u16 = 6;
const LABELS: [&str; 2] = [tr_later!("   No   "), tr_later!("  Run  ")];

fn lines(panel: &CommandDialog, width: u16) -> Vec<(&'static str, String)> {
    dialog::section_lines(panel.sections(), width.saturating_sub(LABEL))
}

impl Dialog for CommandDialog {
    fn place(&self, _: &App, screen: Rect) -> DialogAreas {
        let width = dialog::place(screen, WIDTH, 1).width;
        let count = lines(self, width.saturating_sub(6)).len() as u16;
        let area = dialog::place(screen, WIDTH, FRAME + count);
        DialogAreas {
            screen,
            area,
            buttons: dialog::buttons(area, LABELS),
            ..DialogAreas::default()
        }
    }

    fn draw(&self, paint: &mut Paint<'_>, _: &App, areas: &DialogAreas, _: Timestamp) {
        let title = self.title();
        let inner = dialog::frame(paint, areas.screen, areas.area, &title, Face::Title);
        let bottom = inner.bottom().saturating_sub(3);
        let all = lines(self, inner.width);
        let count = all.len();
        for (at, (label, text)) in all.into_iter().enumerate() {
            let y = inner.y + 1 + at as u16;
            if y + 1 >= bottom && at + 1 < count {
                let more = tr!("{at} more lines", at = count - at);
                paint.text(inner.x + LABEL, y, inner.width, &more, Face::Dim);
                break;
            }
            paint.text(inner.x, y, LABEL, label, Face::Label);
            paint.text(inner.x + LABEL, y, inner.width - LABEL, &text, Face::Text);
        }
        dialog::draw_buttons(paint, areas.buttons, LABELS, self.button);
    }
}
