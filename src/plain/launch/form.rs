//! The answers of a launch, as the words of `workbay launch`.

use std::collections::BTreeMap;

use crate::{
    cli::parts::{self, WordProblem},
    locale,
    model::launch_field::LaunchField,
    rules::launch::table::{FieldRow, Only, TABLE, Widget},
};

#[derive(Clone, Debug, Default)]
pub struct Form {
    batch: bool,
    /// The values of each field, as they are typed on the command line.
    values: BTreeMap<LaunchField, Vec<String>>,
}

/// Fields that are asked before the review, if they have values to choose from or are typed.
pub const FIRST: [LaunchField; 8] = [
    LaunchField::Name,
    LaunchField::SessionType,
    LaunchField::StartupCommand,
    LaunchField::Environment,
    LaunchField::Preset,
    LaunchField::Cpu,
    LaunchField::Memory,
    LaunchField::Folders,
];

impl Form {
    /// The fields that this session can have, in the order of the table.
    pub fn rows(&self) -> Vec<&'static FieldRow> {
        let has = |row: &&FieldRow| match row.field {
            LaunchField::Context | LaunchField::OpenMp | LaunchField::OpenBlas => false,
            _ => match row.only {
                Only::Any => true,
                Only::Batch => self.batch,
                Only::Interactive => !self.batch,
            },
        };
        TABLE.iter().filter(has).collect()
    }

    /// What the field is set to, in words. `None` = its default.
    pub fn value(&self, field: LaunchField) -> Option<String> {
        match field {
            LaunchField::SessionType => {
                Some(if self.batch { "batch" } else { "interactive" }.to_owned())
            }
            field => self.values.get(&field).map(|values| values.join(", ")),
        }
    }

    /// Sets a field to what was typed. No values = its default.
    ///
    /// # Errors
    /// The sentence about a value that isn't allowed.
    pub fn set(&mut self, field: LaunchField, values: Vec<String>) -> Result<(), String> {
        if field == LaunchField::SessionType {
            return self.set_type(values.first().map_or("", String::as_str));
        }
        let before = self.problems();
        let mut changed = self.clone();
        if values.is_empty() {
            changed.values.remove(&field);
        } else {
            changed.values.insert(field, values);
        }
        let new = changed.problems().into_iter();
        let mut new = new.filter(|problem| !before.contains(problem) && is_about(problem, field));
        if let Some(problem) = new.next() {
            return Err(problem.message);
        }
        *self = changed;
        Ok(())
    }

    fn set_type(&mut self, word: &str) -> Result<(), String> {
        self.batch = match word.to_lowercase().as_str() {
            "" | "1" | "i" | "interactive" => false,
            "2" | "b" | "batch" => true,
            other => {
                return Err(tr!(
                    "unknown session type '{other}'. Use interactive or batch",
                    other
                ));
            }
        };
        let rows = self.rows();
        self.values
            .retain(|field, _| rows.iter().any(|row| row.field == *field));
        Ok(())
    }

    /// `launch` and its options.
    pub fn words(&self) -> Vec<String> {
        let mut words = vec!["launch".to_owned()];
        if self.batch {
            words.push(LaunchField::SessionType.row().option.to_owned());
        }
        for (field, values) in &self.values {
            let option = field.row().option;
            for value in values {
                // A value that begins with - would be another option.
                if value.starts_with('-') && option.starts_with("--") {
                    words.push(format!("{option}={value}"));
                } else {
                    words.extend([option.to_owned(), value.clone()]);
                }
            }
        }
        words
    }

    /// Everything that prevents the launch, as far as it is known without the daemon.
    pub fn problems(&self) -> Vec<WordProblem> {
        parts::check_launch(&self.words())
    }
}

/// Whether a problem is about this field, or about the whole line.
fn is_about(problem: &WordProblem, field: LaunchField) -> bool {
    let option = field.row().option;
    problem.option.as_ref().is_none_or(|named| {
        named == option || (field == LaunchField::Variables && named == "--set")
    })
}

/// Whether a field takes several values.
pub fn is_list(field: LaunchField) -> bool {
    matches!(
        field,
        LaunchField::Folders | LaunchField::Variables | LaunchField::Accelerator
    )
}

/// How a value is typed, and the default.
pub fn form(row: &FieldRow) -> String {
    if row.field == LaunchField::Variables {
        let form = tr!("NAME=VALUE, or NAME for the value of your own environment");
        return format!("{}: {form}", locale::text(row.title));
    }
    if let Some(argument) = &row.argument {
        return locale::of(argument.help).to_owned();
    }
    let form = locale::text(match (row.form, &row.widget) {
        ("", Widget::Line { note, .. }) if !note.is_empty() => note,
        ("", _) => row.rule,
        (form, _) => form,
    });
    format!("{}: {form}", locale::text(row.title))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_become_the_words_of_a_launch() {
        let mut form = Form::default();
        let one = |text: &str| vec![text.to_owned()];
        form.set(LaunchField::Name, one("train-1")).unwrap();
        form.set(LaunchField::SessionType, one("batch")).unwrap();
        form.set(LaunchField::StartupCommand, one("echo hi"))
            .unwrap();
        form.set(LaunchField::Cpu, one("0.5")).unwrap();
        form.set(LaunchField::Variables, vec!["A=1".into(), "B=x,y".into()])
            .unwrap();
        let words = form.words().join(" ");
        assert_eq!(
            words,
            "launch --batch --name train-1 --command echo hi --cpu 0.5 -e A=1 -e B=x,y"
        );
        assert!(form.problems().is_empty(), "{:?}", form.problems());
        // The command belongs to batch sessions only.
        form.set(LaunchField::SessionType, one("interactive"))
            .unwrap();
        assert!(!form.words().contains(&"--command".to_owned()));
    }

    #[test]
    fn a_wrong_value_is_refused_at_its_field_and_changes_nothing() {
        let mut form = Form::default();
        for (field, wrong) in [
            (LaunchField::Name, "x"),
            (LaunchField::Cpu, "many"),
            (LaunchField::Memory, "12"),
            (LaunchField::Variables, "1A=2"),
            (LaunchField::Folders, "/etc"),
            (LaunchField::SessionType, "fast"),
        ] {
            let before = form.words();
            let why = form.set(field, vec![wrong.to_owned()]).unwrap_err();
            assert!(!why.is_empty() && !why.contains('\n'), "{field:?}: {why}");
            assert_eq!(form.words(), before);
        }
    }

    #[test]
    fn each_field_can_be_set_by_its_option() {
        let tree = parts::tree();
        let launch = tree.find_subcommand("launch").unwrap();
        let mut form = Form::default();
        form.set_type("batch").unwrap();
        for row in form.rows() {
            let known = launch.get_arguments().any(|it| {
                let long = it.get_long().map(|long| format!("--{long}"));
                let short = it.get_short().map(|short| format!("-{short}"));
                long.as_deref() == Some(row.option) || short.as_deref() == Some(row.option)
            });
            assert!(known, "{:?}: {}", row.field, row.option);
        }
    }
}
