//! The columns of a directory.

use jiff::{Timestamp, tz::TimeZone};
use ratatui::layout::Rect;

use crate::{
    app::{app::App, panels::explorer::Explorer},
    model::{
        files::{FileEntry, FileKind, FileName, FileOrder},
        resources::Bytes,
    },
    theme::face::Face,
    view::{amount, dialog, paint::Paint, text},
};

/// The columns behind the name, with their cells.
const KINDS: [FileKind; 4] = [
    FileKind::Directory,
    FileKind::File,
    FileKind::Link,
    FileKind::Special,
];
const SIZE: u16 = 6;
const MODIFIED: u16 = 12;
const MODE: u16 = 9;
const GAP: u16 = 2;
/// The marker, the choice and the glyph of the kind, in front of the name.
const FRONT: u16 = 4;
/// A file that changed before so many days is shown with its year.
const RECENT_DAYS: i64 = 180;

/// Where the columns are.
struct Places {
    name: (u16, u16),
    /// Where it begins, and its cells.
    kind: (u16, u16),
    size: u16,
    modified: u16,
    mode: u16,
}

impl Places {
    fn of(area: Rect) -> Self {
        let mode = area.right().saturating_sub(MODE);
        let modified = mode.saturating_sub(MODIFIED + GAP);
        let size = modified.saturating_sub(SIZE + GAP);
        let cells = KINDS.map(|it| text::width(word(it)) as u16);
        let cells = cells.into_iter().max().unwrap_or(0);
        let kind = size.saturating_sub(cells + GAP);
        let name = area.x + FRONT;
        Self {
            name: (name, kind.saturating_sub(name + GAP)),
            kind: (kind, cells),
            size,
            modified,
            mode,
        }
    }
}

pub fn draw(
    paint: &mut Paint<'_>,
    app: &App,
    explorer: &Explorer,
    titles: Rect,
    rows: Rect,
    now: Timestamp,
) {
    let places = Places::of(rows);
    draw_titles(paint, explorer, &places, titles.y);
    let first = explorer.list.scroll();
    let last = explorer.directory.count();
    for (at, y) in (first..last).zip(rows.top()..rows.bottom()) {
        let row = Rect::new(rows.x, y, rows.width, 1);
        let is_marked = at == explorer.list.marked();
        if is_marked {
            dialog::mark(paint, row);
        }
        match explorer.directory.entry(at) {
            Some(entry) => draw_row(paint, app, explorer, entry, &places, row, now),
            None => {
                let text = tr!("Loading{ellipsis}", ellipsis = paint.glyphs.ellipsis);
                paint.text(places.name.0, y, places.name.1, &text, Face::Placeholder);
            }
        }
    }
}

fn draw_titles(paint: &mut Paint<'_>, explorer: &Explorer, places: &Places, y: u16) {
    let options = explorer.directory.options();
    let title = |paint: &Paint<'_>, name: &str, order: Option<FileOrder>| {
        if order != Some(options.order) {
            return (name.to_owned(), Face::TableHead);
        }
        let arrow = if options.reversed {
            paint.glyphs.down
        } else {
            paint.glyphs.up
        };
        (format!("{name} {arrow}"), Face::TableSorted)
    };
    let (name, face) = title(paint, tr!("Name"), Some(FileOrder::Name));
    paint.text(places.name.0, y, places.name.1, &name, face);
    let (x, cells) = places.kind;
    paint.text(x, y, cells, tr!("Kind"), Face::TableHead);
    let (size, face) = title(paint, tr!("Size"), Some(FileOrder::Size));
    paint.right(places.size, y, SIZE, &size, face);
    let (modified, face) = title(paint, tr!("Modified"), Some(FileOrder::Modified));
    paint.text(places.modified, y, MODIFIED, &modified, face);
    paint.text(places.mode, y, MODE, tr!("Mode"), Face::TableHead);
}

fn draw_row(
    paint: &mut Paint<'_>,
    app: &App,
    explorer: &Explorer,
    entry: &FileEntry,
    places: &Places,
    row: Rect,
    now: Timestamp,
) {
    let y = row.y;
    let is_chosen = explorer.is_chosen(&entry.name);
    if is_chosen {
        paint.text(row.x, y, 1, paint.glyphs.on, Face::FileChosen);
    }
    let face = face_of(entry, is_chosen);
    paint.text(row.x + 2, y, 1, glyph(paint, entry.kind), face);
    draw_name(paint, entry, places.name, y, face);
    let (x, cells) = places.kind;
    paint.text(x, y, cells, word(entry.kind), Face::Dim);
    let size = match entry.kind {
        FileKind::File => amount::short(Bytes(entry.size)),
        _ => paint.glyphs.dot.to_owned(),
    };
    paint.right(places.size, y, SIZE, &size, Face::Text);
    let zone = &app.facts.time_zone;
    let modified = entry.modified.map(|at| modified(at, zone, now));
    let modified = modified.unwrap_or_else(|| paint.glyphs.dot.to_owned());
    paint.text(places.modified, y, MODIFIED, &modified, Face::Text);
    let mode = entry.mode.map_or_else(String::new, mode);
    paint.text(places.mode, y, MODE, &mode, Face::Dim);
}

fn draw_name(paint: &mut Paint<'_>, entry: &FileEntry, (x, cells): (u16, u16), y: u16, face: Face) {
    let ellipsis = paint.glyphs.ellipsis;
    let name = entry.name.shown();
    let target = entry.target.as_ref().map(FileName::shown);
    // The name of a link has precedence over its target.
    let name = text::fit_middle(name.as_str(), usize::from(cells), ellipsis);
    let end = paint.text(x, y, cells, &name, face);
    let room = (x + cells).saturating_sub(end);
    if let Some(target) = target.filter(|_| room > 6) {
        let target = format!(" {} {target}", paint.glyphs.to);
        let target = text::fit_middle(&target, usize::from(room), ellipsis);
        paint.text(end, y, room, &target, Face::Dim);
    }
}

fn face_of(entry: &FileEntry, is_chosen: bool) -> Face {
    match entry.kind {
        _ if is_chosen => Face::FileChosen,
        FileKind::Directory => Face::FileDirectory,
        FileKind::Link => Face::FileLink,
        FileKind::Special => Face::FileSpecial,
        FileKind::File => Face::Text,
    }
}

pub fn glyph(paint: &Paint<'_>, kind: FileKind) -> &'static str {
    let [directory, file, link, special] = paint.glyphs.files;
    match kind {
        FileKind::Directory => directory,
        FileKind::File => file,
        FileKind::Link => link,
        FileKind::Special => special,
    }
}

pub fn word(kind: FileKind) -> &'static str {
    match kind {
        FileKind::Directory => tr!("dir"),
        FileKind::File => tr!("file"),
        FileKind::Link => tr!("link"),
        FileKind::Special => tr!("special"),
    }
}

/// `Mar 02 11:58`, or with the year for older files: `Mar 02  2024`.
pub fn modified(at: Timestamp, zone: &TimeZone, now: Timestamp) -> String {
    let days = (now.as_second() - at.as_second()) / 86_400;
    let format = if (-1..RECENT_DAYS).contains(&days) {
        "%b %d %H:%M"
    } else {
        "%b %d  %Y"
    };
    at.to_zoned(zone.clone()).strftime(format).to_string()
}

/// The permission bits as letters: `rwxr-xr-x`.
pub fn mode(bits: u32) -> String {
    (0..9)
        .map(|at| {
            let is_set = bits & (0o400 >> at) != 0;
            if is_set { ['r', 'w', 'x'][at % 3] } else { '-' }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permissions_are_letters() {
        assert_eq!(mode(0o100_644), "rw-r--r--");
        assert_eq!(mode(0o755), "rwxr-xr-x");
        assert_eq!(mode(0), "---------");
    }

    #[test]
    fn old_files_have_a_year() {
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        let now = at("2026-03-02T12:00:00Z");
        let shown = |text| modified(at(text), &TimeZone::UTC, now);
        assert_eq!(shown("2026-03-02T11:58:00Z"), "Mar 02 11:58");
        assert_eq!(shown("2024-03-02T11:58:00Z"), "Mar 02  2024");
        assert_eq!(shown("2030-01-01T00:00:00Z"), "Jan 01  2030");
    }
}
