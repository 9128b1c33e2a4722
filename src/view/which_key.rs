//! The keys that can follow the typed ones, listed when the next key doesn't come for a moment.

use ratatui::layout::Rect;

use super::{dialog, paint::Paint, text};
use crate::{
    action::Action,
    app::{app::App, area::Areas},
    key::Key,
    locale,
    theme::face::Face,
};

/// The most cells for the keys of a row.
const KEYS: usize = 14;
/// Texts get at least these cells before another column is added.
const SHORT_DOC: u16 = 22;
/// Blank cells after the keys, and after a column.
const GAP: u16 = 2;

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
    let keys = rows.iter().map(|row| text::width(&row.keys)).max();
    let keys = keys.unwrap_or(0).min(KEYS) as u16 + GAP;
    let room = screen.width.saturating_sub(4);
    // The border and the hints.
    let most = screen.height.saturating_sub(3);
    let count = rows.len() as u16;
    if count == 0 || most == 0 {
        return;
    }
    // At most half of the screen, as far as texts have room. Every row is shown in any case.
    let half = (screen.height / 2).clamp(1, most);
    let by_width = room / (keys + SHORT_DOC + GAP);
    let columns = count.div_ceil(half).min(by_width);
    let columns = columns.max(count.div_ceil(most)).max(1);
    let height = count.div_ceil(columns).min(most);
    let area = Rect::new(
        screen.x,
        screen.bottom().saturating_sub(height + 3),
        screen.width,
        height + 2,
    );
    let typed: Vec<String> = app.pending.iter().map(Key::to_string).collect();
    let title = if typed.is_empty() {
        tr!("After the leader key").to_owned()
    } else {
        tr!("After {typed}", typed = typed.join(" "))
    };
    dialog::border(paint, area, &title, Face::Title);
    // Only as many columns as are needed, so that texts have room.
    let columns = count.div_ceil(height).min(columns);
    // Each column has as much room for its keys as they need, and all have the same room for texts.
    let widest = |rows: &[Row]| {
        let widest = rows.iter().map(|row| text::width(&row.keys)).max();
        widest.unwrap_or(0).min(KEYS) as u16 + GAP
    };
    let parts: Vec<&[Row]> = rows.chunks(usize::from(height)).collect();
    let parts = &parts[..parts.len().min(usize::from(columns))];
    let keys: u16 = parts.iter().map(|rows| widest(rows)).sum();
    let gaps = GAP * (columns - 1);
    let room = (area.width - 4).saturating_sub(keys + gaps) / columns;
    let mut x = area.x + 2;
    for rows in parts {
        let keys = widest(rows);
        for (row, y) in rows.iter().zip(area.y + 1..) {
            paint.text(x, y, keys - GAP, &row.keys, Face::Key);
            let doc = shortened(&row.doc, usize::from(room));
            let doc = text::fit(doc, usize::from(room), paint.glyphs.ellipsis);
            paint.text(x + keys, y, room, &doc, Face::Text);
        }
        x += keys + room + GAP;
    }
}

/// The beginning of a text that doesn't fit: without its remark in parentheses, then without what follows a colon.
fn shortened(doc: &str, cells: usize) -> &str {
    let mut doc = doc;
    for end in [" (", ": ", ", "] {
        if text::width(doc) > cells {
            doc = doc.split_once(end).map_or(doc, |(first, _)| first);
        }
    }
    doc
}

/// Actions that differ only in their direction share a row with these words.
const DIRECTIONS: [([Action; 4], &str); 2] = [
    (
        [
            Action::PaneLeft,
            Action::PaneDown,
            Action::PaneUp,
            Action::PaneRight,
        ],
        tr_later!("go to a pane"),
    ),
    (
        [
            Action::PaneGrowLeft,
            Action::PaneGrowDown,
            Action::PaneGrowUp,
            Action::PaneGrowRight,
        ],
        tr_later!("move a border"),
    ),
];

/// The key of a direction, for all four: `ctrl-arrows`.
fn arrows(key: &str) -> String {
    let ends = ["left", "down", "up", "right"];
    let rest = ends.iter().find_map(|end| key.strip_suffix(end));
    rest.map_or_else(|| key.to_owned(), |rest| format!("{rest}arrows"))
}

/// The words for an action with a direction.
fn direction(action: Option<Action>) -> Option<&'static str> {
    let found = DIRECTIONS
        .iter()
        .find(|(all, _)| action.is_some_and(|it| all.contains(&it)));
    found.map(|(_, words)| locale::text(words))
}

/// A row for each of your own commands.
fn own_rows(app: &App) -> Vec<Row> {
    let own = app.command_continuations().into_iter();
    let row = |(key, name): (Key, Option<&str>)| Row {
        keys: key.to_string(),
        doc: name.unwrap_or(tr!("more keys")).to_owned(),
        action: None,
    };
    own.map(row).collect()
}

/// A row for each action, verbs before movements. Numbered windows share a row, and so do directions.
fn rows(continuations: &[(Key, Option<Action>)]) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for (key, action) in continuations {
        let key = match direction(*action) {
            Some(_) => arrows(&key.to_string()),
            None => key.to_string(),
        };
        if let Some(row) = rows.iter_mut().find(|row| same(row.action, *action)) {
            if is_window(*action) {
                let first = row.keys.split('-').next().unwrap_or_default().to_owned();
                row.keys = format!("{first}-{key}");
                tr!("go to a window").clone_into(&mut row.doc);
            } else if !row.keys.split(' ').any(|it| it == key) {
                row.keys = format!("{} {key}", row.keys);
            }
            if let Some(words) = direction(*action) {
                words.clone_into(&mut row.doc);
            }
            continue;
        }
        rows.push(Row {
            keys: key,
            doc: action.map_or(tr!("more keys"), Action::doc).to_owned(),
            action: *action,
        });
    }
    rows.sort_by_key(|row| row.action.is_some_and(Action::is_movement));
    rows
}

fn same(one: Option<Action>, other: Option<Action>) -> bool {
    let direction = direction(one);
    let turned = direction.is_some() && direction == self::direction(other);
    one.is_some() && (one == other || turned || is_window(one) && is_window(other))
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
            (Key::char('j'), Some(Action::PaneDown)),
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
                ("h j", "go to a pane"),
                ("1-3", "go to a window"),
            ]
        );
    }

    #[test]
    fn the_arrow_keys_of_all_directions_are_one() {
        assert_eq!(arrows("ctrl-left"), "ctrl-arrows");
        assert_eq!(arrows("up"), "arrows");
        assert_eq!(arrows("h"), "h");
    }

    #[test]
    fn a_text_without_room_loses_what_says_the_least() {
        let doc = "back to the list (the shell keeps running)";
        assert_eq!(shortened(doc, 60), doc);
        assert_eq!(shortened(doc, 20), "back to the list");
        assert_eq!(shortened("copy mode: select and copy", 20), "copy mode");
        assert_eq!(shortened("next shell", 5), "next shell");
    }
}
