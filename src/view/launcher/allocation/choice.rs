//! A field with a few options: the chosen option, and all options below it while it has the focus.

use super::super::sheet::{FormSheet, SheetLine, VALUES};
use crate::{
    app::launcher::{FormRow, allocation::SelectOption},
    model::launch_field::LaunchField as Field,
    theme::face::Face,
    view::text,
};

/// Maximum visible options.
const SHOWN: usize = 6;

pub fn write(sheet: &mut FormSheet<'_>, row: FormRow, label: &str) {
    let launcher = sheet.launcher;
    let Some((options, at)) = launcher.allocation.choices(row, launcher.info()) else {
        return;
    };
    let (value, note) = match options.get(at) {
        Some(option) => (option.title.as_str(), option.note.as_str()),
        None => ("", ""),
    };
    sheet.choice(row, label, value, note);
    sheet.message(row);
    if sheet.is_focused(row) && options.len() > 1 {
        list(sheet, row, &options, at);
    }
}

fn list(sheet: &mut FormSheet<'_>, row: FormRow, options: &[SelectOption], at: usize) {
    let titles = options.iter().map(|option| text::width(&option.title));
    let titles = (titles.max().unwrap_or(0) as u16).min(28);
    let first = at
        .saturating_sub(SHOWN / 2)
        .min(options.len().saturating_sub(SHOWN));
    let shown = options.iter().enumerate().skip(first).take(SHOWN);
    for (position, option) in shown {
        let mut line = option_line(sheet, row, option, position == at, titles);
        // A click can't select a project, because each project has its own catalog, which only the keys
        // request.
        if row.field != Field::Project {
            line = line.choosing(position);
        }
        sheet.push(line);
    }
    let below = options.len().saturating_sub(first + SHOWN);
    if below > 0 {
        let text = tr!("  {down} {below} more", down = sheet.glyphs.down, below);
        sheet.sentence(row, &text, Face::Dim);
    }
}

fn option_line<'a>(
    sheet: &FormSheet<'a>,
    row: FormRow,
    option: &SelectOption,
    chosen: bool,
    titles: u16,
) -> SheetLine<'a> {
    let face = match (&option.why_not, chosen) {
        (Some(_), _) => Face::Dim,
        (None, true) => Face::Strong,
        (None, false) => Face::Value,
    };
    let mut line = SheetLine::below(row);
    if chosen {
        line = line.text(VALUES, 1, sheet.glyphs.to, Face::Accent);
    }
    let x = VALUES + 2;
    let note = x + titles + 2;
    let room = sheet.width.saturating_sub(note);
    line = line.text(x, titles, option.title.as_str(), face);
    match &option.why_not {
        Some(why) => line.text(note, room, why.as_str(), Face::Dim),
        None => line.text(note, room, option.note.as_str(), Face::Dim),
    }
}
