//! The keys that can follow the typed ones, listed when the next key doesn't come for a moment.

use ratatui::layout::Rect;

use super::{dialog, paint::Paint, text};
use crate::{
    action::Action,
    app::{app::App, area::Areas},
    key::Key,
    theme::face::Face,
};

/// The smallest width of a column, and the cells for its keys.
const COLUMN: u16 = 36;
const KEYS: u16 = 12;

/// A row: the keys, and what they do.
struct Row {
    keys: String,
    doc: String,
    action: Option<Action>,
}

pub fn draw(paint: &mut Paint<'_>, app: &App, areas: &Areas) {
    if !app.explains_sequence() || areas.too_small {
        return;
    }
    // Your own commands come first, so that a low screen doesn't cut them off.
    let mut all = own_rows(app);
    all.extend(rows(&app.continuations()));
    let rows = all;
    let screen = areas.screen;
    let columns = (screen.width.saturating_sub(4) / COLUMN).max(1);
    let most = screen.height.saturating_sub(4);
    let count = rows.len() as u16;
    let height = count.div_ceil(columns).min(most);
    if height == 0 {
        return;
    }
    let area = Rect::new(
        screen.x,
        screen.bottom().saturating_sub(height + 3),
        screen.width,
        height + 2,
    );
    let typed: Vec<String> = app.pending.iter().map(Key::to_string).collect();
    let title = if typed.is_empty() {
        "After the leader key".to_owned()
    } else {
        format!("After {}", typed.join(" "))
    };
    dialog::border(paint, area, &title, Face::Title);
    // Only as many columns as are needed, so that texts have room.
    let columns = count.div_ceil(height).min(columns);
    let width = (area.width - 4) / columns;
    for (at, row) in rows.iter().take(usize::from(height * columns)).enumerate() {
        let (column, line) = (at as u16 / height, at as u16 % height);
        let x = area.x + 2 + column * width;
        let y = area.y + 1 + line;
        paint.text(x, y, KEYS - 1, &row.keys, Face::Key);
        let room = width.saturating_sub(KEYS + 1);
        let doc = text::fit(&row.doc, usize::from(room), paint.glyphs.ellipsis);
        paint.text(x + KEYS, y, room, &doc, Face::Text);
    }
}

/// A row for each of your own commands.
fn own_rows(app: &App) -> Vec<Row> {
    let own = app.command_continuations().into_iter();
    let row = |(key, name): (Key, Option<&str>)| Row {
        keys: key.to_string(),
        doc: name.unwrap_or("more keys").to_owned(),
        action: None,
    };
    own.map(row).collect()
}

/// A row for each action, verbs before movements. Numbered windows share a row.
fn rows(continuations: &[(Key, Option<Action>)]) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for (key, action) in continuations {
        let key = key.to_string();
        if let Some(row) = rows.iter_mut().find(|row| same(row.action, *action)) {
            if is_window(*action) {
                let first = row.keys.split('-').next().unwrap_or_default().to_owned();
                row.keys = format!("{first}-{key}");
                "go to a window".clone_into(&mut row.doc);
            } else {
                row.keys = format!("{} {key}", row.keys);
            }
            continue;
        }
        rows.push(Row {
            keys: key,
            doc: action.map_or("more keys", Action::doc).to_owned(),
            action: *action,
        });
    }
    rows.sort_by_key(|row| row.action.is_some_and(Action::is_movement));
    rows
}

fn same(one: Option<Action>, other: Option<Action>) -> bool {
    one.is_some() && (one == other || is_window(one) && is_window(other))
}

/// Whether an action goes to a window by its number.
fn is_window(action: Option<Action>) -> bool {
    let name = action.map_or("", Action::name);
    let number = name.strip_prefix("window.").unwrap_or_default();
    !number.is_empty() && number.chars().all(|c| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_one_action_and_numbered_windows_share_a_row() {
        let rows = rows(&[
            (Key::char('h'), Some(Action::PaneLeft)),
            (Key::char('1'), Some(Action::WindowOne)),
            (Key::char('x'), Some(Action::PaneClose)),
            (Key::char('2'), Some(Action::WindowTwo)),
            (Key::char('3'), Some(Action::WindowThree)),
            (Key::char('a'), Some(Action::PaneLeft)),
            (Key::char('g'), None),
        ]);
        let shown: Vec<(&str, &str)> = rows
            .iter()
            .map(|row| (row.keys.as_str(), row.doc.as_str()))
            .collect();
        assert_eq!(
            shown,
            [
                ("x", Action::PaneClose.doc()),
                ("g", "more keys"),
                ("h a", Action::PaneLeft.doc()),
                ("1-3", "go to a window"),
            ]
        );
    }
}
