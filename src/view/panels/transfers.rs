//! Draws the list of transfers.

use jiff::Timestamp;
use ratatui::layout::Rect;

use super::Dialog;
use crate::{
    app::{
        app::App,
        area::DialogAreas,
        durations,
        panels::{explorer::places, transfers::TransferList},
        transfers::{Transfer, TransferJob, TransferState},
    },
    model::resources::Bytes,
    theme::face::Face,
    view::{amount, bar, dialog, paint::Paint, text},
};

const WIDTH: u16 = 110;
/// Minimum rows of the list, also while it is empty.
const ROWS: u16 = 3;
/// Lines below the rows: a blank, and two about the marked transfer.
const FOOT: u16 = 3;
const BAR: u16 = 12;
const VERB: u16 = 9;
/// `100%`, the rate and the time left.
const NUMBERS: u16 = 22;

impl Dialog for TransferList {
    fn place(&self, app: &App, screen: Rect) -> DialogAreas {
        let count = u16::try_from(app.transfers.list().len()).unwrap_or(u16::MAX);
        let height = count.clamp(ROWS, screen.height) + 3 + FOOT;
        let height = height.min(screen.height.saturating_sub(3));
        let area = dialog::place(screen, WIDTH.min(screen.width), height);
        dialog::areas(screen, area, dialog::rows(area, 2, FOOT + 1))
    }

    fn draw(&self, paint: &mut Paint<'_>, app: &App, areas: &DialogAreas, _: Timestamp) {
        let inner = dialog::frame(
            paint,
            areas.screen,
            areas.area,
            tr!("Transfers"),
            Face::Title,
        );
        let rows = areas.rows;
        let all = self.rows(&app.transfers);
        if all.is_empty() {
            let text = tr!("No transfers. Press u or d in an explorer to upload or download.");
            paint.text(rows.x + 1, rows.y, rows.width, text, Face::Dim);
            return;
        }
        dialog::more(paint, areas, self.list.scroll(), all.len());
        let shown = all.iter().enumerate().skip(self.list.scroll());
        for ((at, transfer), y) in shown.zip(rows.top()..rows.bottom()) {
            let row = Rect::new(rows.x, y, rows.width, 1);
            if at == self.list.marked() {
                dialog::mark(paint, row);
            }
            draw_row(paint, transfer, row);
        }
        if let Some(transfer) = all.get(self.list.marked()) {
            let foot = Rect {
                y: rows.bottom() + 1,
                height: FOOT - 1,
                ..inner
            };
            draw_foot(paint, app, transfer, foot);
        }
    }
}

fn draw_row(paint: &mut Paint<'_>, transfer: &Transfer, row: Rect) {
    let y = row.y;
    let (word, face) = state(paint, &transfer.state);
    let numbers = row.right().saturating_sub(NUMBERS);
    let bar_at = numbers.saturating_sub(BAR + 2);
    let verb = transfer.job.verb();
    let x = paint.text(row.x + 1, y, VERB, verb, Face::Dim);
    let name_at = (row.x + 1 + VERB).max(x + 1);
    let subject = transfer.job.subject();
    let cells = bar_at.saturating_sub(name_at + 2);
    let name = text::fit_middle(subject.as_str(), usize::from(cells), paint.glyphs.ellipsis);
    paint.text(name_at, y, cells, &name, Face::Value);
    if transfer.state != TransferState::Running {
        let cells = row.right().saturating_sub(bar_at);
        paint.text(bar_at, y, cells, &word, face);
        return;
    }
    match transfer.percent() {
        Some(percent) => {
            let pieces = bar::progress(percent, usize::from(BAR), paint.glyphs);
            paint.pieces(bar_at, y, BAR, &pieces);
            let text = format!("{percent:>3}%{}", pace(transfer));
            paint.text(numbers, y, NUMBERS, &text, Face::Text);
        }
        None => {
            let text = tr!("counting{ellipsis}", ellipsis = paint.glyphs.ellipsis);
            paint.text(bar_at, y, BAR, &text, Face::Dim);
        }
    }
}

/// ` 118M/s 2m left`.
fn pace(transfer: &Transfer) -> String {
    let Some(rate) = transfer.rate.bytes_per_second() else {
        return String::new();
    };
    let left = transfer
        .seconds_left()
        .and_then(|it| i64::try_from(it).ok());
    let left = left.map_or_else(String::new, |it| {
        tr!(" {coarse} left", coarse = durations::coarse(it))
    });
    format!(" {}/s{left}", amount::short(Bytes(rate)))
}

fn state(paint: &Paint<'_>, state: &TransferState) -> (String, Face) {
    let glyphs = paint.glyphs;
    let (mark, word, face) = match state {
        TransferState::Running => (glyphs.shapes.progress, tr!("running"), Face::StatusProgress),
        TransferState::Asking(_) => (
            glyphs.shapes.bad,
            tr!("waits for your answer"),
            Face::Warning,
        ),
        TransferState::Editing => (
            glyphs.shapes.progress,
            tr!("in your editor"),
            Face::StatusProgress,
        ),
        TransferState::Interrupted(_) => (glyphs.shapes.bad, tr!("interrupted"), Face::Warning),
        TransferState::Done { skipped: 0 } => (glyphs.right, tr!("done"), Face::Success),
        TransferState::Done { skipped } => {
            let text = tr!(
                "{right} done, {skipped} skipped",
                right = glyphs.right,
                skipped
            );
            return (text, Face::Success);
        }
        TransferState::Unchanged => (glyphs.right, tr!("unchanged"), Face::Dim),
        TransferState::Failed(_) => (glyphs.wrong, tr!("failed"), Face::Bad),
        TransferState::Cancelled => (glyphs.shapes.ended, tr!("cancelled"), Face::Dim),
    };
    (format!("{mark} {word}"), face)
}

/// Where the files go, and the current file or the reason of the end.
fn draw_foot(paint: &mut Paint<'_>, app: &App, transfer: &Transfer, foot: Rect) {
    let ellipsis = paint.glyphs.ellipsis;
    let route = text::fit_middle(&route(app, transfer), usize::from(foot.width), ellipsis);
    paint.text(foot.x, foot.y, foot.width, &route, Face::Text);
    let (text, face) = match &transfer.state {
        TransferState::Interrupted(why) => {
            let text = tr!("{why}. It continues after the reconnect.", why);
            (text::sentence(&text), Face::Warning)
        }
        TransferState::Failed(failure) => (text::sentence(&failure.sentence()), Face::Bad),
        _ => (amounts(paint, transfer), Face::Dim),
    };
    let text = text::fit(&text, usize::from(foot.width), ellipsis);
    paint.text(foot.x, foot.y + 1, foot.width, &text, face);
}

fn amounts(paint: &Paint<'_>, transfer: &Transfer) -> String {
    let progress = &transfer.progress;
    let size = |bytes| amount::short(Bytes(bytes));
    let done = match progress.of {
        Some((1, bytes)) => tr!(
            "{bytes} of {bytes2}",
            bytes = size(progress.bytes),
            bytes2 = size(bytes)
        ),
        Some((files, bytes)) => tr!(
            "{bytes} of {bytes2}, {files} of {files2} files",
            bytes = size(progress.bytes),
            bytes2 = size(bytes),
            files = text::grouped(progress.files),
            files2 = text::grouped(files)
        ),
        None => tr!(
            "{bytes}, {files} files",
            bytes = size(progress.bytes),
            files = text::grouped(progress.files)
        ),
    };
    if progress.current.is_empty() || !transfer.state.is_open() {
        return done;
    }
    format!("{done} {} {}", paint.glyphs.dot, progress.current)
}

fn route(app: &App, transfer: &Transfer) -> String {
    let (job, transfer_is_open) = (&transfer.job, transfer.state.is_open());
    let (place, path) = job.target();
    let (title, kind) = places::title_of(&place, &app.mirror);
    let inside = if path.is_root() {
        format!("{kind} {title}")
    } else {
        format!("{kind} {title}, {path}")
    };
    match job {
        TransferJob::Upload { from, .. } => {
            let from = crate::model::text::Clean::new(&from.to_string_lossy());
            tr!("From {from} to {inside}", from, inside)
        }
        TransferJob::Download { to, .. } => {
            let to = crate::model::text::Clean::new(&to.to_string_lossy());
            tr!("From {inside} to {to}", inside, to)
        }
        TransferJob::Copy { from, .. } => {
            let (title, kind) = places::title_of(from, &app.mirror);
            tr!("From {kind} {title} to {inside}", kind, title, inside)
        }
        TransferJob::Rescue {
            name,
            then_terminate,
            ..
        } => {
            let then = if then_terminate.is_some() && transfer_is_open {
                tr!(", then terminate")
            } else {
                ""
            };
            tr!("From session {name} to {inside}{then}", name, inside, then)
        }
        TransferJob::Delete { .. } | TransferJob::Edit { .. } => tr!("In {inside}", inside),
    }
}
