//! The dialog that keeps a session from being reclaimed: which check reclaims it, when, and how to prevent
//! it.

use jiff::Timestamp;
use ratatui::layout::Rect;

use super::{detail::short_moment, dialog, idle, paint::Paint, text};
use crate::{
    app::{
        app::App,
        area::Areas,
        clock,
        keep::{self, KeepForm, Offer},
    },
    model::{
        reclaim::{Reclaim, nearest, reclaim},
        session::Session,
    },
    theme::face::Face,
};

const WIDTH: u16 = 66;
/// Cells of a row's title.
const TITLE: u16 = 20;

pub fn area(app: &App, form: &KeepForm, screen: Rect) -> Rect {
    // Border, blank, the reclaim time, blank, the rows, blank, whom to ask, blank, border.
    let rows = rows_of(app, form) as u16;
    dialog::place(screen, WIDTH, rows + 8)
}

/// The positions of the rows.
pub fn rows(app: &App, form: &KeepForm, area: Rect) -> Rect {
    let inner = dialog::rows(area, 4, 4);
    let rows = rows_of(app, form) as u16;
    Rect {
        height: rows.min(inner.height),
        ..inner
    }
}

/// The number of rows doesn't depend on the time.
fn rows_of(app: &App, form: &KeepForm) -> usize {
    app.keep_offers(form, Timestamp::UNIX_EPOCH).len()
}

pub fn draw(paint: &mut Paint<'_>, app: &App, form: &KeepForm, areas: &Areas, now: Timestamp) {
    let (Some(area), Some(rows)) = (areas.dialog, areas.keep_rows) else {
        return;
    };
    let title = format!("Keep {}", form.name);
    let inner = dialog::frame(paint, areas.screen, area, &title, Face::Title);
    let Some(session) = app.full(form.session) else {
        return;
    };
    let (what, face) = end(app, &session, now);
    paint.text(inner.x, inner.y + 1, inner.width, &what, face);
    let offers = app.keep_offers(form, now);
    let marked = form.marked(&offers);
    for (line, offer) in offers.iter().take(usize::from(rows.height)).enumerate() {
        let place = Rect::new(rows.x, rows.y + line as u16, rows.width, 1);
        if line == marked {
            dialog::mark(paint, place);
        }
        draw_offer(paint, app, place, offer, now);
    }
    let told = app.reprieves.told(form.session.context);
    if let Some(whom) = keep::whom_to_ask(&offers, told) {
        paint.text(inner.x, rows.bottom() + 1, inner.width, &whom, Face::Dim);
    }
}

fn draw_offer(paint: &mut Paint<'_>, app: &App, place: Rect, offer: &Offer, now: Timestamp) {
    let face = if offer.allowed { Face::Text } else { Face::Dim };
    paint.text(place.x + 2, place.y, TITLE - 2, &offer.title, face);
    let note = match offer.until {
        Some(until) => format!("until {}, {}", short_moment(app, until, now), offer.note),
        None => offer.note.clone(),
    };
    let room = place.width.saturating_sub(TITLE);
    let note = text::fit(&note, usize::from(room), paint.glyphs.ellipsis);
    paint.text(place.x + TITLE, place.y, room, &note, Face::Dim);
}

/// A sentence that says which check reclaims the session, and when.
fn end(app: &App, session: &Session, now: Timestamp) -> (String, Face) {
    match (reclaim(session), nearest(&session.idle_checks)) {
        (Reclaim::Exempt, _) => (
            "The session is exempt from idle checks.".to_owned(),
            Face::Text,
        ),
        (Reclaim::At(until), Some((check, _))) if until > now => {
            let left = clock::coarse(until.as_second() - now.as_second());
            let (at, name) = (short_moment(app, until, now), check.checker.title());
            let (_, face) = idle::until_end(session, now);
            (format!("{name} will reclaim it in {left}, at {at}."), face)
        }
        (Reclaim::Due | Reclaim::At(_), _) => (
            "A limit is reached: it may be reclaimed any moment.".to_owned(),
            Face::Bad,
        ),
        (Reclaim::Never, _) => ("No idle check will reclaim it soon.".to_owned(), Face::Text),
    }
}
