//! The control room: a tile for each session, with its screen.

use jiff::Timestamp;
use ratatui::layout::Rect;

use super::Dialog;
use crate::{
    action::{Action, Scope},
    app::{
        app::App,
        area::DialogAreas,
        mirror::DaemonConnection,
        panels::control_room::{ControlRoom, RoomPage, tiles},
        panes::ScreenView,
    },
    model::{capability::EngineState, session::Session},
    theme::face::Face,
    view::{miniature, paint::Paint, status, text},
};

impl Dialog for ControlRoom {
    fn place(&self, _: &App, screen: Rect) -> DialogAreas {
        DialogAreas {
            screen,
            area: Rect {
                height: screen.height.saturating_sub(1),
                ..screen
            },
            rows: tiles(screen),
            ..DialogAreas::default()
        }
    }

    fn draw(&self, paint: &mut Paint<'_>, app: &App, areas: &DialogAreas, _: Timestamp) {
        paint.extras.clear(areas.area);
        paint.clear(areas.area);
        let page = self.page(&app.mirror, areas.screen);
        let sessions = page.sessions.iter();
        let away = sessions
            .filter_map(|key| app.mirror.session(*key))
            .find_map(|session| away(app, session));
        draw_title(paint, areas.area, self, (&page, away));
        if page.sessions.is_empty() {
            return draw_empty(paint, app, self, areas.rows);
        }
        for (at, key) in page.sessions.iter().enumerate() {
            let tile = page.grid.tile(areas.rows, at);
            if let Some(session) = app.mirror.session(*key) {
                draw_tile(
                    paint,
                    app,
                    (tile, at == page.selected),
                    session,
                    self.scaled,
                );
            }
        }
    }
}

/// What would be in the room, and the key that leads there.
fn draw_empty(paint: &mut Paint<'_>, app: &App, room: &ControlRoom, rows: Rect) {
    let key = |scope, action| {
        let keys = app.keymap.keys_for(scope, action);
        keys.into_iter().next().unwrap_or_default()
    };
    let back = key(Scope::Global, Action::Back);
    let (first, second) = if *app.mirror.connection() == DaemonConnection::Connecting {
        (tr!("Connecting to the daemon"), String::new())
    } else if !app.mirror.is_up() {
        let text = tr!("Sessions unknown: daemon disconnected");
        (text, tr!("Retrying automatically.").to_owned())
    } else if room.is_of_marked() {
        let text = tr!("The marked sessions are gone");
        (text, tr!("Press {back} to go back to the list.", back))
    } else {
        let launch = key(Scope::Sessions, Action::SessionLaunch);
        let text = tr!(
            "Press {back}, then {launch} to launch one. Its terminal appears here.",
            back,
            launch
        );
        (tr!("No running sessions"), text)
    };
    let middle = rows.y + rows.height * 2 / 5;
    paint.centred(rows, middle, first, Face::Text);
    paint.centred(rows, middle + 2, &second, Face::Dim);
}

fn draw_title(
    paint: &mut Paint<'_>,
    area: Rect,
    room: &ControlRoom,
    (page, away): (&RoomPage, Option<&str>),
) {
    let n = page.count;
    let of = if room.is_of_marked() {
        tr_plural!(n, "{n} marked session", "{n} marked sessions", n)
    } else {
        tr_plural!(n, "{n} running session", "{n} running sessions", n)
    };
    let bad = paint.glyphs.shapes.bad;
    // The tiles keep what they showed last.
    let away = away.map_or_else(String::new, |away| format!("   {bad} {away}"));
    let pieces = [
        (tr!("Control room").to_owned(), Face::Title),
        (format!("   {of}"), Face::Dim),
        (away, Face::Bad),
    ];
    paint.pieces(area.x + 1, area.y, area.width.saturating_sub(2), &pieces);
    if page.pages > 1 {
        let text = tr!(
            "page {page} of {pages}",
            page = page.page + 1,
            pages = page.pages
        );
        paint.right(
            area.x,
            area.y,
            area.width.saturating_sub(1),
            &text,
            Face::Text,
        );
    }
}

fn draw_tile(
    paint: &mut Paint<'_>,
    app: &App,
    (tile, is_selected): (Rect, bool),
    session: &Session,
    scaled: bool,
) {
    let frame = if is_selected {
        Face::BorderFocused
    } else {
        Face::Border
    };
    let inner = draw_frame(paint, tile, frame);
    draw_head(paint, app, (tile, is_selected), session);
    let say = |paint: &mut Paint<'_>, words: &str, face: Face| {
        let lines = text::wrap(words, usize::from(inner.width));
        let first = inner.y + inner.height.saturating_sub(lines.len() as u16) / 2;
        for (y, line) in (first..inner.bottom()).zip(lines) {
            paint.centred(inner, y, &line, face);
        }
    };
    if !session.status.is_live() {
        let words = tr!("{status} has no terminal", status = session.status);
        return say(paint, &words, Face::Dim);
    }
    if app.mirror.streams_keep_alive(session.context) {
        let words = tr!("no preview: an open terminal would keep this session alive");
        return say(paint, words, Face::Dim);
    }
    match app.panes.screen(session.key()) {
        ScreenView::Shown(screen) if scaled => miniature::scaled(paint, screen, inner),
        ScreenView::Shown(screen) => miniature::newest(paint, screen, inner),
        ScreenView::Loading => match away(app, session) {
            Some(away) => say(
                paint,
                &tr!("{away}, retrying automatically", away),
                Face::Warning,
            ),
            None => say(paint, tr!("Loading the screen"), Face::Dim),
        },
        ScreenView::Missing(why) => say(paint, why.as_str(), Face::Warning),
    }
}

/// What is disconnected of the way to a session.
fn away(app: &App, session: &Session) -> Option<&'static str> {
    let engine = app.mirror.engine(session.context);
    if !app.mirror.is_up() {
        Some(tr!("daemon disconnected"))
    } else if matches!(engine, Some(EngineState::Lost { .. })) {
        Some(tr!("engine disconnected"))
    } else {
        None
    }
}

/// Draws the frame. Returns the area inside.
fn draw_frame(paint: &mut Paint<'_>, tile: Rect, face: Face) -> Rect {
    if tile.width < 3 || tile.height < 3 {
        return Rect::ZERO;
    }
    let [top_left, top_right, bottom_left, bottom_right] = paint.glyphs.corners;
    let (right, bottom) = (tile.right() - 1, tile.bottom() - 1);
    let (rule, vertical) = (paint.glyphs.rule, paint.glyphs.vertical);
    for (y, left_end, right_end) in [
        (tile.y, top_left, top_right),
        (bottom, bottom_left, bottom_right),
    ] {
        paint.line(tile.x, y, tile.width, rule, face);
        paint.text(tile.x, y, 1, left_end, face);
        paint.text(right, y, 1, right_end, face);
    }
    for y in tile.y + 1..bottom {
        paint.text(tile.x, y, 1, vertical, face);
        paint.text(right, y, 1, vertical, face);
    }
    Rect::new(tile.x + 1, tile.y + 1, tile.width - 2, tile.height - 2)
}

/// The name, the bell and the status.
fn draw_head(
    paint: &mut Paint<'_>,
    app: &App,
    (tile, is_selected): (Rect, bool),
    session: &Session,
) {
    let state = format!(" {} ", status::word(session, paint.glyphs));
    let bell = if app.panes.rang(session.key()) {
        format!(" {} ", tr!("bell"))
    } else {
        String::new()
    };
    // Color alone doesn't show the selected tile.
    let marker = if is_selected {
        format!("{} ", paint.glyphs.to)
    } else {
        String::new()
    };
    let taken = text::width(&state) + text::width(&bell) + text::width(&marker);
    let room = usize::from(tile.width.saturating_sub(4)).saturating_sub(taken);
    let name = text::fit_middle(
        session.name.as_str(),
        room.saturating_sub(2),
        paint.glyphs.ellipsis,
    );
    let name = format!("{marker}{name}");
    let room = room + text::width(&marker);
    let face = if is_selected {
        Face::TabActive
    } else {
        Face::Strong
    };
    if room > 3 {
        paint.text(tile.x + 2, tile.y, room as u16, &format!(" {name} "), face);
    }
    let right = tile.right().saturating_sub(2);
    let state_x = right.saturating_sub(text::width(&state) as u16);
    let face = status::face(&session.status);
    paint.text(state_x, tile.y, right - state_x, &state, face);
    let bell_x = state_x.saturating_sub(text::width(&bell) as u16);
    paint.text(bell_x, tile.y, state_x - bell_x, &bell, Face::Warning);
}
