//! Finds problems and unfinished rows among the variables, and the row that fixes a problem of the page.

use super::{Allocation, Fault, Part, variable_of, variable_row};
use crate::{
    app::launcher::{Form, Offer, Row, Undone},
    model::launch_field::{FieldProblem, LaunchField as Field},
};

impl Allocation {
    /// The problem with a row of the variables. `typing` means that the row has the focus.
    pub fn variable_fault(&self, at: usize, typing: bool) -> Option<Fault> {
        let name = self.variables.rows().get(at)?.name().text();
        if self.threads.sets(name) {
            let why = format!("{name} is set below, in the fields for threads");
            return Some(Fault::of_name(why));
        }
        self.variables.fault(at, typing)
    }

    /// Whether the problem with the field is in one of its rows.
    pub fn has_variable_fault(&self) -> bool {
        (0..self.variables.count()).any(|at| self.variable_fault(at, false).is_some())
    }

    /// A row with only a name or only a value, if going to `to` would leave it.
    pub(super) fn half_a_variable(&self, row: Row, to: Option<Row>) -> Option<Undone> {
        let at = index(row)?;
        let missing = self.variables.missing(at)?;
        if to.and_then(index) == Some(at) {
            return None;
        }
        Some(Undone {
            row: variable_row(at, missing),
            text: self.variables.ask_of_half(at),
        })
    }

    /// Removes the row of a variable. The rows below it move up.
    pub(super) fn without_variable(&mut self, row: Row, to: Row) -> Row {
        let Some(gone) = index(row) else {
            return to;
        };
        self.variables.remove(gone);
        self.moved = Some(variable_row(gone, Part::Name));
        match index(to) {
            Some(at) if at > gone => variable_row(at - 1, variable_of(to).1),
            _ => to,
        }
    }

    pub(super) fn row_to_mend(&self, problem: &FieldProblem, offer: &Offer) -> Option<Row> {
        let why = &problem.message;
        match problem.field {
            Field::Variables => Some(self.variable_to_mend(why)),
            // The row above the number only switches it between automatic and custom.
            Field::OpenMp if !self.threads.automatic => Some(Row::item(Field::OpenMp, 1)),
            field => self.rows(offer).into_iter().find(|row| row.field == field),
        }
    }

    /// The part of a row that fixes a problem. A secret that must be entered again must not be typed into a
    /// name.
    fn variable_to_mend(&self, why: &str) -> Row {
        let all = 0..self.variables.count();
        let faulty = all
            .filter_map(|at| Some((at, self.variable_fault(at, false)?)))
            .find(|(_, fault)| fault.why == why);
        if let Some((at, fault)) = faulty {
            return variable_row(at, fault.half);
        }
        // The engine refused a value, and its message may name the variable.
        let told = |name: &str| why.split(|c: char| !is_of_name(c)).any(|word| word == name);
        let rows = self.variables.rows();
        let told = rows.iter().position(|row| told(row.name().text()));
        let half = if self.variables.count() == 0 {
            Part::Name
        } else {
            Part::Value
        };
        variable_row(told.unwrap_or(0), half)
    }
}

/// The index of the variable that a row is about.
fn index(row: Row) -> Option<usize> {
    (row.field == Field::Variables).then(|| variable_of(row).0)
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}
