//! The dialog that keeps a session from being reclaimed: which check reclaims it, when, and how to prevent
//! it.

use jiff::Timestamp;
use ratatui::layout::Rect;

use super::Dialog;
use crate::{
    app::{
        app::App,
        area::DialogAreas,
        durations,
        panels::extend::{ExtendDialog, ExtendRow, refusal, whom_to_ask},
    },
    locale,
    model::session::Session,
    rules::reclaim::{Reclaim, nearest, reclaim},
    theme::face::Face,
    view::{detail::short_moment, dialog, idle_cell, paint::Paint, text},
};

const WIDTH: u16 = 66;
/// Cells of a row's title.
const TITLE: u16 = 20;

/// The only button if nothing is allowed.
const CLOSE: &str = tr_later!("  Close  ");

impl Dialog for ExtendDialog {
    fn place(&self, app: &App, screen: Rect) -> DialogAreas {
        if let Some(why) = refused(app, self) {
            return place_refusal(&why, screen);
        }
        // The number of rows doesn't depend on the time.
        let rows = self.offers(&app.env(Timestamp::UNIX_EPOCH)).len() as u16;
        // Border, blank, the reclaim time, blank, the rows, blank, whom to ask, blank, border.
        let area = dialog::place(screen, WIDTH, rows + 8);
        let inner = dialog::rows(area, 4, 4);
        let height = rows.min(inner.height);
        dialog::areas(screen, area, Rect { height, ..inner })
    }

    fn draw(&self, paint: &mut Paint<'_>, app: &App, areas: &DialogAreas, now: Timestamp) {
        let rows = areas.rows;
        let title = tr!("Keep {name}", name = self.name);
        let inner = dialog::frame(paint, areas.screen, areas.area, &title, Face::Title);
        let Some(session) = app.full(self.session) else {
            return;
        };
        let (what, face) = end(app, &session, now);
        paint.text(inner.x, inner.y + 1, inner.width, &what, face);
        if let Some(why) = refused(app, self) {
            return draw_refusal(paint, &why, inner, rows);
        }
        let offers = self.offers(&app.env(now));
        let marked = self.marked(&offers);
        for (line, offer) in offers.iter().take(usize::from(rows.height)).enumerate() {
            let place = Rect::new(rows.x, rows.y + line as u16, rows.width, 1);
            if line == marked {
                dialog::mark(paint, place);
            }
            draw_offer(paint, app, place, offer, now);
        }
        let rules = app.extension_rules.state(self.session.context);
        if let Some(whom) = whom_to_ask(&offers, rules) {
            paint.text(inner.x, rows.bottom() + 1, inner.width, &whom, Face::Dim);
        }
    }
}

fn refused(app: &App, open: &ExtendDialog) -> Option<Vec<String>> {
    let session = app.full(open.session)?;
    let why = refusal(&session, app.extension_rules.state(open.session.context))?;
    Some(text::wrap(&why, usize::from(WIDTH - 6)))
}

fn place_refusal(why: &[String], screen: Rect) -> DialogAreas {
    // Border, blank, the reclaim time, the reason, blank, the button, blank, border.
    let area = dialog::place(screen, WIDTH, why.len() as u16 + 7);
    let width = text::width(locale::text(CLOSE)) as u16;
    let x = area.right().saturating_sub(width + 3);
    let button = Rect::new(x, area.bottom().saturating_sub(3), width, 1);
    dialog::areas(screen, area, button)
}

fn draw_refusal(paint: &mut Paint<'_>, why: &[String], inner: Rect, button: Rect) {
    for (line, y) in why.iter().zip(inner.y + 2..) {
        paint.text(inner.x, y, inner.width, line, Face::Text);
    }
    paint.text(
        button.x,
        button.y,
        button.width,
        locale::text(CLOSE),
        Face::ButtonActive,
    );
}

fn draw_offer(paint: &mut Paint<'_>, app: &App, place: Rect, offer: &ExtendRow, now: Timestamp) {
    let face = if offer.allowed { Face::Text } else { Face::Dim };
    paint.text(place.x + 2, place.y, TITLE - 2, &offer.title, face);
    let note = match offer.until {
        Some(until) => tr!(
            "until {now}, {note}",
            now = short_moment(app, until, now),
            note = offer.note
        ),
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
            tr!("The session is exempt from idle checks.").to_owned(),
            Face::Text,
        ),
        (Reclaim::At(until), Some((check, _))) if until > now => {
            let left = durations::coarse(until.as_second() - now.as_second());
            let (at, name) = (short_moment(app, until, now), check.checker.title());
            let (_, face) = idle_cell::until_end(session, now);
            (
                tr!("{name} will reclaim it in {left}, at {at}.", name, left, at),
                face,
            )
        }
        (Reclaim::Due | Reclaim::At(_), _) => (
            tr!("A limit is reached: it may be reclaimed any moment.").to_owned(),
            Face::Bad,
        ),
        (Reclaim::Never, _) => (
            tr!("No idle check will reclaim it soon.").to_owned(),
            Face::Text,
        ),
    }
}
