//! A container of an expanded session in the list: its name, its status, and what it uses.

use std::fmt::Write as _;

use jiff::Timestamp;
use ratatui::layout::Rect;

use crate::{
    app::{app::App, durations, sessions::sort::Column},
    model::{
        figures::{Figures, Metric},
        id::SessionKey,
        kernel::Kernel,
        resources::{Bytes, Cpu},
        text::Clean,
    },
    theme::face::Face,
    view::{amount::short, columns::ColumnPlace, paint::Paint, status, text},
};

/// A container and what is known about it.
struct ContainerRow<'a> {
    kernel: &'a Kernel,
    figures: Option<&'a Figures>,
    /// It is the last container of its session.
    is_last: bool,
    /// The agent has a column of its own.
    has_agent_column: bool,
    faded: bool,
    now: Timestamp,
}

/// Draws the container at `at` of a session. `indent`: cells before its name.
pub fn draw(
    paint: &mut Paint<'_>,
    app: &App,
    (key, at): (SessionKey, usize),
    (area, indent): (Rect, u16),
    places: &[ColumnPlace],
    now: Timestamp,
) {
    let tree = app.sessions.tree();
    let kernels = tree.kernels(key, &app.mirror);
    let Some(kernel) = kernels.get(at) else {
        return;
    };
    let row = ContainerRow {
        kernel,
        figures: tree.figures(key, kernel),
        is_last: at + 1 == kernels.len(),
        has_agent_column: places.iter().any(|it| it.column == Column::Agent),
        faded: app.is_stale(key.context),
        now,
    };
    for place in places {
        let cell = Rect::new(area.x + place.x, area.y, place.width, 1);
        row.cell(paint, place.column, cell, indent);
    }
}

impl ContainerRow<'_> {
    fn face(&self, face: Face) -> Face {
        if self.faded { Face::Dim } else { face }
    }

    fn cell(&self, paint: &mut Paint<'_>, column: Column, cell: Rect, indent: u16) {
        let Rect { x, y, width, .. } = cell;
        match column {
            Column::Name => {
                let branch = paint.glyphs.branches[usize::from(self.is_last)];
                let end = paint.text(
                    x + indent,
                    y,
                    width.saturating_sub(indent),
                    branch,
                    Face::Border,
                );
                let room = (x + width).saturating_sub(end + 1);
                let name = self.kernel.hostname.as_str();
                let name = text::fit(name, usize::from(room), paint.glyphs.ellipsis);
                paint.text(end + 1, y, room, &name, self.face(Face::Text));
            }
            Column::Status => {
                let status = &self.kernel.status;
                let word = format!("{} {}", paint.glyphs.shape(status), status.word());
                paint.text(x, y, width, &word, self.face(status::face(status)));
            }
            Column::Environment | Column::Result => {
                let words = self.words();
                let words = text::fit(&words, usize::from(width), paint.glyphs.ellipsis);
                paint.text(x, y, width, &words, Face::Dim);
            }
            Column::Agent => {
                let agent = self.kernel.agent.as_ref().map_or("-", Clean::as_str);
                let agent = text::fit(agent, usize::from(width), paint.glyphs.ellipsis);
                paint.text(x, y, width, &agent, self.face(Face::Text));
            }
            Column::Cpu => {
                let used = self.now_of(&Metric::Cpu);
                let used = used.map(|used| Cpu::from_millis(used).in_use());
                self.number(paint, cell, used);
            }
            Column::Memory => {
                let used = self.now_of(&Metric::Mem);
                self.number(paint, cell, used.map(|used| short(Bytes(used))));
            }
            Column::Elapsed => {
                let end = self.kernel.terminated_at.unwrap_or(self.now);
                let started = self.kernel.started_at;
                let ran = started.map(|at| (end.as_second() - at.as_second()).max(0));
                self.number(paint, cell, ran.map(durations::coarse));
            }
            _ => {}
        }
    }

    /// A number on the right, or a mark that it isn't known.
    fn number(&self, paint: &mut Paint<'_>, cell: Rect, number: Option<String>) {
        let face = if number.is_some() {
            Face::Text
        } else {
            Face::Dim
        };
        let number = number.unwrap_or_else(|| "-".to_owned());
        paint.right(cell.x, cell.y, cell.width, &number, self.face(face));
    }

    /// The newest value of a metric.
    fn now_of(&self, metric: &Metric) -> Option<u64> {
        let series = self.figures?.series.iter().find(|it| it.metric == *metric);
        series?.now()
    }

    /// The agent, unless it has a column, and how the container ended.
    fn words(&self) -> String {
        let mut words = String::new();
        if let (Some(agent), false) = (&self.kernel.agent, self.has_agent_column) {
            words.push_str(agent.as_str());
        }
        if let Some(code) = self.kernel.exit_code {
            let gap = if words.is_empty() { "" } else { "  " };
            let _ = write!(words, "{gap}{}", tr!("exit {code}", code));
        }
        if self.kernel.oom_killed {
            words.push_str("  ");
            words.push_str(tr!("out of memory"));
        }
        words.trim_start().to_owned()
    }
}
