//! Draws the explorer: one directory, and a preview of the marked entry on wide screens.

mod columns;
mod overlay;
mod preview;
mod status;

use jiff::Timestamp;
use ratatui::layout::Rect;

use super::Dialog;
use crate::{
    action::{Action, Scope},
    app::{
        app::App,
        area::DialogAreas,
        panels::explorer::{Explorer, places},
    },
    model::{capability::EngineState, failure::Failure},
    theme::face::Face,
    view::{badge, dialog, paint::Paint, text},
};

/// From this width, there is a preview.
const WIDE: u16 = 110;

/// The areas of the explorer.
struct Parts {
    head: Rect,
    rule: Rect,
    /// What is wrong with the connection.
    banner: Option<Rect>,
    titles: Rect,
    rows: Rect,
    side: Option<Rect>,
    status: Rect,
}

impl Parts {
    fn of(app: &App, explorer: &Explorer, screen: Rect) -> Self {
        let row = |y| Rect::new(screen.x, y, screen.width, 1);
        let hints = screen.bottom().saturating_sub(1);
        let status = row(hints.saturating_sub(1));
        let mut top = screen.y + 2;
        let banner = trouble(app, explorer).map(|_| {
            top += 1;
            row(top - 1)
        });
        let height = status.y.saturating_sub(top + 1);
        let (width, side) = if screen.width >= WIDE {
            let width = (screen.width * 3 / 5).max(66);
            let side = Rect::new(
                screen.x + width + 3,
                top,
                screen.width.saturating_sub(width + 5),
                height + 1,
            );
            (width, Some(side))
        } else {
            (screen.width, None)
        };
        Self {
            head: row(screen.y),
            rule: row(screen.y + 1),
            banner,
            titles: Rect::new(screen.x + 1, top, width - 2, 1),
            rows: Rect::new(screen.x + 1, top + 1, width - 2, height),
            side,
            status,
        }
    }
}

impl Dialog for Explorer {
    fn place(&self, app: &App, screen: Rect) -> DialogAreas {
        if let Some(question) = self.question() {
            return overlay::place_question(question, screen);
        }
        if self.picker().is_some() {
            return overlay::place_picker(self.place_rows(&app.mirror).len(), screen);
        }
        let parts = Parts::of(app, self, screen);
        DialogAreas {
            side: parts.side,
            ..dialog::areas(screen, screen, parts.rows)
        }
    }

    fn draw(&self, paint: &mut Paint<'_>, app: &App, areas: &DialogAreas, now: Timestamp) {
        dialog::blank(paint, areas.screen);
        clear(paint, areas.screen);
        let parts = Parts::of(app, self, areas.screen);
        draw_head(paint, app, self, &parts, now);
        if let (Some(area), Some(why)) = (parts.banner, trouble(app, self)) {
            paint.text(area.x + 1, area.y, area.width - 2, &why, Face::Warning);
        }
        match self.directory.failure() {
            Some(failure) => draw_failure(paint, app, failure, parts.rows),
            None if self.directory.is_loading() => {
                let text = tr!("Loading{ellipsis}", ellipsis = paint.glyphs.ellipsis);
                paint.text(
                    parts.rows.x + 1,
                    parts.rows.y,
                    parts.rows.width,
                    &text,
                    Face::Dim,
                );
            }
            None if self.directory.count() == 0 => draw_empty(paint, app, self, parts.rows),
            None => columns::draw(paint, app, self, parts.titles, parts.rows, now),
        }
        if let Some(side) = parts.side {
            draw_border(paint, side);
            preview::draw(paint, app, self, side);
        }
        status::draw(paint, app, self, parts.status);
        if let Some(question) = self.question() {
            overlay::draw_question(paint, question, areas);
        } else if let Some(picker) = self.picker() {
            overlay::draw_picker(paint, app, self, picker, areas);
        }
    }
}

/// The explorer is a view, so it has the ground of views, not that of dialogs.
fn clear(paint: &mut Paint<'_>, area: Rect) {
    paint.clear(area);
}

/// What is wrong with the connection: the list is as old as that.
fn trouble(app: &App, explorer: &Explorer) -> Option<String> {
    if !app.mirror.is_up() {
        return Some(tr!("Daemon disconnected. Retrying automatically.").to_owned());
    }
    match app.mirror.engine(explorer.place().context()) {
        Some(EngineState::Lost { attempt, .. }) => Some(tr!(
            "Engine disconnected. Retrying (attempt {attempt}). The list may be outdated.",
            attempt
        )),
        _ => None,
    }
}

/// The place and the path, from the left, as far as the end of it fits.
fn draw_head(paint: &mut Paint<'_>, app: &App, explorer: &Explorer, parts: &Parts, now: Timestamp) {
    let area = parts.head;
    paint.fill(area, Face::Header);
    let taken = badge::draw(paint, area, &badge::pieces(app, now));
    let right = area.right().saturating_sub(taken + 1);
    let (title, kind) = places::title_of(explorer.place(), &app.mirror);
    let mut x = paint.text(area.x + 1, area.y, 12, tr!("Files"), Face::HeaderBrand) + 2;
    let kind = format!("{kind} ");
    x = paint.text(x, area.y, right.saturating_sub(x), &kind, Face::HeaderInfo);
    let room = usize::from(right.saturating_sub(x));
    let title = text::fit_middle(title.as_str(), (room / 2).max(12), paint.glyphs.ellipsis);
    x = paint.text(x, area.y, right.saturating_sub(x), &title, Face::Strong);
    let to = format!(" {} ", paint.glyphs.to);
    let mut names = crumbs(explorer);
    let width = |names: &[String]| -> usize {
        let cells = names.iter().map(|it| text::width(it) + text::width(&to));
        cells.sum()
    };
    let room = usize::from(right.saturating_sub(x));
    let mut is_cut = false;
    while names.len() > 1 && width(&names) + if is_cut { 4 } else { 0 } > room {
        names.remove(0);
        is_cut = true;
    }
    if is_cut {
        names.insert(0, paint.glyphs.ellipsis.to_owned());
    }
    let last = names.len().saturating_sub(1);
    for (at, name) in names.iter().enumerate() {
        x = paint.text(x, area.y, right.saturating_sub(x), &to, Face::HeaderInfo);
        let face = if at == last { Face::Accent } else { Face::Text };
        let cells = right.saturating_sub(x);
        let name = text::fit_middle(name, usize::from(cells), paint.glyphs.ellipsis);
        x = paint.text(x, area.y, cells, &name, face);
    }
    let glyph = paint.glyphs.rule;
    paint.line(
        parts.rule.x,
        parts.rule.y,
        parts.rule.width,
        glyph,
        Face::Border,
    );
}

fn crumbs(explorer: &Explorer) -> Vec<String> {
    let path = explorer.directory.path().as_path();
    path.iter()
        .map(|name| crate::model::text::Clean::new(&name.to_string_lossy()).into_string())
        .collect()
}

fn draw_border(paint: &mut Paint<'_>, side: Rect) {
    for y in side.top()..side.bottom() {
        let glyph = paint.glyphs.vertical;
        paint.text(side.x.saturating_sub(2), y, 1, glyph, Face::Border);
    }
}

fn draw_lines(paint: &mut Paint<'_>, area: Rect, lines: &[(String, Face)]) {
    let mut y = area.y;
    for (line, face) in lines {
        for line in text::wrap(line, usize::from(area.width.saturating_sub(2))) {
            if y < area.bottom() {
                paint.text(area.x + 1, y, area.width.saturating_sub(1), &line, *face);
                y += 1;
            }
        }
    }
}

fn draw_failure(paint: &mut Paint<'_>, app: &App, failure: &Failure, area: Rect) {
    let message = text::sentence(failure.message().as_str());
    let mut lines = vec![(message, Face::Bad)];
    let hint = failure.hint.as_ref();
    lines.extend(hint.map(|hint| (text::sentence(hint.as_str()), Face::Text)));
    let retry = key(app, Action::ExplorerRefresh);
    lines.push((tr!("Press {retry} to retry.", retry), Face::Dim));
    draw_lines(paint, area, &lines);
}

/// Explains why no entry is shown.
fn draw_empty(paint: &mut Paint<'_>, app: &App, explorer: &Explorer, area: Rect) {
    let all = explorer.directory.all();
    let (first, second) = if !explorer.filter().is_empty() {
        let text = tr!(
            "No name contains '{filter}'.",
            filter = explorer.filter().text()
        );
        (text, tr!("Press esc to clear the filter.").to_owned())
    } else if all > 0 {
        let hidden = key(app, Action::ExplorerHidden);
        (
            tr!("Only hidden entries.").to_owned(),
            tr!(
                "Press {hidden} to show names that begin with a dot.",
                hidden
            ),
        )
    } else {
        let upload = key(app, Action::ExplorerUpload);
        let new = key(app, Action::ExplorerNewDirectory);
        (
            tr!("This directory is empty.").to_owned(),
            tr!(
                "Press {upload} to upload a file, {new} to create a directory.",
                upload,
                new
            ),
        )
    };
    draw_lines(paint, area, &[(first, Face::Text), (second, Face::Dim)]);
}

fn key(app: &App, action: Action) -> String {
    let keys = app.keymap.keys_for(Scope::Explorer, action);
    keys.into_iter().next().unwrap_or_default()
}
