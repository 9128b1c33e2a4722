//! The dialog before an action on several sessions, and the list of its results.

use jiff::Timestamp;
use ratatui::layout::Rect;

use super::Dialog;
use crate::{
    action::{Action, Scope},
    app::{
        app::App,
        area::DialogAreas,
        panels::bulk::{
            BulkDialog,
            report::{BulkResults, ReportKind},
        },
    },
    theme::face::Face,
    view::{dialog, paint::Paint, text},
};

const WIDTH: u16 = 72;
/// The column of labels, with a blank.
const LABEL: u16 = 10;
/// Lines besides the text: the border, a blank at the top, the buttons, and a blank at the bottom.
const FRAME: u16 = 5;

fn buttons(panel: &BulkDialog) -> [String; 2] {
    [
        tr!("   No   ").to_owned(),
        format!("  {}  ", panel.verb().button()),
    ]
}

fn lines(panel: &BulkDialog, width: u16) -> Vec<(&'static str, String)> {
    dialog::section_lines(panel.sections(), width.saturating_sub(LABEL))
}

impl Dialog for BulkDialog {
    fn place(&self, _: &App, screen: Rect) -> DialogAreas {
        let width = dialog::place(screen, WIDTH, 1).width;
        let count = lines(self, width.saturating_sub(6)).len() as u16;
        let force = if self.can_force { 2 } else { 0 };
        let area = dialog::place(screen, WIDTH, FRAME + count + force + 1);
        let labels = buttons(self);
        DialogAreas {
            screen,
            area,
            buttons: dialog::buttons(area, [&labels[0], &labels[1]]),
            ..DialogAreas::default()
        }
    }

    fn draw(&self, paint: &mut Paint<'_>, app: &App, areas: &DialogAreas, _: Timestamp) {
        let title = self.title();
        let inner = dialog::frame(paint, areas.screen, areas.area, &title, Face::Title);
        let force = if self.can_force { 2 } else { 0 };
        let bottom = inner.bottom().saturating_sub(3 + force);
        let all = lines(self, inner.width);
        let left = all.len();
        for (at, (label, text)) in all.into_iter().enumerate() {
            let y = inner.y + 1 + at as u16;
            if y + 1 >= bottom && at + 1 < left {
                let more = tr!("{at} more lines", at = left - at);
                paint.text(inner.x + LABEL, y, inner.width, &more, Face::Dim);
                break;
            }
            paint.text(inner.x, y, LABEL, label, Face::Label);
            paint.text(inner.x + LABEL, y, inner.width - LABEL, &text, Face::Text);
        }
        if self.can_force {
            draw_force(paint, app, self, inner, inner.bottom().saturating_sub(4));
        }
        let labels = buttons(self);
        dialog::draw_buttons(paint, areas.buttons, [&labels[0], &labels[1]], self.button);
    }
}

fn draw_force(paint: &mut Paint<'_>, app: &App, panel: &BulkDialog, inner: Rect, y: u16) {
    let is_on = panel.is_forced();
    let mark = if is_on {
        paint.glyphs.on
    } else {
        paint.glyphs.off
    };
    let face = if is_on { Face::Warning } else { Face::Text };
    let keys = app.keymap.keys_for(Scope::Confirm, Action::ConfirmForce);
    let key = keys.into_iter().next().unwrap_or_default();
    let pieces = [
        (format!("[{mark}] "), face),
        (format!("{key} "), Face::Key),
        (tr!("kill at once, without time to exit").to_owned(), face),
    ];
    paint.pieces(inner.x, y, inner.width, &pieces);
}

impl Dialog for BulkResults {
    fn place(&self, _: &App, screen: Rect) -> DialogAreas {
        let count = u16::try_from(self.rows().len()).unwrap_or(u16::MAX);
        let height = count.clamp(3, screen.height) + 4;
        let area = dialog::place(screen, 100, height.min(screen.height.saturating_sub(3)));
        dialog::areas(screen, area, dialog::rows(area, 2, 2))
    }

    fn draw(&self, paint: &mut Paint<'_>, _: &App, areas: &DialogAreas, _: Timestamp) {
        let title = tr!("Results: {counts}", counts = self.report.counts());
        dialog::frame(paint, areas.screen, areas.area, &title, Face::Title);
        let rows = areas.rows;
        let all = self.rows();
        dialog::more(paint, areas, self.list.scroll(), all.len());
        let shown = all.iter().enumerate().skip(self.list.scroll());
        for ((at, (kind, line)), y) in shown.zip(rows.top()..rows.bottom()) {
            if at == self.list.marked() {
                dialog::mark(paint, Rect::new(rows.x, y, rows.width, 1));
            }
            let (word, face) = match kind {
                ReportKind::Failed => (tr!("failed"), Face::Bad),
                ReportKind::LeftOut => (tr!("left out"), Face::Warning),
                ReportKind::Done => (self.report.verb.done(), Face::StatusGood),
            };
            paint.text(rows.x + 1, y, 11, word, face);
            let room = rows.width.saturating_sub(13);
            let line = text::fit(line, usize::from(room), paint.glyphs.ellipsis);
            paint.text(rows.x + 13, y, room, &line, Face::Text);
        }
    }
}
