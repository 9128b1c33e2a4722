//! The port board: all forwards, and details of the marked one.

use jiff::Timestamp;
use ratatui::layout::Rect;

use super::{
    Dialog,
    apps::opened::{audience, draw_qr, link_to, qr_of, until},
};
use crate::{
    action::{Action, Scope},
    app::{
        app::App,
        area::DialogAreas,
        durations,
        mirror::DaemonConnection,
        panels::ports::{ClosingForward, PortBoard},
    },
    model::{
        forward::{Forward, ForwardTarget},
        resources::Bytes,
    },
    theme::face::Face,
    view::{amount, dialog, paint::Paint, text},
};

const WIDTH: u16 = 150;
/// Minimum rows of the list, also while it is empty.
const ROWS: u16 = 5;
/// Lines below the rows: a blank, and four about the marked forward.
const FOOT: u16 = 5;
/// From this width, there are columns for the URL and the connections.
const WIDE: u16 = 110;

const QUESTION_WIDTH: u16 = 62;
const BUTTONS: [&str; 2] = [tr_later!("   No   "), tr_later!("  Close  ")];

impl Dialog for PortBoard {
    fn place(&self, app: &App, screen: Rect) -> DialogAreas {
        if let Some(closing) = self.closing() {
            return place_question(closing, screen);
        }
        if self.shows_qr() {
            let qr = self.forward(&app.mirror).and_then(|it| qr_of(app, it));
            let rows = qr.map_or(3, |(_, qr)| qr.size().1) + 4;
            let height = rows.min(screen.height.saturating_sub(1));
            let area = dialog::place(screen, 84.min(screen.width), height);
            return dialog::areas(screen, area, dialog::rows(area, 1, 1));
        }
        let count = u16::try_from(self.rows(&app.mirror).len()).unwrap_or(u16::MAX);
        // Border, filter, titles, the rows, the foot, border.
        let height = count.clamp(ROWS, screen.height) + 4 + FOOT;
        let height = height.min(screen.height.saturating_sub(3));
        let area = dialog::place(screen, WIDTH.min(screen.width), height);
        dialog::areas(screen, area, dialog::rows(area, 3, FOOT + 1))
    }

    fn draw(&self, paint: &mut Paint<'_>, app: &App, areas: &DialogAreas, now: Timestamp) {
        if let Some(closing) = self.closing() {
            return draw_question(paint, closing, areas);
        }
        let forwards = self.rows(&app.mirror);
        let at = self.at(&forwards);
        let rows = areas.rows;
        let title = title(paint, app);
        let inner = dialog::frame(paint, areas.screen, areas.area, &title, Face::Title);
        if let Some(forward) = forwards.get(at).filter(|_| self.shows_qr()) {
            return draw_qr(paint, app, forward, rows);
        }
        draw_filter(paint, self, inner);
        let columns = columns(rows.width);
        if !forwards.is_empty() {
            draw_head(
                paint,
                &columns,
                Rect {
                    y: rows.y - 1,
                    ..rows
                },
            );
        }
        dialog::more(paint, areas, self.list.scroll(), forwards.len());
        let shown = forwards.iter().enumerate().skip(self.list.scroll());
        for ((number, forward), y) in shown.zip(rows.top()..rows.bottom()) {
            let place = Rect {
                y,
                height: 1,
                ..rows
            };
            if number == at {
                dialog::mark(paint, place);
            }
            draw_row(paint, &columns, forward, place, now);
        }
        let foot = Rect {
            y: rows.bottom() + 1,
            height: FOOT - 1,
            ..inner
        };
        match forwards.get(at) {
            Some(forward) => draw_foot(paint, app, self, forward, foot, now),
            None => draw_empty(paint, app, self, rows),
        }
    }
}

fn title(paint: &Paint<'_>, app: &App) -> String {
    let all = app.mirror.forwards();
    let public = all.iter().filter(|it| it.public.is_some()).count();
    match public {
        0 => tr!("Port board").to_owned(),
        n => tr!("Port board {dot} {n} public", dot = paint.glyphs.dot, n),
    }
}

fn draw_filter(paint: &mut Paint<'_>, board: &PortBoard, inner: Rect) {
    if !board.is_editing() && board.filter().is_empty() {
        return;
    }
    paint.text(inner.x, inner.y, 8, tr!("Filter"), Face::Label);
    let field = Rect::new(inner.x + 8, inner.y, inner.width.saturating_sub(8), 1);
    paint.input(field, board.filter(), board.is_editing());
}

/// Explains why the board is empty.
fn draw_empty(paint: &mut Paint<'_>, app: &App, board: &PortBoard, rows: Rect) {
    let key = |scope, action| {
        let keys = app.keymap.keys_for(scope, action);
        keys.into_iter().next().unwrap_or_default()
    };
    let (first, second) = if !board.filter().is_empty() {
        let text = tr!(
            "No forward matches '{filter}'",
            filter = board.filter().text()
        );
        (text, String::new())
    } else if app.mirror.is_up() {
        let key = key(Scope::Sessions, Action::SessionApps);
        let text = tr!(
            "Press {key} on a session to open an app, a port or SSH",
            key
        );
        (tr!("No forwards").to_owned(), text)
    } else if *app.mirror.connection() == DaemonConnection::Connecting {
        (tr!("Connecting to the daemon").to_owned(), String::new())
    } else {
        let text = tr!("Forwards appear after the reconnect");
        (tr!("Daemon disconnected").to_owned(), text.to_owned())
    };
    paint.text(rows.x + 1, rows.y, rows.width, &first, Face::Text);
    paint.text(rows.x + 1, rows.y + 1, rows.width, &second, Face::Dim);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PortColumn {
    Session,
    Title,
    Url,
    Port,
    State,
    Received,
    Sent,
    Connections,
    Used,
}

impl PortColumn {
    fn title(self) -> &'static str {
        match self {
            Self::Session => tr!("Session"),
            Self::Title => tr!("App"),
            Self::Url => tr!("Local URL"),
            Self::Port => tr!("Port"),
            Self::State => tr!("State"),
            Self::Received => tr!("In"),
            Self::Sent => tr!("Out"),
            Self::Connections => tr!("Open"),
            Self::Used => tr!("Last used"),
        }
    }

    fn is_right(self) -> bool {
        matches!(
            self,
            Self::Received | Self::Sent | Self::Connections | Self::Used
        )
    }
}

/// The columns of a board of `width` cells, each with its position and its cells.
fn columns(width: u16) -> Vec<(PortColumn, u16, u16)> {
    use PortColumn::{Connections, Port, Received, Sent, Session, State, Title, Url, Used};
    let fixed: &[(PortColumn, u16)] = if width >= WIDE {
        &[
            (Session, 0),
            (Title, 0),
            (Url, 30),
            (State, 10),
            (Received, 6),
            (Sent, 6),
            (Connections, 4),
            (Used, 12),
        ]
    } else {
        &[
            (Session, 0),
            (Title, 0),
            (Port, 5),
            (State, 8),
            (Received, 5),
            (Sent, 5),
            (Used, 12),
        ]
    };
    let gap = 2;
    let taken: u16 = fixed.iter().map(|(_, cells)| cells + gap).sum();
    // The names share the rest.
    let rest = width.saturating_sub(taken + 1) + gap;
    let name = (rest / 2).saturating_sub(1);
    let mut x = 1;
    let mut places = Vec::new();
    for (column, cells) in fixed {
        let cells = match column {
            Session => name,
            Title => rest.saturating_sub(name + gap),
            _ => *cells,
        };
        places.push((*column, x, cells));
        x += cells + gap;
    }
    places
}

fn draw_head(paint: &mut Paint<'_>, columns: &[(PortColumn, u16, u16)], place: Rect) {
    for (column, x, cells) in columns {
        let x = place.x + x;
        if column.is_right() {
            paint.right(x, place.y, *cells, column.title(), Face::TableHead);
        } else {
            paint.text(x, place.y, *cells, column.title(), Face::TableHead);
        }
    }
}

fn draw_row(
    paint: &mut Paint<'_>,
    columns: &[(PortColumn, u16, u16)],
    forward: &Forward,
    place: Rect,
    now: Timestamp,
) {
    for (column, x, cells) in columns {
        let (x, y) = (place.x + x, place.y);
        let traffic = &forward.traffic;
        let (text, face) = match column {
            PortColumn::Session => (forward.session_name.to_string(), Face::Value),
            PortColumn::Title => (forward.title.to_string(), Face::Text),
            PortColumn::Url => (forward.address_url.to_string(), Face::Text),
            PortColumn::Port => (forward.port.to_string(), Face::Text),
            PortColumn::State => state(paint, forward),
            PortColumn::Received => (amount::short(Bytes(traffic.received)), Face::Text),
            PortColumn::Sent => (amount::short(Bytes(traffic.sent)), Face::Text),
            PortColumn::Connections => (traffic.connections.to_string(), Face::Text),
            PortColumn::Used => (used(forward, now), Face::Dim),
        };
        let text = text::fit(&text, usize::from(*cells), paint.glyphs.ellipsis);
        if column.is_right() {
            paint.right(x, y, *cells, &text, face);
        } else {
            paint.text(x, y, *cells, &text, face);
        }
    }
}

/// A public forward is more important than whether it works now, which its shape shows, too.
fn state(paint: &Paint<'_>, forward: &Forward) -> (String, Face) {
    let shapes = &paint.glyphs.shapes;
    let shape = if forward.broken.is_some() {
        shapes.bad
    } else {
        shapes.good
    };
    match (&forward.public, &forward.broken) {
        (Some(_), _) => (tr!("{shape} PUBLIC", shape), Face::Bad),
        (None, Some(_)) => (tr!("{shape} failed", shape), Face::Warning),
        (None, None) => (tr!("{shape} ok", shape), Face::StatusGood),
    }
}

fn used(forward: &Forward, now: Timestamp) -> String {
    match forward.traffic.last_used {
        Some(at) => durations::ago(now.as_second() - at.as_second()),
        None => tr!("never").to_owned(),
    }
}

fn draw_foot(
    paint: &mut Paint<'_>,
    app: &App,
    board: &PortBoard,
    forward: &Forward,
    foot: Rect,
    now: Timestamp,
) {
    let revealed = board.shown(forward.id);
    let url = revealed.unwrap_or(forward.address_url.as_str());
    let shown = text::fit(url, usize::from(foot.width), paint.glyphs.ellipsis);
    let end = paint.text(foot.x, foot.y, foot.width, &shown, Face::Value);
    let cells = Rect::new(foot.x, foot.y, end.saturating_sub(foot.x), 1);
    link_to(paint, app, cells, url, forward.id);
    let mut y = foot.y + 1;
    let mut line = |paint: &mut Paint<'_>, text: &str, face| {
        for line in text::wrap(text, usize::from(foot.width)) {
            if y < foot.bottom() {
                paint.text(foot.x, y, foot.width, &line, face);
                y += 1;
            }
        }
    };
    if let Some(public) = &forward.public {
        let text = tr!(
            "PUBLIC: {public}. {now}",
            public = audience(public),
            now = until(public, now)
        );
        line(paint, &text, Face::Bad);
    }
    if let Some(why) = &forward.broken {
        let text = tr!("Not reached: {why}. The next connection tries again.", why);
        line(paint, &text, Face::Warning);
    }
    line(paint, &leads_to(forward), Face::Dim);
}

fn leads_to(forward: &Forward) -> String {
    let target = match &forward.target {
        ForwardTarget::App {
            app,
            port: Some(port),
        } => tr!("port {port} of {app}", port, app),
        ForwardTarget::App { app, port: None } => app.to_string(),
        ForwardTarget::Port { port } => tr!("port {port}", port),
        ForwardTarget::Ssh => tr!("workbay's SSH server").to_owned(),
    };
    let open = match forward.traffic.connections {
        0 => tr!("no open connection").to_owned(),
        1 => tr!("1 open connection").to_owned(),
        n => tr!("{n} open connections", n = text::grouped(n)),
    };
    tr!(
        "Leads to {target} in {session_name}, {open}",
        target,
        session_name = forward.session_name,
        open
    )
}

fn question(closing: &ClosingForward) -> String {
    match closing.connections {
        0 => tr!("No client is connected. The app keeps running.").to_owned(),
        1 => tr!("1 open connection ends. The app keeps running.").to_owned(),
        n => tr!("{n} open connections end. The app keeps running.", n),
    }
}

fn place_question(closing: &ClosingForward, screen: Rect) -> DialogAreas {
    let lines = text::wrap(&question(closing), usize::from(QUESTION_WIDTH - 6)).len() as u16;
    // The border, a blank line around the text and the buttons.
    let area = dialog::place(screen, QUESTION_WIDTH, lines + 6);
    DialogAreas {
        screen,
        area,
        buttons: dialog::buttons(area, BUTTONS),
        ..DialogAreas::default()
    }
}

fn draw_question(paint: &mut Paint<'_>, closing: &ClosingForward, areas: &DialogAreas) {
    let title = tr!("Close {title}?", title = closing.title);
    let inner = dialog::frame(paint, areas.screen, areas.area, &title, Face::Title);
    let lines = text::wrap(&question(closing), usize::from(QUESTION_WIDTH - 6));
    for (line, y) in lines.iter().zip(inner.y + 1..) {
        paint.text(inner.x, y, inner.width, line, Face::Text);
    }
    dialog::draw_buttons(paint, areas.buttons, BUTTONS, closing.button);
}
