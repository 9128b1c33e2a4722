//! One session on one line of the list.

use jiff::Timestamp;
use ratatui::layout::Rect;

use super::{
    chip::{CHIP_GAP, chip},
    gauge::{self, GaugeLook},
};
use crate::{
    app::{
        app::App,
        durations,
        sessions::{lines::ListRow, sort::Column},
        trail::TrailMetric,
    },
    model::{catalogue::AcceleratorKind, session::Session, text::Clean},
    rules::launch::amounts::thousandths,
    theme::face::Face,
    view::{bar, columns::ColumnPlace, idle_cell, paint::Paint, spark, status, text},
};

/// A shorter part of a name would be useless.
const SHORTEST_NAME: u16 = 8;

/// One session on one line.
pub struct SessionRow<'a> {
    pub app: &'a App,
    pub session: &'a Session,
    pub area: Rect,
    /// Cells before its name.
    pub indent: u16,
    /// The data of the row can be outdated.
    pub faded: bool,
    pub now: Timestamp,
}

impl SessionRow<'_> {
    fn face(&self, face: Face) -> Face {
        if self.faded { Face::Dim } else { face }
    }

    /// The face of what else is known about the session. The name of an ended one matters more than where and
    /// how long it ran.
    fn beside_name(&self) -> Face {
        if self.session.status.is_final() {
            Face::Dim
        } else {
            Face::Text
        }
    }

    pub fn cell(&self, paint: &mut Paint<'_>, place: ColumnPlace) {
        let (x, y) = (self.area.x + place.x, self.area.y);
        let session = self.session;
        match place.column {
            Column::Name => {
                let indent = self.indent.min(place.width);
                self.name(paint, x + indent, place.width - indent);
            }
            Column::Context => {
                let style = if self.faded {
                    paint.style(Face::Dim)
                } else {
                    paint.context_style(&self.app.mirror, session.context)
                };
                paint.styled(x, y, place.width, session.context.as_str(), style);
            }
            Column::Status => {
                let face = self.face(status::face(&session.status));
                let word = status::word_with_progress(session, paint.glyphs);
                paint.text(x, y, place.width, &word, face);
            }
            Column::Environment => self.environment(paint, x, place.width),
            Column::Cpu => {
                let usage = self.app.mirror.usage(session.key());
                self.gauge(paint, place, &bar::cpu(session, usage));
            }
            Column::Memory => {
                let usage = self.app.mirror.usage(session.key());
                self.gauge(paint, place, &bar::memory(session, usage));
            }
            Column::CpuHistory | Column::MemoryHistory => self.history(paint, place),
            Column::Result => {
                if let Some((word, face)) = status::result(session, paint.glyphs) {
                    paint.text(x, y, place.width, &word, self.face(face));
                }
            }
            Column::Elapsed => {
                // A session that waits doesn't run. Its details show how long it has waited.
                let (elapsed, face) = match session.run_seconds(self.now) {
                    Some(seconds) => (durations::coarse(seconds), self.beside_name()),
                    None => ("-".to_owned(), Face::Dim),
                };
                paint.right(x, y, place.width, &elapsed, self.face(face));
            }
            Column::Owner | Column::Project | Column::Agent | Column::Accelerator => {
                self.apart(paint, place);
            }
            Column::Reclaim => {
                let (text, face) = idle_cell::until_end(session, self.now);
                paint.right(x, y, place.width, &text, self.face(face));
            }
            Column::Created => self.moment(paint, place, Some(session.created_at)),
            Column::Ended => self.moment(paint, place, session.terminated_at),
        }
    }

    /// A sparkline of the last samples. The whole height is what the session requested.
    fn history(&self, paint: &mut Paint<'_>, place: ColumnPlace) {
        let (key, slots) = (self.session.key(), &self.session.requested_slots);
        let Some(trail) = self.app.mirror.trails().of(key) else {
            return;
        };
        let (metric, top) = match place.column {
            Column::CpuHistory => (TrailMetric::Cpu, slots.cpu.millis()),
            _ => (TrailMetric::Mem, slots.mem.0),
        };
        let line = spark::line(
            &trail.times(),
            &trail.values(metric),
            top,
            usize::from(place.width),
            paint.glyphs.spark,
        );
        let (x, y) = (self.area.x + place.x, self.area.y);
        paint.text(x, y, place.width, &line, self.face(Face::BarNormal));
    }

    /// A time, without its year if there is no room for it.
    fn moment(&self, paint: &mut Paint<'_>, place: ColumnPlace, at: Option<Timestamp>) {
        let form = match place.width {
            16.. => "%Y-%m-%d %H:%M",
            _ => "%m-%d %H:%M",
        };
        let zone = &self.app.facts.time_zone;
        let text = at.map(|at| at.to_zoned(zone.clone()).strftime(form).to_string());
        let text = text.unwrap_or_else(|| "-".to_owned());
        let x = self.area.x + place.x;
        paint.text(x, self.area.y, place.width, &text, Face::Dim);
    }

    /// The owner, the placement and the accelerators of a session.
    fn apart(&self, paint: &mut Paint<'_>, place: ColumnPlace) {
        let (session, placement) = (self.session, &self.session.placement);
        let text = match place.column {
            Column::Owner => session.owner.to_string(),
            Column::Project => placement.project.clone().unwrap_or_default().into_string(),
            Column::Agent => {
                let agents: Vec<&str> = placement.agents.iter().map(Clean::as_str).collect();
                agents.join(", ")
            }
            _ => {
                let amounts = session.requested_slots.accelerators.iter();
                let some = amounts.filter(|(_, amount)| **amount > 0);
                let words: Vec<String> = some
                    .map(|(slot, amount)| {
                        format!(
                            "{} {}",
                            thousandths(*amount),
                            AcceleratorKind::usual_unit(slot)
                        )
                    })
                    .collect();
                words.join(", ")
            }
        };
        let text = if text.is_empty() { "-" } else { &text };
        let text = text::fit(text, usize::from(place.width), paint.glyphs.ellipsis);
        let x = self.area.x + place.x;
        paint.text(x, self.area.y, place.width, &text, self.face(Face::Text));
    }

    fn name(&self, paint: &mut Paint<'_>, x: u16, width: u16) {
        let hits = self.app.sessions.hits(self.session.key());
        let hits = hits.map_or(&[][..], |hits| &hits.name);
        let row = ListRow::Session(self.session.key());
        let selected = self.app.sessions.selected_row() == Some(row);
        let face = if selected { Face::Strong } else { Face::Text };
        let name = self.session.name.as_str();
        let ellipsis = paint.glyphs.ellipsis;
        let shown = text::fit_middle(name, usize::from(width), ellipsis);
        let moved = text::moved_to_middle(name, &shown, ellipsis, hits);
        let end = self.matched(paint, (x, width), &shown, &moved, self.face(face));
        let end = self.tree_chip(paint, end, x + width);
        let status = self.session.status.word();
        if let Some(asked) = &self.session.pending_request
            && !asked.as_str().eq_ignore_ascii_case(status)
        {
            let left = (x + width).saturating_sub(end + 1);
            if left >= 6 {
                paint.text(end + 1, self.area.y, left, asked.as_str(), Face::Dim);
            }
            return;
        }
        let Some(chip) = chip(self.app, self.session.key()) else {
            return;
        };
        let cells = text::width(&chip.text) as u16;
        let at = (end + CHIP_GAP).min((x + width).saturating_sub(cells));
        if at >= end + CHIP_GAP {
            paint.text(at, self.area.y, cells, &chip.text, self.face(chip.face));
        } else if chip.is_public && width >= cells + SHORTEST_NAME {
            // A public forward is shown at the cost of a part of the name.
            let room = width - cells - CHIP_GAP;
            let name = text::fit_middle(name, usize::from(room), paint.glyphs.ellipsis);
            let blank = " ".repeat(usize::from(width));
            paint.text(x, self.area.y, width, &blank, face);
            paint.text(x, self.area.y, room, &name, self.face(face));
            paint.text(at, self.area.y, cells, &chip.text, self.face(chip.face));
        }
    }

    /// The whole label if the column is wide enough for most labels, otherwise the name without its version.
    fn environment(&self, paint: &mut Paint<'_>, x: u16, width: u16) {
        let label = self.session.environment.label();
        let hits = self.app.sessions.hits(self.session.key());
        let hits = hits.map_or(&[][..], |hits| &hits.environment);
        let face = self.face(self.beside_name());
        if width < 14 {
            // The last part of `registry/team/python` says the most.
            let name = self.session.environment.name.as_str();
            let name = name.rsplit('/').next().unwrap_or(name);
            let hits = if label.starts_with(name) { hits } else { &[] };
            self.matched(paint, (x, width), name, hits, face);
            return;
        }
        let ellipsis = paint.glyphs.ellipsis;
        let (text, left_out) = text::fit_path(&label, usize::from(width), ellipsis);
        // The mark for the omitted part is before the rest.
        let kept = label.chars().count() - left_out;
        let mark = text.chars().count().saturating_sub(kept);
        let moved: Vec<usize> = hits
            .iter()
            .filter_map(|at| Some(at.checked_sub(left_out)? + mark))
            .collect();
        self.matched(paint, (x, width), &text, &moved, face);
    }

    /// Paints text with the characters at `hits` marked. Returns the column after it.
    fn matched(
        &self,
        paint: &mut Paint<'_>,
        (x, width): (u16, u16),
        text: &str,
        hits: &[usize],
        face: Face,
    ) -> u16 {
        let end = paint.text(x, self.area.y, width, text, face);
        let style = paint.style(Face::Match);
        let mut at = 0;
        for (position, c) in text.chars().enumerate() {
            let cells = text::width(c.encode_utf8(&mut [0; 4])) as u16;
            let room = x + width - at.min(width);
            if hits.contains(&position) && cells > 0 && x + at + cells <= end && room > x {
                let cell = Rect::new(x + at, self.area.y, cells, 1);
                paint.buffer.set_style(cell, style);
            }
            at += cells;
        }
        end
    }

    /// How many containers a cluster session has, and whether they are listed below it. Returns the column after it.
    fn tree_chip(&self, paint: &mut Paint<'_>, end: u16, limit: u16) -> u16 {
        let count = self.session.containers();
        if count < 2 {
            return end;
        }
        let open = self.app.sessions.tree().is_open(self.session.key());
        let glyphs = paint.glyphs;
        let mark = if open { glyphs.unfolded } else { glyphs.folded };
        let chip = format!("{mark}{count}");
        let cells = text::width(&chip) as u16;
        if end + 1 + cells > limit {
            return end;
        }
        paint.text(end + 1, self.area.y, cells, &chip, Face::Dim)
    }

    fn gauge(&self, paint: &mut Paint<'_>, place: ColumnPlace, gauge: &bar::Gauge) {
        let cell = Rect::new(self.area.x + place.x, self.area.y, place.width, 1);
        if self.session.status.is_final() {
            paint.right(cell.x, cell.y, cell.width, &gauge.numbers, Face::Dim);
            return;
        }
        let live = self.session.status.is_live();
        let look = GaugeLook {
            bar: live && !self.faded,
            face: match (live, gauge.share) {
                (true, Some(_)) => self.face(Face::Text),
                _ => Face::Dim,
            },
        };
        gauge::draw(paint, cell, gauge, look);
    }
}
