//! The question before entries are deleted, and the list of places.

use ratatui::layout::Rect;

use crate::{
    app::{
        app::App,
        area::DialogAreas,
        panels::explorer::{DeleteQuestion, Explorer, Measuring, places::PlacePicker},
    },
    model::resources::Bytes,
    theme::face::Face,
    view::{amount, dialog, paint::Paint, text},
};

const QUESTION_WIDTH: u16 = 64;
const PICKER_WIDTH: u16 = 64;
const BUTTONS: [&str; 2] = [tr_later!("   No   "), tr_later!("  Delete  ")];

pub fn place_question(question: &DeleteQuestion, screen: Rect) -> DialogAreas {
    // The border, the names, what they contain, the warning, the buttons, and blank lines.
    let height = lines(question) + 9;
    let area = dialog::place(screen, QUESTION_WIDTH, height);
    DialogAreas {
        screen,
        area,
        buttons: dialog::buttons(area, BUTTONS),
        ..DialogAreas::default()
    }
}

/// The names, and how many others there are.
fn lines(question: &DeleteQuestion) -> u16 {
    let more = question.paths.len() > question.names.len();
    (question.names.len() + usize::from(more)) as u16
}

pub fn draw_question(paint: &mut Paint<'_>, question: &DeleteQuestion, areas: &DialogAreas) {
    let title = match question.names.as_slice() {
        [one] if question.paths.len() == 1 => tr!("Delete {one}?", one),
        _ => tr!("Delete {paths} entries?", paths = question.paths.len()),
    };
    let inner = dialog::frame(paint, areas.screen, areas.area, &title, Face::Title);
    let mut y = inner.y + 1;
    for name in &question.names {
        let name = text::fit_middle(
            name.as_str(),
            usize::from(inner.width),
            paint.glyphs.ellipsis,
        );
        paint.text(inner.x, y, inner.width, &name, Face::Value);
        y += 1;
    }
    let others = question.paths.len().saturating_sub(question.names.len());
    if others > 0 {
        let text = tr!("and {others} others", others = text::grouped(others as u64));
        paint.text(inner.x, y, inner.width, &text, Face::Dim);
        y += 1;
    }
    paint.text(
        inner.x,
        y + 1,
        inner.width,
        &contents(paint, question),
        Face::Text,
    );
    let text = tr!("Deleted files can't be restored.");
    paint.text(inner.x, y + 2, inner.width, text, Face::Dim);
    dialog::draw_buttons(paint, areas.buttons, BUTTONS, question.button);
}

fn contents(paint: &Paint<'_>, question: &DeleteQuestion) -> String {
    let files = match question.measured.files {
        1 => tr!("1 file").to_owned(),
        n => tr!("{n} files", n = text::grouped(n)),
    };
    let size = amount::short(Bytes(question.measured.bytes));
    match &question.measuring {
        Measuring::Done => format!("{files}, {size}"),
        Measuring::Failed(why) => tr!("Size unknown: {why}", why),
        Measuring::Due | Measuring::Runs(_) => {
            tr!(
                "{files}, {size}, counting{ellipsis}",
                files,
                size,
                ellipsis = paint.glyphs.ellipsis
            )
        }
    }
}

pub fn place_picker(count: usize, screen: Rect) -> DialogAreas {
    let rows = (count as u16).clamp(1, screen.height.saturating_sub(8).max(1));
    let area = dialog::place(screen, PICKER_WIDTH, rows + 4);
    dialog::areas(screen, area, dialog::rows(area, 2, 2))
}

pub fn draw_picker(
    paint: &mut Paint<'_>,
    app: &App,
    explorer: &Explorer,
    picker: &PlacePicker,
    areas: &DialogAreas,
) {
    dialog::frame(
        paint,
        areas.screen,
        areas.area,
        tr!("Open files of"),
        Face::Title,
    );
    let all = explorer.place_rows(&app.mirror);
    let rows = areas.rows;
    let shown = all.iter().enumerate().skip(picker.list.scroll());
    for ((at, row), y) in shown.zip(rows.top()..rows.bottom()) {
        let place = Rect::new(rows.x, y, rows.width, 1);
        if at == picker.list.marked() {
            dialog::mark(paint, place);
        }
        let is_here = row.place == *explorer.place();
        let face = if is_here { Face::Accent } else { Face::Value };
        let kind = if app.mirror.has_several_contexts() {
            tr!(
                "{kind} in {context}",
                kind = row.kind,
                context = row.place.context()
            )
        } else {
            row.kind.to_owned()
        };
        let taken = (text::width(&kind) as u16 + 2).min(rows.width / 2);
        let cells = rows.width.saturating_sub(taken + 1);
        let title = text::fit_middle(
            row.title.as_str(),
            usize::from(cells),
            paint.glyphs.ellipsis,
        );
        paint.text(rows.x + 1, y, cells, &title, face);
        paint.right(
            rows.right().saturating_sub(taken),
            y,
            taken,
            &kind,
            Face::Dim,
        );
    }
}
