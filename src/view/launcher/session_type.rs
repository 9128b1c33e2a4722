//! The first page: the kind of session and its name.

use super::sheet::{FormSheet, SheetLine, VALUES};
use crate::{
    app::launcher::{EMAIL, FormRow, OwnerSearch},
    locale,
    model::{launch_field::LaunchField as Field, session::SessionType, span::Span, text::Clean},
    rules::launch::table::Widget,
    theme::face::Face,
    view::text::scrolled,
};

pub fn write(sheet: &mut FormSheet<'_>) {
    for row in sheet.launcher.rows() {
        write_row(sheet, row);
        sheet.air();
    }
}

fn write_row(sheet: &mut FormSheet<'_>, row: FormRow) {
    let form = &sheet.launcher.session_type;
    match row.field {
        Field::Context => {
            let context = sheet.launcher.context().to_string();
            sheet.choice(row, tr!("Context"), &context, "");
            sheet.message(row);
        }
        Field::SessionType => {
            let (value, note) = match form.session_type() {
                SessionType::Batch => (tr!("batch"), tr!("runs a command, then exits")),
                _ => (tr!("interactive"), tr!("runs until it is terminated")),
            };
            sheet.choice(row, tr!("Type"), value, note);
            sheet.message(row);
        }
        Field::Owner => owner(sheet, row),
        field => match field.row().widget {
            Widget::Line { label, empty, note } => {
                let [label, empty, note] = [label, empty, note].map(locale::text);
                line(sheet, row, label, empty, note);
            }
            Widget::Script { label, empty } => {
                let hint =
                    saved_paths(sheet, field).unwrap_or_else(|| locale::text(empty).to_owned());
                script(sheet, row, locale::text(label), &hint);
            }
            Widget::Own => {}
        },
    }
}

/// The files that a stop hook saves besides running its command.
fn saved_paths(sheet: &FormSheet<'_>, field: Field) -> Option<String> {
    let hook = sheet.launcher.session_type.stop_hook();
    let saves = field == Field::StopHook && !hook.save.is_empty();
    saves.then(|| tr!("saves {save}", save = hook.save.join(", ")))
}

fn line(sheet: &mut FormSheet<'_>, row: FormRow, label: &str, empty: &str, note: &str) {
    let Some(input) = sheet.launcher.session_type.input(row) else {
        return;
    };
    let spans = [Field::Timeout, Field::IdleTimeout, Field::Lifetime];
    let meant = spans.contains(&row.field).then(|| meaning(input.text()));
    let limit = limit(sheet, row.field);
    let hint = limit.as_deref().unwrap_or(empty);
    let note = meant.flatten().unwrap_or_else(|| note.to_owned());
    sheet.typed(row, label, input, hint, &note);
    sheet.message(row);
}

/// The system-wide limit that applies while the field is empty.
fn limit(sheet: &FormSheet<'_>, field: Field) -> Option<String> {
    let site = &sheet.launcher.info().catalogue.as_ref()?.idle;
    let limit = match field {
        Field::IdleTimeout => site.network_timeout?,
        Field::Lifetime => site.session_lifetime?,
        _ => return None,
    };
    Some(tr!("{limit} (default)", limit))
}

/// The meaning of a typed duration, with or without a unit.
fn meaning(text: &str) -> Option<String> {
    let span: Span = text.parse().ok()?;
    Some(format!("= {}", span.in_words()))
}

fn script(sheet: &mut FormSheet<'_>, row: FormRow, label: &str, hint: &str) {
    let Some(script) = sheet.launcher.session_type.script(row.field) else {
        return;
    };
    let focused = sheet.is_focused(row);
    let room = sheet.width.saturating_sub(VALUES);
    let face = if focused {
        Face::InputFocused
    } else {
        Face::Input
    };
    let (at, column) = script.cursor();
    for (number, text) in script.lines().iter().enumerate() {
        let mut line = if number == 0 {
            sheet.label(row, label)
        } else {
            SheetLine::below(row)
        };
        // The line with the cursor scrolls to it, the others show their beginning.
        let here = focused && number == at;
        let before: String = text.chars().take(if here { column } else { 0 }).collect();
        let (shown, cursor) = scrolled(&before, text, usize::from(room));
        if number == 0 && script.is_empty() {
            line = line.text(VALUES, room, hint, Face::Placeholder);
        } else {
            line = line.text(VALUES, room, shown, face);
        }
        if here {
            let x = (cursor as u16).min(room.saturating_sub(1));
            line = line.cursor(VALUES + x);
        }
        sheet.push(line);
    }
    sheet.message(row);
}

fn owner(sheet: &mut FormSheet<'_>, row: FormRow) {
    let owner = &sheet.launcher.session_type.owner;
    if row.item != EMAIL {
        let label = if row.item == EMAIL + 1 {
            tr!("Access key")
        } else {
            tr!("Project")
        };
        let value = owner.value(row.item).map_or("", Clean::as_str);
        sheet.choice(row, label, value, "");
        return;
    }
    let note = match owner.found() {
        OwnerSearch::Asked => tr!("looking"),
        OwnerSearch::Found(_) => tr!("found"),
        OwnerSearch::None | OwnerSearch::Failed(_) => "",
    };
    sheet.typed(row, tr!("Owner"), owner.email(), tr!("you"), note);
    sheet.message(row);
}
