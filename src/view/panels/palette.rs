//! The command palette: an input, the entries that match, and what the marked one means.

use jiff::Timestamp;
use ratatui::layout::Rect;

use super::Dialog;
use crate::{
    app::{
        app::App,
        area::DialogAreas,
        custom_commands,
        panels::palette::{
            Palette, PaletteRow,
            entry::{Choice, EntryKind, PaletteEntry},
            words,
        },
    },
    theme::face::Face,
    view::{
        dialog,
        paint::{Paint, Piece},
        text,
    },
};

const WIDTH: u16 = 100;
/// Cells for the kind of an entry.
const KIND: u16 = 9;
/// Lines below the list: a blank one, and two about the marked entry.
const FOOT: u16 = 3;

impl Dialog for Palette {
    fn place(&self, _: &App, screen: Rect) -> DialogAreas {
        let around = if screen.height >= 30 { 8 } else { 1 };
        let height = screen.height.saturating_sub(around).min(40);
        let area = dialog::place(screen, WIDTH, height);
        // Above the list are the input and the prefixes.
        dialog::areas(screen, area, dialog::rows(area, 4, 1 + foot(screen)))
    }

    fn draw(&self, paint: &mut Paint<'_>, app: &App, areas: &DialogAreas, now: Timestamp) {
        let rows = areas.rows;
        let title = tr!("Command palette");
        let inner = dialog::frame(paint, areas.screen, areas.area, title, Face::Title);
        draw_input(paint, app, self, inner);
        draw_prefixes(paint, self, Rect::new(inner.x, inner.y + 1, inner.width, 1));
        let first = self.list.scroll();
        for line in 0..usize::from(rows.height) {
            let place = Rect::new(rows.x, rows.y + line as u16, rows.width, 1);
            let Some(row) = self.row(app.word_values(), first + line) else {
                break;
            };
            if first + line == self.list.marked() {
                dialog::mark(paint, place);
            }
            match row {
                PaletteRow::Word(command) => draw_word(paint, self, place, &command),
                PaletteRow::Entry(entry) => draw_entry(paint, app, self, (place, entry), now),
            }
        }
        let count = self.count(app.word_values());
        dialog::more(paint, areas, first, count);
        if count == 0 {
            let text = self.nothing(app.word_values());
            paint.text(rows.x + 1, rows.y, rows.width - 1, &text, Face::Dim);
        }
        if foot(areas.screen) > 0 {
            let y = rows.bottom() + 1;
            draw_foot(
                paint,
                app,
                self,
                Rect::new(inner.x, y, inner.width, FOOT - 1),
                now,
            );
        }
    }
}

/// A low screen needs its lines for the list.
fn foot(screen: Rect) -> u16 {
    if screen.height >= 20 { FOOT } else { 0 }
}

/// The typed text, followed by the dimmed text that Tab would add and the other words that begin so.
fn draw_input(paint: &mut Paint<'_>, app: &App, palette: &Palette, line: Rect) {
    let count = palette.count(app.word_values());
    let note = if palette.input.is_empty() {
        tr!(
            "{total} entries",
            total = text::grouped(palette.total() as u64)
        )
    } else {
        tr!("{count} found", count = text::grouped(count as u64))
    };
    paint.right(line.x, line.y, line.width, &note, Face::Dim);
    let x = paint.text(line.x, line.y, 1, ":", Face::Accent);
    let room = line.width.saturating_sub(text::width(&note) as u16 + 3);
    let field = Rect::new(x, line.y, room, 1);
    paint.input(field, &palette.input, true);
    if palette.input.is_empty() {
        let hint = tr!("type to search, or a command like ctx NAME, refresh, quit");
        paint.text(field.x, field.y, field.width, hint, Face::Placeholder);
        return;
    }
    let rest = words::completion(&palette.input, app.word_values());
    let mut others = words::candidates(&palette.input, app.word_values());
    if rest.is_some() {
        others.remove(0);
    } else {
        others.clear();
    }
    let gap = if others.is_empty() { "" } else { "  " };
    let shown = format!("{}{gap}{}", rest.unwrap_or_default(), others.join("  "));
    let x = field.x + text::width(palette.input.text()) as u16;
    let room = field.right().saturating_sub(x);
    let shown = text::fit(&shown, usize::from(room), paint.glyphs.ellipsis);
    paint.text(x, line.y, room, &shown, Face::Placeholder);
}

/// The prefixes that restrict the list, with the current one marked.
fn draw_prefixes(paint: &mut Paint<'_>, palette: &Palette, line: Rect) {
    let mut pieces: Vec<Piece> = Vec::new();
    // A narrow line has no room for wide gaps.
    let words = EntryKind::ALL.iter().map(|kind| kind.word().len() + 4);
    let wide = words.sum::<usize>() <= usize::from(line.width);
    for kind in EntryKind::ALL {
        let is_on = palette.kind() == Some(kind);
        let gap = match (pieces.is_empty(), wide) {
            (true, _) => "",
            (false, true) => "  ",
            (false, false) => " ",
        };
        let (key, word) = if is_on {
            (Face::Accent, Face::Accent)
        } else {
            (Face::Key, Face::Dim)
        };
        pieces.push((format!("{gap}{}", kind.prefix()), key));
        pieces.push((format!(" {}", kind.word()), word));
    }
    paint.pieces(line.x, line.y, line.width, &pieces);
}

fn draw_word(paint: &mut Paint<'_>, palette: &Palette, place: Rect, command: &words::Command) {
    paint.text(place.x + 1, place.y, KIND - 1, tr!("command"), Face::Dim);
    let pieces = [
        (format!(":{}", palette.input.text().trim()), Face::Match),
        (format!("  {}", words::meaning(command)), Face::Text),
    ];
    let room = place.width.saturating_sub(KIND + 1);
    paint.pieces(place.x + KIND + 1, place.y, room, &pieces);
}

fn draw_entry(
    paint: &mut Paint<'_>,
    app: &App,
    palette: &Palette,
    (place, entry): (Rect, &PaletteEntry),
    now: Timestamp,
) {
    let refused = palette.why_not(entry, &app.env(now));
    let y = place.y;
    paint.text(place.x + 1, y, KIND - 1, entry.kind.word(), Face::Dim);
    let x = place.x + KIND + 1;
    let room = place.width.saturating_sub(KIND + 1);
    let note = note(app, entry, refused.as_deref());
    let wanted = text::width(&entry.title) as u16 + 2;
    let taken = (text::width(&note) as u16).min(room.saturating_sub(wanted).max(room / 4));
    let has_key = entry.action().is_some() || matches!(entry.choice, Choice::Command(_));
    let face = match (has_key, &refused) {
        (true, None) => Face::Key,
        _ => Face::Dim,
    };
    let shown = text::fit(&note, usize::from(taken), paint.glyphs.ellipsis);
    paint.right(place.right().saturating_sub(taken), y, taken, &shown, face);
    let room = room.saturating_sub(taken + 2);
    let face = if refused.is_some() {
        Face::Dim
    } else {
        Face::Text
    };
    let hits = palette.hits(entry);
    let end = matched(paint, (x, y, room), &entry.title, (&hits, 0), face);
    // Why an action isn't possible needs the room.
    if !entry.detail.is_empty() && refused.is_none() && end + 2 < x + room {
        let before = entry.title.chars().count() + 1;
        let left = x + room - end - 2;
        let texts = (&hits[..], before);
        matched(paint, (end + 2, y, left), &entry.detail, texts, Face::Dim);
    }
}

/// The keys of an action or why it isn't possible; the state of anything else.
fn note(app: &App, entry: &PaletteEntry, refused: Option<&str>) -> String {
    let is_command = matches!(entry.choice, Choice::Command(_));
    if let Some(why) = refused.filter(|_| is_command || entry.action().is_some()) {
        return why.to_owned();
    }
    let Some((scope, action)) = entry.action() else {
        return entry.note.clone();
    };
    let keys = app.keymap.keys_for(scope, action);
    keys.into_iter().next().unwrap_or_default()
}

/// Paints text with its matching characters marked. `before` is how many characters come before the text in the
/// searched one. Returns the column after it.
fn matched(
    paint: &mut Paint<'_>,
    (x, y, cells): (u16, u16, u16),
    shown: &str,
    (hits, before): (&[usize], usize),
    face: Face,
) -> u16 {
    let end = paint.text(x, y, cells, shown, face);
    let style = paint.style(Face::Match);
    let mut at = x;
    for (position, c) in shown.chars().enumerate() {
        let wide = text::width(c.encode_utf8(&mut [0; 4])) as u16;
        if at + wide > end {
            break;
        }
        if wide > 0 && hits.binary_search(&(position + before)).is_ok() {
            paint.buffer.set_style(Rect::new(at, y, wide, 1), style);
        }
        at += wide;
    }
    end
}

/// More about the marked entry, and which lists are incomplete.
fn draw_foot(paint: &mut Paint<'_>, app: &App, palette: &Palette, area: Rect, now: Timestamp) {
    let loading: Vec<&str> = [EntryKind::Folder, EntryKind::Recent]
        .into_iter()
        .filter(|kind| palette.is_loading(*kind))
        .map(EntryKind::plural)
        .collect();
    let mut failed = [EntryKind::Folder, EntryKind::Recent].into_iter();
    let failed = failed.find_map(|kind| Some((kind, palette.failure(kind)?)));
    let last = area.bottom() - 1;
    if let Some((kind, why)) = failed {
        let text = tr!(
            "{plural} can't be listed: {why}",
            plural = kind.plural(),
            why
        );
        paint.text(area.x, last, area.width, &text, Face::Warning);
    } else if !loading.is_empty() {
        let text = tr!("loading {loading}", loading = loading.join(tr!(" and ")));
        paint.text(area.x, last, area.width, &text, Face::StatusProgress);
    }
    let Some(PaletteRow::Entry(entry)) = palette.row(app.word_values(), palette.list.marked())
    else {
        return;
    };
    if let Some(why) = palette.why_not(entry, &app.env(now)) {
        let text = text::sentence(&why);
        paint.text(area.x, area.y, area.width, &text, Face::Warning);
        return;
    }
    let about = about(app, entry);
    paint.text(area.x, area.y, area.width, &about, Face::Dim);
}

fn about(app: &App, entry: &PaletteEntry) -> String {
    match &entry.choice {
        Choice::Action(scope, action) => {
            let keys = app.keymap.keys_for(*scope, *action);
            let keys = if keys.is_empty() {
                tr!("no key").to_owned()
            } else {
                keys.join(", ")
            };
            format!("{}: {} ({keys})", scope.title(), action.name())
        }
        Choice::Session(_) => tr!("Shows the session and its details").to_owned(),
        Choice::Launch(_) => tr!("Opens the launcher with these settings").to_owned(),
        Choice::Folder(..) => tr!("Shows the files of the folder").to_owned(),
        Choice::Browse(_) => tr!("Opens the page in the browser of this machine").to_owned(),
        Choice::CopyUrl(_) => tr!("Copies the URL with a new token").to_owned(),
        Choice::Context(_) => tr!("Shows the sessions of this context").to_owned(),
        Choice::Command(at) => match app.facts.commands.list.get(*at) {
            Some(command) => format!(
                "{}: {}",
                custom_commands::sentence(command.target),
                command.template
            ),
            None => String::new(),
        },
        Choice::Layout(_) => tr!("Shows these panes. The shells of others keep running").to_owned(),
        Choice::Setting(at) => {
            let setting = app.facts.settings.get(*at);
            setting.map_or_else(String::new, |it| it.meaning.clone())
        }
    }
}
