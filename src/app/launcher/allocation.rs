//! The second page: the environment and what each container gets.

use super::{Choice, Form, Heard, Offer, Row, choices};
use crate::{
    action::Action,
    app::input::Input,
    key::Key,
    model::{
        launch::{FieldProblem, LaunchField as Field},
        resources::{Bytes, Cpu},
        spec::LaunchRequest,
    },
};

#[derive(Clone, Debug, Default)]
pub struct Allocation {
    query: Input,
    choices: Vec<Choice>,
    marked: usize,
    /// What is chosen by name, though it is not among the choices.
    label: String,
    cpu: Input,
    mem: Input,
}

impl Allocation {
    pub fn query(&self) -> &Input {
        &self.query
    }

    pub fn choices(&self) -> &[Choice] {
        &self.choices
    }

    pub fn marked(&self) -> usize {
        self.marked
    }

    /// The environment that would be launched.
    pub fn environment(&self) -> Option<&str> {
        match self.choices.get(self.marked) {
            Some(choice) => Some(&choice.label),
            None if self.query.is_empty() => Some(&self.label),
            None => None,
        }
    }

    pub fn input(&self, field: Field) -> Option<&Input> {
        match field {
            Field::Environment => Some(&self.query),
            Field::Cpu => Some(&self.cpu),
            Field::Memory => Some(&self.mem),
            _ => None,
        }
    }

    fn input_mut(&mut self, field: Field) -> Option<&mut Input> {
        match field {
            Field::Environment => Some(&mut self.query),
            Field::Cpu => Some(&mut self.cpu),
            Field::Memory => Some(&mut self.mem),
            _ => None,
        }
    }

    fn edited(&mut self, field: Field, offer: &Offer) {
        if field == Field::Environment {
            self.choices = choices::fitting(self.query.text(), &offer.environments);
            self.marked = 0;
        }
    }

    fn mark(&mut self, by: isize) -> Heard {
        let last = self.choices.len().saturating_sub(1);
        let next = self.marked.saturating_add_signed(by).min(last);
        let moved = next != self.marked;
        self.marked = next;
        if moved { Heard::Yes } else { Heard::No }
    }
}

impl Form for Allocation {
    fn rows(&self, _offer: &Offer) -> Vec<Row> {
        [Field::Environment, Field::Cpu, Field::Memory]
            .map(Row::of)
            .to_vec()
    }

    fn key(&mut self, row: Row, key: Key, offer: &Offer) -> bool {
        let taken = self.input_mut(row.field).is_some_and(|it| it.key(key));
        if taken {
            self.edited(row.field, offer);
        }
        taken
    }

    fn paste(&mut self, row: Row, text: &str, offer: &Offer) -> bool {
        let Some(input) = self.input_mut(row.field) else {
            return false;
        };
        input.paste(text);
        self.edited(row.field, offer);
        true
    }

    fn action(&mut self, row: Row, action: Action, key: Option<Key>, offer: &Offer) -> Heard {
        match action {
            Action::ListDown if row.field == Field::Environment => self.mark(1),
            Action::ListUp if row.field == Field::Environment => self.mark(-1),
            Action::LauncherMore | Action::LauncherLess | Action::ListFirst | Action::ListLast => {
                match key {
                    Some(key) if self.key(row, key, offer) => Heard::Yes,
                    _ => Heard::No,
                }
            }
            _ => Heard::No,
        }
    }

    fn read(&mut self, request: &LaunchRequest, offer: &Offer) {
        self.query.set("");
        let defaults = &offer.defaults;
        let label = request.environment.as_deref();
        label
            .unwrap_or(&defaults.environment)
            .clone_into(&mut self.label);
        self.cpu
            .set(&request.cpu.unwrap_or(defaults.cpu).to_string());
        self.mem
            .set(&request.mem.unwrap_or(defaults.mem).to_string());
        self.choices = choices::fitting("", &offer.environments);
        self.marked = choices::find(&self.choices, &self.label);
    }

    fn write(&self, request: &mut LaunchRequest, _offer: &Offer) {
        request.environment = self.environment().map(str::to_owned);
        request.cpu = self.cpu.text().parse().ok();
        request.mem = self.mem.text().parse().ok();
    }

    fn problems(&self, _offer: &Offer) -> Vec<FieldProblem> {
        let mut found = Vec::new();
        let mut add = |field, why: Option<String>| {
            found.extend(why.map(|why| FieldProblem::new(field, why)));
        };
        let query = self.query.text();
        let choice = self.choices.get(self.marked);
        let missing = || format!("no environment has '{query}' in its name");
        let unavailable = choice.and_then(|it| it.unavailable.as_ref());
        let unavailable = unavailable.map(|why| format!("cannot be launched here: {why}"));
        let none = choice.is_none() && !query.is_empty();
        add(Field::Environment, none.then(missing).or(unavailable));
        add(Field::Cpu, self.cpu.text().parse::<Cpu>().err());
        add(Field::Memory, self.mem.text().parse::<Bytes>().err());
        found
    }

    fn offered(&mut self, offer: &Offer, _request: &LaunchRequest) {
        let chosen = self.environment().map(str::to_owned);
        self.choices = choices::fitting(self.query.text(), &offer.environments);
        let label = chosen.unwrap_or_else(|| self.label.clone());
        self.marked = choices::find(&self.choices, &label);
    }
}
