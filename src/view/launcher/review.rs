//! The last page: cards with all settings, problems in red, what the queue would do, the equivalent command
//! line, and the launch button.

use super::{
    sheet::{FormSheet, SheetLine, VALUES},
    words::{self, ReviewFact},
};
use crate::{
    app::launcher::{CARDS, FormRow, LAUNCH, LaunchProgress, Page, QueueForecast, StepMark},
    locale,
    theme::face::Face,
    view::text,
};

/// Visible lines of the command line. Copying takes all of it.
const COMMAND_LINES: usize = 3;

pub fn write(sheet: &mut FormSheet<'_>) {
    for (row, page) in CARDS {
        if sheet.airy {
            boxed(sheet, row, page);
        } else {
            plain(sheet, row, page);
            if sheet.loose {
                sheet.gap();
            }
        }
    }
    sheet.air();
    queue(sheet);
    command(sheet);
    sheet.gap();
    launch(sheet);
}

/// The problems on a page, each with the name of its field.
fn problems(sheet: &FormSheet<'_>, page: Page) -> Vec<String> {
    let wrong = sheet.launcher.wrong_on(page);
    wrong
        .map(|(field, why)| format!("{}: {why}", super::explain::title(field)))
        .collect()
}

fn facts(sheet: &FormSheet<'_>, page: Page) -> Vec<ReviewFact> {
    words::facts(sheet.launcher, page, sheet.glyphs)
}

/// A card with a border, which is red if there are problems.
fn boxed(sheet: &mut FormSheet<'_>, row: FormRow, page: Page) {
    let wrong = problems(sheet, page);
    let face = match (wrong.is_empty(), sheet.is_focused(row)) {
        (false, _) => Face::Bad,
        (true, true) => Face::Accent,
        (true, false) => Face::Border,
    };
    let title = if sheet.is_focused(row) {
        Face::Strong
    } else {
        Face::Title
    };
    let [left, right, low_left, low_right] = sheet.glyphs.corners;
    let width = sheet.width;
    let rule = |cells: u16| sheet.glyphs.rule.repeat(usize::from(cells));
    let name = format!(" {} ", page.title());
    let hint = if sheet.is_focused(row) {
        format!(" {} ", tr!("enter edits"))
    } else {
        String::new()
    };
    let taken = (text::width(&name) + text::width(&hint)) as u16;
    let top = [
        (format!("{left}{}", rule(1)), face),
        (name, title),
        (rule(width.saturating_sub(taken + 4)), face),
        (hint, Face::Key),
        (format!("{}{right}", rule(1)), face),
    ];
    let bottom = format!("{low_left}{}{low_right}", rule(width.saturating_sub(2)));
    sheet.push(SheetLine::of(row).pieces(0, width, top));
    let inside = width.saturating_sub(2);
    for (what, value) in facts(sheet, page) {
        let line = edges(sheet, row, face)
            .text(2, VALUES - 3, locale::text(what), Face::Label)
            .text(VALUES, inside.saturating_sub(VALUES), value, Face::Value);
        sheet.push(line);
    }
    for why in wrong {
        for part in text::wrap(&why, usize::from(inside.saturating_sub(3))) {
            let line = edges(sheet, row, face).text(2, inside - 2, part, Face::InputError);
            sheet.push(line);
        }
    }
    sheet.push(SheetLine::below(row).text(0, width, bottom, face));
}

fn edges<'a>(sheet: &FormSheet<'a>, row: FormRow, face: Face) -> SheetLine<'a> {
    let side = sheet.glyphs.vertical;
    SheetLine::below(row)
        .text(0, 1, side, face)
        .text(sheet.width.saturating_sub(1), 1, side, face)
}

/// A card without a border, in as few lines as possible.
fn plain(sheet: &mut FormSheet<'_>, row: FormRow, page: Page) {
    let wrong = problems(sheet, page);
    let mark = match sheet.launcher.mark(page) {
        StepMark::Wrong => Some(sheet.glyphs.marks[1]),
        StepMark::Done | StepMark::Unseen => None,
    };
    let width = sheet.width;
    let mut line = sheet.label(row, page.short_title());
    if let Some(mark) = mark {
        line = line.text(VALUES - 2, 1, mark, Face::Bad);
    }
    if sheet.is_focused(row) {
        line = line.right(VALUES, width - VALUES, tr!("enter edits"), Face::Key);
    }
    let room = width.saturating_sub(VALUES + if sheet.is_focused(row) { 13 } else { 0 });
    let mut rest = packed(&facts(sheet, page), usize::from(room), sheet.glyphs.dot).into_iter();
    if let Some(first) = rest.next() {
        line = line.text(VALUES, room, first, Face::Value);
    }
    sheet.push(line);
    for more in rest {
        let line = SheetLine::below(row).text(VALUES, width - VALUES, more, Face::Value);
        sheet.push(line);
    }
    for why in wrong {
        sheet.sentence(row, &why, Face::InputError);
    }
}

/// Puts as many facts in a line as fit.
fn packed(facts: &[ReviewFact], cells: usize, dot: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for (what, value) in facts {
        let text = match *what {
            "Type" | "Name" | "Environment" | "Per container" | "Folder" | "Context" => {
                value.clone()
            }
            "" => value.clone(),
            _ if [words::NO_FOLDER, words::NO_PORT]
                .map(locale::text)
                .contains(&value.as_str()) =>
            {
                value.clone()
            }
            what => format!("{}: {value}", locale::text(what).to_lowercase()),
        };
        match lines.last_mut() {
            Some(last) if text::width(last) + text::width(&text) + 3 <= cells => {
                last.push_str(&[" ", dot, " ", &text].concat());
            }
            // A fact without a label continues the fact before it and can be a whole sentence.
            _ if what.is_empty() => lines.extend(text::wrap(&text, cells)),
            _ => lines.push(text),
        }
    }
    lines
}

fn queue(sheet: &mut FormSheet<'_>) {
    let Some(forecast) = words::forecast(sheet.launcher) else {
        return;
    };
    let room = sheet.width.saturating_sub(VALUES);
    let waits = sheet.launcher.forecast() != QueueForecast::AtOnce;
    let face = if waits { Face::Warning } else { Face::Success };
    for (at, part) in text::wrap(&forecast, usize::from(room))
        .into_iter()
        .enumerate()
    {
        let mut line = SheetLine::default();
        if at == 0 {
            line = line.text(0, VALUES - 1, tr!("Queue"), Face::Label);
        }
        sheet.push(line.text(VALUES, room, part, face));
    }
}

fn command(sheet: &mut FormSheet<'_>) {
    let room = sheet.width.saturating_sub(VALUES);
    // The copied command keeps its line breaks, because a shell reads them back within the quotes.
    let text = sheet.launcher.command_line();
    let text = text.replace('\n', sheet.glyphs.line_break);
    let mut parts = text::wrap(&text, usize::from(room));
    if parts.len() > COMMAND_LINES {
        parts.truncate(COMMAND_LINES);
        if let Some(last) = parts.last_mut() {
            last.push(' ');
            last.push_str(sheet.glyphs.ellipsis);
        }
    }
    for (at, part) in parts.into_iter().enumerate() {
        let mut line = SheetLine::default();
        if at == 0 {
            line = line.text(0, VALUES - 1, tr!("Command line"), Face::Label);
        }
        sheet.push(line.text(VALUES, room, part, Face::Dim));
    }
}

/// The button, and next to it why it can't be pressed or asks for confirmation.
fn launch(sheet: &mut FormSheet<'_>) {
    let launcher = sheet.launcher;
    let focused = sheet.is_focused(LAUNCH);
    let wrong = launcher.problems().len();
    let face = match (focused, wrong) {
        (true, 0) => Face::ButtonActive,
        (_, 0) => Face::Button,
        _ => Face::Dim,
    };
    let notes = [
        (launcher.home_note(), Face::Accent),
        (launcher.grown_note(), Face::Warning),
        (launcher.missing_note(), Face::Warning),
    ];
    for (note, face) in notes {
        let room = sheet.width.saturating_sub(VALUES);
        for part in text::wrap(&note.unwrap_or_default(), usize::from(room)) {
            let line = SheetLine::below(LAUNCH).text(VALUES, room, part, face);
            sheet.push(line);
        }
    }
    let button = tr!("  Launch  ");
    let (text, text_face) = launch_note(launcher, wrong);
    let x = VALUES;
    let room = sheet.width.saturating_sub(x);
    let mut parts = text::wrap(&text, usize::from(room)).into_iter();
    let mut line = SheetLine::of(LAUNCH).text(0, 10, button, face);
    if let Some(first) = parts.next() {
        line = line.text(x, room, first, text_face);
    }
    sheet.push(line);
    for more in parts {
        sheet.push(SheetLine::below(LAUNCH).text(x, room, more, text_face));
    }
}

fn launch_note(launcher: &crate::app::launcher::Launcher, wrong: usize) -> (String, Face) {
    match (&launcher.progress, wrong) {
        (LaunchProgress::Asked, _) => (tr!("Launching").to_owned(), Face::StatusProgress),
        (_, 1) => (tr!("1 problem prevents the launch").to_owned(), Face::Bad),
        (_, 2..) => {
            let text = tr!("{wrong} problems prevent the launch", wrong);
            (text, Face::Bad)
        }
        (_, 0) if !launcher.lacks_folder() => (String::new(), Face::Dim),
        (_, 0) if launcher.is_warned() => (
            tr!("no folder mounted: files aren't kept permanently\nPress Enter to launch without a folder").to_owned(),
            Face::Warning,
        ),
        (_, 0) => (tr!("no folder mounted: files aren't kept permanently").to_owned(), Face::Dim),
    }
}
