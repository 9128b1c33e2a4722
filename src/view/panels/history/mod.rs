//! The scheduling history of a session: a table of its entries, the steps of unfolded entries, and the
//! details of the marked entry.

mod columns;

use jiff::Timestamp;
use ratatui::layout::Rect;

use super::Dialog;
use crate::{
    app::{
        app::App,
        area::DialogAreas,
        panels::history::{HistoryState, HistoryTable, ShownLine, SortedBy},
    },
    model::{
        capability::Capability,
        history::{HistoryEntry, Outcome, SubStep},
        status::Status,
        text::Clean,
    },
    theme::face::Face,
    view::{
        dialog,
        paint::{Paint, Piece},
        text,
    },
};
use columns::{HistoryColumn, HistoryPlace};

const WIDTH: u16 = 150;
/// Lines above the table inside the frame: the filter, a blank one, the head.
const ABOVE: u16 = 4;
/// Lines below it, at least: the message of the marked entry or step, and its facts.
const FOOT: u16 = 3;
/// Lines of the table that stay when a message is long.
const LEAST_ROWS: u16 = 3;

impl Dialog for HistoryTable {
    fn place(&self, _: &App, screen: Rect) -> DialogAreas {
        let around = if screen.height >= 30 { 6 } else { 1 };
        let height = screen.height.saturating_sub(around);
        let area = dialog::place(screen, WIDTH.min(screen.width), height);
        // The frame, and a blank line between the table and the message.
        let around = ABOVE + 2;
        let room = usize::from(area.height.saturating_sub(around + LEAST_ROWS));
        let lines = message_lines(self, area.width.saturating_sub(6)).len() + 1;
        let foot = (lines.min(room) as u16).max(FOOT);
        dialog::areas(screen, area, dialog::rows(area, ABOVE, foot + 2))
    }

    fn draw(&self, paint: &mut Paint<'_>, app: &App, areas: &DialogAreas, now: Timestamp) {
        let rows = areas.rows;
        let title = tr!("Scheduling history of {name}", name = self.name());
        let inner = dialog::frame(paint, areas.screen, areas.area, &title, Face::Title);
        draw_filter(paint, self, Rect { height: 1, ..inner });
        let places = columns::places(rows.width);
        let table = HistoryView {
            app,
            open: self,
            places: &places,
            now,
        };
        table.draw_head(paint, rows);
        table.draw_rows(paint, rows);
        let top = rows.bottom() + 1;
        let foot = Rect::new(inner.x, top, inner.width, inner.bottom() - top);
        table.draw_foot(paint, foot);
    }
}

/// The message of the marked entry or step, in lines for a foot of `width` cells.
fn message_lines(open: &HistoryTable, width: u16) -> Vec<String> {
    let said = |message: Option<&Clean>| message.map(ToString::to_string).unwrap_or_default();
    let message = match (open.marked_step(), open.entry(open.marked())) {
        // Its line can be too short for its name.
        (Some(step), _) if step.message.is_some() => {
            format!("{}: {}", step.step, said(step.message.as_ref()))
        }
        (Some(step), _) => step.step.to_string(),
        (None, Some(entry)) => said(entry.message.as_ref()),
        (None, None) => String::new(),
    };
    text::wrap(&message, usize::from(width.saturating_sub(1)))
}

fn draw_filter(paint: &mut Paint<'_>, open: &HistoryTable, line: Rect) {
    let count = match open.state() {
        _ if open.asking => tr!("loading").to_owned(),
        HistoryState::Known(all) if open.shown().len() < all.len() => {
            tr!(
                "{shown} of {all}",
                shown = open.shown().len(),
                all = all.len()
            )
        }
        HistoryState::Known(all) if all.len() == 1 => tr!("1 entry").to_owned(),
        HistoryState::Known(all) => tr!("{all} entries", all = all.len()),
        HistoryState::Asked | HistoryState::Failed(_) => String::new(),
    };
    paint.right(line.x, line.y, line.width, &count, Face::Dim);
    let room = line.width.saturating_sub(text::width(&count) as u16 + 3);
    if open.typing || !open.query().is_empty() {
        let x = paint.text(line.x + 1, line.y, 2, "/ ", Face::Accent);
        let field = Rect::new(x, line.y, room.saturating_sub(3), 1);
        paint.input(field, open.query(), open.typing);
        return;
    }
    let label = format!("{} ", tr!("filter by"));
    let x = paint.text(line.x + 1, line.y, room, &label, Face::Dim);
    let room = usize::from(room).saturating_sub(text::width(&label) + 1);
    paint.text(x, line.y, room as u16, &properties(room), Face::Placeholder);
}

/// The properties that a filter can use, as many as fit.
fn properties(room: usize) -> String {
    let all = "phase: result: from: to: error: message: id: created: updated:";
    let mut shown = String::new();
    for property in all.split(' ') {
        if shown.len() + property.len() + 1 > room {
            break;
        }
        if !shown.is_empty() {
            shown.push(' ');
        }
        shown.push_str(property);
    }
    shown
}

struct HistoryView<'a> {
    app: &'a App,
    open: &'a HistoryTable,
    places: &'a [HistoryPlace],
    now: Timestamp,
}

impl HistoryView<'_> {
    fn draw_head(&self, paint: &mut Paint<'_>, rows: Rect) {
        for place in self.places {
            let sorted = match self.open.sorted_by {
                SortedBy::Updated => place.column == HistoryColumn::Updated,
                // Without a column for the creation time, the other column shows it.
                SortedBy::Created => {
                    let has = |it: &HistoryPlace| it.column == HistoryColumn::Created;
                    place.column == HistoryColumn::Created
                        || (place.column == HistoryColumn::Updated && !self.places.iter().any(has))
                }
            };
            let mut text = match (place.column, self.open.sorted_by) {
                (HistoryColumn::Updated, SortedBy::Created) if sorted => tr!("Created").to_owned(),
                (column, _) => column.title().to_owned(),
            };
            let face = if sorted {
                let arrow = if self.open.oldest_first {
                    paint.glyphs.up
                } else {
                    paint.glyphs.down
                };
                text = format!("{text} {arrow}");
                Face::TableSorted
            } else {
                Face::TableHead
            };
            paint.text(rows.x + place.x, rows.y - 1, place.width, &text, face);
        }
    }

    /// A session that waits behind others has no entries yet. Its status message says why.
    fn nothing_yet(&self) -> String {
        let session = self.app.mirror.session(self.open.session());
        let waits = session.filter(|it| it.status == Status::Pending);
        match waits.and_then(|it| it.status_message.as_ref()) {
            Some(why) if !why.is_empty() => tr!("No entries yet: {why}", why),
            _ => tr!("No entries yet").to_owned(),
        }
    }

    fn draw_rows(&self, paint: &mut Paint<'_>, rows: Rect) {
        let empty = match self.open.state() {
            HistoryState::Asked => {
                Some((tr!("Loading the scheduling history").to_owned(), Face::Dim))
            }
            HistoryState::Failed(why) => Some((why.to_string(), Face::Bad)),
            HistoryState::Known(all) if all.is_empty() => Some((self.nothing_yet(), Face::Dim)),
            HistoryState::Known(_) if self.open.shown().len() == 0 => {
                Some((tr!("No entry matches the filter").to_owned(), Face::Dim))
            }
            HistoryState::Known(_) => None,
        };
        if let Some((text, face)) = empty {
            let lines = text::wrap(&text, usize::from(rows.width.saturating_sub(2)));
            for (line, y) in lines.iter().zip(rows.top()..rows.bottom()) {
                paint.text(rows.x + 1, y, rows.width, line, face);
            }
            return;
        }
        let lines = self.open.lines();
        let seen = lines.iter().skip(self.open.scroll());
        for (line, y) in seen.zip(rows.top()..rows.bottom()) {
            let row = Rect::new(rows.x, y, rows.width, 1);
            if *line == self.open.marked_line() {
                dialog::mark(paint, row);
            }
            match *line {
                ShownLine::Entry(at) => self.draw_entry(paint, at, row),
                ShownLine::Step(at, step) => {
                    let entry = self.open.entry(at);
                    if let Some(step) = entry.and_then(|entry| entry.steps.get(step)) {
                        self.draw_step(paint, step, row);
                    }
                }
            }
        }
        self.draw_lack(paint, rows, lines.len().saturating_sub(self.open.scroll()));
        if self.open.scroll() + usize::from(rows.height) < lines.len() {
            let down = paint.glyphs.down;
            paint.right(rows.x, rows.bottom(), rows.width, down, Face::Accent);
        }
    }

    /// Why the entries have no steps, below them, if the engine reports none.
    fn draw_lack(&self, paint: &mut Paint<'_>, rows: Rect, shown: usize) {
        let context = self.open.session().context;
        let Some(why) = self
            .app
            .mirror
            .why_not(context, Capability::SchedulingSteps)
        else {
            return;
        };
        let lines = text::wrap(why.as_str(), usize::from(rows.width.saturating_sub(2)));
        let places = (rows.top()..rows.bottom()).skip(shown + 1);
        for (line, y) in lines.iter().zip(places) {
            paint.text(rows.x + 1, y, rows.width, line, Face::Dim);
        }
    }

    fn draw_entry(&self, paint: &mut Paint<'_>, at: usize, row: Rect) {
        let Some(entry) = self.open.entry(at) else {
            return;
        };
        for place in self.places {
            let (text, face) = self.cell(paint, entry, at, place.column);
            paint.text(row.x + place.x, row.y, place.width, &text, face);
        }
    }

    fn cell(
        &self,
        paint: &Paint<'_>,
        entry: &HistoryEntry,
        at: usize,
        column: HistoryColumn,
    ) -> Piece {
        let plain = |text: String| (text, Face::Text);
        match column {
            HistoryColumn::Fold if entry.steps.is_empty() => plain(String::new()),
            HistoryColumn::Fold if self.open.is_unfolded(at) => {
                (paint.glyphs.down.to_owned(), Face::Dim)
            }
            HistoryColumn::Fold => (paint.glyphs.to.to_owned(), Face::Dim),
            HistoryColumn::Updated | HistoryColumn::Created => {
                let created = column == HistoryColumn::Created
                    || (self.open.sorted_by == SortedBy::Created && !self.has_created());
                let time = if created {
                    entry.at
                } else {
                    entry.updated_at()
                };
                let text = if self.has_created() {
                    self.moment(time)
                } else {
                    self.short_moment(time)
                };
                (text, Face::Dim)
            }
            HistoryColumn::Phase => plain(entry.phase.to_string()),
            HistoryColumn::Result => (entry.result.word().to_owned(), outcome_face(&entry.result)),
            HistoryColumn::Transition => plain(match &entry.from {
                Some(from) if *from == entry.to => entry.to.to_string(),
                Some(from) => format!("{from} {} {}", paint.glyphs.to, entry.to),
                None => entry.to.to_string(),
            }),
            HistoryColumn::Attempts => plain(entry.attempts.to_string()),
            HistoryColumn::Message => {
                let message = entry.message.as_ref().map(ToString::to_string);
                (message.unwrap_or_default(), Face::Dim)
            }
        }
    }

    fn has_created(&self) -> bool {
        self.places
            .iter()
            .any(|it| it.column == HistoryColumn::Created)
    }

    /// Shows the time if it is today, otherwise only the date.
    fn short_moment(&self, at: Timestamp) -> String {
        let text = self.moment(at);
        let day = text.split(' ').next();
        day.unwrap_or_default().to_owned()
    }

    /// Shows only the time if it is today.
    fn moment(&self, at: Timestamp) -> String {
        let zone = &self.app.facts.time_zone;
        let (then, now) = (at.to_zoned(zone.clone()), self.now.to_zoned(zone.clone()));
        let form = if then.date() == now.date() {
            "%H:%M:%S"
        } else {
            "%m-%d %H:%M"
        };
        then.strftime(form).to_string()
    }

    fn draw_step(&self, paint: &mut Paint<'_>, step: &SubStep, row: Rect) {
        let face = outcome_face(&step.result);
        let indent = self.places.get(2).map_or(2, |place| place.x);
        let word = step.result.word();
        let mut pieces = vec![
            (format!("{} ", shape(&step.result, paint)), face),
            (format!("{}  ", step.step), Face::Text),
            (word.to_owned(), face),
        ];
        let said = step.message.as_ref().filter(|it| !it.is_empty());
        pieces.extend(said.map(|it| (format!("  {it}"), Face::Dim)));
        let code = step.error_code.as_ref();
        pieces.extend(code.map(|it| (format!("  {it}"), Face::Dim)));
        pieces.extend(self.times(step).map(|it| (format!("  {it}"), Face::Dim)));
        let width = row.width.saturating_sub(indent);
        paint.pieces(row.x + indent, row.y, width, &pieces);
    }

    fn times(&self, step: &SubStep) -> Option<String> {
        let started = self.moment(step.started_at?);
        Some(match step.ended_at {
            Some(ended) => {
                let took = ended.duration_since(step.started_at?).as_millis();
                tr!("{started}, {took} ms", started, took)
            }
            None => started,
        })
    }

    /// The phase, if its column is too narrow for it.
    fn cut_phase(&self, entry: &HistoryEntry) -> Option<String> {
        let mut places = self.places.iter();
        let place = places.find(|it| it.column == HistoryColumn::Phase)?;
        let is_cut = text::width(entry.phase.as_str()) > usize::from(place.width);
        is_cut.then(|| entry.phase.to_string())
    }

    /// The full message of the marked entry or step, then its code, its time and its id.
    fn draw_foot(&self, paint: &mut Paint<'_>, foot: Rect) {
        if let Some(problem) = self.open.wrong() {
            paint.text(foot.x + 1, foot.y, foot.width, problem, Face::InputError);
            return;
        }
        let Some(entry) = self.open.entry(self.open.marked()) else {
            return;
        };
        let step = self.open.marked_step();
        let mut lines = message_lines(self.open, foot.width);
        let room = usize::from(foot.height.saturating_sub(1));
        if lines.len() > room {
            lines.truncate(room);
            if let Some(last) = lines.last_mut() {
                last.push_str(paint.glyphs.ellipsis);
            }
        }
        let result = step.map_or(&entry.result, |step| &step.result);
        let face = match outcome_face(result) {
            face @ (Face::Bad | Face::Warning) => face,
            _ => Face::Text,
        };
        for (line, y) in lines.iter().zip(foot.top()..foot.bottom()) {
            paint.text(foot.x + 1, y, foot.width - 1, line, face);
        }
        let dot = format!(" {} ", paint.glyphs.dot);
        let facts: Vec<String> = match step {
            Some(step) => {
                let code = step.error_code.as_ref().map(ToString::to_string);
                code.into_iter().chain(self.times(step)).collect()
            }
            None => {
                let created = tr!("created {at}", at = self.moment(entry.at));
                let code = entry.error_code.as_ref().map(ToString::to_string);
                let id = entry.id.as_ref().map(|id| tr!("id {id}", id));
                let phase = self.cut_phase(entry).into_iter();
                phase.chain(code).chain([created]).chain(id).collect()
            }
        };
        let last = foot.bottom() - 1;
        let facts = facts.join(&dot);
        paint.text(foot.x + 1, last, foot.width - 1, &facts, Face::Dim);
    }
}

/// The colors of the badges in Backend.AI's web UI.
pub fn outcome_face(result: &Outcome) -> Face {
    match result {
        Outcome::Success => Face::StatusGood,
        Outcome::Failure | Outcome::Expired | Outcome::GiveUp => Face::Bad,
        Outcome::NeedRetry => Face::Warning,
        Outcome::Stale | Outcome::Skipped | Outcome::Other(_) => Face::Dim,
    }
}

fn shape(result: &Outcome, paint: &Paint<'_>) -> &'static str {
    let shapes = &paint.glyphs.shapes;
    match result {
        Outcome::Success => shapes.good,
        result if result.is_trouble() => shapes.bad,
        _ => shapes.neutral,
    }
}
