//! The last page: everything on cards.

use super::sheet::{Line, Sheet};
use crate::{
    app::launcher::{CARDS, LAUNCH, Page},
    model::launch::command,
    theme::face::Face,
};

pub fn write(sheet: &mut Sheet<'_>) {
    let launcher = sheet.launcher;
    for (row, page) in CARDS {
        let line = sheet.label(row, page.short_title());
        sheet.push(line);
        for wrong in launcher.problems() {
            if Page::of(wrong.field) == page {
                sheet.sentence(row, &wrong.message, Face::InputError);
            }
        }
        sheet.air();
    }
    let said = command::line(launcher.request(), Some(launcher.context().as_str()));
    sheet.note(0, &said, Face::Dim);
    let line = Line::of(LAUNCH).text(0, sheet.width, "Launch", Face::ButtonActive);
    sheet.push(line);
}
