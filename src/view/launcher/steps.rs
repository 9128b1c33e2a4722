//! The list of steps: where one is, what is done, what has a problem.

use ratatui::layout::Rect;

use super::words;
use crate::{
    app::{
        area::Wizard,
        launcher::{Launcher, Mark, Page},
    },
    theme::face::Face,
    view::{paint::Paint, text},
};

/// Cells of the list at the left.
const RAIL: u16 = 30;
/// Lines of a step there.
const EACH: u16 = 3;

/// At the left of the page.
pub fn beside(inner: Rect) -> ([Rect; 5], Rect) {
    let mut y = inner.y + 1;
    let steps = Page::ALL.map(|_| {
        let place = Rect::new(inner.x, y, RAIL - 5, 2);
        y += EACH;
        place
    });
    let x = inner.x + RAIL;
    let body = Rect::new(x, inner.y + 1, inner.right().saturating_sub(x), 0);
    (steps, body)
}

/// In one line above it, with a rule below.
pub fn above(inner: Rect) -> ([Rect; 5], Rect) {
    let titles = Page::ALL.map(|page| text::width(page.short_title()) as u16 + 4);
    let all: u16 = titles.iter().sum();
    let gap = (inner.width.saturating_sub(all) / 4).clamp(1, 3);
    let mut x = inner.x;
    let steps = titles.map(|width| {
        let place = Rect::new(x, inner.y, width, 1).intersection(inner);
        x += width + gap;
        place
    });
    // On a low screen every line counts.
    let below = if inner.height < 16 { 1 } else { 2 };
    let body = Rect::new(inner.x, inner.y + 1 + below, inner.width, 0);
    (steps, body)
}

pub fn draw(paint: &mut Paint<'_>, launcher: &Launcher, wizard: &Wizard, wide: bool) {
    if wide {
        let x = wizard.body.x.saturating_sub(4);
        let glyph = paint.glyphs.vertical;
        for y in wizard.body.y..wizard.foot.bottom() {
            paint.text(x, y, 1, glyph, Face::Border);
        }
    } else {
        let y = wizard.steps[0].y + 1;
        let glyph = paint.glyphs.rule;
        let foot = wizard.foot;
        paint.line(foot.x - 2, y, foot.width + 4, glyph, Face::Border);
    }
    for (page, place) in Page::ALL.into_iter().zip(wizard.steps) {
        draw_step(paint, launcher, page, place, wide);
    }
}

fn draw_step(paint: &mut Paint<'_>, launcher: &Launcher, page: Page, place: Rect, wide: bool) {
    let here = launcher.page() == page;
    let [done, wrong, unseen] = paint.glyphs.marks;
    let (mark, face) = match launcher.mark(page) {
        Mark::Done => (done, Face::Success),
        Mark::Wrong => (wrong, Face::Bad),
        Mark::Unseen => (unseen, Face::Dim),
    };
    let title = if wide {
        page.middle_title()
    } else {
        page.short_title()
    };
    let own = if here { Face::TabActive } else { Face::Tab };
    let x = paint.text(place.x, place.y, 1, mark, face);
    let said = format!(" {} {title}", page.position() + 1);
    let room = place.width.saturating_sub(1);
    paint.text(x, place.y, room, &said, own);
    if !wide {
        if here {
            let glyph = paint.glyphs.rule_active;
            paint.line(place.x, place.y + 1, place.width, glyph, Face::TabActive);
        }
        return;
    }
    if here {
        let marker = paint.glyphs.marker;
        paint.text(place.x - 2, place.y, 1, marker, Face::RowMarker);
    }
    let summary = words::summary(launcher, page);
    let room = place.width.saturating_sub(4);
    let ellipsis = paint.glyphs.ellipsis;
    let (summary, _) = text::fit_path(&summary, usize::from(room), ellipsis);
    paint.text(place.x + 4, place.y + 1, room, &summary, Face::Dim);
}
