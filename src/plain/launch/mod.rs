//! Launches a session: a question for each of the usual settings, then a review in which every setting can be changed.

mod form;

use self::form::Form;
use super::{Plain, arguments::chosen, console::Leave};
use crate::{
    cli::parts,
    model::launch_field::LaunchField,
    rules::launch::{command::quote, table::FieldRow},
};

/// What the review does next.
enum Next {
    Launch,
    Change(LaunchField),
    ShowAll,
}

impl Plain {
    pub(super) fn launch(&mut self) -> Result<(), Leave> {
        self.console.say(
            "Launch a session. Enter takes the default, ? explains a question, Ctrl-C cancels.",
        );
        let mut form = Form::default();
        for field in form::FIRST {
            if !form.rows().iter().any(|row| row.field == field) {
                continue;
            }
            let values = self.field_values(field);
            let is_choice = matches!(field, LaunchField::Preset | LaunchField::Folders);
            // A preset has the amounts, and nothing can be chosen from nothing.
            let is_set = matches!(field, LaunchField::Cpu | LaunchField::Memory)
                && form.value(LaunchField::Preset).is_some();
            let is_asked = !is_set && (!is_choice || !values.is_empty());
            if is_asked {
                self.ask_field(&mut form, field, values)?;
            }
        }
        loop {
            match self.review(&form)? {
                Next::Change(field) => {
                    let values = self.field_values(field);
                    self.ask_field(&mut form, field, values)?;
                }
                Next::ShowAll => self.show_all(&form),
                Next::Launch => {
                    if self.run_command(&form.words()) {
                        return Ok(());
                    }
                    self.console
                        .say("The answers are kept. Change a setting, or cancel with Ctrl-C.");
                }
            }
        }
    }

    /// The values that a field may have, as far as they are known.
    fn field_values(&self, field: LaunchField) -> Vec<(String, String)> {
        match field {
            LaunchField::SessionType => {
                let pair = |name: &str, about: &str| (name.to_owned(), about.to_owned());
                vec![
                    pair("interactive", "runs until it is terminated"),
                    pair("batch", "runs one command, then ends"),
                ]
            }
            LaunchField::Variables | LaunchField::StartupCommand => Vec::new(),
            field => {
                let option = field.row().option.to_owned();
                let words = ["launch".to_owned(), option, String::new()];
                parts::values(&self.tree, &words, &self.start)
            }
        }
    }

    /// Asks until the answer is allowed.
    fn ask_field(
        &mut self,
        form: &mut Form,
        field: LaunchField,
        values: Vec<(String, String)>,
    ) -> Result<(), Leave> {
        let row = field.row();
        if !values.is_empty() {
            self.console.say(&format!("{}:", row.title));
        }
        let values = self.offer(values);
        let prompt = question(row, form);
        loop {
            let answer = self.console.ask(&prompt)?;
            let typed = match answer.as_str() {
                "" => return Ok(()),
                "?" => {
                    self.console.say(&explanation(row));
                    continue;
                }
                "-" => Vec::new(),
                _ if form::is_list(field) => match shlex::split(&answer) {
                    Some(words) => words.into_iter().map(|it| chosen(it, &values)).collect(),
                    None => {
                        self.console.say("Error: a quote has no end.");
                        continue;
                    }
                },
                _ => vec![chosen(answer, &values)],
            };
            match form.set(field, typed) {
                Ok(()) => return Ok(()),
                Err(why) => self.console.say(&format!("Error: {}: {why}.", row.title)),
            }
        }
    }

    fn review(&mut self, form: &Form) -> Result<Next, Leave> {
        let rows = form.rows();
        let set = rows.iter().enumerate().filter_map(|(at, row)| {
            let value = form.value(row.field)?;
            Some(format!("{}. {}: {value}", at + 1, row.title))
        });
        let lines: Vec<String> = set.collect();
        self.console.say(&lines.join("\n"));
        let shown: Vec<String> = form.words().iter().map(|it| quote(it)).collect();
        self.console
            .say(&format!("The command: workbay {}", shown.join(" ")));
        let problems = form.problems();
        for problem in &problems {
            let option = problem.option.as_ref().map(|it| format!("{it}: "));
            let option = option.unwrap_or_default();
            self.console
                .say(&format!("Error: {option}{}.", problem.message));
        }
        let what = if problems.is_empty() {
            "Enter launches"
        } else {
            "Change the settings with errors"
        };
        let prompt = format!("{what}. A number changes a setting, all lists all settings: ");
        loop {
            let answer = self.console.ask(&prompt)?;
            let at = answer
                .parse::<usize>()
                .ok()
                .and_then(|it| it.checked_sub(1));
            match (answer.as_str(), at.and_then(|at| rows.get(at))) {
                ("" | "launch" | "y" | "yes", _) if problems.is_empty() => {
                    return Ok(Next::Launch);
                }
                ("all", _) => return Ok(Next::ShowAll),
                ("n" | "no" | "cancel" | "back" | "quit" | "q", _) => return Err(Leave::Cancel),
                (_, Some(row)) => return Ok(Next::Change(row.field)),
                _ => self.console.say(&format!(
                    "Error: '{answer}' isn't a choice. Use 1 to {}, all or cancel.",
                    rows.len()
                )),
            }
        }
    }

    fn show_all(&self, form: &Form) {
        let numbered = form.rows().into_iter().enumerate();
        let lines: Vec<String> = numbered
            .map(|(at, row)| {
                let value = form.value(row.field);
                let value = value.unwrap_or_else(|| "default".to_owned());
                format!("{}. {}: {value}", at + 1, row.title)
            })
            .collect();
        self.console.say(&lines.join("\n"));
    }
}

fn question(row: &FieldRow, form: &Form) -> String {
    let default = match (row.field, form.value(row.field)) {
        (_, Some(value)) => format!("Enter keeps {value}"),
        (LaunchField::StartupCommand, None) => "It is required".to_owned(),
        (_, None) => "Enter takes the default".to_owned(),
    };
    format!("{}. {default}: ", form::form(row))
}

fn explanation(row: &FieldRow) -> String {
    let mut text = row.meaning.to_owned();
    if !row.form.is_empty() {
        text = format!("{text} Type {}.", row.form);
    }
    if !row.rule.is_empty() {
        text = format!("{text} Allowed: {}.", row.rule);
    }
    if form::is_list(row.field) {
        text.push_str(" Separate several values by spaces.");
    }
    text.push_str(" A - sets the default.");
    text
}
