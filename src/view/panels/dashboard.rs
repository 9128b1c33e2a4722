//! The dashboard: sections of rows with bars, on the whole screen.

use jiff::Timestamp;
use ratatui::layout::Rect;

use super::Dialog;
use crate::{
    app::{
        app::App,
        area::DialogAreas,
        durations,
        panels::dashboard::{
            Dashboard,
            rows::{DashRow, DeviceLine, Meter, MeterRow, NoteKind, SessionLine, rows},
        },
    },
    model::resources::{Bytes, Cpu},
    theme::face::Face,
    view::{
        amount::short,
        bar, dialog,
        glyphs::Glyphs,
        paint::{Paint, Piece},
        text,
    },
};

const GAP: u16 = 2;
/// The marker of the selected row and a blank before the first column.
const INDENT: u16 = 2;
/// From this width, accelerators have a column.
const WIDE: u16 = 96;
/// From this width, notes have a column.
const NARROW: u16 = 70;
/// Cells of the numbers beside a bar.
const NUMBERS: u16 = 11;

/// The positions and widths of the columns.
#[derive(Clone, Copy, Debug)]
struct DashColumns {
    label: (u16, u16),
    note: (u16, u16),
    cpu: (u16, u16),
    memory: (u16, u16),
    accelerators: Option<(u16, u16)>,
}

impl DashColumns {
    fn of(width: u16, has_accelerators: bool) -> Self {
        let (label, note, accelerators) = match width {
            WIDE.. if has_accelerators => (24, 24, 14),
            WIDE.. => (24, 24, 0),
            NARROW.. => (16, 17, 0),
            _ => (14, 0, 0),
        };
        let accelerator_room = if accelerators > 0 {
            accelerators + GAP
        } else {
            0
        };
        let note_x = INDENT + label + GAP;
        let cpu_x = if note > 0 {
            note_x + note + GAP
        } else {
            note_x
        };
        let meter = width.saturating_sub(cpu_x + GAP + accelerator_room) / 2;
        let memory_x = cpu_x + meter + GAP;
        Self {
            label: (INDENT, label),
            note: (note_x, note),
            cpu: (cpu_x, meter),
            memory: (memory_x, meter),
            accelerators: (accelerators > 0).then_some((memory_x + meter + GAP, accelerators)),
        }
    }
}

impl Dialog for Dashboard {
    fn place(&self, _: &App, screen: Rect) -> DialogAreas {
        let area = Rect {
            height: screen.height.saturating_sub(1),
            ..screen
        };
        dialog::areas(screen, area, dialog::rows(area, 1, 1))
    }

    fn draw(&self, paint: &mut Paint<'_>, app: &App, areas: &DialogAreas, now: Timestamp) {
        dialog::frame(
            paint,
            areas.screen,
            areas.area,
            tr!("Dashboard"),
            Face::Title,
        );
        let rows = rows(self, &app.env(now));
        let has_accelerators = rows.iter().any(has_accelerators);
        let columns = DashColumns::of(areas.rows.width, has_accelerators);
        let selected = self.at(&rows);
        let first = self.list.scroll();
        let shown = rows.iter().enumerate().skip(first);
        for ((at, row), y) in shown.zip(areas.rows.top()..areas.rows.bottom()) {
            let line = Rect {
                y,
                height: 1,
                ..areas.rows
            };
            if selected == Some(at) {
                dialog::mark(paint, line);
            }
            let has_meters = matches!(rows.get(at + 1), Some(DashRow::Meters(_)));
            draw_row(paint, app, (row, has_meters), (line, &columns), now);
        }
        if first + usize::from(areas.rows.height) < rows.len() {
            let down = paint.glyphs.down;
            let (x, y) = (areas.rows.right(), areas.rows.bottom() - 1);
            paint.text(x, y, 1, down, Face::Accent);
        }
    }
}

/// Whether a row has something for the column of accelerators.
fn has_accelerators(row: &DashRow) -> bool {
    matches!(row, DashRow::Meters(row) if !row.accelerators.is_empty())
}

fn draw_row(
    paint: &mut Paint<'_>,
    app: &App,
    (row, has_meters): (&DashRow, bool),
    (line, columns): (Rect, &DashColumns),
    now: Timestamp,
) {
    match row {
        DashRow::Blank => {}
        DashRow::Section(title, note) => {
            let end = paint.text(line.x, line.y, line.width, title, Face::Title);
            let limit = if has_meters {
                line.x + columns.cpu.0
            } else {
                line.right()
            };
            let room = limit.saturating_sub(end + GAP);
            let note = text::fit(note, usize::from(room), paint.glyphs.ellipsis);
            paint.text(end + GAP, line.y, room, &note, Face::Dim);
            if has_meters {
                for ((x, width), title) in
                    [(columns.cpu, tr!("CPU")), (columns.memory, tr!("Memory"))]
                {
                    paint.right(line.x + x, line.y, width, title, Face::TableHead);
                }
            }
        }
        DashRow::Note(kind, words) => {
            let face = match kind {
                NoteKind::Empty | NoteKind::Loading => Face::Dim,
                NoteKind::Problem => Face::Bad,
            };
            let room = line.width.saturating_sub(INDENT);
            let words = text::sentence(words);
            let words = text::fit(&words, usize::from(room), paint.glyphs.ellipsis);
            paint.text(line.x + INDENT, line.y, room, &words, face);
        }
        DashRow::Meters(row) => draw_meters(paint, row, line, columns),
        DashRow::Disk {
            label,
            path,
            used,
            total,
        } => {
            cell(paint, line, columns.label, label, Face::Text);
            cell(paint, line, columns.note, path, Face::Dim);
            let x = columns.cpu.0;
            let width = columns.memory.0 + columns.memory.1 - x;
            let numbers = format!("{}/{}", short(*used), short(*total));
            let share = share(used.0, total.0);
            let pieces = pieces(
                (share, 0.0),
                usize::from(width.saturating_sub(NUMBERS + 1)),
                (bar::memory_face(share), paint.glyphs),
            );
            draw_bar(paint, line, (x, width), (&pieces, &numbers));
        }
        DashRow::Device(device) => draw_device(paint, device, line, columns),
        DashRow::Session(session) => draw_session(paint, app, session, (line, columns), now),
    }
}

fn cell(paint: &mut Paint<'_>, line: Rect, (x, width): (u16, u16), words: &str, face: Face) {
    let words = text::fit(words, usize::from(width), paint.glyphs.ellipsis);
    paint.text(line.x + x, line.y, width, &words, face);
}

fn draw_meters(paint: &mut Paint<'_>, row: &MeterRow, line: Rect, columns: &DashColumns) {
    cell(paint, line, columns.label, &row.label, Face::Text);
    cell(paint, line, columns.note, &row.note, Face::Dim);
    let cpu = |amount: u64| Cpu::from_millis(amount).in_use();
    let cpus = |amount: u64| Cpu::from_millis(amount).to_string();
    let bytes = |amount: u64| short(Bytes(amount));
    meter(paint, (line, columns.cpu), row.cpu, (&cpu, &cpus));
    meter(paint, (line, columns.memory), row.memory, (&bytes, &bytes));
    if let Some(column) = columns.accelerators {
        cell(paint, line, column, &row.accelerators, Face::Text);
    }
}

/// A device has its own share in the place of CPU.
fn draw_device(paint: &mut Paint<'_>, device: &DeviceLine, line: Rect, columns: &DashColumns) {
    cell(paint, line, columns.label, &device.name, Face::Text);
    let sessions = device.sessions.as_deref().unwrap_or_default();
    cell(paint, line, columns.note, sessions, Face::Dim);
    let numbers = device.busy.map_or_else(
        || "-".to_owned(),
        |thousandths| format!("{}%", (thousandths + 5) / 10),
    );
    let cells = usize::from(columns.cpu.1.saturating_sub(NUMBERS + 1));
    let bars = device.busy.map_or_else(Vec::new, |busy| {
        let face = (Face::BarNormal, paint.glyphs);
        pieces((share(busy, 1000), 0.0), cells, face)
    });
    draw_bar(paint, line, columns.cpu, (&bars, &numbers));
    let bytes = |amount: u64| short(Bytes(amount));
    if let (None, Some(all)) = (device.memory.used, device.memory.whole) {
        // Only the devices of sessions are read.
        let numbers = format!("-/{}", bytes(all));
        return draw_bar(paint, line, columns.memory, (&[], &numbers));
    }
    meter(
        paint,
        (line, columns.memory),
        device.memory,
        (&bytes, &bytes),
    );
}

/// Formats an amount in use, and a whole.
type Formats<'a> = (&'a dyn Fn(u64) -> String, &'a dyn Fn(u64) -> String);

fn meter(
    paint: &mut Paint<'_>,
    (line, place): (Rect, (u16, u16)),
    meter: Meter,
    (amount, whole): Formats<'_>,
) {
    let used = meter.used.map_or_else(|| "?".to_owned(), amount);
    let numbers = match (meter.used, meter.whole) {
        (None, _) if meter.measuring => tr!("measuring").to_owned(),
        (None, None) => "-".to_owned(),
        (_, None) => used,
        (_, Some(all)) => format!("{used}/{}", whole(all)),
    };
    let (x, width) = place;
    let cells = usize::from(width.saturating_sub(NUMBERS + 1));
    let bars = match (meter.used, meter.whole) {
        (Some(used), Some(all)) => pieces(
            (share(used, all), share(meter.others, all)),
            cells,
            (Face::BarNormal, paint.glyphs),
        ),
        _ => Vec::new(),
    };
    draw_bar(paint, line, (x, width), (&bars, &numbers));
}

/// A bar, and its numbers on the right.
fn draw_bar(
    paint: &mut Paint<'_>,
    line: Rect,
    (x, width): (u16, u16),
    (bars, numbers): (&[Piece], &str),
) {
    let cells = width.saturating_sub(NUMBERS + 1);
    paint.pieces(line.x + x, line.y, cells, bars);
    paint.right(line.x + x, line.y, width, numbers, Face::Value);
}

fn share(part: u64, all: u64) -> f64 {
    if all == 0 {
        return 0.0;
    }
    (part as f64 / all as f64).min(1.0)
}

/// A bar with the used part, that of others, and the rest. A part that isn't empty has at least one cell.
fn pieces((used, others): (f64, f64), cells: usize, (face, glyphs): (Face, &Glyphs)) -> Vec<Piece> {
    let part = |share: f64, room: usize| {
        let exact = share * cells as f64;
        let least = usize::from(share > 0.005);
        (exact.round() as usize).max(least).min(room)
    };
    let full = part(used, cells);
    let theirs = part(others, cells - full);
    vec![
        (glyphs.bar_full.repeat(full), face),
        (glyphs.bar_others.repeat(theirs), Face::BarOthers),
        (glyphs.bar_empty.repeat(cells - full - theirs), Face::Bar),
    ]
}

fn draw_session(
    paint: &mut Paint<'_>,
    app: &App,
    session: &SessionLine,
    (line, columns): (Rect, &DashColumns),
    now: Timestamp,
) {
    let room = usize::from(columns.label.1);
    let name = text::fit_middle(&session.name, room, paint.glyphs.ellipsis);
    cell(paint, line, columns.label, &name, Face::Text);
    let passed = |at: Timestamp| now.as_second() - at.as_second();
    let (when, face) = match session.at {
        Some(at) if session.failed => (durations::ago(passed(at)), Face::Dim),
        Some(at) => {
            let left = -passed(at);
            let face = if left < 3600 {
                Face::Warning
            } else {
                Face::Value
            };
            (tr!("in {max}", max = durations::coarse(left.max(0))), face)
        }
        None => (tr_in!("reclaim", "now").to_owned(), Face::Bad),
    };
    cell(paint, line, columns.note, &when, face);
    let x = columns.cpu.0;
    let mut room = line.width.saturating_sub(x);
    if app.mirror.has_several_contexts() {
        let context = session.key.context.as_str();
        let cells = text::width(context) as u16;
        paint.right(line.x + x, line.y, room, context, Face::Dim);
        room = room.saturating_sub(cells + GAP);
    }
    let face = if session.failed {
        Face::Text
    } else {
        Face::Dim
    };
    let with_amounts = session
        .frees
        .as_ref()
        .map(|frees| tr!("{why}, frees {frees}", why = session.why, frees));
    let fitting = with_amounts.filter(|words| text::width(words) <= usize::from(room));
    let why = fitting.as_ref().unwrap_or(&session.why);
    cell(paint, line, (x, room), why, face);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::glyphs::ASCII;

    #[test]
    fn bars_show_the_least_part_and_never_overflow() {
        let drawn = |used, others| -> String {
            let pieces = pieces((used, others), 10, (Face::BarNormal, &ASCII));
            pieces.into_iter().map(|(text, _)| text).collect()
        };
        assert_eq!(drawn(0.0, 0.0), "----------");
        assert_eq!(drawn(0.01, 0.0), "=---------");
        assert_eq!(drawn(0.5, 0.3), "=====~~~--");
        assert_eq!(drawn(1.0, 0.2), "==========");
    }

    #[test]
    fn columns_never_leave_the_dashboard() {
        for (width, has_accelerators) in (54..300).flat_map(|it| [(it, true), (it, false)]) {
            let columns = DashColumns::of(width, has_accelerators);
            assert!(has_accelerators || columns.accelerators.is_none());
            let (x, cells) = columns.accelerators.unwrap_or(columns.memory);
            assert!(x + cells <= width, "{width}: {columns:?}");
            assert!(columns.cpu.1 >= NUMBERS, "{width}: {columns:?}");
        }
    }
}
