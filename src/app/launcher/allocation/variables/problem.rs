//! Finds the problem with a row of the variables, and the part that has it.

use super::{VariablePart, Variables};
use crate::{model::spec::check_variable_name, rules::launch::check::check_value};

/// Characters of a name that a question shows.
const NAMES: usize = 40;

/// The problem with a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariableProblem {
    /// The part that fixes it.
    pub part: VariablePart,
    pub why: String,
}

impl VariableProblem {
    pub fn of_name(why: impl Into<String>) -> Self {
        let (part, why) = (VariablePart::Name, why.into());
        Self { part, why }
    }

    fn of_value(why: impl Into<String>) -> Self {
        let (part, why) = (VariablePart::Value, why.into());
        Self { part, why }
    }
}

impl Variables {
    /// The problem with a row. `typing` means that the row has the focus, so a missing part isn't a problem
    /// yet.
    pub fn problem(&self, at: usize, typing: bool) -> Option<VariableProblem> {
        let row = self.rows.get(at).filter(|row| !row.is_empty())?;
        let (name, value) = (row.name.text(), row.value.text());
        if name.is_empty() {
            return (!typing).then(|| VariableProblem::of_name(tr!("this value has no name")));
        }
        if let Err(why) = check_variable_name(name) {
            return Some(VariableProblem::of_name(why));
        }
        if self.rows[..at].iter().any(|it| it.name.text() == name) {
            let why = tr!("{name} is already set above", name);
            return Some(VariableProblem::of_name(why));
        }
        if let Err(why) = check_value(name, value) {
            return Some(VariableProblem::of_value(why));
        }
        if !value.is_empty() || typing {
            return None;
        }
        Some(VariableProblem::of_value(if self.is_secret(row) {
            tr!(
                "{name} is a secret, so its value isn't stored. Type it again",
                name
            )
        } else {
            tr!("{name} has no value. Type one, or remove the row", name)
        }))
    }

    /// The missing part of a row that has the other one.
    pub fn missing(&self, at: usize) -> Option<VariablePart> {
        let row = self.rows.get(at)?;
        match (row.name.is_empty(), row.value.is_empty()) {
            (true, false) => Some(VariablePart::Name),
            (false, true) => Some(VariablePart::Value),
            _ => None,
        }
    }

    /// The question before an incomplete row is left.
    pub fn unfinished_question(&self, at: usize) -> String {
        let row = self.rows.get(at).filter(|row| !row.name.is_empty());
        let Some(row) = row else {
            return tr!("A value has no name. Type one, or remove the row.").to_owned();
        };
        let name: String = row.name.text().chars().take(NAMES).collect();
        if self.is_secret(row) {
            tr!(
                "{name} is a secret, so its value isn't stored. Type it, or remove the row.",
                name
            )
        } else {
            tr!("{name} has no value. Type one, or remove the row.", name)
        }
    }
}
