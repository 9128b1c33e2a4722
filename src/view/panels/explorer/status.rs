//! The line above the hints: how much is listed and chosen, or what is typed.

use ratatui::layout::Rect;

use crate::{
    app::{
        app::App,
        panels::{
            PanelEnv,
            explorer::{Explorer, ExplorerPrompt},
        },
    },
    model::{files::FileOrder, resources::Bytes, text::Clean},
    theme::face::Face,
    view::{
        amount,
        paint::{Paint, Piece},
        text,
    },
};

pub fn draw(paint: &mut Paint<'_>, app: &App, explorer: &Explorer, area: Rect) {
    if let Some(prompt) = explorer.prompt_line() {
        return draw_prompt(paint, prompt, area);
    }
    if explorer.is_editing_filter() {
        let x = paint.text(area.x + 1, area.y, 8, tr!("Filter:"), Face::Accent) + 1;
        let found = tr!(
            "{count} found",
            count = text::grouped(explorer.directory.count() as u64)
        );
        let taken = text::width(&found) as u16 + 2;
        let field = Rect::new(x, area.y, area.right().saturating_sub(x + taken), 1);
        paint.input(field, explorer.filter(), true);
        paint.right(field.right(), area.y, taken - 1, &found, Face::Dim);
        return;
    }
    let env = app.env(jiff::Timestamp::UNIX_EPOCH);
    let pieces = facts(paint, app, explorer, &env);
    let dot = format!(" {} ", paint.glyphs.dot);
    let mut x = area.x + 1;
    for (at, (text, face)) in pieces.iter().enumerate() {
        if at > 0 {
            x = paint.text(x, area.y, area.right().saturating_sub(x), &dot, Face::Dim);
        }
        let room = area.right().saturating_sub(x + 1);
        x = paint.text(x, area.y, room, text, *face);
    }
}

fn facts(paint: &Paint<'_>, app: &App, explorer: &Explorer, env: &PanelEnv<'_>) -> Vec<Piece> {
    let directory = &explorer.directory;
    let mut pieces: Vec<Piece> = Vec::new();
    if directory.failure().is_none() && !directory.is_loading() {
        let (count, all) = (directory.count() as u64, directory.all());
        let position = (explorer.list.marked() + 1).min(directory.count());
        let of = text::grouped(count);
        if count > 0 {
            pieces.push((
                tr!(
                    "{position} of {of}",
                    position = text::grouped(position as u64),
                    of
                ),
                Face::Text,
            ));
        }
        if count < all {
            let n = text::grouped(all - count);
            let words = if explorer.filter().is_empty() {
                tr!("{n} hidden", n)
            } else {
                tr!("{n} don't match", n)
            };
            pieces.push((words, Face::Dim));
        }
    }
    let (chosen, size) = explorer.chosen();
    if chosen > 0 {
        let size = match size {
            0 => String::new(),
            size => format!(" ({})", amount::short(Bytes(size))),
        };
        pieces.push((tr!("{chosen} marked{size}", chosen, size), Face::FileChosen));
    }
    if !explorer.filter().is_empty() {
        let text = tr!("filter '{filter}'", filter = explorer.filter().text());
        pieces.push((text, Face::Accent));
    }
    if directory.options().order != FileOrder::Name && app.is_narrow() {
        pieces.push((tr!("sorted").to_owned(), Face::Dim));
    }
    if let Some(clipboard) = app.transfers.clipboard() {
        let n = clipboard.paths.len();
        let words = if clipboard.moves {
            tr!("{n} to move", n)
        } else {
            tr!("{n} to copy", n)
        };
        pieces.push((words, Face::Dim));
    }
    if let Some(why) = explorer.why_read_only(env) {
        let why = why.strip_prefix("read-only: ").unwrap_or(&why);
        pieces.push((
            tr!("{off} read-only: {why}", off = paint.glyphs.off, why),
            Face::Warning,
        ));
    }
    pieces
}

/// The typed text, and the paths that begin like it.
fn draw_prompt(paint: &mut Paint<'_>, prompt: &ExplorerPrompt, area: Rect) {
    let ellipsis = paint.glyphs.ellipsis;
    let label = text::fit_middle(&prompt.label(), usize::from(area.width / 2), ellipsis);
    let x = paint.text(area.x + 1, area.y, area.width / 2, &label, Face::Accent) + 1;
    let field = Rect::new(x, area.y, area.right().saturating_sub(x + 1), 1);
    paint.input(field, &prompt.input, true);
    let x = x + text::width(prompt.input.text()) as u16 + 2;
    let room = area.right().saturating_sub(x + 1);
    let names: Vec<&str> = prompt.candidates.iter().map(Clean::as_str).collect();
    let names = if !names.is_empty() {
        names.join("  ")
    } else if prompt.is_local() {
        tr!("Tab completes").to_owned()
    } else {
        return;
    };
    let names = text::fit(&names, usize::from(room), ellipsis);
    if room > 4 {
        paint.text(x, area.y, room, &names, Face::Placeholder);
    }
}
