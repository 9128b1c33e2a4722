//! An opened app or port: its URL, the command for your computer, and the QR code.

use jiff::Timestamp;
use ratatui::layout::Rect;

use super::{LABEL, lines_of, paragraph, piece, room, unbroken, with_rows};
use crate::{
    app::{
        app::App,
        area::DialogAreas,
        durations,
        panels::apps::opened::{OpenedPage, masked},
    },
    model::{
        app::AppProtocol,
        forward::{Forward, PublicAccess},
        text::Clean,
    },
    terminal::{
        attributes::Underline,
        link::{Link, Numbers},
    },
    theme::face::Face,
    view::{dialog, paint::Paint, qr::Qr, text},
};

/// The places of the links of dialogs, beyond those of panes.
const LINKS: u32 = u32::MAX - 4096;

/// The URL as it is shown.
fn url(page: &OpenedPage, mask: &str) -> String {
    if page.revealed {
        page.opened.url.clone()
    } else {
        masked(&page.opened.url, mask)
    }
}

fn values(screen: Rect) -> u16 {
    room(screen).saturating_sub(LABEL)
}

/// What to do with the URL.
fn advice(page: &OpenedPage, app: &App) -> String {
    let forward = &page.opened.forward;
    let is_remote = app.facts.ssh_connection.is_some();
    match (&forward.public, forward.protocol, is_remote) {
        (Some(_), ..) => tr!("Other machines use the URL as it is.").to_owned(),
        (None, AppProtocol::Http, true) => tr!(
            "Run the ssh command on your computer, then open the URL there. The URL works once, \
             and for a few minutes."
        )
        .to_owned(),
        (None, AppProtocol::Http, false) => {
            tr!("The URL works once, and for a few minutes. The browser stays logged in.")
                .to_owned()
        }
        (None, AppProtocol::Tcp, _) => tr!(
            "Clients connect to the port of this machine. From your computer, run the ssh command \
             first."
        )
        .to_owned(),
    }
}

pub fn place(page: &OpenedPage, app: &App, screen: Rect) -> DialogAreas {
    if page.qr {
        let rows = qr_of(app, &page.opened.forward).map_or(3, |(_, qr)| qr.size().1);
        let height = (rows + 4).min(screen.height.saturating_sub(1));
        let area = dialog::place(screen, super::WIDTH.min(screen.width), height);
        return dialog::areas(screen, area, dialog::rows(area, 1, 1));
    }
    let forward = &page.opened.forward;
    let tunnel = app.facts.ssh_route().tunnel(forward.port);
    let cells = values(screen);
    let mut rows = 2 + unbroken(&page.opened.url, cells).len() as u16;
    rows += 1 + unbroken(&tunnel, cells).len() as u16;
    if forward.public.is_some() {
        rows += 3;
    }
    let mut below = 1 + lines_of(&advice(page, app), room(screen));
    if let Some(remark) = &page.opened.remark {
        below += 1 + lines_of(remark.as_str(), room(screen));
    }
    with_rows(screen, 1, rows, below + 1)
}

pub fn draw(
    paint: &mut Paint<'_>,
    app: &App,
    page: &OpenedPage,
    areas: &DialogAreas,
    now: Timestamp,
) {
    let rows = areas.rows;
    let forward = &page.opened.forward;
    if page.qr {
        return draw_qr(paint, app, forward, rows);
    }
    let mut y = rows.y;
    let shape = paint.glyphs.shapes.good;
    let text = tr!(
        "{shape} {title} is open on port {port}",
        shape,
        title = forward.title,
        port = forward.port
    );
    paint.text(rows.x, y, rows.width, &text, Face::StatusGood);
    y += 2;
    let shown = url(page, paint.glyphs.masked);
    let number = page.urls;
    let link = Target {
        url: &page.opened.url,
        number,
    };
    y = value(paint, rows, y, tr!("URL"), &shown, Some(&link), app);
    let tunnel = app.facts.ssh_route().tunnel(forward.port);
    y = value(
        paint,
        rows,
        y + 1,
        tr!("On your computer"),
        &tunnel,
        None,
        app,
    );
    if let Some(public) = &forward.public {
        y += 1;
        draw_public(paint, rows, y, public, now);
        y += 2;
    }
    let inner = Rect {
        height: areas.area.bottom().saturating_sub(rows.y + 1),
        ..rows
    };
    let y = paragraph(paint, inner, y + 1, &advice(page, app), Face::Dim);
    if let Some(remark) = &page.opened.remark {
        paragraph(
            paint,
            inner,
            y + 1,
            &text::sentence(remark.as_str()),
            Face::Warning,
        );
    }
}

/// The address of a link.
pub(super) struct Target<'a> {
    pub url: &'a str,
    pub number: u32,
}

/// A label and a text in as many lines as it needs. Returns the line after them.
pub(super) fn value(
    paint: &mut Paint<'_>,
    rows: Rect,
    y: u16,
    label: &str,
    text: &str,
    target: Option<&Target<'_>>,
    app: &App,
) -> u16 {
    paint.text(rows.x, y, LABEL - 1, label, Face::Label);
    let x = rows.x + LABEL;
    let room = rows.width.saturating_sub(LABEL);
    let mut at = y;
    for line in unbroken(text, room) {
        let end = paint.text(x, at, room, line, Face::Value);
        if let Some(target) = target {
            link(
                paint,
                app,
                Rect::new(x, at, end.saturating_sub(x), 1),
                target,
            );
        }
        at += 1;
    }
    at
}

/// Makes cells a link, which terminals open on a click.
fn link(paint: &mut Paint<'_>, app: &App, cells: Rect, target: &Target<'_>) {
    let mut numbers = Numbers::of_place(LINKS + target.number % 4096);
    let schemes = &app.facts.terminal.link_schemes;
    let link = Link::parse(b"", target.url.as_bytes(), schemes, &mut numbers);
    if link.is_some() {
        for x in cells.left()..cells.right() {
            paint.extras.set(x, cells.y, Underline::None, link.as_ref());
        }
    }
}

/// Makes the URL of a forward a link.
pub fn link_to(paint: &mut Paint<'_>, app: &App, cells: Rect, url: &str, number: u64) {
    let number = u32::try_from(number % 4096).unwrap_or_default();
    link(paint, app, cells, &Target { url, number });
}

fn draw_public(paint: &mut Paint<'_>, rows: Rect, y: u16, public: &PublicAccess, now: Timestamp) {
    let pieces = [
        piece(tr!("PUBLIC"), Face::Bad),
        piece(format!("  {}", audience(public)), Face::Text),
    ];
    paint.pieces(rows.x, y, rows.width, &pieces);
    if y + 1 < rows.bottom() {
        paint.text(rows.x, y + 1, rows.width, &until(public, now), Face::Dim);
    }
}

/// Who may use a public forward.
pub fn audience(public: &PublicAccess) -> String {
    if public.allowed.is_empty() {
        return tr!("open to everyone who reaches this machine, without a token").to_owned();
    }
    let networks: Vec<&str> = public.allowed.iter().map(Clean::as_str).collect();
    tr!(
        "open to {networks}, without a token",
        networks = networks.join(", ")
    )
}

/// When a public forward is closed.
pub fn until(public: &PublicAccess, now: Timestamp) -> String {
    match public.until {
        Some(until) => {
            let left = until.as_second().saturating_sub(now.as_second());
            tr!("It closes in {max}.", max = durations::coarse(left.max(0)))
        }
        None => tr!("It stays open until you close it.").to_owned(),
    }
}

/// The URL for other machines, and its QR code. `None` if only this machine reaches it.
pub fn qr_of(app: &App, forward: &Forward) -> Option<(String, Qr)> {
    let url = app.facts.ssh_route().public_url(forward)?;
    let qr = Qr::new(&url)?;
    Some((url, qr))
}

/// Draws the QR code of a public forward, or why it can't be drawn.
pub fn draw_qr(paint: &mut Paint<'_>, app: &App, forward: &Forward, rows: Rect) {
    let Some((url, qr)) = qr_of(app, forward) else {
        let text = tr!("Only public forwards have a QR code.");
        paint.text(rows.x, rows.y, rows.width, text, Face::Text);
        return;
    };
    let (columns, lines) = qr.size();
    if !app.facts.unicode {
        let text = tr!("QR codes need a terminal with Unicode.");
        paint.text(rows.x, rows.y, rows.width, text, Face::Text);
        return;
    }
    if columns > rows.width || lines + 2 > rows.height {
        let text = tr!(
            "The QR code needs a larger terminal: {columns} columns, {lines} rows.",
            columns = columns + 6,
            lines = lines + 5
        );
        paragraph(paint, rows, rows.y, &text, Face::Text);
        return;
    }
    paint.centred(rows, rows.y, &url, Face::Value);
    let area = Rect {
        y: rows.y + 1,
        height: lines,
        ..rows
    };
    qr.draw(paint, area);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        app::testing::facts,
        keymap::Keymap,
        theme::{Theme, color::ColorDepth},
        view::{glyphs::Glyphs, surface::Surface},
    };

    #[test]
    fn a_url_is_a_link_for_the_terminal() {
        let app = App::new(facts(), Keymap::default());
        let theme = Theme::builtin("default-dark", ColorDepth::TrueColor).unwrap();
        let mut surface = Surface::empty(Rect::new(0, 0, 20, 2));
        let mut paint = Paint::new(&mut surface, &theme, Glyphs::choose(true));
        let (first, second) = (Rect::new(2, 0, 3, 1), Rect::new(2, 1, 3, 1));
        link_to(&mut paint, &app, first, "http://h:1/?a", 7);
        link_to(&mut paint, &app, second, "javascript:alert(1)", 8);
        let link = surface.extras.at(4, 0).and_then(|it| it.link.clone());
        assert_eq!(link.unwrap().address(), "http://h:1/?a");
        assert!(surface.extras.at(5, 0).is_none());
        assert!(surface.extras.at(2, 1).is_none());
    }
}
