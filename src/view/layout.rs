//! Computes the positions of everything before it is drawn.

use jiff::Timestamp;
use ratatui::layout::{Rect, Size};

use super::{
    banner,
    columns::{self, ColumnPlace},
    detail, floating,
    glyphs::Glyphs,
    overview, panels, reason, session_table, statistics, tabs, toasts, tour,
};
use crate::app::{
    app::App,
    area::{Areas, BESIDE_COLUMNS, DetailLines, MIN_COLUMNS, MIN_ROWS},
    focus::Page,
    sessions::sort::Column,
};

/// Rows of the list, with its head, that stay visible above a detail.
const ROWS_ABOVE_DETAIL: u16 = 6;

#[must_use]
pub fn layout(app: &App, size: Size) -> Areas {
    let whole = Rect::new(0, 0, size.width, size.height);
    let (screen, guide) = if app.is_touring() {
        let (screen, guide) = tour::split(whole);
        (screen, Some(guide))
    } else {
        (whole, None)
    };
    let mut areas = Areas {
        screen,
        too_small: screen.width < MIN_COLUMNS || screen.height < MIN_ROWS,
        ..Areas::default()
    };
    if areas.too_small {
        areas.screen = whole;
        return areas;
    }
    areas.guide = guide;
    match app.page_below() {
        Page::Sessions => sessions(app, &mut areas),
        Page::Logs => logs(&mut areas),
        Page::Panes => panes(app, &mut areas),
    }
    if app.panes.is_floating() {
        areas.floating = floating::frame(screen);
        areas.floating_pane = app.panes.place_floating(floating::cells(areas.floating));
        areas.pane_status = row(screen, screen.height - 1);
    }
    overlays(app, &mut areas);
    areas
}

fn row(screen: Rect, y: u16) -> Rect {
    Rect::new(screen.x, y, screen.width, 1)
}

fn sessions(app: &App, areas: &mut Areas) {
    let screen = areas.screen;
    // Taller screens have room for blank lines.
    let air = u16::from(screen.height >= 24);
    areas.header = row(screen, 0);
    let bars = statistics::height(app, screen.width, screen.height);
    // On a low screen the bars replace the blank lines. Taller screens have room for both.
    let roomy = bars > 0 && statistics::is_wide(screen.width, screen.height);
    let above = u16::from(roomy);
    if bars > 0 {
        areas.statistics = Some(Rect::new(0, 1 + above, screen.width, bars));
    }
    let tabs = if bars > 0 && !roomy {
        2
    } else {
        1 + above + bars + air
    };
    areas.tabs = row(screen, tabs);
    areas.tab_titles = tabs::titles(app, areas.tabs);
    areas.rule = row(screen, tabs + 1);
    areas.hints = row(screen, screen.height - 1);
    let mut top = areas.rule.bottom();
    let mut bottom = areas.hints.y;
    let lines = banner::lines(app, screen.width, None).len() as u16;
    if lines > 0 {
        areas.banner = Some(Rect::new(0, top, screen.width, lines));
        top += lines;
        // Adds a blank line between the banner and the list if there is room.
        top += u16::from(screen.height >= 20);
    }
    if app.panels.prompt().is_some() || app.sessions.filter.editing().is_some() {
        bottom -= 1;
        areas.prompt = Some(row(screen, bottom));
    } else if app.detail.is_none() && reason::of(app).is_some() {
        bottom -= 1;
        areas.reason = Some(row(screen, bottom));
    }
    let body = Rect::new(0, top, screen.width, bottom.saturating_sub(top));
    let list = with_detail(app, areas, body);
    areas.table_head = Rect {
        height: list.height.min(1),
        ..list
    };
    areas.rows = Rect {
        y: list.y + areas.table_head.height,
        height: list.height - areas.table_head.height,
        ..list
    };
    if app.detail.is_none() {
        with_overview(app, areas);
    }
    areas.column_titles = column_titles(app, areas.table_head);
}

/// Gives the charts the lowest lines below a short list.
fn with_overview(app: &App, areas: &mut Areas) {
    let used = u16::try_from(app.sessions.rows().len()).unwrap_or(u16::MAX);
    let free = areas.rows.height.saturating_sub(used);
    if let Some(height) = overview::height(app, free) {
        areas.rows.height -= height;
        areas.overview = Some(Rect {
            y: areas.rows.bottom(),
            height,
            ..areas.rows
        });
    }
}

/// The areas where a click selects the head of a column. A title can take one cell of the gap next to it.
fn column_titles(app: &App, head: Rect) -> Vec<(Column, Rect)> {
    if head.is_empty() || app.sessions.is_empty() {
        return Vec::new();
    }
    let places = session_table::columns_of(app, head.width).into_iter();
    let title = |place: ColumnPlace| {
        let title = Rect {
            x: head.x + place.x - u16::from(columns::is_right(place.column)),
            width: place.width + 1,
            ..head
        };
        (place.column, title.intersection(head))
    };
    places.map(title).collect()
}

/// Places the detail and returns the room that is left for the list.
fn with_detail(app: &App, areas: &mut Areas, body: Rect) -> Rect {
    let Some(open) = &app.detail else {
        return body;
    };
    let (list, area) = if body.width >= BESIDE_COLUMNS {
        areas.detail_beside = true;
        beside(body)
    } else {
        below(body)
    };
    areas.detail = Some(area);
    let glyphs = Glyphs::of(&app.facts);
    // The number of lines does not depend on the time.
    let size = Size::new(area.width, area.height);
    let content = detail::content(app, open, size, glyphs, Timestamp::UNIX_EPOCH);
    areas.detail_lines = DetailLines {
        all: content.lines.len(),
        before_history: content.before_history,
    };
    list
}

/// List, separator, detail, from the left.
fn beside(body: Rect) -> (Rect, Rect) {
    let width = (body.width * 2 / 5).clamp(46, 64);
    let list = Rect {
        width: body.width - width - 3,
        ..body
    };
    let detail = Rect {
        x: list.right() + 2,
        width,
        ..body
    };
    (list, detail)
}

/// Keeps a few rows of the list above the detail. A low screen shows only the detail.
fn below(body: Rect) -> (Rect, Rect) {
    let above = if body.height >= 18 {
        ROWS_ABOVE_DETAIL
    } else {
        0
    };
    let list = Rect {
        height: above,
        ..body
    };
    let top = if above > 0 {
        body.y + above + 1
    } else {
        body.y
    };
    let detail = Rect::new(
        body.x + 2,
        top,
        body.width.saturating_sub(4),
        body.bottom().saturating_sub(top),
    );
    (list, detail)
}

fn logs(areas: &mut Areas) {
    let screen = areas.screen;
    areas.log_title = row(screen, 0);
    areas.rule = row(screen, 1);
    areas.log = Rect::new(0, 2, screen.width, screen.height - 3);
    areas.log_status = row(screen, screen.height - 1);
}

fn panes(app: &App, areas: &mut Areas) {
    let screen = areas.screen;
    areas.pane_page = Rect {
        height: screen.height - 1,
        ..screen
    };
    (areas.pane_tabs, areas.panes, areas.pane_borders) = app.panes.place(areas.pane_page);
    areas.pane_status = row(screen, screen.height - 1);
}

fn overlays(app: &App, areas: &mut Areas) {
    let screen = areas.screen;
    if let Some(dialog) = app.panels.dialog().and_then(panels::dialog) {
        areas.dialog = Some(dialog.place(app, screen));
        areas.hints = row(screen, screen.height - 1);
    }
    areas.toasts = toasts::places(app, areas, screen.height.saturating_sub(2));
}
