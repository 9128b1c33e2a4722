//! The tabs with their counts, what part of the list is seen, and the rule below.

use ratatui::layout::Rect;

use super::{paint::Paint, text};
use crate::{
    app::{app::App, area::Areas},
    model::status::Tab,
    theme::face::Face,
};

/// Where each title stands; for drawing and for clicks.
pub fn titles(app: &App, area: Rect) -> [Rect; 3] {
    let mut x = area.x + 1;
    Tab::ALL.map(|tab| {
        let width = text::width(&title(app, tab)) as u16;
        let place = Rect::new(x, area.y, width, area.height).intersection(area);
        x += width + 3;
        place
    })
}

fn title(app: &App, tab: Tab) -> String {
    format!("{} {}", tab.title(), app.mirror.count(tab))
}

pub fn draw(paint: &mut Paint<'_>, app: &App, areas: &Areas) {
    let rule = areas.rule;
    let glyph = paint.glyphs.rule;
    paint.line(rule.x, rule.y, rule.width, glyph, Face::Border);
    for (tab, place) in Tab::ALL.into_iter().zip(areas.tab_titles) {
        let active = tab == app.sessions.tab();
        let face = if active { Face::TabActive } else { Face::Tab };
        let x = paint.text(place.x, place.y, place.width, tab.title(), face);
        let count = format!(" {}", app.mirror.count(tab));
        paint.text(x, place.y, place.right() - x, &count, Face::TabCount);
        if active {
            let glyph = paint.glyphs.rule_active;
            paint.line(place.x, rule.y, place.width, glyph, Face::TabActive);
        }
    }
    draw_position(paint, app, areas);
}

/// On the right: the filter in force, and which rows of how many are seen.
fn draw_position(paint: &mut Paint<'_>, app: &App, areas: &Areas) {
    let list = &app.sessions;
    let all = app.mirror.count(list.tab());
    let seen = list.visible().len();
    let mut text = String::new();
    if list.filter.is_on() {
        text = format!("/{}  {} of {all}", list.filter.query(), list.len());
    } else if seen > 0 && seen < list.len() {
        let first = list.offset() + 1;
        text = format!("{first}-{} of {}", list.offset() + seen, list.len());
    }
    let area = areas.tabs;
    let left = areas.tab_titles[2].right() + 2;
    let room = (area.right() - 1).saturating_sub(left);
    paint.right(left, area.y, room, &text, Face::Dim);
}
