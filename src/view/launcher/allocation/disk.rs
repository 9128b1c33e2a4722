//! The disk limit.

use super::super::sheet::FormSheet;
use crate::{
    app::launcher::FormRow,
    model::{capability::Capability, launch_field::LaunchField as Field},
    theme::face::Face,
};

pub(super) fn write(sheet: &mut FormSheet<'_>, rows: &[FormRow]) {
    let row = FormRow::of(Field::Disk);
    if !rows.contains(&row) {
        return;
    }
    let launcher = sheet.launcher;
    let why_measured = launcher.info().why_not(Capability::DiskEnforcement);
    let note = match why_measured {
        Some(_) => tr!("measured, not enforced"),
        None => tr!("enforced"),
    };
    let input = launcher.allocation.disk();
    sheet.typed(row, tr!("Disk"), input, tr!("no limit"), note);
    sheet.message(row);
    if let (true, Some(why)) = (sheet.is_focused(row), why_measured) {
        sheet.sentence(row, why.as_str(), Face::Dim);
    }
}
