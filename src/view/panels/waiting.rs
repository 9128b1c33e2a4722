//! Shows why a session waits: its reason, its position in the queue, and what could start now.

use jiff::Timestamp;
use ratatui::layout::Rect;

use super::Dialog;
use crate::{
    app::{
        app::App,
        area::DialogAreas,
        durations,
        panels::{DialogButton, waiting::WaitingDialog},
    },
    model::session::Session,
    rules::ahead::{self, Outlook},
    theme::face::Face,
    view::{dialog, paint::Paint, text},
};

const WIDTH: u16 = 76;
/// Maximum lines of the reason.
const REASON: usize = 5;
/// Lines of an answer that isn't a list.
const ANSWER: usize = 2;

/// The width of the question, and its buttons.
const QUESTION_WIDTH: u16 = 58;
const BUTTONS: [&str; 2] = [tr_later!("   No   "), tr_later!("  Replace  ")];

impl Dialog for WaitingDialog {
    fn place(&self, app: &App, screen: Rect) -> DialogAreas {
        if let Some((question, _)) = self.question() {
            return place_question(&question, screen);
        }
        let reason = reason(app, self, screen).len();
        let height = 8 + reason + rows_of(self);
        let area = dialog::place(screen, WIDTH.min(screen.width), height as u16);
        let inner = dialog::rows(area, 5 + reason as u16, 3);
        let height = inner.height.min(rows_of(self) as u16);
        dialog::areas(screen, area, Rect { height, ..inner })
    }

    fn draw(&self, paint: &mut Paint<'_>, app: &App, areas: &DialogAreas, now: Timestamp) {
        if let Some(question) = self.question() {
            return draw_question(paint, self, &question, areas);
        }
        let rows = areas.rows;
        let title = tr!("Why {name} waits", name = self.name);
        let inner = dialog::frame(paint, areas.screen, areas.area, &title, Face::Title);
        let mut y = inner.y + 1;
        let place = app.full(self.session).map(|it| standing(&it, now));
        paint.text(
            inner.x,
            y,
            inner.width,
            &place.unwrap_or_default(),
            Face::Dim,
        );
        for line in reason(app, self, areas.screen) {
            y += 1;
            paint.text(inner.x, y, inner.width, &line, Face::Text);
        }
        paint.text(
            inner.x,
            rows.y - 1,
            inner.width,
            tr!("What would help"),
            Face::Title,
        );
        draw_rows(paint, self, rows);
        if self.found().is_some_and(|found| !found.is_empty()) {
            let text = tr!("A new session replaces this one in the queue.");
            let text = text::fit(text, usize::from(inner.width), paint.glyphs.ellipsis);
            paint.text(inner.x, inner.bottom() - 1, inner.width, &text, Face::Dim);
        }
    }
}

fn place_question(question: &str, screen: Rect) -> DialogAreas {
    let lines = text::wrap(question, usize::from(QUESTION_WIDTH - 6)).len() as u16;
    // The border, a blank line around the text and the buttons.
    let area = dialog::place(screen, QUESTION_WIDTH, lines + 6);
    DialogAreas {
        screen,
        area,
        buttons: dialog::buttons(area, BUTTONS),
        ..DialogAreas::default()
    }
}

fn draw_question(
    paint: &mut Paint<'_>,
    open: &WaitingDialog,
    (question, button): &(String, DialogButton),
    areas: &DialogAreas,
) {
    let title = tr!("Replace {name}?", name = open.name);
    let inner = dialog::frame(paint, areas.screen, areas.area, &title, Face::Title);
    let lines = text::wrap(question, usize::from(QUESTION_WIDTH - 6));
    for (line, y) in lines.iter().zip(inner.y + 1..) {
        paint.text(inner.x, y, inner.width, line, Face::Text);
    }
    dialog::draw_buttons(paint, areas.buttons, BUTTONS, *button);
}

fn rows_of(open: &WaitingDialog) -> usize {
    open.found().map_or(ANSWER, |found| found.len().max(ANSWER))
}

fn reason(app: &App, open: &WaitingDialog, screen: Rect) -> Vec<String> {
    let session = app.full(open.session);
    let message = session.as_ref().and_then(|it| it.status_message.clone());
    let message = message.map_or_else(String::new, |it| it.to_string());
    let room = usize::from(WIDTH.min(screen.width)) - 6;
    let mut lines = text::wrap(&message, room);
    lines.truncate(REASON);
    if let Some(line) = session.as_ref().and_then(|it| around(app, it)) {
        lines.extend(text::wrap(&line, room).into_iter().take(REASON));
    }
    if let Some(line) = session.as_ref().and_then(|it| start(app, it)) {
        lines.extend(text::wrap(&line, room).into_iter().take(REASON));
    }
    lines
}

/// The sessions ahead, or for the first session in the queue, the sessions that block it.
fn around(app: &App, session: &Session) -> Option<String> {
    let before = ahead::ahead(session, app.mirror.sessions());
    if !before.is_empty() {
        return Some(tr!("Ahead: {before}", before = ahead::named(&before)));
    }
    let holders = ahead::holders(session, app.mirror.sessions());
    let in_line = session.placement.queue_position.is_some();
    (in_line && !holders.is_empty())
        .then(|| tr!("Blocked by: {holders}", holders = ahead::named(&holders)))
}

/// The sessions whose end starts this one.
fn start(app: &App, session: &Session) -> Option<String> {
    session.placement.queue_position?;
    let state = app.mirror.context(session.context);
    let statistics = state.and_then(|state| state.statistics.as_deref());
    match ahead::outlook(session, app.mirror.sessions(), statistics) {
        Outlook::Ends(ended) => Some(tr!("Starts when {ended}", ended = ahead::ends(&ended))),
        _ => None,
    }
}

fn draw_rows(paint: &mut Paint<'_>, open: &WaitingDialog, rows: Rect) {
    let found = match (open.found(), open.failure()) {
        (_, Some(why)) => return answer(paint, rows, why.as_str(), Face::Bad),
        (None, _) => return answer(paint, rows, tr!("Loading what could start now"), Face::Dim),
        (Some([]), _) => {
            let text = tr!(
                "No smaller launch would start now: other sessions are ahead, or \
                        a session must end first."
            );
            return answer(paint, rows, text, Face::Text);
        }
        (Some(found), _) => found,
    };
    for (line, it) in found.iter().take(usize::from(rows.height)).enumerate() {
        let place = Rect::new(rows.x, rows.y + line as u16, rows.width, 1);
        if line == open.marked() {
            dialog::mark(paint, place);
        }
        paint.text(place.x + 2, place.y, place.width - 2, &it.words, Face::Text);
    }
}

fn answer(paint: &mut Paint<'_>, rows: Rect, text: &str, face: Face) {
    let lines = text::wrap(text, usize::from(rows.width));
    for (line, y) in lines.iter().zip(rows.top()..rows.bottom()) {
        paint.text(rows.x, y, rows.width, line, face);
    }
}

/// `PENDING for 12m, #3 in the queue of default`.
fn standing(session: &Session, now: Timestamp) -> String {
    let waited = durations::coarse(session.elapsed_seconds(now));
    let place = session.placement.queue_position;
    let place = place.map(|place| tr!(", #{place} in the queue", place = place + 1));
    let group = session.placement.resource_group.as_ref();
    let group = group.map(|group| tr!(" of {group}", group));
    let place = place.map(|place| place + &group.unwrap_or_default());
    let starts = session.placement.starts_by.map(|at| {
        let left = durations::coarse(at.duration_since(now).as_secs());
        tr!("; starts in {left} or earlier", left)
    });
    tr!(
        "{status} for {waited}{place}{starts}",
        status = session.status,
        waited,
        place = place.unwrap_or_default(),
        starts = starts.unwrap_or_default()
    )
}
