//! The settings page: the list, what the marked setting means, and the field that changes it.

use jiff::Timestamp;
use ratatui::layout::Rect;

use super::Dialog;
use crate::{
    app::{
        app::App,
        area::DialogAreas,
        panels::settings::{
            SettingLine, SettingsPage,
            editor::{EditorForm, SettingEditor},
        },
        settings::ShownSetting,
    },
    model::setting_kind::SettingKind,
    theme::face::Face,
    view::{dialog, paint::Paint, text},
};

/// The widest useful dialog.
const WIDTH: u16 = 116;
/// Cells of a setting's name and of its origin.
const NAME: u16 = 26;
const ORIGIN: u16 = 12;
/// Lines above the list: the border, the search, and the problem or a blank line.
const HEAD: u16 = 3;
/// The most lines of the widget.
const WIDGET: usize = 8;

impl Dialog for SettingsPage {
    fn place(&self, _: &App, screen: Rect) -> DialogAreas {
        // A low screen needs all lines for the list.
        let around = if screen.height >= 30 { 6 } else { 1 };
        let height = screen.height.saturating_sub(around);
        let area = dialog::place(screen, WIDTH, height);
        let foot = foot(area.height);
        let list = dialog::rows(area, HEAD, 1 + foot);
        let rows = match self.editor() {
            None => list,
            // The widget replaces the end of the list, above its foot.
            Some(editor) => {
                let height = editor.height().min(WIDGET) as u16;
                let height = height.min(list.height.saturating_sub(4));
                Rect {
                    x: list.x + 2,
                    y: list.bottom() - height - 1,
                    width: list.width.saturating_sub(2),
                    height,
                }
            }
        };
        dialog::areas(screen, area, rows)
    }

    fn draw(&self, paint: &mut Paint<'_>, app: &App, areas: &DialogAreas, _: Timestamp) {
        let area = areas.area;
        let inner = dialog::frame(paint, areas.screen, area, tr!("Settings"), Face::Title);
        draw_search(paint, self, app, Rect { height: 1, ..inner });
        draw_problem(paint, app, Rect::new(inner.x, inner.y + 1, inner.width, 1));
        let list = match self.editor() {
            None => areas.rows,
            Some(_) => {
                let all = dialog::rows(area, HEAD, 1 + foot(area.height));
                let height = areas.rows.y.saturating_sub(2).saturating_sub(all.y);
                Rect { height, ..all }
            }
        };
        draw_list(paint, self, app, list);
        if let Some(editor) = self.editor() {
            draw_editor(paint, editor, areas.rows, list);
        }
        let foot = foot(area.height);
        let below = Rect::new(inner.x, area.bottom() - 1 - foot, inner.width, foot);
        draw_rule(paint, area, below.y);
        match self.marked(&app.facts) {
            Some(setting) => draw_foot(paint, self.editor(), setting, below),
            None => draw_empty(paint, self, areas.rows),
        }
    }
}

/// Lines below the list: a rule, the meaning, and where the value comes from.
fn foot(height: u16) -> u16 {
    if height >= 30 { 8 } else { 7 }
}

fn draw_rule(paint: &mut Paint<'_>, area: Rect, y: u16) {
    let glyph = paint.glyphs.rule;
    paint.line(area.x + 1, y, area.width - 2, glyph, Face::Border);
}

fn draw_search(paint: &mut Paint<'_>, page: &SettingsPage, app: &App, line: Rect) {
    let all = app.facts.settings.len();
    let note = if page.search().is_empty() {
        tr!("{all} settings", all)
    } else {
        tr!("{count} of {all}", count = page.count(), all)
    };
    paint.right(line.x, line.y, line.width, &note, Face::Dim);
    let field = Rect::new(line.x + 1, line.y, line.width.saturating_sub(20), 1);
    let focused = page.editor().is_none();
    paint.input(field, page.search(), focused);
    if page.search().is_empty() {
        let hint = tr!("type to search");
        paint.text(field.x, field.y, field.width, hint, Face::Placeholder);
    }
}

/// The mistake in a file, with its line.
fn draw_problem(paint: &mut Paint<'_>, app: &App, line: Rect) {
    let Some(found) = &app.facts.settings_problem else {
        return;
    };
    let what = if found.whole {
        tr!("File ignored")
    } else {
        tr!("Setting ignored")
    };
    let more = match found.more {
        0 => String::new(),
        n => tr!(" ({n} more)", n),
    };
    let name = found.problem.file.file_name();
    let name = name.map(|it| it.to_string_lossy().into_owned());
    let place = format!("{}:{}", name.unwrap_or_default(), found.problem.line);
    let text = format!("{what}{more}. {place}: {}", found.problem.message);
    paint.text(line.x + 1, line.y, line.width - 1, &text, Face::Bad);
}

fn draw_list(paint: &mut Paint<'_>, page: &SettingsPage, app: &App, rows: Rect) {
    // While a value is edited, its row is the last visible one.
    let scroll = match page.editor() {
        None => page.list.scroll(),
        Some(_) => page
            .list
            .scroll()
            .max((page.list.marked() + 1).saturating_sub(usize::from(rows.height))),
    };
    let shown = page.lines().iter().enumerate().skip(scroll);
    for (line, (at, row)) in shown.take(usize::from(rows.height)).enumerate() {
        let place = Rect::new(rows.x, rows.y + line as u16, rows.width, 1);
        match row {
            SettingLine::Gap => {}
            SettingLine::Section(first) => {
                if let Some(setting) = app.facts.settings.get(*first) {
                    let title = format!("[{}]", setting.parts().0);
                    paint.text(place.x, place.y, place.width, &title, Face::Title);
                }
            }
            SettingLine::Setting(position) => {
                if let Some(setting) = app.facts.settings.get(*position) {
                    draw_row(paint, setting, place, at == page.list.marked());
                }
            }
        }
    }
}

fn draw_row(paint: &mut Paint<'_>, setting: &ShownSetting, place: Rect, marked: bool) {
    if marked {
        dialog::mark(paint, place);
    }
    let name = if marked { Face::Strong } else { Face::Text };
    paint.text(place.x + 2, place.y, NAME - 3, setting.parts().1, name);
    // What isn't the default stands out by its weight.
    let value = if setting.origin == "default" {
        Face::Dim
    } else {
        Face::Value
    };
    let room = place.width.saturating_sub(NAME + ORIGIN + 1);
    paint.text(place.x + NAME, place.y, room, &setting.value, value);
    let origin = match setting.origin.as_str() {
        "site" => tr!("system-wide"),
        "user" => tr!("your file"),
        "environment" => tr!("variable"),
        "flag" => tr!("option"),
        "default" => tr!("default"),
        other => other,
    };
    let x = place.right().saturating_sub(ORIGIN);
    paint.right(x, place.y, ORIGIN, origin, Face::Dim);
}

fn draw_editor(paint: &mut Paint<'_>, editor: &SettingEditor, rows: Rect, list: Rect) {
    let title = tr!("New value of {key}", key = editor.key);
    let y = rows.y.saturating_sub(1);
    paint.text(list.x, y, list.width, &title, Face::Label);
    match &editor.form {
        EditorForm::Line(input) | EditorForm::Number(input) => paint.input(rows, input, true),
        EditorForm::Lines { lines, list } => {
            for (line, (at, input)) in visible(lines, list.scroll(), rows).enumerate() {
                let place = Rect::new(rows.x, rows.y + line as u16, rows.width, 1);
                let focused = at == list.marked();
                paint.input(place, input, focused);
                if input.is_empty() {
                    let hint = tr!("another one");
                    paint.text(place.x, place.y, place.width, hint, Face::Placeholder);
                }
            }
        }
        EditorForm::Choice { words, list } => {
            for (line, (at, word)) in visible(words, list.scroll(), rows).enumerate() {
                draw_word(paint, rows, line, word, at == list.marked());
            }
        }
        EditorForm::Subset { words, list } => {
            for (line, (at, (word, on))) in visible(words, list.scroll(), rows).enumerate() {
                let mark = if *on {
                    paint.glyphs.on
                } else {
                    paint.glyphs.off
                };
                let text = format!("[{mark}] {word}");
                draw_word(paint, rows, line, &text, at == list.marked());
            }
        }
    }
}

fn visible<T>(items: &[T], scroll: usize, rows: Rect) -> impl Iterator<Item = (usize, &T)> {
    let shown = items.iter().enumerate().skip(scroll);
    shown.take(usize::from(rows.height))
}

fn draw_word(paint: &mut Paint<'_>, rows: Rect, line: usize, word: &str, marked: bool) {
    let place = Rect::new(rows.x, rows.y + line as u16, rows.width, 1);
    if marked {
        dialog::mark(paint, place);
    }
    let face = if marked { Face::Strong } else { Face::Text };
    paint.text(place.x + 1, place.y, place.width - 1, word, face);
}

/// What the marked setting means, where its value comes from, and when a change takes effect. While a value is edited,
/// the error of the field comes first.
fn draw_foot(
    paint: &mut Paint<'_>,
    editor: Option<&SettingEditor>,
    setting: &ShownSetting,
    area: Rect,
) {
    let width = usize::from(area.width);
    let from = tr!("From {from}.", from = setting.from);
    let effect = setting.effect.sentence();
    let together = format!("{from} {effect}");
    // A low screen has no line to spare.
    let mut last = if setting.fixed.is_none() && area.height < 8 && text::width(&together) <= width
    {
        vec![(together, Face::Dim)]
    } else {
        vec![(from, Face::Dim), (effect.to_owned(), Face::Dim)]
    };
    if let Some(why) = &setting.fixed {
        last.pop();
        last.push((why.clone(), Face::Warning));
    }
    let mut lines = Vec::new();
    if let Some(editor) = editor {
        match (&editor.error, setting.kind.example()) {
            (Some(error), _) => lines.push((text::sentence(error), Face::InputError)),
            (None, _) if editor.saving => lines.push((tr!("Saving").to_owned(), Face::Dim)),
            (None, "") => {}
            (None, example) => {
                lines.push((format!("{}.", typed(&setting.kind, example)), Face::Hint));
            }
        }
    }
    lines.push((setting.meaning.clone(), Face::Text));
    let mut wrapped: Vec<(String, Face)> = Vec::new();
    for (text, face) in lines {
        wrapped.extend(
            text::wrap(&text, width)
                .into_iter()
                .map(|line| (line, face)),
        );
    }
    let mut end: Vec<(String, Face)> = Vec::new();
    for (text, face) in last {
        end.extend(
            text::wrap(&text, width)
                .into_iter()
                .map(|line| (line, face)),
        );
    }
    let room = usize::from(area.height.saturating_sub(1));
    let above = room.saturating_sub(end.len());
    let cut = wrapped.len() > above;
    wrapped.truncate(above);
    if cut && let Some((line, _)) = wrapped.last_mut() {
        let fitted = text::fit(line, width.saturating_sub(1), paint.glyphs.ellipsis);
        *line = format!("{}{}", fitted.trim_end_matches('.'), paint.glyphs.ellipsis);
    }
    wrapped.resize(above, (String::new(), Face::Dim));
    wrapped.extend(end);
    for (line, (text, face)) in wrapped.iter().take(room).enumerate() {
        paint.text(area.x, area.y + 1 + line as u16, area.width, text, *face);
    }
}

/// `Type a number`.
fn typed(kind: &SettingKind, example: &str) -> String {
    match kind {
        SettingKind::Subset(_) => tr!("Press {example}", example),
        _ => tr!("Type {example}", example),
    }
}

fn draw_empty(paint: &mut Paint<'_>, page: &SettingsPage, rows: Rect) {
    let text = tr!(
        "No setting matches '{search}'. Press esc to clear the search",
        search = page.search().text()
    );
    paint.text(
        rows.x + 1,
        rows.y,
        rows.width.saturating_sub(1),
        &text,
        Face::Dim,
    );
}
