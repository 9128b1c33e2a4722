//! The list of steps: the current one, those that are done, and those with a problem.

use ratatui::layout::Rect;

use super::{PAGE, words};
use crate::{
    app::{
        area::Wizard,
        launcher::{Launcher, Page, StepMark},
    },
    theme::face::Face,
    view::{paint::Paint, text},
};

/// Minimum and maximum cells of the list on the left. A title takes one line if it fits.
const RAIL: [u16; 2] = [30, 44];
/// Cells around a title: the mark and the number before it, a gap, the rule.
const AROUND: u16 = 9;
/// Lines of the last step's sentence.
const SENTENCE: u16 = 3;

/// Cells of the list: the rest of the width next to the page.
fn rail(inner: Rect) -> u16 {
    let [least, most] = RAIL;
    inner.width.saturating_sub(PAGE).clamp(least, most)
}

fn title(page: Page, cells: u16) -> Vec<String> {
    text::wrap(page.title(), usize::from(cells))
}

/// Places the steps on the left of the page.
pub fn beside(inner: Rect) -> ([Rect; 5], Rect) {
    let rail = rail(inner);
    let heights = Page::ALL.map(|page| title(page, rail - AROUND).len() as u16 + 1);
    let all: u16 = heights.iter().sum();
    let gaps = Page::ALL.len() as u16 - 1;
    let gap = u16::from(all + gaps + SENTENCE < inner.height);
    let mut y = inner.y + 1;
    let mut steps = heights.map(|height| {
        let place = Rect::new(inner.x, y, rail - 5, height);
        y += height + gap;
        place
    });
    if let Some(last) = steps.last_mut() {
        last.height += gap * (SENTENCE - 1);
    }
    let x = inner.x + rail;
    let body = Rect::new(x, inner.y + 1, inner.right().saturating_sub(x), 0);
    (steps.map(|place| place.intersection(inner)), body)
}

/// Places the steps in one line above the page, with a rule below.
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
    // A low screen has no lines to spare.
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
        StepMark::Done => (done, Face::Success),
        StepMark::Wrong => (wrong, Face::Bad),
        StepMark::Unseen => (unseen, Face::Dim),
    };
    let own = if here { Face::TabActive } else { Face::Tab };
    let x = paint.text(place.x, place.y, 1, mark, face);
    let number = format!(" {} ", page.position() + 1);
    let x = paint.text(x, place.y, 3, &number, own);
    let room = place.right().saturating_sub(x);
    if !wide {
        paint.text(x, place.y, room, page.short_title(), own);
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
    let titles = title(page, room).into_iter().map(|line| (line, own));
    let height = usize::from(place.height);
    let below = height.saturating_sub(titles.len());
    let text = words::summary(launcher, page);
    let summary = summary(&text, usize::from(room), below, paint.glyphs.ellipsis);
    let summary = summary.into_iter().map(|line| (line, Face::Dim));
    for (y, (line, face)) in (place.y..).zip(titles.chain(summary).take(height)) {
        paint.text(x, y, room, &line, face);
    }
}

/// The summary of a step, in whole words if there are enough lines.
fn summary(text: &str, cells: usize, lines: usize, ellipsis: &str) -> Vec<String> {
    let parts = text::wrap(text, cells);
    if parts.len() <= lines {
        return parts;
    }
    vec![text::fit_path(text, cells, ellipsis).0]
}
