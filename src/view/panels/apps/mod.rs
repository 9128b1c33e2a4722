//! The app launcher: its list, and the pages of one app.

mod list;
pub mod opened;
mod pages;
mod proxied;

use jiff::Timestamp;
use ratatui::layout::Rect;

use super::Dialog;
use crate::{
    app::{
        app::App,
        area::DialogAreas,
        panels::apps::{AppLauncher, AppPage},
    },
    model::failure::Failure,
    theme::face::Face,
    view::{
        dialog,
        paint::{Paint, Piece},
        text,
    },
};

const WIDTH: u16 = 84;
/// Cells of the labels in pages.
const LABEL: u16 = 17;

/// Cells of a line inside the dialog.
fn room(screen: Rect) -> u16 {
    dialog::place(screen, WIDTH.min(screen.width), 1)
        .width
        .saturating_sub(6)
}

/// A dialog with `above` lines, a list of up to `rows` rows, and `below` lines, with a blank between them.
fn with_rows(screen: Rect, above: u16, rows: u16, below: u16) -> DialogAreas {
    let all = 2 + above + rows + below;
    let height = all.min(screen.height.saturating_sub(3));
    let area = dialog::place(screen, WIDTH.min(screen.width), height);
    dialog::areas(screen, area, dialog::rows(area, 1 + above, 1 + below))
}

impl Dialog for AppLauncher {
    fn place(&self, app: &App, screen: Rect) -> DialogAreas {
        match &self.page {
            AppPage::List => list::place(self, screen),
            AppPage::Options(form) => {
                let fields = form.fields().count() as u16;
                // A form stays as high as it gets when it is public.
                let height = fields.max(6);
                with_rows(screen, 1, height, 2)
            }
            AppPage::Public(question) => pages::place_public(question, screen),
            AppPage::End(question) => pages::place_end(question, screen),
            AppPage::Starting(_) => with_rows(screen, 1, 3, 1),
            AppPage::Failed(failed) => pages::place_failed(failed, screen),
            AppPage::Opened(page) => opened::place(page, app, screen),
            AppPage::Proxied(page) => proxied::place(page, screen),
            AppPage::Log(log) => {
                let rows = log.count().clamp(6, 200) as u16;
                with_rows(screen, 1, rows, 1)
            }
            AppPage::Ssh(page) => pages::place_ssh(page, screen),
        }
    }

    fn draw(&self, paint: &mut Paint<'_>, app: &App, areas: &DialogAreas, now: Timestamp) {
        let name = &self.name;
        let title = match &self.page {
            AppPage::List => tr!("Apps of {name}", name),
            AppPage::Options(form) => match form.target.app() {
                Some(app) => tr!("Open {title} of {name}", title = app.title, name),
                None => tr!("Forward a port of {name}", name),
            },
            AppPage::Public(_) => tr!("Open to public?").to_owned(),
            AppPage::End(question) => {
                let title = &question.app.title;
                if question.restarts {
                    tr!("Restart {title}?", title)
                } else {
                    tr!("Stop {title}?", title)
                }
            }
            AppPage::Starting(starting) => tr!("{title} of {name}", title = starting.title, name),
            AppPage::Failed(failed) => tr!("{title} of {name}", title = failed.title, name),
            AppPage::Opened(page) => {
                tr!("{title} of {name}", title = page.opened.forward.title, name)
            }
            AppPage::Proxied(page) => tr!("{title} of {name}", title = page.title, name),
            AppPage::Log(log) => tr!("Log of {title} of {name}", title = log.title, name),
            AppPage::Ssh(_) => tr!("SSH to {name}", name),
        };
        let inner = dialog::frame(paint, areas.screen, areas.area, &title, Face::Title);
        match &self.page {
            AppPage::List => list::draw(paint, app, self, areas, inner),
            AppPage::Options(form) => pages::draw_form(paint, form, areas.rows, inner),
            AppPage::Public(question) => {
                pages::draw_public(paint, question, &self.name, inner);
            }
            AppPage::End(question) => pages::draw_end(paint, question, areas, inner),
            AppPage::Starting(starting) => pages::draw_starting(paint, starting, inner, now),
            AppPage::Failed(failed) => pages::draw_failed(paint, failed, areas.rows, inner),
            AppPage::Opened(page) => opened::draw(paint, app, page, areas, now),
            AppPage::Proxied(page) => proxied::draw(paint, app, page, areas),
            AppPage::Log(log) => pages::draw_log(paint, log, areas.rows),
            AppPage::Ssh(page) => pages::draw_ssh(paint, page, areas.rows, inner),
        }
    }
}

/// Draws wrapped text from a line on, and returns the line after it.
fn paragraph(paint: &mut Paint<'_>, inner: Rect, y: u16, text: &str, face: Face) -> u16 {
    let lines = text::wrap(text, usize::from(inner.width));
    let mut at = y;
    for line in lines {
        if at >= inner.bottom() {
            break;
        }
        paint.text(inner.x, at, inner.width, &line, face);
        at += 1;
    }
    at
}

/// The lines that wrapped text takes.
fn lines_of(text: &str, room: u16) -> u16 {
    text::wrap(text, usize::from(room)).len() as u16
}

/// Splits a text into lines of up to `cells` cells without changing it, so that it can be copied.
fn unbroken(text: &str, cells: u16) -> Vec<&str> {
    let mut rest = text;
    let mut lines = Vec::new();
    while !rest.is_empty() {
        let head = text::take(rest, usize::from(cells.max(2)));
        if head.is_empty() {
            break;
        }
        lines.push(head);
        rest = &rest[head.len()..];
    }
    lines
}

/// What happened, and below it how to fix it.
fn of_failure(failure: &Failure) -> String {
    let mut text = text::sentence(failure.message().as_str());
    if let Some(hint) = &failure.hint {
        text.push('\n');
        text.push_str(&text::sentence(hint.as_str()));
    }
    text
}

fn piece(text: impl Into<String>, face: Face) -> Piece {
    (text.into(), face)
}
