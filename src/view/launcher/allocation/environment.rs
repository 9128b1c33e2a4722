//! The environment: a search while it has the focus, otherwise the chosen one. The list below stays in place,
//! so that nothing moves with the focus.

use super::super::sheet::{FormSheet, SheetLine, VALUES};
use crate::{
    app::launcher::{
        FormRow,
        allocation::{EnvironmentChoice, EnvironmentPicker, EnvironmentRow},
    },
    model::launch_field::LaunchField as Field,
    theme::face::Face,
    view::text,
};

/// Lines of the list on a small and on a large screen.
const FEW: usize = 6;
const MANY: usize = 12;
/// Maximum widths of the columns.
const NAMES: u16 = 30;
const VERSIONS: u16 = 18;

pub fn write(sheet: &mut FormSheet<'_>) {
    let row = FormRow::of(Field::Environment);
    let environments = sheet.launcher.allocation.environments();
    if sheet.is_focused(row) && !environments.has_manual_image() {
        search(sheet, row, environments);
    } else {
        chosen(sheet, row, environments);
    }
    list(sheet, row, environments);
    sheet.message(row);
    let image = FormRow::of(Field::Image);
    let known = sheet
        .launcher
        .allocation
        .environment_of_image(sheet.launcher.info());
    let note = match known {
        Some(known) => tr!("is {known}", known),
        None => String::new(),
    };
    let hint = tr!("registry/name:tag");
    sheet.typed(image, tr!("Other image"), environments.image(), hint, &note);
    sheet.message(image);
}

fn search<'a>(sheet: &mut FormSheet<'a>, row: FormRow, environments: &'a EnvironmentPicker) {
    let (fit, all) = (environments.choices().len(), environments.known());
    let note = if environments.query().is_empty() {
        tr!("{all} available", all)
    } else {
        tr!("{fit} of {all}", fit, all)
    };
    let note = if all > 1 { note } else { String::new() };
    sheet.typed(
        row,
        tr!("Environment"),
        environments.query(),
        tr!("type to search"),
        &note,
    );
}

/// The environment that would be launched, in one line.
fn chosen(sheet: &mut FormSheet<'_>, row: FormRow, environments: &EnvironmentPicker) {
    let is_manual = environments.has_manual_image();
    let choice = environments
        .marked()
        .and_then(|at| environments.choices().get(at));
    let room = sheet.width.saturating_sub(VALUES);
    let line = sheet.label(row, tr!("Environment"));
    let line = match choice {
        _ if is_manual => line.text(VALUES, room, tr!("the image below is used"), Face::Dim),
        Some(choice) => {
            let widths = widths(std::slice::from_ref(choice), sheet.width);
            columns(sheet, line, VALUES, choice, widths, look(choice, false))
        }
        None => {
            let label = environments.label(sheet.launcher.info());
            line.text(VALUES, room, label, Face::Value)
        }
    };
    sheet.push(line);
}

fn list(sheet: &mut FormSheet<'_>, row: FormRow, environments: &EnvironmentPicker) {
    let entries = environments.lines();
    if entries.is_empty() && environments.known() == 0 {
        let label = environments.label(sheet.launcher.info());
        let text = tr!("{label} (default; others are loading)", label);
        if !environments.has_manual_image() {
            sheet.sentence(row, &text, Face::Dim);
        }
        return;
    }
    let shown = if sheet.airy { MANY } else { FEW };
    let marked = environments.marked().map(EnvironmentRow::Choice);
    let at = entries.iter().position(|entry| Some(*entry) == marked);
    let first = at
        .unwrap_or(0)
        .saturating_sub(shown / 2)
        .min(entries.len().saturating_sub(shown));
    let widths = widths(environments.choices(), sheet.width);
    let mut above: Option<&EnvironmentChoice> = None;
    for entry in entries.iter().skip(first).take(shown) {
        let line = match entry {
            EnvironmentRow::Group(group) => {
                let room = sheet.width.saturating_sub(VALUES);
                SheetLine::below(row).text(VALUES, room, group.as_str(), Face::Dim)
            }
            EnvironmentRow::Choice(at) => {
                let choice = &environments.choices()[*at];
                let marked = !environments.has_manual_image() && Some(*at) == environments.marked();
                let mut look = look(choice, marked);
                // Only the first of several versions shows its name brightly.
                if look.name == Face::Value && above.is_some_and(|it| it.name == choice.name) {
                    look.name = Face::Dim;
                }
                above = Some(choice);
                choice_line(sheet, row, choice, look, widths).choosing(*at)
            }
        };
        sheet.push(line);
    }
    let below = entries.iter().skip(first + shown);
    let below = below
        .filter(|it| matches!(it, EnvironmentRow::Choice(_)))
        .count();
    if below > 0 {
        let text = tr!("{down} {below} more", down = sheet.glyphs.down, below);
        let line = SheetLine::below(row).text(VALUES + 2, 20, text, Face::Dim);
        sheet.push(line);
    }
}

/// The widths of the columns of names and versions. A narrow sheet cuts names rather than versions.
fn widths(choices: &[EnvironmentChoice], sheet: u16) -> (u16, u16) {
    let widest = |of: fn(&EnvironmentChoice) -> &str| {
        let widths = choices.iter().map(|choice| text::width(of(choice)));
        widths.max().unwrap_or(0) as u16
    };
    let names = widest(|choice| choice.name.as_str());
    let versions = widest(|choice| choice.version.as_str()).min(VERSIONS);
    let notes = widest(note);
    // The marker before the name, and the gaps around the version.
    let taken = VALUES + 2 + 2 + versions + 2 + notes;
    let room = sheet.saturating_sub(taken).max(NAMES / 2);
    (names.min(NAMES).min(room), versions)
}

/// The text on the right.
fn note(choice: &EnvironmentChoice) -> &str {
    match &choice.unavailable {
        Some(_) => tr!("unavailable"),
        None => choice.note.as_str(),
    }
}

/// The faces of a choice.
#[derive(Clone, Copy)]
struct ChoiceFaces {
    marked: bool,
    name: Face,
    version: Face,
}

fn look(choice: &EnvironmentChoice, marked: bool) -> ChoiceFaces {
    let face = match (&choice.unavailable, marked) {
        (Some(_), _) => Face::Dim,
        (None, true) => Face::Strong,
        (None, false) if choice.absent => Face::Dim,
        (None, false) => Face::Value,
    };
    ChoiceFaces {
        marked,
        name: face,
        version: face,
    }
}

fn choice_line<'a>(
    sheet: &FormSheet<'a>,
    row: FormRow,
    choice: &EnvironmentChoice,
    look: ChoiceFaces,
    widths: (u16, u16),
) -> SheetLine<'a> {
    let mut line = SheetLine::below(row);
    if look.marked {
        line = line.text(VALUES, 1, sheet.glyphs.to, Face::Accent);
    }
    columns(sheet, line, VALUES + 2, choice, widths, look)
}

/// Name, version, chips, and on the right what is known about its size.
fn columns<'a>(
    sheet: &FormSheet<'a>,
    line: SheetLine<'a>,
    x: u16,
    choice: &EnvironmentChoice,
    (names, versions): (u16, u16),
    look: ChoiceFaces,
) -> SheetLine<'a> {
    let ellipsis = sheet.glyphs.ellipsis;
    let note = note(choice);
    let end = sheet.width.saturating_sub(text::width(note) as u16 + 2);
    let (name, _) = text::fit_path(choice.name.as_str(), usize::from(names), ellipsis);
    let at = x + names + 2;
    let version = versions.min(end.saturating_sub(at));
    let mut line = line.text(x, names, name, look.name).text(
        at,
        version,
        choice.version.as_str(),
        look.version,
    );
    let mut at = at + version + 2;
    for chip in &choice.chips {
        let cells = text::width(chip.as_str()) as u16;
        // A chip is shown completely or not at all.
        if at + cells > end {
            break;
        }
        line = line.text(at, cells, chip.as_str(), Face::Label);
        at += cells + 2;
    }
    line.right(x, sheet.width.saturating_sub(x), note, Face::Dim)
}
