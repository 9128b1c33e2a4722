//! An app at the app proxy of a cluster: its URL, or its address for other programs.

use ratatui::layout::Rect;

use super::{
    LABEL, lines_of,
    opened::{Target, value},
    paragraph, room, unbroken, with_rows,
};
use crate::{
    app::{
        app::App,
        area::DialogAreas,
        panels::apps::opened::{ProxiedPage, masked},
    },
    locale,
    theme::face::Face,
    view::paint::Paint,
};

const OF_URL: &str = tr_later!(
    "The cluster serves it: the URL works on every computer that reaches the cluster, and \
                      stays open without workbay. Everyone who has it can open the app."
);
const OF_ADDRESS: &str = tr_later!(
    "The cluster serves it: clients on every computer that reaches the cluster connect to \
                          the address, without workbay."
);

fn advice(page: &ProxiedPage) -> &'static str {
    match page.proxied.address {
        Some(_) => locale::text(OF_ADDRESS),
        None => locale::text(OF_URL),
    }
}

pub fn place(page: &ProxiedPage, screen: Rect) -> DialogAreas {
    let cells = room(screen).saturating_sub(LABEL);
    let rows = 2 + unbroken(page.target(), cells).len() as u16;
    let below = 2 + lines_of(advice(page), room(screen));
    with_rows(screen, 1, rows, below)
}

pub fn draw(paint: &mut Paint<'_>, app: &App, page: &ProxiedPage, areas: &DialogAreas) {
    let rows = areas.rows;
    let shape = paint.glyphs.shapes.good;
    let text = tr!(
        "{shape} {title} is open at the cluster's app proxy",
        shape,
        title = page.title
    );
    paint.text(rows.x, rows.y, rows.width, &text, Face::StatusGood);
    let y = rows.y + 2;
    let y = match &page.proxied.address {
        Some(address) => value(paint, rows, y, tr!("Address"), address, None, app),
        None => {
            let url = &page.proxied.url;
            let shown = if page.revealed {
                url.clone()
            } else {
                masked(url, paint.glyphs.masked)
            };
            let target = Target { url, number: 0 };
            value(paint, rows, y, tr!("URL"), &shown, Some(&target), app)
        }
    };
    let inner = Rect {
        height: areas.area.bottom().saturating_sub(rows.y + 1),
        ..rows
    };
    paragraph(paint, inner, y + 1, advice(page), Face::Dim);
}
