//! The quick launch form.

use ratatui::layout::Rect;

use super::{dialog, paint::Paint, text};
use crate::{
    app::{
        area::Areas,
        launcher::{Field, Launcher, Progress},
    },
    theme::face::Face,
};

const WIDTH: u16 = 74;
/// Environments shown at once.
const CHOICES: u16 = 4;
/// Column of the values, from the inner left.
const VALUES: u16 = 14;

pub fn area(screen: Rect) -> Rect {
    // Border, blank, environment, its list, a line for its error, three fields with a line below
    // each, the foot.
    let height = 2 + 1 + 1 + CHOICES + 1 + 6 + 1;
    dialog::place(screen, WIDTH, height)
}

/// Where the environments are listed.
pub fn choices(area: Rect) -> Rect {
    let inner = inner(area);
    Rect::new(
        inner.x + VALUES,
        inner.y + 2,
        inner.width.saturating_sub(VALUES),
        CHOICES,
    )
}

fn inner(area: Rect) -> Rect {
    Rect::new(
        area.x + 3,
        area.y + 1,
        area.width.saturating_sub(6),
        area.height.saturating_sub(2),
    )
}

/// The first environment shown, so that the marked one is seen.
pub fn first_choice(launcher: &Launcher) -> usize {
    let shown = usize::from(CHOICES);
    let last = launcher.choices().len().saturating_sub(shown);
    launcher.marked().saturating_sub(shown / 2).min(last)
}

pub fn draw(paint: &mut Paint<'_>, launcher: &Launcher, areas: &Areas) {
    let Some(area) = areas.dialog else { return };
    let title = "Launch a session";
    let inner = dialog::frame(paint, areas.screen, area, title, Face::Title);
    let mut y = inner.y + 1;
    draw_environment(paint, launcher, areas, inner, y);
    y += 1 + CHOICES + 1;
    for field in [Field::Name, Field::Cpu, Field::Memory] {
        draw_field(paint, launcher, field, inner, y);
        y += 2;
    }
    draw_foot(paint, launcher, inner, y);
}

fn label(paint: &mut Paint<'_>, launcher: &Launcher, field: Field, inner: Rect, y: u16) {
    let focused = launcher.field == field;
    if focused {
        let marker = paint.glyphs.marker;
        paint.text(inner.x - 2, y, 1, marker, Face::RowMarker);
    }
    let face = if focused { Face::Strong } else { Face::Label };
    paint.text(inner.x, y, VALUES - 1, field.title(), face);
}

fn draw_environment(
    paint: &mut Paint<'_>,
    launcher: &Launcher,
    areas: &Areas,
    inner: Rect,
    y: u16,
) {
    label(paint, launcher, Field::Environment, inner, y);
    let focused = launcher.field == Field::Environment;
    let place = Rect::new(inner.x + VALUES, y, inner.width - VALUES, 1);
    let query = launcher.input(Field::Environment);
    if focused || !query.is_empty() {
        paint.input(place, query, focused);
        if query.is_empty() {
            let hint = "type to search";
            paint.text(place.x, y, place.width, hint, Face::Placeholder);
        }
    } else {
        let chosen = launcher.environment().unwrap_or_default();
        paint.text(place.x, y, place.width, chosen, Face::Value);
    }
    draw_choices(paint, launcher, areas);
    let error = launcher.problem(Field::Environment);
    let below = areas.choices.bottom();
    let room = Rect::new(place.x, below, place.width, 1);
    problem(paint, error.as_deref(), room);
}

fn draw_choices(paint: &mut Paint<'_>, launcher: &Launcher, areas: &Areas) {
    let area = areas.choices;
    let first = areas.first_choice;
    if launcher.choices().is_empty() && launcher.input(Field::Environment).is_empty() {
        let text = launcher.environment().unwrap_or_default();
        paint.text(area.x, area.y, area.width, text, Face::Value);
        return;
    }
    let shown = launcher.choices().iter().enumerate().skip(first);
    for (line, (at, choice)) in shown.take(usize::from(area.height)).enumerate() {
        let y = area.y + line as u16;
        let marked = at == launcher.marked();
        let row = Rect::new(area.x - 1, y, area.width + 1, 1);
        if marked {
            paint.fill(row, Face::RowSelected);
            let marker = paint.glyphs.marker;
            paint.text(row.x, y, 1, marker, Face::RowMarker);
        }
        let face = match (&choice.unavailable, marked) {
            (Some(_), _) => Face::Dim,
            (None, true) => Face::Strong,
            (None, false) => Face::Value,
        };
        let note = choice
            .unavailable
            .as_ref()
            .map_or(choice.note.as_str(), |_| "unavailable");
        let taken = text::width(note) as u16 + 2;
        let room = area.width.saturating_sub(taken + 1);
        paint.text(area.x + 1, y, room, &choice.label, face);
        paint.right(area.x, y, area.width - 1, note, Face::Dim);
    }
    draw_rest(paint, launcher, area, first);
}

/// How many more environments there are below.
fn draw_rest(paint: &mut Paint<'_>, launcher: &Launcher, area: Rect, first: usize) {
    let below = launcher
        .choices()
        .len()
        .saturating_sub(first + usize::from(area.height));
    if below > 0 && launcher.problem(Field::Environment).is_none() {
        let text = format!("{} {below} more", paint.glyphs.down);
        paint.text(area.x + 1, area.bottom(), area.width - 1, &text, Face::Dim);
    }
}

fn draw_field(paint: &mut Paint<'_>, launcher: &Launcher, field: Field, inner: Rect, y: u16) {
    label(paint, launcher, field, inner, y);
    let input = launcher.input(field);
    let focused = launcher.field == field;
    let room = inner.width - VALUES;
    let note = launcher.limit(field).unwrap_or_default();
    let taken = text::width(&note) as u16;
    let place = Rect::new(inner.x + VALUES, y, room.saturating_sub(taken + 2), 1);
    paint.input(place, input, focused);
    if field == Field::Name && input.is_empty() {
        let hint = "made up when left empty";
        paint.text(place.x, y, place.width, hint, Face::Placeholder);
    }
    if field != Field::Name {
        let x = (place.x + text::width(input.text()) as u16 + 2).max(place.x + 12);
        paint.text(x, y, inner.right().saturating_sub(x), &note, Face::Dim);
    }
    let below = Rect::new(place.x, y + 1, room, 1);
    problem(paint, launcher.problem(field).as_deref(), below);
}

fn problem(paint: &mut Paint<'_>, text: Option<&str>, area: Rect) {
    let Some(text) = text else { return };
    // A long sentence begins below the label.
    let long = text::width(text) as u16 > area.width;
    let back = if long { VALUES } else { 0 };
    let (x, room) = (area.x - back, area.width + back);
    paint.text(x, area.y, room, text, Face::InputError);
}

fn draw_foot(paint: &mut Paint<'_>, launcher: &Launcher, inner: Rect, y: u16) {
    match &launcher.progress {
        Progress::Editing => {}
        Progress::Asked => {
            paint.text(inner.x, y, inner.width, "Launching", Face::StatusProgress);
        }
        Progress::Failed(failure) => {
            let text = match &failure.help {
                Some(help) => format!("{}; {help}", failure.message),
                None => failure.message.to_string(),
            };
            // The last field's error line is free when a launch was tried: it was right.
            for (line, text) in text::wrap(&text, usize::from(inner.width))
                .iter()
                .take(2)
                .enumerate()
            {
                let y = y - 1 + line as u16;
                paint.text(inner.x, y, inner.width, text, Face::InputError);
            }
        }
    }
}
