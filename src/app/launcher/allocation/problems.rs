//! Finds problems and unfinished rows among the variables, and the row that fixes a problem of the page.

use super::{AllocationForm, VariablePart, VariableProblem, variable_of, variable_row};
use crate::{
    app::launcher::{FormRow, LaunchInfo, PageForm, Unfinished},
    model::launch_field::{FieldProblem, LaunchField as Field},
};

impl AllocationForm {
    /// The problem with a row of the variables. `typing` means that the row has the focus.
    pub fn variable_problem(&self, at: usize, typing: bool) -> Option<VariableProblem> {
        let name = self.variables.rows().get(at)?.name().text();
        if self.threads.sets(name) {
            let why = tr!("{name} is set below, in the fields for threads", name);
            return Some(VariableProblem::of_name(why));
        }
        self.variables.problem(at, typing)
    }

    /// Whether the problem with the field is in one of its rows.
    pub fn has_variable_problem(&self) -> bool {
        (0..self.variables.count()).any(|at| self.variable_problem(at, false).is_some())
    }

    /// A row with only a name or only a value, if going to `to` would leave it.
    pub(super) fn unfinished_variable(
        &self,
        row: FormRow,
        to: Option<FormRow>,
    ) -> Option<Unfinished> {
        let at = index(row)?;
        let missing = self.variables.missing(at)?;
        if to.and_then(index) == Some(at) {
            return None;
        }
        Some(Unfinished {
            row: variable_row(at, missing),
            text: self.variables.unfinished_question(at),
        })
    }

    /// Removes the row of a variable. The rows below it move up.
    pub(super) fn without_variable(&mut self, row: FormRow, to: FormRow) -> FormRow {
        let Some(gone) = index(row) else {
            return to;
        };
        self.variables.remove(gone);
        self.moved = Some(variable_row(gone, VariablePart::Name));
        match index(to) {
            Some(at) if at > gone => variable_row(at - 1, variable_of(to).1),
            _ => to,
        }
    }

    pub(super) fn row_to_fix(&self, problem: &FieldProblem, info: &LaunchInfo) -> Option<FormRow> {
        let why = &problem.message;
        match problem.field {
            Field::Variables => Some(self.variable_to_fix(why)),
            // The row above the number only switches it between automatic and custom.
            Field::OpenMp if !self.threads.automatic => Some(FormRow::item(Field::OpenMp, 1)),
            field => self.rows(info).into_iter().find(|row| row.field == field),
        }
    }

    /// The part of a row that fixes a problem. A secret that must be entered again must not be typed into a
    /// name.
    fn variable_to_fix(&self, why: &str) -> FormRow {
        let all = 0..self.variables.count();
        let wrong = all
            .filter_map(|at| Some((at, self.variable_problem(at, false)?)))
            .find(|(_, problem)| problem.why == why);
        if let Some((at, problem)) = wrong {
            return variable_row(at, problem.part);
        }
        // The engine refused a value, and its message may name the variable.
        let is_named = |name: &str| why.split(|c: char| !is_of_name(c)).any(|word| word == name);
        let rows = self.variables.rows();
        let named = rows.iter().position(|row| is_named(row.name().text()));
        let part = if self.variables.count() == 0 {
            VariablePart::Name
        } else {
            VariablePart::Value
        };
        variable_row(named.unwrap_or(0), part)
    }
}

/// The index of the variable that a row is about.
fn index(row: FormRow) -> Option<usize> {
    (row.field == Field::Variables).then(|| variable_of(row).0)
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}
