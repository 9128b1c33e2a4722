//! The preview of the marked entry.

use ratatui::layout::Rect;

use super::columns;
use crate::{
    app::{
        app::App,
        panels::explorer::{Explorer, PreviewContent},
    },
    model::{
        files::{FileEntry, FileKind, FileListing, FileName},
        resources::Bytes,
        text::Clean,
    },
    theme::face::Face,
    view::{amount, paint::Paint, text},
};

/// Lines of the name.
const NAME_LINES: usize = 2;

pub fn draw(paint: &mut Paint<'_>, app: &App, explorer: &Explorer, area: Rect) {
    let Some(entry) = explorer.entry() else {
        return;
    };
    let top = draw_facts(paint, app, entry, area);
    let rest = Rect {
        y: top,
        height: area.bottom().saturating_sub(top),
        ..area
    };
    match explorer.preview.content() {
        None => {}
        Some(PreviewContent::Loading) => {
            let text = tr!("Loading{ellipsis}", ellipsis = paint.glyphs.ellipsis);
            paint.text(rest.x, rest.y, rest.width, &text, Face::Placeholder);
        }
        Some(PreviewContent::Text(lines, more)) => draw_text(paint, lines, *more, rest),
        Some(PreviewContent::Binary(bytes)) => draw_binary(paint, bytes, rest),
        Some(PreviewContent::Directory(listing)) => draw_directory(paint, listing, rest),
        Some(PreviewContent::Empty) => {
            paint.text(rest.x, rest.y, rest.width, tr!("Empty"), Face::Dim);
        }
        Some(PreviewContent::Nothing) => {
            let text = match entry.kind {
                FileKind::Link => tr!("Links aren't followed"),
                _ => tr!("A pipe, socket or device has no preview"),
            };
            paint.text(rest.x, rest.y, rest.width, text, Face::Dim);
        }
        Some(PreviewContent::Failed(why)) => {
            let lines = text::wrap(why.as_str(), usize::from(rest.width));
            for (line, y) in lines.iter().zip(rest.top()..rest.bottom()) {
                paint.text(rest.x, y, rest.width, line, Face::Warning);
            }
        }
    }
}

/// The name in full, the kind, the exact size, the time and the permissions. Returns the line after them.
fn draw_facts(paint: &mut Paint<'_>, app: &App, entry: &FileEntry, area: Rect) -> u16 {
    let name = entry.name.shown();
    let width = usize::from(area.width);
    let mut lines = text::wrap(name.as_str(), width);
    if lines.len() > NAME_LINES {
        lines = vec![text::fit_middle(
            name.as_str(),
            width,
            paint.glyphs.ellipsis,
        )];
    }
    let mut y = area.y;
    for line in &lines {
        paint.text(area.x, y, area.width, line, Face::Title);
        y += 1;
    }
    let mut facts = vec![long_word(entry.kind).to_owned()];
    if entry.kind == FileKind::File {
        facts.push(match entry.size {
            0..1_000 => tr!("{size} bytes", size = entry.size),
            size => tr!(
                "{size} ({size2} bytes)",
                size = amount::short(Bytes(size)),
                size2 = text::grouped(size)
            ),
        });
    }
    let dot = format!(" {} ", paint.glyphs.dot);
    paint.text(area.x, y, area.width, &facts.join(&dot), Face::Text);
    y += 1;
    let mut facts = Vec::new();
    if let Some(at) = entry.modified {
        let zone = app.facts.time_zone.clone();
        facts.push(at.to_zoned(zone).strftime("%Y-%m-%d %H:%M:%S").to_string());
    }
    if let Some(mode) = entry.mode {
        facts.push(columns::mode(mode));
    }
    paint.text(area.x, y, area.width, &facts.join(&dot), Face::Dim);
    y += 1;
    if let Some(target) = entry.target.as_ref().map(FileName::shown) {
        let target = format!("{} {target}", paint.glyphs.to);
        let target = text::fit_middle(&target, width, paint.glyphs.ellipsis);
        paint.text(area.x, y, area.width, &target, Face::FileLink);
        y += 1;
    }
    let glyph = paint.glyphs.rule;
    paint.line(area.x, y, area.width, glyph, Face::Border);
    y + 1
}

fn long_word(kind: FileKind) -> &'static str {
    match kind {
        FileKind::Directory => tr!("Directory"),
        FileKind::File => tr!("File"),
        FileKind::Link => tr!("Link"),
        FileKind::Special => tr!("Pipe, socket or device"),
    }
}

fn draw_text(paint: &mut Paint<'_>, lines: &[Clean], more: bool, area: Rect) {
    let fits = usize::from(area.height);
    for (line, y) in lines.iter().zip(area.top()..area.bottom()) {
        paint.text(area.x, y, area.width, line.as_str(), Face::Text);
    }
    if (more || lines.len() > fits) && area.height > 0 {
        let last = area.y + (lines.len().min(fits - 1) as u16);
        let line = Rect::new(area.x, last, area.width, 1);
        clear(paint, line);
        paint.text(line.x, line.y, line.width, paint.glyphs.ellipsis, Face::Dim);
    }
}

fn clear(paint: &mut Paint<'_>, line: Rect) {
    let blank = " ".repeat(usize::from(line.width));
    paint.text(line.x, line.y, line.width, &blank, Face::Text);
}

/// The first bytes, as numbers and characters.
fn draw_binary(paint: &mut Paint<'_>, bytes: &[u8], area: Rect) {
    if area.height < 2 {
        return;
    }
    paint.text(
        area.x,
        area.y,
        area.width,
        tr!("Not a text. First bytes:"),
        Face::Dim,
    );
    // A byte takes three cells as a number and one as a character, and the offset takes six.
    let row = usize::from(area.width.saturating_sub(8) / 4).clamp(4, 16) / 4 * 4;
    for ((at, bytes), y) in bytes.chunks(row).enumerate().zip(area.y + 1..area.bottom()) {
        let offset = format!("{:04x}", at * row);
        let x = paint.text(area.x, y, area.width, &offset, Face::Dim) + 2;
        let numbers: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let cells = area.right().saturating_sub(x);
        paint.text(x, y, cells, &numbers.join(" "), Face::Text);
        let x = x + (row * 3) as u16 + 1;
        let letters: String = bytes.iter().map(|byte| printable(*byte)).collect();
        let cells = area.right().saturating_sub(x);
        paint.text(x, y, cells, &letters, Face::Dim);
    }
}

fn printable(byte: u8) -> char {
    match byte {
        b' '..=b'~' => byte as char,
        _ => '.',
    }
}

fn draw_directory(paint: &mut Paint<'_>, listing: &FileListing, area: Rect) {
    let what = match listing.all {
        1 => tr!("1 entry").to_owned(),
        n => tr!("{n} entries", n = text::grouped(n)),
    };
    paint.text(area.x, area.y, area.width, &what, Face::Dim);
    for (entry, y) in listing.entries.iter().zip(area.y + 1..area.bottom()) {
        let face = match entry.kind {
            FileKind::Directory => Face::FileDirectory,
            FileKind::Link => Face::FileLink,
            FileKind::Special => Face::FileSpecial,
            FileKind::File => Face::Text,
        };
        paint.text(area.x, y, 1, columns::glyph(paint, entry.kind), face);
        let cells = area.width.saturating_sub(10);
        let name = entry.name.shown();
        let name = text::fit_middle(name.as_str(), usize::from(cells), paint.glyphs.ellipsis);
        paint.text(area.x + 2, y, cells, &name, face);
        if entry.kind == FileKind::File {
            let size = amount::short(Bytes(entry.size));
            paint.right(area.right().saturating_sub(6), y, 6, &size, Face::Dim);
        }
    }
}
