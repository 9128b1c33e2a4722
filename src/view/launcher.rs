//! The launcher: the steps at the left, or on top where it is narrow, the page, and the foot.

mod allocation;
mod kind;
mod network;
mod review;
pub mod sheet;
mod storage;

use ratatui::layout::Rect;

use super::{dialog, glyphs::Glyphs, paint::Paint, text};
use crate::{
    app::{
        app::App,
        area::{Areas, Wizard},
        launcher::{Launcher, Mark, Page, Progress},
    },
    theme::face::Face,
};
use sheet::{Line, Sheet};

/// The largest it gets.
const WIDTH: u16 = 128;
const HEIGHT: u16 = 44;
/// From this width on the steps stand at the left.
const WIDE: u16 = 104;
/// Cells of the steps there.
const RAIL: u16 = 26;

pub fn area(screen: Rect) -> Rect {
    let around = if screen.height >= 34 { 4 } else { 1 };
    let height = screen.height.saturating_sub(around).min(HEIGHT);
    dialog::place(screen, WIDTH.min(screen.width), height)
}

fn inner(area: Rect) -> Rect {
    Rect::new(
        area.x + 3,
        area.y + 1,
        area.width.saturating_sub(6),
        area.height.saturating_sub(2),
    )
}

/// Where everything stands.
pub fn place(launcher: &Launcher, area: Rect, glyphs: &'static Glyphs) -> Wizard {
    let inner = inner(area);
    let mut wizard = Wizard::default();
    let low = inner.height < 18;
    let foot = 1;
    let bottom = inner.bottom() - foot;
    wizard.foot = Rect::new(inner.x, bottom, inner.width, foot);
    if area.width >= WIDE {
        for (at, step) in wizard.steps.iter_mut().enumerate() {
            let y = inner.y + 1 + 2 * at as u16;
            *step = Rect::new(inner.x, y, RAIL - 4, 1);
        }
        let x = inner.x + RAIL;
        let top = inner.y + 1;
        wizard.body = Rect::new(x, top, inner.right().saturating_sub(x), bottom - top);
        wizard.foot = Rect::new(x, bottom, wizard.body.width, foot);
    } else {
        let mut x = inner.x;
        for (page, step) in Page::ALL.into_iter().zip(&mut wizard.steps) {
            let width = text::width(page.short_title()) as u16 + 4;
            *step = Rect::new(x, inner.y, width, 1);
            x += width + 2;
        }
        let top = inner.y + if low { 1 } else { 2 };
        wizard.body = Rect::new(inner.x, top, inner.width, bottom.saturating_sub(top));
    }
    let lines = lines(launcher, wizard.body, glyphs);
    wizard.lines = lines.len();
    wizard.first = sheet::first(&lines, launcher.row(), wizard.body.height);
    let shown = lines.iter().skip(wizard.first);
    wizard.rows = shown
        .take(usize::from(wizard.body.height))
        .map(|line| line.row)
        .collect();
    wizard
}

/// The lines of the page that is open.
fn lines<'a>(launcher: &'a Launcher, body: Rect, glyphs: &'static Glyphs) -> Vec<Line<'a>> {
    let airy = body.height >= 24;
    let mut sheet = Sheet::new(launcher, body.width, airy, glyphs);
    match launcher.page() {
        Page::Kind => kind::write(&mut sheet),
        Page::Allocation => allocation::write(&mut sheet),
        Page::Storage => storage::write(&mut sheet),
        Page::Network => network::write(&mut sheet),
        Page::Review => review::write(&mut sheet),
    }
    sheet.into_lines()
}

pub fn draw(paint: &mut Paint<'_>, _app: &App, launcher: &Launcher, areas: &Areas) {
    let (Some(area), Some(wizard)) = (areas.dialog, &areas.wizard) else {
        return;
    };
    let title = "Launch a session";
    dialog::frame(paint, areas.screen, area, title, Face::Title);
    draw_steps(paint, launcher, wizard, area);
    let lines = lines(launcher, wizard.body, paint.glyphs);
    sheet::draw(paint, &lines, wizard.first, launcher.row(), wizard.body);
    draw_foot(paint, launcher, wizard);
}

fn draw_steps(paint: &mut Paint<'_>, launcher: &Launcher, wizard: &Wizard, area: Rect) {
    let wide = area.width >= WIDE;
    for (page, place) in Page::ALL.into_iter().zip(wizard.steps) {
        let here = launcher.page() == page;
        let [done, wrong, unseen] = paint.glyphs.marks;
        let (mark, face) = match launcher.mark(page) {
            Mark::Done => (done, Face::Success),
            Mark::Wrong => (wrong, Face::Bad),
            Mark::Unseen => (unseen, Face::Dim),
        };
        let title = if wide {
            page.title()
        } else {
            page.short_title()
        };
        let own = if here { Face::TabActive } else { Face::Tab };
        let x = paint.text(place.x, place.y, 1, mark, face);
        let text = format!(" {} {title}", page.position() + 1);
        paint.text(x, place.y, place.width.saturating_sub(1), &text, own);
    }
}

fn draw_foot(paint: &mut Paint<'_>, launcher: &Launcher, wizard: &Wizard) {
    let area = wizard.foot;
    if let Some(question) = launcher.question() {
        paint.text(area.x, area.y, area.width, &question.text, Face::Warning);
        return;
    }
    match &launcher.progress {
        Progress::Editing => {
            if let Some(gap) = &launcher.offer().gap {
                paint.text(area.x, area.y, area.width, gap.as_str(), Face::Dim);
            }
        }
        Progress::Asked => {
            paint.text(
                area.x,
                area.y,
                area.width,
                "Launching",
                Face::StatusProgress,
            );
        }
        Progress::Failed(failure) => {
            let text = match &failure.help {
                Some(help) => format!("{}; {help}", failure.message),
                None => failure.message.to_string(),
            };
            paint.text(area.x, area.y, area.width, &text, Face::InputError);
        }
    }
}
