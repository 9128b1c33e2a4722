//! The tabs with their counts, the visible part of the list, and the rule below.

use ratatui::layout::Rect;

use super::{paint::Paint, text};
use crate::{
    app::{app::App, area::Areas, bulk::BulkJob, sessions::reach::SearchState},
    model::status::Tab,
    theme::face::Face,
};

/// The position of each title, for drawing and for clicks.
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
    format!("{}{}", tab.title(), counts(app, tab))
}

/// The number of sessions in a tab after a space, nothing while it is unknown. Sessions in a queue aren't running.
fn counts(app: &App, tab: Tab) -> String {
    let shown = app.sessions.shown();
    if !app.mirror.is_counted(shown) {
        return String::new();
    }
    let waiting = app.mirror.waiting(shown);
    if tab != Tab::Running || waiting == 0 {
        return format!(" {}", count(app, tab));
    }
    let others = app.mirror.count(shown, tab).saturating_sub(waiting);
    let (others, waiting) = (text::grouped(others), text::grouped(waiting));
    format!(" {}", tr!("{others} + {waiting} pending", others, waiting))
}

fn count(app: &App, tab: Tab) -> String {
    text::grouped(app.mirror.count(app.sessions.shown(), tab))
}

pub fn draw(paint: &mut Paint<'_>, app: &App, areas: &Areas) {
    let rule = areas.rule;
    let glyph = paint.glyphs.rule;
    paint.line(rule.x, rule.y, rule.width, glyph, Face::Border);
    for (tab, place) in Tab::ALL.into_iter().zip(areas.tab_titles) {
        let active = tab == app.sessions.tab();
        let face = if active { Face::TabActive } else { Face::Tab };
        let x = paint.text(place.x, place.y, place.width, tab.title(), face);
        paint.text(
            x,
            place.y,
            place.right() - x,
            &counts(app, tab),
            Face::TabCount,
        );
        if active {
            let glyph = paint.glyphs.rule_active;
            paint.line(place.x, rule.y, place.width, glyph, Face::TabActive);
        }
    }
    draw_position(paint, app, areas);
}

/// Shows on the right the active filter, and the visible rows with their total.
fn draw_position(paint: &mut Paint<'_>, app: &App, areas: &Areas) {
    let text = if app.sessions.filter.is_on() {
        filtered(app)
    } else {
        position(app)
    };
    let text = with_grouping(app, text);
    let area = areas.tabs;
    let left = areas.tab_titles[2].right() + 2;
    let room = (area.right() - 1).saturating_sub(left);
    let bulk = bulk(app);
    let cells = text::width(&text) as u16;
    let gap = if bulk.is_empty() || cells == 0 { 0 } else { 3 };
    let at = left + room.saturating_sub(text::width(&bulk) as u16 + gap + cells);
    let end = paint.text(at, area.y, room, &bulk, Face::FileChosen);
    let end = if gap > 0 { end + 1 } else { end };
    let rest = (area.right() - 1).saturating_sub(end);
    paint.right(end, area.y, rest, &text, Face::Dim);
}

/// Shows what the list is grouped by, before the rest.
fn with_grouping(app: &App, text: String) -> String {
    match app.sessions.grouping().filter(|_| !app.sessions.is_empty()) {
        Some(grouping) if text.is_empty() => tr!("by {title}", title = grouping.title()),
        Some(grouping) => tr!("by {title}  {text}", title = grouping.title(), text),
        None => text,
    }
}

/// The marked sessions, and the actions on several sessions that are under way.
fn bulk(app: &App) -> String {
    let mut words: Vec<String> = app.bulk.jobs.iter().map(BulkJob::progress).collect();
    let marked = app.sessions.marks.len();
    if marked > 0 {
        words.push(tr!(
            "{marked} marked",
            marked = text::grouped(marked as u64)
        ));
    }
    words.join("  ")
}

/// How many sessions match the filter, out of those that were searched.
fn filtered(app: &App) -> String {
    let list = &app.sessions;
    let all = count(app, list.tab());
    let loaded = app.mirror.total(list.shown(), list.tab());
    let (query, len) = (list.filter.query(), list.len());
    match app.reach.found(&app.mirror, list) {
        SearchState::Everything => tr!("/{query}  {len} of {all}", query, len, all),
        SearchState::Asking => tr!("/{query}  {len} so far", query, len),
        SearchState::ByName => tr!("/{query}  {len} of {all} by name", query, len, all),
        SearchState::Cut(total) => tr!(
            "/{query}  {len} of {total} found",
            query,
            len,
            total = text::grouped(total)
        ),
        SearchState::LoadedOnly => tr!(
            "/{query}  {len} of {loaded} loaded",
            query,
            len,
            loaded = text::grouped(loaded)
        ),
    }
}

fn position(app: &App) -> String {
    let list = &app.sessions;
    let (seen, len) = (list.visible().len(), list.rows().len());
    if seen == 0 {
        return String::new();
    }
    let rows = format!("{}-{}", list.offset() + 1, list.offset() + seen);
    let (shown, tab) = (list.shown(), list.tab());
    let loaded = app.mirror.total(shown, tab);
    if app.mirror.count(shown, tab) > loaded {
        let all = count(app, tab);
        if app.reach.is_loading(&app.mirror, list) {
            return tr!("{rows} of {all}, loading more", rows, all);
        }
        return tr!(
            "{rows} of {all}, {loaded} loaded",
            rows,
            all,
            loaded = text::grouped(loaded)
        );
    }
    if seen < len {
        tr!("{rows} of {len}", rows, len)
    } else {
        String::new()
    }
}
