//! The quick launch form.

use ratatui::layout::Rect;

use super::{dialog, paint::Paint, text};
use crate::{
    action::{Action, Scope},
    app::{
        app::App,
        area::Areas,
        launcher::{Choice, Field, Launcher, Progress},
    },
    theme::face::Face,
};

const WIDTH: u16 = 74;
/// Environments shown at once, and so many more where they stand in groups and there is room.
const CHOICES: u16 = 4;
const MORE_CHOICES: u16 = 6;
/// So many fewer, before the form is drawn together.
const FEWER_CHOICES: u16 = 2;
/// Screens from this height on have that room.
const TALL: u16 = 36;
/// Column of the values, from the inner left.
const VALUES: u16 = 14;

/// Where everything stands, in lines below the frame.
struct Plan {
    context: Option<u16>,
    environment: u16,
    choices: u16,
    fields: Vec<(Field, u16)>,
    foot: u16,
    /// Below each field is a line for what is wrong with it.
    airy: bool,
}

fn plan(launcher: &Launcher, height: u16) -> Plan {
    let (context, below) = parts(launcher);
    let full = full_height(launcher);
    // The plain form is cut at its end on a low screen; a longer one is drawn together.
    let plain = is_plain(launcher);
    let airy = plain || height + FEWER_CHOICES >= full;
    let step = if airy { 2 } else { 1 };
    let environment = 1 + if context { step } else { 0 };
    let choices = match (plain, airy) {
        (true, _) => CHOICES + height.saturating_sub(full),
        (false, true) => (CHOICES + height).saturating_sub(full),
        (false, false) => 1 + height.saturating_sub(together(launcher)),
    };
    let mut y = environment + 1 + choices + 1;
    let fields = below
        .into_iter()
        .map(|field| {
            y += step;
            (field, y - step)
        })
        .collect();
    Plan {
        context: context.then_some(1),
        environment,
        choices,
        fields,
        foot: y,
        airy,
    }
}

/// Whether there is a choice of contexts, and the fields below the environment.
fn parts(launcher: &Launcher) -> (bool, Vec<Field>) {
    let fields = launcher.fields();
    let below = |field: &Field| !matches!(field, Field::Context | Field::Environment);
    let context = fields.contains(&Field::Context);
    (context, fields.into_iter().filter(below).collect())
}

/// Nothing but environment, name, CPU and memory.
fn is_plain(launcher: &Launcher) -> bool {
    let (context, below) = parts(launcher);
    !context && below.len() == 3
}

/// Lines inside the frame of the whole form: a blank, the context, the environment with its list and
/// a line for its error, each field with a line below it, the foot.
fn full_height(launcher: &Launcher) -> u16 {
    let (context, below) = parts(launcher);
    1 + 2 * u16::from(context) + 1 + CHOICES + 1 + 2 * below.len() as u16 + 1
}

/// The same with one environment and no line below a field.
fn together(launcher: &Launcher) -> u16 {
    let (context, below) = parts(launcher);
    1 + u16::from(context) + 1 + 1 + 1 + below.len() as u16 + 1
}

pub fn area(launcher: &Launcher, screen: Rect) -> Rect {
    let full = full_height(launcher) + 2;
    if is_plain(launcher) && !has_groups(launcher) {
        return dialog::place(screen, WIDTH, full);
    }
    if screen.height >= TALL {
        let known = launcher.known() as u16;
        let more = known.saturating_sub(CHOICES).min(MORE_CHOICES);
        return dialog::place(screen, WIDTH, full + more);
    }
    // A glimpse of the page above and below.
    let most = screen.height.saturating_sub(4);
    let low = together(launcher) + 2;
    let height = if most + FEWER_CHOICES >= full {
        full.min(most)
    } else {
        low.max(most.min(low + CHOICES - 1))
    };
    dialog::place(screen, WIDTH, height)
}

fn has_groups(launcher: &Launcher) -> bool {
    launcher.choices().iter().any(|it| it.group.is_some())
}

/// Where the environments are listed.
pub fn choices(launcher: &Launcher, area: Rect) -> Rect {
    let inner = inner(area);
    let plan = plan(launcher, inner.height);
    Rect::new(
        inner.x + VALUES,
        inner.y + plan.environment + 1,
        inner.width.saturating_sub(VALUES),
        plan.choices,
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

/// The first environment shown of `shown` lines, so that the marked one is seen.
pub fn first_choice(launcher: &Launcher, shown: u16) -> usize {
    let shown = usize::from(shown);
    let last = launcher.choices().len().saturating_sub(shown);
    launcher.marked().saturating_sub(shown / 2).min(last)
}

pub fn draw(paint: &mut Paint<'_>, app: &App, launcher: &Launcher, areas: &Areas) {
    let Some(area) = areas.dialog else { return };
    let title = "Launch a session";
    let inner = dialog::frame(paint, areas.screen, area, title, Face::Title);
    let plan = plan(launcher, inner.height);
    let line = |y: u16| Rect::new(inner.x, inner.y + y, inner.width, 1);
    if let Some(y) = plan.context {
        draw_context(paint, app, launcher, line(y), plan.airy);
    }
    draw_environment(paint, launcher, areas, inner, inner.y + plan.environment);
    for (field, y) in &plan.fields {
        if field.is_choice() {
            draw_choice_field(paint, app, launcher, *field, line(*y));
        } else {
            draw_field(paint, launcher, *field, line(*y), plan.airy);
        }
    }
    if !plan.airy && launcher.progress == Progress::Editing {
        let wrong = launcher.problem(launcher.field);
        problem(paint, wrong.as_deref(), line(plan.foot));
    }
    draw_foot(paint, launcher, inner, inner.y + plan.foot);
}

fn draw_context(paint: &mut Paint<'_>, app: &App, launcher: &Launcher, line: Rect, airy: bool) {
    label(paint, launcher, Field::Context, line, line.y);
    let style = paint.context_style(&app.mirror, launcher.context());
    let name = launcher.value(Field::Context);
    let (x, room) = (line.x + VALUES, line.width - VALUES);
    let end = paint.styled(x, line.y, room, &name, style);
    if launcher.field == Field::Context {
        draw_turning(paint, app, line, end + 2);
    }
    if airy {
        let below = Rect::new(x, line.y + 1, room, 1);
        problem(paint, launcher.problem(Field::Context).as_deref(), below);
    }
}

/// One of a few, chosen with left and right.
fn draw_choice_field(
    paint: &mut Paint<'_>,
    app: &App,
    launcher: &Launcher,
    field: Field,
    line: Rect,
) {
    label(paint, launcher, field, line, line.y);
    let focused = launcher.field == field;
    let face = if focused { Face::Strong } else { Face::Value };
    let (x, room) = (line.x + VALUES, line.width - VALUES);
    let end = paint.text(x, line.y, room, &launcher.value(field), face);
    if focused {
        draw_turning(paint, app, line, end + 2);
    }
}

/// How to come to another value.
fn draw_turning(paint: &mut Paint<'_>, app: &App, line: Rect, x: u16) {
    let keys: Vec<String> = [Action::LauncherLess, Action::LauncherMore]
        .into_iter()
        .filter_map(|action| {
            app.keymap
                .keys_for(Scope::Launcher, action)
                .into_iter()
                .next()
        })
        .collect();
    let pieces = [
        (keys.join("/"), Face::Key),
        (" another one".to_owned(), Face::Dim),
    ];
    paint.pieces(x, line.y, line.right().saturating_sub(x), &pieces);
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
        let before = at.checked_sub(1).filter(|_| line > 0);
        let before = before.and_then(|at| launcher.choices().get(at));
        draw_choice(paint, row, choice, before, marked);
    }
    draw_rest(paint, launcher, area, first);
}

/// One environment; the heading of a group stands at its first line.
fn draw_choice(
    paint: &mut Paint<'_>,
    row: Rect,
    choice: &Choice,
    before: Option<&Choice>,
    marked: bool,
) {
    let face = match (&choice.unavailable, marked) {
        (Some(_), _) => Face::Dim,
        (None, true) => Face::Strong,
        (None, false) => Face::Value,
    };
    let heading = choice.group.as_ref().map_or("", |group| {
        let same = before.is_some_and(|it| it.group.as_ref() == Some(group));
        if same { "" } else { group.as_str() }
    });
    let note = match (&choice.unavailable, &choice.group) {
        (Some(_), _) => "unavailable",
        (None, Some(_)) => heading,
        (None, None) => choice.note.as_str(),
    };
    let taken = text::width(note) as u16 + 2;
    let room = (row.width - 1).saturating_sub(taken + 1);
    let x = row.x + 2;
    let ellipsis = paint.glyphs.ellipsis;
    let (label, _) = text::fit_path(&choice.label, usize::from(room), ellipsis);
    let end = paint.text(x, row.y, room, &label, face);
    let mut left = (x + room).saturating_sub(end);
    let mut at = end;
    for chip in &choice.chips {
        let cells = text::width(chip.as_str()) as u16 + 2;
        // A chip that does not fit whole says nothing.
        if cells > left {
            break;
        }
        paint.text(at + 2, row.y, cells - 2, chip.as_str(), Face::Label);
        at += cells;
        left -= cells;
    }
    paint.right(row.x + 1, row.y, row.width - 2, note, Face::Dim);
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

fn draw_field(paint: &mut Paint<'_>, launcher: &Launcher, field: Field, line: Rect, airy: bool) {
    label(paint, launcher, field, line, line.y);
    let input = launcher.input(field);
    let focused = launcher.field == field;
    let room = line.width - VALUES;
    let note = launcher.limit(field).unwrap_or_default();
    let taken = text::width(&note) as u16;
    let place = Rect::new(line.x + VALUES, line.y, room.saturating_sub(taken + 2), 1);
    paint.input(place, input, focused);
    if field == Field::Name && input.is_empty() {
        let hint = "made up when left empty";
        paint.text(place.x, line.y, place.width, hint, Face::Placeholder);
    }
    if field != Field::Name {
        let x = (place.x + text::width(input.text()) as u16 + 2).max(place.x + 12);
        paint.text(x, line.y, line.right().saturating_sub(x), &note, Face::Dim);
    }
    if !airy {
        return;
    }
    let below = Rect::new(place.x, line.y + 1, room, 1);
    match (launcher.problem(field), launcher.remark(field)) {
        (None, Some(remark)) => {
            paint.text(below.x, below.y, room, &remark, Face::Warning);
        }
        (wrong, _) => problem(paint, wrong.as_deref(), below),
    }
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
        Progress::Editing => {
            if let Some(gap) = launcher.gap() {
                let cells = usize::from(inner.width);
                let text = text::fit(gap.as_str(), cells, paint.glyphs.ellipsis);
                paint.text(inner.x, y, inner.width, &text, Face::Dim);
            }
        }
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
