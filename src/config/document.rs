//! A TOML file as a tree that remembers the position of everything.
//!
//! Settings, themes and keymaps all use this reader. It handles positions, "did you mean" and wrong types.
//! Its callers interpret the words.

use std::path::{Path, PathBuf};

use toml::{
    Spanned,
    de::{DeString, DeTable, DeValue},
};

use super::Problem;
use crate::model::{nearest::nearest, text::Clean};

/// A parsed file.
#[derive(Clone, Debug)]
pub struct Document {
    file: PathBuf,
    text: String,
    root: Vec<DocumentEntry>,
}

/// One `key = value`, in the order of the file.
#[derive(Clone, Debug)]
pub struct DocumentEntry {
    pub key: String,
    /// Byte offset of the key.
    pub at: usize,
    pub item: Item,
}

/// A value and its position.
#[derive(Clone, Debug)]
pub struct Item {
    pub value: Value,
    /// Byte offset of the value.
    pub at: usize,
}

#[derive(Clone, Debug)]
pub enum Value {
    Text(String),
    Integer(i64),
    Float(f64),
    Bool(bool),
    List(Vec<Item>),
    Table(Vec<DocumentEntry>),
    /// A date or a number out of range. workbay uses neither.
    Other(&'static str),
}

/// A problem at a byte offset of a document. [`Document::problem`] adds the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentFault {
    pub at: usize,
    pub message: String,
    pub help: Option<String>,
}

impl Document {
    /// Parses the text of `file`. A TOML syntax error is reported as the only problem.
    pub fn parse(file: &Path, text: &str) -> Result<Self, Problem> {
        let parsed = DeTable::parse(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            let message = tr!("invalid TOML: {message}", message = error.message());
            problem(file, text, DocumentFault::new(at, message))
        })?;
        Ok(Self {
            file: file.to_path_buf(),
            text: text.to_owned(),
            root: entries(parsed.get_ref()),
        })
    }

    pub fn file(&self) -> &Path {
        &self.file
    }

    pub fn entries(&self) -> &[DocumentEntry] {
        &self.root
    }

    /// The top-level value of this name.
    pub fn get(&self, key: &str) -> Option<&Item> {
        self.root
            .iter()
            .find(|entry| entry.key == key)
            .map(|entry| &entry.item)
    }

    /// Converts a fault to a problem of this file.
    pub fn problem(&self, fault: DocumentFault) -> Problem {
        problem(&self.file, &self.text, fault)
    }

    /// Line and column of a byte offset, counted from 1.
    pub fn position(&self, at: usize) -> (usize, usize) {
        position(&self.text, at)
    }
}

impl DocumentFault {
    #[must_use]
    pub fn new(at: usize, message: impl Into<String>) -> Self {
        Self {
            at,
            message: message.into(),
            help: None,
        }
    }

    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// `unknown {what} '{word}'` with the nearest known word, or with all known words if the list is short.
    #[must_use]
    pub fn unknown<'a>(
        at: usize,
        what: &str,
        word: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let known: Vec<&str> = known.into_iter().collect();
        let fault = Self::new(at, tr!("unknown {what} '{word}'", what, word));
        match nearest(word, &known) {
            Some(near) => fault.help(tr!("did you mean '{near}'?", near)),
            None if known.len() <= 12 => {
                fault.help(tr!("use one of {known}", known = known.join(", ")))
            }
            None => fault,
        }
    }
}

impl Item {
    /// The name of the type for messages.
    pub fn kind(&self) -> &'static str {
        match self.value {
            Value::Text(_) => tr!("a string"),
            Value::Integer(_) => tr!("a whole number"),
            Value::Float(_) => tr!("a number"),
            Value::Bool(_) => tr!("true or false"),
            Value::List(_) => tr!("a list"),
            Value::Table(_) => tr!("a table"),
            Value::Other(kind) => kind,
        }
    }

    /// `expected …, found …` at this value.
    pub fn mismatch(&self, expected: &str) -> DocumentFault {
        DocumentFault::new(
            self.at,
            tr!(
                "expected {expected}, found {kind}",
                expected,
                kind = self.kind()
            ),
        )
    }

    pub fn text(&self) -> Result<&str, DocumentFault> {
        match &self.value {
            Value::Text(text) => Ok(text),
            _ => Err(self.mismatch(tr!("a string"))),
        }
    }

    pub fn boolean(&self) -> Result<bool, DocumentFault> {
        match self.value {
            Value::Bool(on) => Ok(on),
            _ => Err(self.mismatch(tr!("true or false"))),
        }
    }

    pub fn integer(&self) -> Result<i64, DocumentFault> {
        match self.value {
            Value::Integer(number) => Ok(number),
            _ => Err(self.mismatch(tr!("a whole number"))),
        }
    }

    pub fn list(&self) -> Result<&[Self], DocumentFault> {
        match &self.value {
            Value::List(items) => Ok(items),
            _ => Err(self.mismatch(tr!("a list"))),
        }
    }

    pub fn table(&self) -> Result<&[DocumentEntry], DocumentFault> {
        match &self.value {
            Value::Table(entries) => Ok(entries),
            _ => Err(self.mismatch(tr!("a table"))),
        }
    }
}

fn problem(file: &Path, text: &str, fault: DocumentFault) -> Problem {
    let (line, column) = position(text, fault.at);
    Problem {
        file: file.to_path_buf(),
        line,
        column,
        message: Clean::new(&fault.message).into_string(),
        help: fault.help.map(|help| Clean::new(&help).into_string()),
    }
}

/// Columns count characters, not bytes, as editors do.
fn position(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at.min(text.len())).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let column = before.get(start..).map_or(0, |rest| rest.chars().count()) + 1;
    (line, column)
}

fn entries(table: &DeTable<'_>) -> Vec<DocumentEntry> {
    let mut entries: Vec<DocumentEntry> =
        table.iter().map(|(key, item)| entry(key, item)).collect();
    entries.sort_by_key(|entry| entry.at);
    entries
}

fn entry(key: &Spanned<DeString<'_>>, value: &Spanned<DeValue<'_>>) -> DocumentEntry {
    DocumentEntry {
        key: key.get_ref().to_string(),
        at: key.span().start,
        item: item(value),
    }
}

fn item(spanned: &Spanned<DeValue<'_>>) -> Item {
    let value = match spanned.get_ref() {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
            .map_or(Value::Other(tr!("a number too large")), Value::Integer),
        DeValue::Float(number) => number
            .as_str()
            .parse()
            .map_or(Value::Other(tr!("a number too large")), Value::Float),
        DeValue::Boolean(on) => Value::Bool(*on),
        DeValue::Datetime(_) => Value::Other(tr!("a date")),
        DeValue::Array(list) => Value::List(list.iter().map(item).collect()),
        DeValue::Table(table) => Value::Table(entries(table)),
    };
    Item {
        value,
        at: spanned.span().start,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Document {
        Document::parse(Path::new("a.toml"), text).unwrap()
    }

    #[test]
    fn positions_count_lines_and_characters_from_one() {
        let text = "a = 1\n\"한글\" = 2\n";
        let document = parse(text);
        let second = &document.entries()[1];
        assert_eq!(document.position(second.at), (2, 1));
        assert_eq!(document.position(second.item.at), (2, 8));
    }

    #[test]
    fn broken_toml_names_its_line() {
        let problem = Document::parse(Path::new("a.toml"), "a = 1\nb = \"x\n").unwrap_err();
        assert_eq!(problem.line, 2);
        assert!(problem.message.starts_with("invalid TOML: "), "{problem}");
    }

    #[test]
    fn hostile_words_leave_no_escape_in_a_message() {
        let document = parse("x = 1");
        let fault = DocumentFault::unknown(0, "key", "a\u{1b}[2Jb", ["theme"]);
        assert_eq!(document.problem(fault).message, "unknown key 'ab'");
    }
}
