//! The second page: the environment and its variables, the engine's placement, the resources of each
//! container, and the number of containers.

mod choice;
mod disk;
mod environment;
mod number;
mod variables;

use super::sheet::{FormSheet, SheetLine, VALUES};
use crate::{
    app::launcher::{
        FormRow, Page,
        allocation::{AmountSlot, OPEN_BLAS, OPEN_MP},
    },
    model::launch_field::LaunchField as Field,
    theme::face::Face,
};
use number::Columns;

pub fn write(sheet: &mut FormSheet<'_>) {
    let rows = sheet
        .launcher
        .form(Page::Allocation)
        .rows(sheet.launcher.info());
    environment::write(sheet);
    variables::write(sheet);
    if rows.iter().any(|row| is_place(row.field)) {
        sheet.heading(tr!("Place"));
        for row in rows.iter().filter(|row| is_place(row.field)) {
            let label = if row.field == Field::Project {
                tr!("Project")
            } else {
                tr!("Resource group")
            };
            choice::write(sheet, *row, label);
        }
    }
    let columns = Columns::of(sheet, &rows);
    sheet.heading(tr!("Each container gets"));
    resources(sheet, &rows, columns);
    sheet.heading(tr!("Sessions and containers"));
    counts(sheet, &rows, columns);
    sheet.heading(tr!("High-performance computing"));
    threads(sheet, &rows, columns);
}

fn is_place(field: Field) -> bool {
    matches!(field, Field::Project | Field::ResourceGroup)
}

fn resources(sheet: &mut FormSheet<'_>, rows: &[FormRow], columns: Columns) {
    choice::write(sheet, FormRow::of(Field::Preset), tr!("Preset"));
    let allocation = &sheet.launcher.allocation;
    let facts = allocation.amount_facts(sheet.launcher.info());
    if allocation.amounts().are_fixed(&facts) {
        let slots = allocation.amounts().slots();
        let text = tr!(
            "{slots}, fixed (presets only)",
            slots = facts.in_words(&slots)
        );
        sheet.note(VALUES, &text, Face::Dim);
        disk::write(sheet, rows);
        return;
    }
    number::write(
        sheet,
        FormRow::of(Field::Cpu),
        tr!("CPU"),
        Some(AmountSlot::Cpu),
        columns,
    );
    number::write(
        sheet,
        FormRow::of(Field::Memory),
        tr!("Memory"),
        Some(AmountSlot::Memory),
        columns,
    );
    shared_memory(sheet, columns);
    for (at, accelerator) in allocation.amounts().accelerators.iter().enumerate() {
        let row = FormRow::item(Field::Accelerator, at);
        let unit = facts.called(&accelerator.slot);
        if rows.contains(&row) {
            let slot = AmountSlot::Accelerator(&accelerator.slot, &unit);
            number::write(sheet, row, &unit, Some(slot), columns);
        } else if let Some(why) = facts.why_no_accelerator(&accelerator.slot) {
            let line = SheetLine::default()
                .text(0, VALUES - 1, unit, Face::Dim)
                .text(VALUES, sheet.width.saturating_sub(VALUES), why, Face::Dim);
            sheet.push(line);
        }
    }
    // Accelerators that the context doesn't have aren't a row, so their problem is shown without one.
    let unknown = allocation.amounts().accelerators.is_empty();
    if unknown && sheet.launcher.problem(Field::Accelerator).is_some() {
        sheet.message(FormRow::of(Field::Accelerator));
    }
    disk::write(sheet, rows);
}

fn shared_memory(sheet: &mut FormSheet<'_>, columns: Columns) {
    let row = FormRow::of(Field::SharedMemory);
    let allocation = &sheet.launcher.allocation;
    if allocation.automatic(row) == Some(true) {
        let facts = allocation.amount_facts(sheet.launcher.info());
        let amount = allocation.amounts().usual_shmem(&facts);
        automatic(
            sheet,
            row,
            tr!("Shared memory"),
            &amount.to_string(),
            tr!("a part of the memory"),
        );
    } else {
        number::write(sheet, row, tr!("Shared memory"), None, columns);
        if sheet.is_focused(row) {
            sheet.sentence(row, tr!("space: automatic, by memory"), Face::Dim);
        }
    }
    sheet.message(row);
}

/// A value that is automatic, with a mark. While focused, also the key that makes it custom.
fn automatic(sheet: &mut FormSheet<'_>, row: FormRow, label: &str, value: &str, note: &str) {
    let focused = sheet.is_focused(row);
    let face = if focused { Face::Strong } else { Face::Value };
    let mut pieces = vec![
        (value.to_owned(), face),
        (
            format!("  {} {}", sheet.glyphs.on, tr!("automatic")),
            Face::Dim,
        ),
    ];
    if focused {
        // Without enough room, the key is more important than the note.
        if sheet.width >= 90 {
            pieces.push((format!(", {note}"), Face::Dim));
        }
        pieces.push(("  ".to_owned(), Face::Dim));
        pieces.push(("space".to_owned(), Face::Key));
        pieces.push((format!(" {}", tr!("custom")), Face::Dim));
    }
    let line = sheet.label(row, label).pieces(VALUES, sheet.width, pieces);
    sheet.push(line);
}

fn counts(sheet: &mut FormSheet<'_>, rows: &[FormRow], columns: Columns) {
    let mut summed = false;
    for row in rows {
        match row.field {
            Field::Count => number::write(sheet, *row, tr!("Sessions"), None, columns),
            Field::ClusterSize => number::write(sheet, *row, tr!("Cluster size"), None, columns),
            Field::ClusterMode => choice::write(sheet, *row, tr!("Cluster mode")),
            Field::Agent => {
                total(sheet);
                summed = true;
                choice::write(sheet, *row, tr!("Agent"));
            }
            _ => {}
        }
    }
    if !summed {
        total(sheet);
    }
}

/// The total of all containers, if there is more than one.
fn total(sheet: &mut FormSheet<'_>) {
    let allocation = &sheet.launcher.allocation;
    let facts = allocation.amount_facts(sheet.launcher.info());
    let pieces = facts.size.saturating_mul(facts.copies);
    if pieces < 2 {
        return;
    }
    let all = facts.in_words(&allocation.amounts().slots().times(pieces));
    let line = SheetLine::default()
        .text(0, VALUES - 1, tr!("Total"), Face::Label)
        .text(
            VALUES,
            sheet.width.saturating_sub(VALUES),
            if facts.size > 1 {
                tr!("{all} in {pieces} containers", all, pieces)
            } else {
                tr!("{all} in {pieces} sessions", all, pieces)
            },
            Face::Value,
        );
    sheet.push(line);
}

fn threads(sheet: &mut FormSheet<'_>, rows: &[FormRow], columns: Columns) {
    let row = FormRow::of(Field::OpenMp);
    if sheet.launcher.allocation.threads().automatic {
        automatic(
            sheet,
            row,
            tr!("Threads"),
            tr!("one per core"),
            tr!("for OpenMP and OpenBLAS"),
        );
    } else {
        let focused = sheet.is_focused(row);
        let face = if focused { Face::Strong } else { Face::Value };
        let mut pieces = vec![(tr!("custom").to_owned(), face)];
        if focused {
            pieces.push(("  space".to_owned(), Face::Key));
            pieces.push((format!(" {}", tr!("one per core")), Face::Dim));
        }
        let line = sheet
            .label(row, tr!("Threads"))
            .pieces(VALUES, sheet.width, pieces);
        sheet.push(line);
    }
    for row in rows {
        match (row.field, row.item) {
            (Field::OpenMp, 1..) => number::write(sheet, *row, tr!("OpenMP"), None, columns),
            (Field::OpenBlas, _) => number::write(sheet, *row, tr!("OpenBLAS"), None, columns),
            _ => continue,
        }
        if sheet.is_focused(*row) {
            let name = if row.field == Field::OpenMp {
                OPEN_MP
            } else {
                OPEN_BLAS
            };
            let text = tr!("the variable {name}", name);
            sheet.sentence(*row, &text, Face::Dim);
        }
    }
}
