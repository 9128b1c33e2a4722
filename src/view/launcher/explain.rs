//! Explains a field or a card in a dialog on top of the page.

use ratatui::layout::Rect;

use crate::{
    app::launcher::{
        Launcher,
        help::{self, Topic},
    },
    model::launch_field::LaunchField,
    theme::face::Face,
    view::{dialog, paint::Paint, text},
};

const WIDTH: u16 = 66;
/// Column of the values.
const VALUES: u16 = 9;

/// The name of a field.
pub fn title(field: LaunchField) -> &'static str {
    help::entry_of(field).title
}

fn parts(launcher: &Launcher, topic: Topic) -> Vec<(&'static str, String)> {
    let entry = help::entry_on(topic);
    let limits = match topic {
        Topic::Field(field) => help::limits(field, launcher.info(), launcher.request()),
        Topic::Card(_) => None,
    };
    let mut parts = vec![("", entry.meaning.to_owned())];
    for (label, text) in [
        (tr!("Written"), entry.unit.to_owned()),
        (tr!("Rule"), entry.rule.to_owned()),
        (tr!("Here"), limits.unwrap_or_default()),
    ] {
        if !text.is_empty() {
            parts.push((label, text));
        }
    }
    parts
}

/// Each part with its lines.
fn lines(launcher: &Launcher, topic: Topic, cells: u16) -> Vec<(&'static str, Vec<String>)> {
    let parts = parts(launcher, topic).into_iter();
    parts
        .map(|(label, text)| {
            let taken = if label.is_empty() { 0 } else { VALUES };
            let room = cells.saturating_sub(taken);
            (label, text::wrap(&text, usize::from(room)))
        })
        .collect()
}

/// Lines that the explanation in the free area of a page takes: a blank one, a rule, and its text. The place is the
/// same for all fields, so that nothing jumps.
const BELOW: u16 = 8;
/// The widest text that is easy to read.
const READABLE: u16 = 84;

/// Explains the focused field below the lines of its page, if there is room.
pub fn draw_below(paint: &mut Paint<'_>, launcher: &Launcher, body: Rect, taken: usize) {
    let free = usize::from(body.height).saturating_sub(taken);
    if free < usize::from(BELOW) {
        return;
    }
    let topic = launcher.topic();
    let mut y = body.bottom() - BELOW + 1;
    let title = help::entry_on(topic).title;
    let end = paint.text(body.x, y, body.width, title, Face::Label) + 1;
    let rest = body.right().saturating_sub(end);
    paint.line(end, y, rest, paint.glyphs.rule, Face::Border);
    y += 1;
    let width = body.width.min(READABLE);
    for (label, lines) in lines(launcher, topic, width) {
        // A part is shown completely or not at all.
        if y + lines.len() as u16 > body.bottom() {
            continue;
        }
        let x = if label.is_empty() { 0 } else { VALUES };
        paint.text(body.x, y, VALUES, label, Face::Label);
        for line in lines {
            paint.text(body.x + x, y, width.saturating_sub(x), &line, Face::Dim);
            y += 1;
        }
    }
}

pub fn draw(paint: &mut Paint<'_>, launcher: &Launcher, topic: Topic, screen: Rect) {
    let width = WIDTH.min(screen.width);
    let lines = lines(launcher, topic, width.saturating_sub(6));
    let count: usize = lines.iter().map(|(_, lines)| lines.len()).sum();
    // A blank below the meaning, one at either end, the border.
    let area = dialog::place(screen, WIDTH, count as u16 + 5);
    let inner = dialog::frame(
        paint,
        screen,
        area,
        help::entry_on(topic).title,
        Face::Title,
    );
    paint.cursor = None;
    let mut y = inner.y + 1;
    for (label, lines) in lines {
        let x = if label.is_empty() { 0 } else { VALUES };
        paint.text(inner.x, y, VALUES, label, Face::Label);
        for line in lines {
            if y < inner.bottom() {
                let room = inner.width.saturating_sub(x);
                paint.text(inner.x + x, y, room, &line, Face::Text);
            }
            y += 1;
        }
        y += u16::from(label.is_empty());
    }
}
