//! Environment variables: rows of a name and a value. The last row is always empty, and typing there adds a
//! row.

mod lines;
mod problem;

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    app::input::Input,
    key::{Key, KeyCode},
    model::secret_rules::SecretRules,
};

pub use problem::VariableProblem;

/// A part of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariablePart {
    Name,
    Value,
}

#[derive(Clone, Debug, Default)]
pub struct VariableRow {
    name: Input,
    value: Input,
}

#[derive(Clone, Debug)]
pub struct Variables {
    /// The last one is empty.
    rows: Vec<VariableRow>,
    rules: SecretRules,
    /// Names that the request marked as secret.
    marked: BTreeSet<String>,
}

impl Default for Variables {
    fn default() -> Self {
        Self {
            rows: vec![VariableRow::default()],
            rules: SecretRules::default(),
            marked: BTreeSet::new(),
        }
    }
}

impl VariableRow {
    fn new(name: &str, value: &str) -> Self {
        Self {
            name: Input::with_text(name),
            value: Input::with_text(value),
        }
    }

    pub fn name(&self) -> &Input {
        &self.name
    }

    pub fn value(&self) -> &Input {
        &self.value
    }

    fn is_empty(&self) -> bool {
        self.name.is_empty() && self.value.is_empty()
    }
}

impl Variables {
    /// All rows, including the empty one at the end.
    pub fn rows(&self) -> &[VariableRow] {
        &self.rows
    }

    /// Whether the value of a row is masked.
    pub fn is_secret(&self, row: &VariableRow) -> bool {
        let (name, value) = (row.name.text(), row.value.text());
        self.marked.contains(name) || self.rules.is_secret(name, value)
    }

    /// Sets the rules that decide which names and values are secret.
    pub fn set_secret_rules(&mut self, rules: &SecretRules) {
        self.rules.clone_from(rules);
    }

    /// The number of rows that aren't empty.
    pub fn count(&self) -> usize {
        self.rows.len() - 1
    }

    pub fn is_last(&self, at: usize) -> bool {
        at + 1 >= self.rows.len()
    }

    fn input(&mut self, at: usize, part: VariablePart) -> Option<&mut Input> {
        let row = self.rows.get_mut(at)?;
        Some(match part {
            VariablePart::Name => &mut row.name,
            VariablePart::Value => &mut row.value,
        })
    }

    /// Handles a key that types or edits. Returns the new focus, or `None` if the key isn't used.
    pub fn key(
        &mut self,
        at: usize,
        part: VariablePart,
        key: Key,
    ) -> Option<(usize, VariablePart)> {
        // Typing `=` after the name goes to the value, as in NAME=value.
        if part == VariablePart::Name && key == Key::char('=') {
            // The empty row has no value that could get the focus.
            let part = if self.is_last(at) {
                part
            } else {
                VariablePart::Value
            };
            return Some((at, part));
        }
        let back = key == Key::plain(KeyCode::Backspace);
        let input = self.input(at, part)?;
        if back && input.is_empty() {
            return Some(self.back(at, part));
        }
        if !input.key(key) {
            return None;
        }
        self.keep_one_empty();
        Some((at, part))
    }

    /// Handles Backspace in an empty input: goes to the previous part, and removes an empty row.
    fn back(&mut self, at: usize, part: VariablePart) -> (usize, VariablePart) {
        match (part, at) {
            (VariablePart::Value, _) => (at, VariablePart::Name),
            (VariablePart::Name, 0) => (0, VariablePart::Name),
            // The value would be left without a name.
            (VariablePart::Name, _) if self.missing(at).is_some() => (at, VariablePart::Name),
            (VariablePart::Name, _) => {
                if self.rows[at].is_empty() && !self.is_last(at) {
                    self.rows.remove(at);
                }
                (at - 1, VariablePart::Value)
            }
        }
    }

    /// Pastes a text: lines `NAME=value` fill rows, any other text goes to the cursor. Returns the new focus.
    pub fn paste(&mut self, at: usize, part: VariablePart, text: &str) -> (usize, VariablePart) {
        let read = lines::read(text);
        if part == VariablePart::Value || read.is_empty() {
            if let Some(input) = self.input(at, part) {
                input.paste(text);
            }
            self.keep_one_empty();
            return (at, part);
        }
        for (name, value) in read {
            self.set(&name, &value);
        }
        // A row that was unfinished before keeps the focus.
        match self.missing(at) {
            Some(_) => (at, part),
            None => (self.count(), VariablePart::Name),
        }
    }

    /// Gives a variable its value, in a new row if there is none.
    fn set(&mut self, name: &str, value: &str) {
        match self.rows.iter_mut().find(|row| row.name.text() == name) {
            Some(row) => row.value.set(value),
            None => {
                let last = self.rows.len() - 1;
                self.rows.insert(last, VariableRow::new(name, value));
            }
        }
    }

    pub fn remove(&mut self, at: usize) {
        if !self.is_last(at) {
            self.rows.remove(at);
        }
    }

    pub fn remove_all(&mut self) {
        self.rows = vec![VariableRow::default()];
        self.marked.clear();
    }

    fn keep_one_empty(&mut self) {
        if self.rows.last().is_none_or(|row| !row.is_empty()) {
            self.rows.push(VariableRow::default());
        }
        // A row that you have emptied isn't kept as a second empty row at the end.
        while let [.., before, last] = &self.rows[..]
            && before.is_empty()
            && last.is_empty()
        {
            self.rows.pop();
        }
    }

    /// Reads the variables of a request, in which secrets have no value.
    pub fn read(&mut self, env: &BTreeMap<String, String>, marked: &BTreeSet<String>) {
        self.marked.clone_from(marked);
        self.rows = env
            .iter()
            .map(|(name, value)| VariableRow::new(name, value))
            .collect();
        self.rows.push(VariableRow::default());
    }

    /// Returns the rows without a problem.
    pub fn write(&self) -> BTreeMap<String, String> {
        let whole = |(at, row): (usize, &VariableRow)| {
            let fine = !row.is_empty() && self.problem(at, false).is_none();
            fine.then(|| (row.name.text().to_owned(), row.value.text().to_owned()))
        };
        self.rows.iter().enumerate().filter_map(whole).collect()
    }

    /// Names that stay secret, even if their values change.
    pub fn marked(&self) -> &BTreeSet<String> {
        &self.marked
    }

    /// The question before all variables are removed.
    pub fn question(&self) -> Option<String> {
        match self.count() {
            0 => None,
            1 => Some(tr!("Remove the variable?").to_owned()),
            n => Some(tr!("Remove all {n} variables?", n)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(variables: &mut Variables, keys: &str) -> (usize, VariablePart) {
        let mut at = (variables.count(), VariablePart::Name);
        for key in keys.split_whitespace() {
            at = variables.key(at.0, at.1, key.parse().unwrap()).unwrap();
        }
        at
    }

    #[test]
    fn typing_makes_rows() {
        let mut it = Variables::default();
        assert_eq!(typed(&mut it, "="), (0, VariablePart::Name));
        assert_eq!(typed(&mut it, "A = 1"), (0, VariablePart::Value));
        assert_eq!((it.count(), it.write()["A"].as_str()), (1, "1"));
        typed(&mut it, "B = 2");
        assert_eq!(it.write().len(), 2);
        // Backspace goes back through both parts and removes the row.
        let mut at = (1, VariablePart::Value);
        for _ in 0..3 {
            at = it.key(at.0, at.1, "backspace".parse().unwrap()).unwrap();
        }
        assert_eq!((it.count(), at), (1, (1, VariablePart::Name)));
        let at = it.key(at.0, at.1, "backspace".parse().unwrap()).unwrap();
        assert_eq!(at, (0, VariablePart::Value));
        // A value must not stay without a name.
        it.paste(1, VariablePart::Name, "B=2");
        typed(&mut it, "C = 3");
        let mut at = (2, VariablePart::Name);
        for _ in 0..3 {
            at = it.key(at.0, at.1, "backspace".parse().unwrap()).unwrap();
        }
        assert_eq!((it.count(), at), (3, (2, VariablePart::Name)));
    }

    #[test]
    fn a_row_half_filled_is_marked_when_it_is_left() {
        let mut it = Variables::default();
        typed(&mut it, "A");
        assert_eq!(it.problem(0, true), None, "still typing");
        let problem = it.problem(0, false).unwrap();
        assert!(problem.why.contains("A has no value") && problem.part == VariablePart::Value);
        assert_eq!(it.missing(0), Some(VariablePart::Value));
        assert!(it.write().is_empty());
        let mut it = Variables::default();
        it.paste(0, VariablePart::Value, "x");
        let problem = it.problem(0, false).unwrap();
        assert!(
            problem.why.contains("this value has no name") && problem.part == VariablePart::Name
        );
        assert_eq!(
            (it.missing(0), it.missing(1)),
            (Some(VariablePart::Name), None)
        );
    }

    #[test]
    fn names_follow_the_rule_and_come_once() {
        let mut it = Variables::default();
        typed(&mut it, "1 = x");
        assert!(it.problem(0, true).unwrap().why.contains("'1'"));
        let mut it = Variables::default();
        it.paste(0, VariablePart::Name, "A=1\nB=2");
        typed(&mut it, "A = 3");
        let problem = it.problem(2, true).unwrap();
        assert!(problem.why.contains("already") && problem.part == VariablePart::Name);
        assert_eq!(it.write()["A"], "1");
    }

    #[test]
    fn a_value_that_no_session_can_hold_is_marked() {
        let mut it = Variables::default();
        it.paste(
            0,
            VariablePart::Name,
            &format!("A={}", "x".repeat(100 * 1024)),
        );
        let problem = it.problem(0, true).unwrap();
        assert!(problem.why.contains("too long") && problem.part == VariablePart::Value);
        assert!(it.write().is_empty());
    }

    #[test]
    fn pasted_lines_fill_rows() {
        let mut it = Variables::default();
        typed(&mut it, "A = 0");
        let at = it.paste(
            1,
            VariablePart::Name,
            "export A=1\n# no\n\nB='two words'\r\nC=a=b\n",
        );
        assert_eq!(at, (3, VariablePart::Name));
        let env = it.write();
        assert_eq!(
            (env["A"].as_str(), env["B"].as_str(), env["C"].as_str()),
            ("1", "two words", "a=b")
        );
        // In a value, `X=1` is plain text.
        it.paste(0, VariablePart::Value, "X=1");
        assert_eq!(it.write()["A"], "1X=1");
        it.paste(3, VariablePart::Name, "plain");
        assert_eq!(it.rows()[3].name().text(), "plain");
        // A row that was unfinished before keeps the focus.
        assert_eq!(
            it.paste(3, VariablePart::Name, "D=1"),
            (3, VariablePart::Name)
        );
        assert_eq!(it.write()["D"], "1");
    }

    #[test]
    fn secrets_of_an_old_launch_are_asked_again() {
        let mut it = Variables::default();
        let env = [("API_TOKEN", ""), ("STAGE", "dev")];
        let env = env.map(|(k, v)| (k.to_owned(), v.to_owned()));
        it.read(&env.into(), &BTreeSet::new());
        let problem = it.problem(0, false).unwrap();
        assert!(problem.why.contains("secret") && problem.part == VariablePart::Value);
        assert_eq!(it.problem(1, false), None);
        it.paste(0, VariablePart::Value, "hush");
        assert_eq!(it.write().len(), 2);
        assert!(it.is_secret(&it.rows()[0]) && !it.is_secret(&it.rows()[1]));
        it.remove_all();
        assert!(it.write().is_empty() && it.question().is_none());
    }
}
