//! The list of saved layouts, with the panes of the marked one.

use jiff::Timestamp;
use ratatui::layout::Rect;

use super::Dialog;
use crate::{
    action::{Action, Scope},
    app::{
        app::App,
        area::DialogAreas,
        durations,
        layouts::{Layout, LayoutRow},
        panels::layouts::{LayoutList, LayoutQuestion},
    },
    theme::face::Face,
    view::{dialog, paint::Paint, text},
};

const WIDTH: u16 = 76;
/// The fewest rows, so that the dialog doesn't grow with each layout.
const FEWEST: u16 = 6;
/// Lines below the list: a blank one, what the marked layout has, or the question.
const FOOT: u16 = 4;
/// Widths of the columns from the right.
const AGO: u16 = 9;
const PANES: u16 = 9;

impl Dialog for LayoutList {
    fn place(&self, app: &App, screen: Rect) -> DialogAreas {
        let count = app.layouts().map_or(0, <[LayoutRow]>::len);
        let count = u16::try_from(count).unwrap_or(u16::MAX).max(FEWEST);
        // The border and a blank above the rows, the foot and the border below them.
        let height = count.saturating_add(3 + FOOT);
        let area = dialog::place(screen, WIDTH, height.min(screen.height.saturating_sub(3)));
        dialog::areas(screen, area, dialog::rows(area, 2, 1 + FOOT))
    }

    fn draw(&self, paint: &mut Paint<'_>, app: &App, areas: &DialogAreas, now: Timestamp) {
        let rows = areas.rows;
        let title = tr!("Layouts of panes");
        let inner = dialog::frame(paint, areas.screen, areas.area, title, Face::Title);
        let all = app.layouts().unwrap_or_default();
        dialog::more(paint, areas, self.list.scroll(), all.len());
        let shown = all.iter().enumerate().skip(self.list.scroll());
        for (line, (at, row)) in shown.take(usize::from(rows.height)).enumerate() {
            let place = Rect::new(rows.x, rows.y + line as u16, rows.width, 1);
            if at == self.list.marked() {
                dialog::mark(paint, place);
            }
            draw_row(paint, row, place, now);
        }
        if all.is_empty() {
            let text = match app.layouts() {
                None => tr!("Reading the layouts").to_owned(),
                Some(_) => self.empty(app),
            };
            let lines = text::wrap(&text, usize::from(rows.width));
            for (line, text) in lines.iter().take(usize::from(rows.height)).enumerate() {
                paint.text(rows.x, rows.y + line as u16, rows.width, text, Face::Dim);
            }
        }
        let foot = Rect::new(inner.x, rows.bottom() + 1, inner.width, FOOT - 1);
        self.draw_foot(paint, all, foot);
    }
}

impl LayoutList {
    /// What would be in the list, and the key that leads there.
    fn empty(&self, app: &App) -> String {
        let key = |scope, action| {
            let keys = app.keymap.keys_for(scope, action);
            keys.into_iter().next().unwrap_or_default()
        };
        let save = key(Scope::Layouts, Action::LayoutSave);
        let next = if self.has_panes() {
            tr!("Press {save} to save the open panes.", save)
        } else {
            let shell = key(Scope::Sessions, Action::SessionShell);
            tr!(
                "No shell is open: press {shell} on a session to open one, then save it with {save} \
                 on this page.",
                shell,
                save
            )
        };
        tr!(
            "No layouts. A layout keeps open panes, their splits and windows under a name. {next}",
            next
        )
    }

    fn draw_foot(&self, paint: &mut Paint<'_>, all: &[LayoutRow], foot: Rect) {
        let said = |paint: &mut Paint<'_>, text: &str, face: Face| {
            let lines = text::wrap(text, usize::from(foot.width));
            for (y, text) in (foot.y..foot.bottom()).zip(&lines) {
                paint.text(foot.x, y, foot.width, text, face);
            }
        };
        match (self.question(), self.naming()) {
            (Some(LayoutQuestion::Delete(name)), _) => {
                let text = tr!("Delete the layout '{name}'? The shells keep running.", name);
                said(paint, &text, Face::Warning);
            }
            (Some(LayoutQuestion::Replace(name)), _) => {
                let text = tr!("Replace the saved layout '{name}' by the open panes?", name);
                said(paint, &text, Face::Warning);
            }
            (None, Some(input)) => {
                let label = format!("{} ", tr!("Save the open panes as:"));
                let x = paint.text(foot.x, foot.y, foot.width, &label, Face::Label);
                let field = Rect::new(x, foot.y, foot.right().saturating_sub(x), 1);
                paint.input(field, input, true);
            }
            (None, None) => match self.marked(Some(all)).map(|row| &row.read) {
                Some(Ok(layout)) => said(paint, &panes_of(layout), Face::Dim),
                Some(Err(why)) => said(paint, why.as_str(), Face::Bad),
                None => {}
            },
        }
    }
}

/// The panes of a layout, tab by tab.
fn panes_of(layout: &Layout) -> String {
    let tabs = layout.tabs.iter().map(|tab| {
        let panes = tab.panes();
        let names: Vec<&str> = panes.iter().map(|pane| pane.name.as_str()).collect();
        names.join(" | ")
    });
    tabs.collect::<Vec<String>>().join(",  ")
}

fn draw_row(paint: &mut Paint<'_>, row: &LayoutRow, place: Rect, now: Timestamp) {
    let room = place.width.saturating_sub(AGO + PANES + 2);
    let name = text::fit(row.name.as_str(), usize::from(room), paint.glyphs.ellipsis);
    paint.text(place.x + 1, place.y, room, &name, Face::Value);
    let x = place.right().saturating_sub(AGO + PANES);
    match &row.read {
        Ok(layout) => {
            let panes = match layout.panes().len() {
                1 => tr!("1 pane").to_owned(),
                n => tr!("{n} panes", n),
            };
            paint.right(x, place.y, PANES, &panes, Face::Dim);
            let seconds = now.as_second() - layout.saved_at.as_second();
            let ago = durations::coarse(seconds);
            paint.right(x + PANES, place.y, AGO, &ago, Face::Dim);
        }
        Err(_) => {
            paint.right(x, place.y, AGO + PANES, tr!("can't be read"), Face::Bad);
        }
    }
}
