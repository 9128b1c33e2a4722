//! The second page: the environment and the amounts.

use super::sheet::{Line, Sheet, VALUES};
use crate::{app::launcher::Row, model::launch::LaunchField as Field, theme::face::Face};

pub fn write(sheet: &mut Sheet<'_>) {
    let launcher = sheet.launcher;
    let row = Row::of(Field::Environment);
    let allocation = &launcher.allocation;
    let query = allocation.query();
    sheet.typed(row, "Environment", query, "type to search", "");
    for (at, choice) in allocation.choices().iter().enumerate() {
        let marked = at == allocation.marked();
        let face = if marked { Face::Strong } else { Face::Value };
        let room = sheet.width.saturating_sub(VALUES);
        let line = if marked {
            Line::below(row)
        } else {
            Line::default()
        };
        sheet.push(line.text(VALUES, room, choice.label.as_str(), face));
    }
    sheet.said(row);
    for (field, label) in [(Field::Cpu, "CPU"), (Field::Memory, "Memory")] {
        let row = Row::of(field);
        if let Some(input) = allocation.input(field) {
            sheet.typed(row, label, input, "", "");
            sheet.said(row);
        }
    }
}
