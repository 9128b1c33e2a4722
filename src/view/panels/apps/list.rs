//! The list of the app launcher.

use ratatui::layout::Rect;

use super::{lines_of, paragraph, piece, room, with_rows};
use crate::{
    app::{
        app::App,
        area::DialogAreas,
        panels::apps::{
            AppLauncher,
            listing::{Entry, Line, Listing, is_named_by_port},
        },
    },
    model::{
        app::{App as SessionApp, AppSource, AppState},
        forward::{Forward, ForwardTarget},
    },
    theme::face::Face,
    view::{
        dialog,
        paint::{Paint, Piece},
        text,
    },
};

/// Lines below the list: a blank, and two about the marked row.
const FOOT: u16 = 3;
/// Cells of the columns: shape, ports, state.
const SHAPE: u16 = 2;
const PORTS: u16 = 13;
const STATE: u16 = 11;
/// Cells of the names of apps.
const TITLE: u16 = 30;

const EMPTY: &str = tr_later!(
    "No apps found in this session. Programs that listen on a port appear after a refresh."
);

pub fn place(launcher: &AppLauncher, screen: Rect) -> DialogAreas {
    let message = message(&launcher.listing);
    let above = message.map_or(1, |(text, _)| 2 + lines_of(&text, room(screen)));
    let room = screen.height.saturating_sub(3 + 2 + above + FOOT);
    // Without room for the gaps between categories, the list is as high as it is without them.
    let rows = launcher.listing.lines(usize::from(room)).len() as u16;
    with_rows(screen, above, rows, FOOT)
}

/// What is shown in place of the apps.
fn message(listing: &Listing) -> Option<(String, Face)> {
    match listing {
        Listing::Loading => Some((tr!("Loading the apps").to_owned(), Face::Dim)),
        Listing::Failed(failure) => Some((super::of_failure(failure), Face::Bad)),
        Listing::Known(apps) if apps.is_empty() => Some((EMPTY.to_owned(), Face::Text)),
        Listing::Known(_) => None,
    }
}

pub fn draw(
    paint: &mut Paint<'_>,
    app: &App,
    launcher: &AppLauncher,
    areas: &DialogAreas,
    inner: Rect,
) {
    if let Some((text, face)) = message(&launcher.listing) {
        paragraph(paint, inner, inner.y + 1, &text, face);
    }
    let rows = areas.rows;
    let height = usize::from(rows.height);
    let lines = launcher.listing.visible(launcher.list.marked(), height);
    for (line, y) in lines.into_iter().zip(rows.top()..rows.bottom()) {
        let place = Rect::new(rows.x, y, rows.width, 1);
        match line {
            Line::Gap => {}
            Line::Heading(title) => {
                paint.text(place.x, y, place.width, title, Face::Label);
            }
            Line::Entry(at, entry) => {
                if at == launcher.list.marked() {
                    dialog::mark(paint, place);
                }
                draw_entry(paint, app, launcher, place, entry);
            }
        }
    }
    let foot = Rect {
        y: rows.bottom() + 1,
        height: FOOT - 1,
        ..inner
    };
    if let Some((text, face)) = foot_of(app, launcher) {
        paragraph(paint, foot.intersection(inner), foot.y, &text, face);
    }
}

fn draw_entry(
    paint: &mut Paint<'_>,
    app: &App,
    launcher: &AppLauncher,
    place: Rect,
    entry: Entry<'_>,
) {
    let x = place.x + 2;
    let room = place.width.saturating_sub(2);
    match entry {
        Entry::App(it) => draw_app(
            paint,
            app,
            launcher,
            Rect {
                x,
                width: room,
                ..place
            },
            it,
        ),
        Entry::Port => {
            let title = tr!("Port{ellipsis}", ellipsis = paint.glyphs.ellipsis);
            other(
                paint,
                (x, place.y, room),
                &title,
                tr!("forward any port of the session"),
            );
        }
        Entry::Ssh => {
            let text = tr!("commands for ssh, scp, rsync, VS Code");
            other(paint, (x, place.y, room), tr!("SSH / SFTP"), text);
        }
    }
}

/// A row that isn't an app.
fn other(paint: &mut Paint<'_>, (x, y, room): (u16, u16, u16), title: &str, text: &str) {
    let title = text::pad(title, usize::from(TITLE));
    let pieces = [
        piece(" ".repeat(usize::from(SHAPE)), Face::Text),
        piece(title, Face::Value),
        piece(text, Face::Dim),
    ];
    paint.pieces(x, y, room, &pieces);
}

fn draw_app(
    paint: &mut Paint<'_>,
    app: &App,
    launcher: &AppLauncher,
    place: Rect,
    it: &SessionApp,
) {
    let (shape, face) = shape(paint, &it.state);
    let mut x = place.x;
    paint.text(x, place.y, SHAPE, shape, face);
    x += SHAPE;
    let cells = usize::from(TITLE - 2);
    let title = text::fit(it.title.as_str(), cells, paint.glyphs.ellipsis);
    paint.text(x, place.y, TITLE - 2, &title, Face::Value);
    x += TITLE;
    let ports: Vec<String> = it.ports.iter().map(u16::to_string).collect();
    if !is_named_by_port(it) || it.title != *ports.join(", ") {
        let ports = text::fit(
            &ports.join(", "),
            usize::from(PORTS - 2),
            paint.glyphs.ellipsis,
        );
        paint.text(x, place.y, PORTS - 2, &ports, Face::Dim);
    }
    x += PORTS;
    paint.text(x, place.y, STATE, it.state.word(), face);
    x += STATE;
    let room = place.right().saturating_sub(x);
    let pieces = open(app, launcher, it);
    paint.pieces(x, place.y, room, &pieces);
}

fn shape(paint: &Paint<'_>, state: &AppState) -> (&'static str, Face) {
    let shapes = &paint.glyphs.shapes;
    match state {
        AppState::Running => (shapes.good, Face::StatusGood),
        AppState::Starting => (shapes.progress, Face::StatusProgress),
        AppState::Stopped => (shapes.ended, Face::Dim),
        AppState::Failed { .. } => (shapes.bad, Face::StatusBad),
        AppState::Unknown => (shapes.neutral, Face::Dim),
    }
}

/// The forwards to an app.
fn forwards<'a>(
    app: &'a App,
    launcher: &AppLauncher,
    it: &'a SessionApp,
) -> impl Iterator<Item = &'a Forward> {
    let all = app.mirror.forwards_of(launcher.session);
    all.filter(move |forward| match &forward.target {
        ForwardTarget::App { app, .. } => *app == it.name,
        ForwardTarget::Port { port } => is_named_by_port(it) && it.ports.contains(port),
        ForwardTarget::Ssh => false,
    })
}

/// The ports of this machine that lead to an app, public ones first.
fn open(app: &App, launcher: &AppLauncher, it: &SessionApp) -> Vec<Piece> {
    let mut all: Vec<&Forward> = forwards(app, launcher, it).collect();
    all.sort_by_key(|forward| forward.public.is_none());
    let mut pieces = Vec::new();
    for forward in all {
        match forward.public {
            Some(_) => pieces.push(piece(
                tr!("PUBLIC :{port} ", port = forward.port),
                Face::Bad,
            )),
            None => pieces.push(piece(format!(":{} ", forward.port), Face::Text)),
        }
    }
    pieces
}

/// What is to know about the marked row.
fn foot_of(app: &App, launcher: &AppLauncher) -> Option<(String, Face)> {
    let entries = launcher.listing.entries();
    let it = match entries.get(launcher.list.marked())? {
        Entry::App(it) => it,
        Entry::Port => {
            let text = tr!("A port of this machine leads to a port of the session.");
            return Some((text.to_owned(), Face::Dim));
        }
        Entry::Ssh => {
            let text = tr!("workbay's own SSH server: the session needs no sshd.");
            return Some((text.to_owned(), Face::Dim));
        }
    };
    if let AppState::Failed { why } = &it.state {
        return Some((tr!("It ended: {why}", why), Face::Bad));
    }
    let urls: Vec<&str> = forwards(app, launcher, it)
        .map(|forward| forward.address_url.as_str())
        .collect();
    if !urls.is_empty() {
        return Some((tr!("Open at {urls}", urls = urls.join(", ")), Face::Dim));
    }
    if it.state == AppState::Stopped && !it.startable {
        let text = tr!("It isn't running. Start it in a shell of the session.");
        return Some((text.to_owned(), Face::Dim));
    }
    let source = match it.source {
        AppSource::Image => tr!("A service of the session's image."),
        AppSource::Catalog => tr!("From the environment catalog."),
        AppSource::Installed => tr!("Installed in the session."),
        AppSource::Preopened => tr!("Opened at launch."),
        AppSource::Listening => tr!("A program in the session listens on this port."),
    };
    Some((source.to_owned(), Face::Dim))
}
