//! The filter of lists of sessions, for the list of the TUI and for `workbay ls`. All terms must hold: words, and
//! conditions such as `status:failed`, `cpu>=2`, `-env:python`.
//!
//! Conditions mean the same everywhere. Words are matched by the caller: the TUI finds them fuzzily, a command only
//! as a part of a text, because scripts act on what it prints.

mod complete;
mod key;
mod term;
#[cfg(test)]
mod tests;

pub use self::{
    complete::{Completion, complete, known_values, quoted},
    key::FilterKey,
};

use std::{cmp::Ordering, collections::BTreeMap};

use jiff::{Timestamp, tz::TimeZone};

use super::{
    column::Value,
    ending::{Ending, ending, is_meant, joined},
};
use crate::model::{
    id::ContextName,
    session::{Session, placement_words},
    text::Clean,
};

/// A filter that was typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    words: Vec<FilterWord>,
    conditions: Vec<Condition>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilterWord {
    /// As typed, without quotes.
    pub text: String,
    /// Sessions with the word are left out.
    pub not: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Condition {
    key: FilterKey,
    not: bool,
    operator: Operator,
    value: Operand,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Operand {
    /// In lowercase. `*` matches any text.
    Text(String),
    Exact(Value),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    /// A part of the text, or a whole amount.
    Has,
    Is,
    IsNot,
    AtLeast,
    AtMost,
    More,
    Less,
}

impl Operator {
    fn holds(self, order: Ordering) -> bool {
        match self {
            Self::Has | Self::Is => order.is_eq(),
            Self::IsNot => order.is_ne(),
            Self::AtLeast => order.is_ge(),
            Self::AtMost => order.is_le(),
            Self::More => order.is_gt(),
            Self::Less => order.is_lt(),
        }
    }
}

/// Why a text isn't a filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilterError {
    /// A sentence about the term.
    pub message: String,
    /// The term has no value yet, so it may still be typed.
    pub is_unfinished: bool,
}

/// What conditions depend on besides the session.
#[derive(Clone, Copy, Debug)]
pub struct FilterEnv<'a> {
    pub now: Timestamp,
    /// Your account in each context that has accounts. Sessions of other contexts are yours.
    pub accounts: &'a BTreeMap<ContextName, Clean>,
}

impl Filter {
    /// Times are in `zone`, and durations count back from `now`.
    ///
    /// # Errors
    /// Describes the first term that isn't valid.
    pub fn read(text: &str, now: Timestamp, zone: &TimeZone) -> Result<Self, FilterError> {
        let (filter, error) = Self::read_valid(text, now, zone);
        error.map_or(Ok(filter), Err)
    }

    /// Reads the valid terms, and describes the first one that isn't valid. While a filter is typed, a list shows
    /// what the valid terms accept.
    pub fn read_valid(text: &str, now: Timestamp, zone: &TimeZone) -> (Self, Option<FilterError>) {
        let mut filter = Self::default();
        let mut first = None;
        for token in term::tokens(&joined(text)) {
            match term::read(token, now, zone) {
                Ok(term::Term::Word(word)) => filter.words.push(word),
                Ok(term::Term::Condition(condition)) => filter.conditions.push(condition),
                Err(error) => {
                    first.get_or_insert(error);
                }
            }
        }
        (filter, first)
    }

    pub fn words(&self) -> &[FilterWord] {
        &self.words
    }

    pub fn has_conditions(&self) -> bool {
        !self.conditions.is_empty()
    }

    /// Whether the same session can match at another time, without a change.
    pub fn follows_time(&self) -> bool {
        self.conditions.iter().any(|it| it.key.follows_time())
    }

    /// Whether the session meets all conditions.
    pub fn meets_conditions(&self, session: &Session, env: FilterEnv<'_>) -> bool {
        let mut conditions = self.conditions.iter();
        conditions.all(|it| it.holds(session, env) != it.not)
    }

    /// Whether the session meets all conditions and has all words as parts of its texts. `several`: sessions of
    /// several owners are listed, so owner, project and agents are searched too.
    pub fn holds(&self, session: &Session, several: bool, env: FilterEnv<'_>) -> bool {
        let mut words = self.words.iter();
        words.all(|word| has_word(session, &word.text.to_lowercase(), several) != word.not)
            && self.meets_conditions(session, env)
    }

    /// A text that is in the name of every accepted session, if a word or a condition on the name requires
    /// one.
    pub fn in_name(&self) -> Option<&str> {
        let mut plain = self.words.iter().filter(|word| !word.not);
        let only = plain.next().filter(|_| plain.next().is_none());
        let only = only.map(|word| word.text.as_str());
        self.required_name()
            .or(only)
            .filter(|part| !part.is_empty())
    }

    /// The longest text that a condition on the name requires.
    pub fn required_name(&self) -> Option<&str> {
        self.conditions.iter().find_map(|it| match it {
            Condition {
                key: FilterKey::NAME,
                not: false,
                operator: Operator::Has | Operator::Is,
                value: Operand::Text(text),
            } => text.split('*').max_by_key(|part| part.len()),
            _ => None,
        })
    }
}

impl Condition {
    /// Without a value for the key it doesn't hold.
    fn holds(&self, session: &Session, env: FilterEnv<'_>) -> bool {
        match &self.value {
            Operand::Text(text) => self
                .matches(session, text, env)
                .is_some_and(|it| it == (self.operator != Operator::IsNot)),
            Operand::Exact(wanted) => self
                .key
                .value(session, env.now)
                .is_some_and(|value| self.operator.holds(value.compare(wanted))),
        }
    }

    /// `None` = the session has no such text.
    fn matches(&self, session: &Session, text: &str, env: FilterEnv<'_>) -> Option<bool> {
        if self.key == FilterKey::OWNER && text == "me" {
            let account = env.accounts.get(&session.context);
            return Some(account.is_none_or(|account| *account == session.owner));
        }
        let words = self.key.words(session);
        let known = !words.is_empty();
        let is_part = self.operator == Operator::Has && !text.contains('*');
        let mut words = words.into_iter().map(|word| word.to_lowercase());
        known.then(|| match self.key {
            FilterKey::ID => words.any(|word| word.starts_with(text)),
            _ if is_part => words.any(|word| word.contains(text)),
            _ => words.any(|word| is_like(&word, text)),
        })
    }
}

/// `*` matches any text.
pub fn is_like(word: &str, pattern: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else {
        return word == pattern;
    };
    let Some(mut word) = word.strip_prefix(first) else {
        return false;
    };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let last = parts.pop().unwrap_or_default();
    for part in parts {
        let Some(at) = word.find(part) else {
            return false;
        };
        word = &word[at + part.len()..];
    }
    word.ends_with(last)
}

fn has_word(session: &Session, word: &str, several: bool) -> bool {
    let mut text = format!(
        "{} {} {} {}",
        session.name,
        session.id,
        session.environment.label(),
        session.status
    );
    if several {
        text.push(' ');
        text.push_str(&placement_words(session));
    }
    let ended = ending(session).map_or_else(String::new, Ending::words);
    text.to_lowercase().contains(word) || is_meant(&ended, word)
}
