//! Completes the last term of a filter: keys, and values that sessions have.

use std::collections::BTreeSet;

use super::{FilterKey, term};
use crate::{
    model::{session::Session, status::KNOWN},
    rules::column::{Column, Unit},
};

/// The most values that are offered.
const MOST: usize = 200;
/// How many sessions are looked at for values, so that a letter typed in a long list isn't slow.
const SEARCHED: usize = 5000;

/// What the end of a text can become.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completion {
    /// Where the completed part begins, in bytes.
    pub start: usize,
    /// What can be there. Each begins like what is typed.
    pub candidates: Vec<String>,
}

/// Completes the end of `text`. `values` are the known values of a key.
pub fn complete(text: &str, values: impl Fn(FilterKey) -> Vec<String>) -> Completion {
    let is_between = text.chars().next_back().is_none_or(char::is_whitespace);
    let Some(token) = term::tokens(text).pop().filter(|_| !is_between) else {
        return Completion::default();
    };
    let (_, unsigned) = term::unsigned(token);
    let Some((name, _, typed)) = term::parts(unsigned) else {
        return keys(text.len() - unsigned.len(), unsigned);
    };
    let key = FilterKey::of(name).filter(|it| it.unit() == Unit::Text);
    let start = text.len() - typed.len();
    let typed = typed.trim_start_matches('"').to_lowercase();
    let mut candidates = key.map(values).unwrap_or_default();
    candidates.retain(|value| value.to_lowercase().starts_with(&typed) && **value != typed);
    Completion {
        start,
        candidates: candidates.iter().map(|it| quoted(it)).collect(),
    }
}

/// A value as a term has it: in quotes if it has spaces.
pub fn quoted(value: &str) -> String {
    if value.contains(char::is_whitespace) {
        format!("\"{value}\"")
    } else {
        value.to_owned()
    }
}

/// The keys that begin like this, each with its usual operator.
fn keys(start: usize, typed: &str) -> Completion {
    let typed = typed.to_ascii_lowercase();
    let begins = FilterKey::names().filter(|(name, _)| name.starts_with(&typed));
    let with_operator = |(name, key): (&str, FilterKey)| {
        let operator = match key.unit() {
            Unit::Text => ":",
            Unit::Number => "=",
            _ => ">",
        };
        format!("{name}{operator}")
    };
    Completion {
        start,
        candidates: begins.map(with_operator).collect(),
    }
}

/// The values that these sessions have for a key, in order.
pub fn known_values<'a>(
    key: FilterKey,
    sessions: impl IntoIterator<Item = &'a Session>,
) -> Vec<String> {
    let mut values: BTreeSet<String> = BTreeSet::new();
    if key == FilterKey::Column(Column::Status) {
        values.extend(KNOWN.iter().map(|it| it.word().to_lowercase()));
        let ends = ["failed", "exited", "reclaimed", "lost", "succeeded"];
        values.extend(ends.map(str::to_owned));
    } else {
        if key == FilterKey::OWNER {
            values.insert("me".to_owned());
        }
        for session in sessions.into_iter().take(SEARCHED) {
            if values.len() >= MOST {
                break;
            }
            values.extend(key.words(session));
        }
    }
    values.into_iter().collect()
}
