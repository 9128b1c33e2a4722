//! Where a secret is stored, as the file describes it. The file never contains the secret.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use super::{
    super::document::{DocumentFault, Item, Value},
    path,
};
use crate::model::spec::check_variable_name;

/// The source of a value that is read when it is needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A value in the file itself: names and access keys, never a secret.
    Plain(String),
    /// An environment variable of the process that needs the value, usually the daemon.
    Env(String),
    /// The first line of a file that belongs to the user and that others can't access.
    File(PathBuf),
    /// The first line that a program prints. It runs without a shell.
    Command(Vec<String>),
}

/// For messages. Shows only the program of a command, because its arguments may contain a secret.
impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plain(text) => f.write_str(text),
            Self::Env(name) => f.write_str(&tr!("from the variable {name}", name)),
            Self::File(path) => f.write_str(&tr!("from the file {path}", path = path.display())),
            Self::Command(argv) => {
                let program = argv.first().map_or("", String::as_str);
                f.write_str(&tr!("from the command {program}", program))
            }
        }
    }
}

const FORMS: [&str; 3] = ["env", "file", "command"];

/// The three ways to describe the source of a secret.
pub(super) fn forms(key: &str) -> String {
    tr!(
        "{key} = {{ env = \"NAME\" }}, {{ file = \"/path\" }} or {{ command = [\"pass\", \"show\", \"x\"] }}",
        key
    )
}

/// A name: a literal value, or a source as for a secret.
pub(super) fn plain(item: &Item, home: Option<&Path>) -> Result<Source, DocumentFault> {
    match &item.value {
        Value::Text(text) if text.trim().is_empty() => Err(DocumentFault::new(
            item.at,
            tr!("expected a name, found an empty string"),
        )),
        Value::Text(text) => Ok(Source::Plain(text.trim().to_owned())),
        Value::Table(_) => table(item, home),
        _ => Err(item.mismatch(tr!("a string"))),
    }
}

/// A secret: only its source is allowed. The message doesn't repeat any other value.
pub(super) fn secret(item: &Item, home: Option<&Path>) -> Result<Source, DocumentFault> {
    match &item.value {
        Value::Table(_) => table(item, home),
        Value::Text(_) => {
            let fault = DocumentFault::new(item.at, tr!("secrets aren't allowed in this file"));
            Err(fault.help(tr!(
                "name its source: {env}, {file} or {command}",
                env = "{ env = \"NAME\" }",
                file = "{ file = \"/path\" }",
                command = "{ command = [\"pass\", \"show\", \"x\"] }"
            )))
        }
        _ => Err(item.mismatch(&tr!("a table like {form}", form = "{ env = \"NAME\" }"))),
    }
}

fn table(item: &Item, home: Option<&Path>) -> Result<Source, DocumentFault> {
    let entries = item.table()?;
    for entry in entries {
        if !FORMS.contains(&entry.key.as_str()) {
            return Err(DocumentFault::unknown(
                entry.at,
                tr!("source of a secret"),
                &entry.key,
                FORMS,
            ));
        }
    }
    let [entry] = entries else {
        return Err(DocumentFault::new(
            item.at,
            tr!("expected exactly one of env, file and command"),
        ));
    };
    match entry.key.as_str() {
        "env" => variable(&entry.item),
        "file" => path::read(&entry.item, home).map(Source::File),
        _ => command(&entry.item),
    }
}

fn variable(item: &Item) -> Result<Source, DocumentFault> {
    let name = item.text()?;
    check_variable_name(name).map_err(|why| DocumentFault::new(item.at, why))?;
    Ok(Source::Env(name.to_owned()))
}

fn command(item: &Item) -> Result<Source, DocumentFault> {
    let Value::List(words) = &item.value else {
        let fault = item.mismatch(tr!("a list of words"));
        return Err(fault.help(tr!(
            "no shell runs it. Write each word as a string: [\"pass\", \"show\", \"x\"]"
        )));
    };
    let argv: Vec<String> = words
        .iter()
        .map(|word| word.text().map(str::to_owned))
        .collect::<Result<_, _>>()?;
    if argv.first().is_none_or(|program| program.trim().is_empty()) {
        return Err(DocumentFault::new(item.at, tr!("the command is empty")));
    }
    Ok(Source::Command(argv))
}
