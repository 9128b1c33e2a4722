//! The list of notifications, with the full text of the marked one.

use jiff::{Timestamp, tz::TimeZone};
use ratatui::layout::Rect;

use super::Dialog;
use crate::{
    app::{
        app::App, area::DialogAreas, mirror::DaemonConnection, panels::notifications::NoticeList,
    },
    model::notice::{Level, Notice},
    theme::face::Face,
    view::{dialog, paint::Paint, text},
};

const WIDTH: u16 = 110;
/// Minimum rows of the list, also while it is empty.
const ROWS: u16 = 6;
/// Lines below the rows: a blank and the full text of the marked notification.
const FOOT: u16 = 3;
const TIME: u16 = 8;
const MARK: u16 = 2;

impl Dialog for NoticeList {
    fn place(&self, app: &App, screen: Rect) -> DialogAreas {
        let count = u16::try_from(app.notices.len()).unwrap_or(u16::MAX);
        let height = count.clamp(ROWS, screen.height) + FOOT + 3;
        let height = height.min(screen.height - 3);
        let area = dialog::place(screen, WIDTH.min(screen.width), height);
        dialog::areas(screen, area, dialog::rows(area, 2, FOOT + 1))
    }

    fn draw(&self, paint: &mut Paint<'_>, app: &App, areas: &DialogAreas, now: Timestamp) {
        let rows = areas.rows;
        let title = if app.notices.quiet {
            tr!("Notifications {dot} quiet", dot = paint.glyphs.dot)
        } else {
            tr!("Notifications").to_owned()
        };
        let inner = dialog::frame(paint, areas.screen, areas.area, &title, Face::Title);
        let name_room = name_room(app, rows);
        let shown = app.notices.iter().enumerate().skip(self.list.scroll());
        for (line, (at, notice)) in shown.take(usize::from(rows.height)).enumerate() {
            let place = Rect::new(rows.x, rows.y + line as u16, rows.width, 1);
            if at == self.list.marked() {
                dialog::mark(paint, place);
            }
            draw_row(paint, app, notice, place, (name_room, now));
        }
        dialog::more(paint, areas, self.list.scroll(), app.notices.len());
        match self.notice(&app.notices) {
            Some(notice) => draw_foot(paint, app, notice, inner),
            None => {
                let (first, second) = nothing(app);
                paint.text(rows.x + 1, rows.y, rows.width, first, Face::Text);
                paint.text(rows.x + 1, rows.y + 1, rows.width, second, Face::Dim);
            }
        }
    }
}

/// Explains why the list is empty.
fn nothing(app: &App) -> (&'static str, &'static str) {
    if app.notices.caught_up {
        return (
            tr!("No notifications"),
            tr!("Starts, ends, failures and idle check warnings appear in this list"),
        );
    }
    if app.mirror.is_up() {
        return (tr!("Loading notifications"), "");
    }
    if *app.mirror.connection() == DaemonConnection::Connecting {
        return (tr!("Connecting to the daemon"), "");
    }
    (
        tr!("Daemon disconnected"),
        tr!("Earlier notifications appear after the reconnect"),
    )
}

/// The longest name, limited to the available room.
fn name_room(app: &App, rows: Rect) -> u16 {
    let names = app.notices.iter().filter_map(|it| name(app, it));
    let widest = names.map(|name| text::width(&name) as u16).max();
    widest.map_or(0, |widest| widest.min(rows.width / 4) + 2)
}

fn name(app: &App, notice: &Notice) -> Option<String> {
    let session = app.mirror.session(notice.session?)?;
    Some(session.name.to_string())
}

fn draw_row(
    paint: &mut Paint<'_>,
    app: &App,
    notice: &Notice,
    place: Rect,
    (name_room, now): (u16, Timestamp),
) {
    let time = moment(notice.at, now, &app.facts.time_zone);
    let x = place.x + 1;
    paint.text(x, place.y, TIME, &time, Face::Dim);
    let x = x + TIME;
    let (glyph, face) = sign(paint, notice.level);
    paint.text(x, place.y, 1, glyph, face);
    let x = x + MARK;
    let name = name(app, notice);
    let said = name.as_deref().map_or(notice.text.as_str(), |name| {
        // Other languages have a colon behind the name.
        let rest = notice.text.as_str().strip_prefix(name);
        let rest = rest.map(|rest| rest.strip_prefix(':').unwrap_or(rest));
        let rest = rest.and_then(|rest| rest.strip_prefix(' '));
        rest.unwrap_or(notice.text.as_str())
    });
    let ellipsis = paint.glyphs.ellipsis;
    if let Some(name) = &name {
        let name = text::fit_middle(name, usize::from(name_room.saturating_sub(2)), ellipsis);
        paint.text(x, place.y, name_room, &name, Face::Value);
    }
    let x = x + name_room;
    let room = place.right().saturating_sub(x);
    let said = text::fit(said, usize::from(room), ellipsis);
    paint.text(x, place.y, room, &said, Face::Text);
}

/// The time if it is today, otherwise the date.
fn moment(at: Timestamp, now: Timestamp, zone: &TimeZone) -> String {
    let (at, now) = (at.to_zoned(zone.clone()), now.to_zoned(zone.clone()));
    let format = if at.date() == now.date() {
        "%H:%M"
    } else {
        "%b %d"
    };
    at.strftime(format).to_string()
}

fn sign(paint: &Paint<'_>, level: Level) -> (&'static str, Face) {
    let shapes = &paint.glyphs.shapes;
    match level {
        Level::Info => (shapes.neutral, Face::Info),
        Level::Success => (shapes.good, Face::Success),
        Level::Warning => (shapes.bad, Face::Warning),
        Level::Error => (shapes.bad, Face::Bad),
    }
}

/// The full text of the marked notification, and its time.
fn draw_foot(paint: &mut Paint<'_>, app: &App, notice: &Notice, inner: Rect) {
    let at = notice.at.to_zoned(app.facts.time_zone.clone());
    let when = at.strftime("%Y-%m-%d %H:%M:%S").to_string();
    let said = format!("{when}  {}", notice.text.as_str().replace('\n', " "));
    let room = inner.width.saturating_sub(1);
    let lines = text::wrap(&said, usize::from(room));
    let top = inner.bottom().saturating_sub(FOOT - 1);
    for (y, line) in (top..inner.bottom()).zip(lines) {
        paint.text(inner.x + 1, y, room, &line, Face::Dim);
    }
}
