//! Reads what a shell's script passes, and formats the answer for it.

use std::ffi::OsString;

use super::{Candidate, FILES};
use crate::model::text::Clean;

/// The text after `workbay`, up to the cursor.
#[derive(Debug, PartialEq, Eq)]
pub struct Typed {
    /// Never empty. The last word is the one to complete.
    pub words: Vec<String>,
    /// Bash: the characters at which it splits words.
    breaks: Option<String>,
}

impl Typed {
    /// Reads `words WORD…`, or `bash BREAKS LINE` from a shell that splits words at `:` and `=`.
    pub fn read(arguments: &[OsString]) -> Option<Self> {
        let texts: Option<Vec<&str>> = arguments.iter().map(|it| it.to_str()).collect();
        match texts?.as_slice() {
            ["words", words @ ..] => Some(Self {
                words: match words {
                    [] => vec![String::new()],
                    words => words.iter().map(|it| (*it).to_owned()).collect(),
                },
                breaks: None,
            }),
            ["bash", breaks, line] => {
                let mut words = split(line);
                let is_program = |word: &String| word.rsplit('/').next() == Some("workbay");
                let program = words.iter().position(is_program)?;
                words.drain(..=program);
                Some(Self {
                    words: Some(words).filter(|words| !words.is_empty())?,
                    breaks: Some((*breaks).to_owned()),
                })
            }
            _ => None,
        }
    }

    /// The line that the script reads.
    pub fn printed(&self, candidate: &Candidate) -> String {
        let about = Clean::new(candidate.about.lines().next().unwrap_or_default());
        let value = Clean::new(&candidate.value);
        match &self.breaks {
            _ if value.as_str() == FILES => format!("{FILES}\n"),
            Some(breaks) => {
                let word = self.words.last().map_or("", String::as_str);
                let ends = |c: char| matches!(c, ':' | '=') && breaks.contains(c);
                let kept = word.rfind(ends).map_or(0, |at| at + 1);
                let rest = value.as_str().get(kept..).unwrap_or_default();
                let quoted = shlex::try_quote(rest).unwrap_or_default();
                format!("{}\n", if rest.is_empty() { "" } else { &quoted })
            }
            None => format!("{value}\t{about}\n"),
        }
    }
}

/// Splits a command line that may end inside a quote into words.
fn split(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut characters = line.chars();
    while let Some(c) = characters.next() {
        match (quote, c) {
            (None, c) if c.is_whitespace() => {
                words.extend(word.take());
                continue;
            }
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), c) if c == open => quote = None,
            (None | Some('"'), '\\') => word.get_or_insert_default().extend(characters.next()),
            (_, c) => word.get_or_insert_default().push(c),
        }
        word.get_or_insert_default();
    }
    words.push(word.unwrap_or_default());
    words
}
