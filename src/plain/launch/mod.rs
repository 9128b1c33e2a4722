//! Launches a session: a question for each of the usual settings, then a review in which every setting can be changed.

mod form;

use self::form::Form;
use super::{Plain, arguments::chosen, console::Leave};
use crate::{
    cli::parts,
    locale,
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
        self.console.say(tr!(
            "Launch a session. Enter takes the default, ? explains a question, Ctrl-C cancels."
        ));
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
                    self.console.say(tr!(
                        "The answers are kept. Change a setting, or cancel with Ctrl-C."
                    ));
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
                    pair("interactive", tr!("runs until it is terminated")),
                    pair("batch", tr!("runs one command, then ends")),
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
            self.console.say(&format!("{}:", locale::text(row.title)));
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
                        self.console.say(tr!("Error: a quote has no end."));
                        continue;
                    }
                },
                _ => vec![chosen(answer, &values)],
            };
            match form.set(field, typed) {
                Ok(()) => return Ok(()),
                Err(why) => self.console.say(&tr!(
                    "Error: {field}: {why}.",
                    field = locale::text(row.title),
                    why
                )),
            }
        }
    }

    fn review(&mut self, form: &Form) -> Result<Next, Leave> {
        let rows = form.rows();
        let set = rows.iter().enumerate().filter_map(|(at, row)| {
            let value = form.value(row.field)?;
            Some(format!("{}. {}: {value}", at + 1, locale::text(row.title)))
        });
        let lines: Vec<String> = set.collect();
        self.console.say(&lines.join("\n"));
        let shown: Vec<String> = form.words().iter().map(|it| quote(it)).collect();
        self.console.say(&tr!(
            "The command: workbay {shown}",
            shown = shown.join(" ")
        ));
        let problems = form.problems();
        for problem in &problems {
            let why = &problem.message;
            self.console.say(&match &problem.option {
                Some(option) => tr!("Error: {field}: {why}.", field = option, why),
                None => tr!("Error: {why}.", why),
            });
        }
        let prompt = if problems.is_empty() {
            tr!("Enter launches. A number changes a setting, all lists all settings: ")
        } else {
            tr!(
                "Change the settings with errors. A number changes a setting, all lists all settings: "
            )
        };
        loop {
            let answer = self.console.ask(prompt)?;
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
                _ => self.console.say(&tr!(
                    "Error: '{answer}' isn't a choice. Use 1 to {rows}, all or cancel.",
                    answer,
                    rows = rows.len()
                )),
            }
        }
    }

    fn show_all(&self, form: &Form) {
        let numbered = form.rows().into_iter().enumerate();
        let lines: Vec<String> = numbered
            .map(|(at, row)| {
                let value = form.value(row.field);
                let value = value.unwrap_or_else(|| tr!("default").to_owned());
                format!("{}. {}: {value}", at + 1, locale::text(row.title))
            })
            .collect();
        self.console.say(&lines.join("\n"));
    }
}

fn question(row: &FieldRow, form: &Form) -> String {
    let form_text = form::form(row);
    match (row.field, form.value(row.field)) {
        (_, Some(value)) => tr!("{form}. Enter keeps {value}: ", form = form_text, value),
        (LaunchField::StartupCommand, None) => tr!("{form}. It is required: ", form = form_text),
        (_, None) => tr!("{form}. Enter takes the default: ", form = form_text),
    }
}

fn explanation(row: &FieldRow) -> String {
    let [mut text, form, rule] =
        [row.meaning, row.form, row.rule].map(|it| locale::text(it).to_owned());
    if !form.is_empty() {
        text = tr!("{text} Type {form}.", text, form);
    }
    if !rule.is_empty() {
        text = tr!("{text} Allowed: {rule}.", text, rule);
    }
    if form::is_list(row.field) {
        text = tr!("{text} Separate several values by spaces.", text);
    }
    tr!("{text} A - sets the default.", text)
}
