//! The launcher: the steps on the left, or on top of a narrow screen, then the page and the foot.

mod allocation;
mod explain;
mod network;
mod question;
mod review;
mod session_type;
pub mod sheet;
mod steps;
mod storage;
mod words;

use jiff::Timestamp;
use ratatui::{layout::Rect, style::Style};

use super::{dialog, glyphs::Glyphs, header, paint::Paint, panels::Dialog, text};
use crate::{
    app::{
        app::App,
        area::{DialogAreas, Wizard},
        launcher::{LaunchProgress, Launcher, Overlay, Page},
        shown_contexts::ShownContexts,
    },
    theme::face::Face,
};
use sheet::{FormSheet, SheetLine};

/// Maximum size of the launcher.
const WIDTH: u16 = 150;
const HEIGHT: u16 = 46;
/// From this width, the steps are on the left.
const WIDE: u16 = 100;
/// Maximum width of a page, so that values and their notes stay close together.
const PAGE: u16 = 100;
/// Pages with at least this many lines have blank lines.
const AIRY: u16 = 26;

fn inner(area: Rect) -> Rect {
    Rect::new(
        area.x + 3,
        area.y + 1,
        area.width.saturating_sub(6),
        area.height.saturating_sub(2),
    )
}

impl Dialog for Launcher {
    fn place(&self, app: &App, screen: Rect) -> DialogAreas {
        let height = screen.height.saturating_sub(1).min(HEIGHT);
        let area = dialog::place(screen, WIDTH.min(screen.width), height);
        let buttons = match self.overlay() {
            Some(Overlay::Question(asked)) => question::buttons(asked, screen),
            _ => <[Rect; 2]>::default(),
        };
        let glyphs = Glyphs::of(&app.facts);
        DialogAreas {
            screen,
            area,
            buttons,
            wizard: Some(place(self, area, glyphs)),
            ..DialogAreas::default()
        }
    }

    fn draw(&self, paint: &mut Paint<'_>, app: &App, areas: &DialogAreas, _: Timestamp) {
        let (area, Some(wizard)) = (areas.area, &areas.wizard) else {
            return;
        };
        let title = tr!("Launch a session");
        dialog::frame(paint, areas.screen, area, title, Face::Title);
        draw_context(paint, app, self, area);
        steps::draw(paint, self, wizard, area.width >= WIDE);
        let lines = lines(self, wizard.body, paint.glyphs);
        sheet::draw(paint, &lines, wizard.first, self.row(), wizard.body);
        explain::draw_below(paint, self, wizard.body, wizard.lines);
        draw_more(paint, wizard, area);
        draw_foot(paint, self, wizard);
        match self.overlay() {
            Some(Overlay::Question(asked)) => question::draw(paint, asked, areas.screen),
            Some(Overlay::Explain(topic)) => explain::draw(paint, self, *topic, areas.screen),
            Some(Overlay::Prompt(_)) | None => {}
        }
    }
}

/// Computes the positions of all parts.
fn place(launcher: &Launcher, area: Rect, glyphs: &'static Glyphs) -> Wizard {
    let inner = inner(area);
    let mut wizard = Wizard::default();
    let bottom = inner.bottom().saturating_sub(1);
    let (steps, body) = if area.width >= WIDE {
        steps::beside(inner)
    } else {
        steps::above(inner)
    };
    wizard.steps = steps;
    wizard.body = Rect {
        width: body.width.min(PAGE),
        height: bottom.saturating_sub(body.y),
        ..body
    };
    wizard.foot = Rect::new(body.x, bottom, body.width, 1);
    let lines = lines(launcher, wizard.body, glyphs);
    wizard.lines = lines.len();
    wizard.first = sheet::first(&lines, launcher.row(), wizard.body.height);
    let shown = lines.iter().skip(wizard.first);
    wizard.rows = shown
        .take(usize::from(wizard.body.height))
        .map(SheetLine::spot)
        .collect();
    wizard
}

/// The lines of the page that is open.
fn lines<'a>(launcher: &'a Launcher, body: Rect, glyphs: &'static Glyphs) -> Vec<SheetLine<'a>> {
    let written = |loose: bool| {
        let mut sheet = FormSheet::new(launcher, body.width, body.height >= AIRY, glyphs);
        sheet.loose = loose;
        write(&mut sheet);
        sheet.into_lines()
    };
    let loose = written(true);
    if loose.len() <= usize::from(body.height) {
        return loose;
    }
    written(false)
}

fn write(sheet: &mut FormSheet<'_>) {
    match sheet.launcher.page() {
        Page::Kind => session_type::write(sheet),
        Page::Allocation => allocation::write(sheet),
        Page::Storage => storage::write(sheet),
        Page::Network => network::write(sheet),
        Page::Review => review::write(sheet),
    }
}

/// Shows the engine of the launch in the border, and whether it is disconnected.
fn draw_context(paint: &mut Paint<'_>, app: &App, launcher: &Launcher, area: Rect) {
    let context = launcher.context();
    let mut right = area.right().saturating_sub(2);
    let mut put = |paint: &mut Paint<'_>, text: &str, style: Style| {
        let width = (text::width(text) as u16).min(area.width / 2);
        right = right.saturating_sub(width);
        paint.styled(right, area.y, width, text, style);
    };
    let (shape, word, face) = header::state(&app.mirror, ShownContexts::One(context), paint);
    if face != Face::StatusGood {
        let style = paint.style(face);
        put(paint, &format!(" {shape} {word} "), style);
    }
    if launcher.info().several {
        let style = paint.context_style(&app.mirror, context);
        put(paint, &format!(" {context} "), style);
    }
}

/// Marks at the edge that the page has more lines above or below.
fn draw_more(paint: &mut Paint<'_>, wizard: &Wizard, area: Rect) {
    let x = area.right().saturating_sub(2);
    let body = wizard.body;
    if wizard.first > 0 {
        let up = paint.glyphs.up;
        paint.text(x, body.y, 1, up, Face::Accent);
    }
    if wizard.first + usize::from(body.height) < wizard.lines {
        let down = paint.glyphs.down;
        paint.text(x, body.bottom().saturating_sub(1), 1, down, Face::Accent);
    }
}

/// The prompt for a path, the progress of the launch, or what is missing.
fn draw_foot(paint: &mut Paint<'_>, launcher: &Launcher, wizard: &Wizard) {
    let area = wizard.foot;
    if let Some(prompt) = launcher.path_prompt() {
        let x = paint.text(area.x, area.y, area.width, prompt.label(), Face::Accent) + 1;
        let place = Rect::new(x, area.y, area.right().saturating_sub(x), 1);
        paint.input(place, &prompt.input, true);
        return;
    }
    let (text, face) = match &launcher.progress {
        LaunchProgress::Asked => (tr!("Launching").to_owned(), Face::StatusProgress),
        LaunchProgress::Failed(_) => (launcher.refusal().unwrap_or_default(), Face::InputError),
        LaunchProgress::Editing => match (launcher.blocked(), &launcher.info().gap) {
            (Some(why), _) => (why.to_owned(), Face::InputError),
            (None, Some(gap)) => (gap.to_string(), Face::Dim),
            (None, None) => return,
        },
    };
    // The whole reason is above the list. Here, its beginning is enough.
    let first = text
        .split_once(": ")
        .map_or(text.as_str(), |(first, _)| first);
    let is_long = text::width(&text) > usize::from(area.width);
    let text = if is_long { first } else { &text };
    paint.text(area.x, area.y, area.width, text, face);
}
