//! Environment variables: one line for each name and value.

use super::super::sheet::{FormSheet, SheetLine, VALUES};
use crate::{
    app::launcher::{
        FormRow,
        allocation::{VariablePart, VariableRow, variable_of, variable_row},
    },
    model::launch_field::LaunchField as Field,
    theme::face::Face,
    view::text,
};

/// Minimum and maximum cells of the names.
const NAMES: (u16, u16) = (12, 30);

pub fn write(sheet: &mut FormSheet<'_>) {
    let allocation = &sheet.launcher.allocation;
    let variables = allocation.variables();
    let widest = variables
        .rows()
        .iter()
        .map(|row| text::width(row.name().text()) as u16);
    let names = (widest.max().unwrap_or(0) + 1).clamp(NAMES.0, NAMES.1);
    let here = (sheet.focus.field == Field::Variables).then(|| variable_of(sheet.focus).0);
    for (at, variable) in variables.rows().iter().enumerate() {
        let line = if variables.is_last(at) {
            empty_line(sheet, at, variable, names)
        } else {
            line(sheet, at, variable, names)
        };
        let row = line.row;
        sheet.push(line);
        let problem = allocation.variable_problem(at, here == Some(at));
        if let (Some(problem), Some(row)) = (problem, row) {
            sheet.problem(row, variable_row(at, problem.part), &problem.why);
        }
    }
    // A problem with all variables together, or an error from the engine.
    if !allocation.has_variable_problem() {
        sheet.message(row_of(sheet, here.unwrap_or(0)));
    }
}

/// The focused row of a line, otherwise the row of its name.
fn row_of(sheet: &FormSheet<'_>, at: usize) -> FormRow {
    let value = variable_row(at, VariablePart::Value);
    if sheet.is_focused(value) {
        value
    } else {
        variable_row(at, VariablePart::Name)
    }
}

fn label<'a>(sheet: &FormSheet<'a>, at: usize) -> SheetLine<'a> {
    let row = row_of(sheet, at);
    if at == 0 {
        sheet.label(row, tr!("Variables"))
    } else {
        SheetLine::of(row)
    }
}

fn line<'a>(
    sheet: &FormSheet<'a>,
    at: usize,
    variable: &'a VariableRow,
    names: u16,
) -> SheetLine<'a> {
    let (name, value) = (
        variable_row(at, VariablePart::Name),
        variable_row(at, VariablePart::Value),
    );
    let equals = VALUES + names;
    let secret = sheet.launcher.allocation.variables().is_secret(variable);
    let taken = if secret {
        text::width(tr!("secret")) as u16 + 2
    } else {
        0
    };
    let x = equals + 2;
    let room = sheet.width.saturating_sub(x);
    let mut line = label(sheet, at)
        .halved(name, equals, value)
        .input(VALUES, names, variable.name(), sheet.is_focused(name))
        .text(equals, 1, "=", Face::Dim);
    let (width, focused) = (room.saturating_sub(taken), sheet.is_focused(value));
    line = if secret {
        let masked = line.masked(x, width, variable.value(), focused);
        masked.right(x, room, tr!("secret"), Face::Dim)
    } else {
        line.input(x, width, variable.value(), focused)
    };
    let here = focused || sheet.is_focused(name);
    match sheet.launcher.allocation.variables().missing(at) {
        Some(VariablePart::Name) if here => {
            line.text(VALUES, names, tr!("its name"), Face::Placeholder)
        }
        Some(VariablePart::Value) if here => {
            line.text(x, width, value_hint(secret), Face::Placeholder)
        }
        _ => line,
    }
}

fn value_hint(secret: bool) -> &'static str {
    if secret {
        tr!("its value (not shown, not stored)")
    } else {
        tr!("its value")
    }
}

/// The line for a new variable.
fn empty_line<'a>(
    sheet: &FormSheet<'a>,
    at: usize,
    variable: &'a VariableRow,
    names: u16,
) -> SheetLine<'a> {
    let row = row_of(sheet, at);
    let focused = sheet.is_focused(row);
    let hint = match (at, focused) {
        (0, false) => tr!("none"),
        (_, false) => tr!("add"),
        (_, true) => tr!("NAME=value, or paste several lines"),
    };
    let room = sheet.width.saturating_sub(VALUES);
    label(sheet, at)
        .input(VALUES, names, variable.name(), focused)
        .text(VALUES, room, hint, Face::Placeholder)
}
