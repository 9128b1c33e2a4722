//! Decides which sessions `workbay ls --filter` prints. All words must match. Some are conditions on a column
//! (`status=running`, `mem>1g`).

use std::cmp::Ordering;

use clap::ValueEnum;
use jiff::{Timestamp, tz::TimeZone};

use super::column::{Column, Unit, Value};
use crate::{
    model::{
        history::filter::{moment, words},
        nearest::nearest,
        resources::{Bytes, Cpu},
        session::{Session, placement_words},
        span::Span,
    },
    rules::ending::{Ending, ending, is_meant, joined},
};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    terms: Vec<Term>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Term {
    /// A part of the name, id, environment, status or result, in lowercase. `not`: none of them contains it.
    Word { text: String, not: bool },
    Condition {
        column: Column,
        operator: Operator,
        value: Operand,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Operand {
    /// In lowercase. `*` matches any text.
    Text(String),
    Exact(Value),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Is,
    IsNot,
    AtLeast,
    AtMost,
    More,
    Less,
}

/// Longer operators come first.
const OPERATORS: [(&str, Operator); 6] = [
    ("!=", Operator::IsNot),
    (">=", Operator::AtLeast),
    ("<=", Operator::AtMost),
    ("=", Operator::Is),
    (">", Operator::More),
    ("<", Operator::Less),
];

impl Operator {
    fn holds(self, order: Ordering) -> bool {
        match self {
            Self::Is => order.is_eq(),
            Self::IsNot => order.is_ne(),
            Self::AtLeast => order.is_ge(),
            Self::AtMost => order.is_le(),
            Self::More => order.is_gt(),
            Self::Less => order.is_lt(),
        }
    }
}

impl Filter {
    /// Times are in `zone`, and durations count back from `now`.
    pub fn read(texts: &[String], now: Timestamp, zone: &TimeZone) -> Result<Self, String> {
        let words = texts.iter().flat_map(|text| words(&joined(text)));
        let terms: Result<_, String> = words.map(|word| term(&word, now, zone)).collect();
        Ok(Self { terms: terms? })
    }

    /// Whether the session matches. Without a value in the column of a condition it doesn't. `several`: sessions of several owners are listed, so owner, project and
    /// agent are searched too.
    pub fn holds(&self, session: &Session, several: bool, now: Timestamp) -> bool {
        self.terms.iter().all(|term| match term {
            Term::Word { text, not } => has_word(session, text, several) != *not,
            Term::Condition {
                column,
                operator,
                value: Operand::Text(text),
            } => {
                is_text(*column, session, text).is_some_and(|is| is == (*operator == Operator::Is))
            }
            Term::Condition {
                column,
                operator,
                value: Operand::Exact(wanted),
            } => column
                .value(session, now)
                .is_some_and(|value| operator.holds(value.compare(wanted))),
        })
    }

    /// A text that is in the name of every accepted session, if a word or a condition on the name requires
    /// one.
    pub fn in_name(&self) -> Option<&str> {
        let named = self.terms.iter().find_map(|term| match term {
            Term::Condition {
                column: Column::Name,
                operator: Operator::Is,
                value: Operand::Text(text),
            } => text.split('*').max_by_key(|part| part.len()),
            _ => None,
        });
        let mut plain = self.terms.iter().filter_map(|term| match term {
            Term::Word { text, not: false } => Some(text.as_str()),
            _ => None,
        });
        let only = plain.next().filter(|_| plain.next().is_none());
        named.or(only).filter(|part| !part.is_empty())
    }
}

fn term(word: &str, now: Timestamp, zone: &TimeZone) -> Result<Term, String> {
    let end = word.find(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    let (key, rest) = word.split_at(end.unwrap_or(word.len()));
    let mut operators = OPERATORS.iter();
    let found = operators.find_map(|(mark, it)| Some((*it, rest.strip_prefix(mark)?)));
    let Some((operator, value)) = found.filter(|_| !key.is_empty()) else {
        let plain = word.strip_prefix('!').filter(|rest| !rest.is_empty());
        return Ok(Term::Word {
            text: plain.unwrap_or(word).to_lowercase(),
            not: plain.is_some(),
        });
    };
    let column = Column::from_str(key, true).map_err(|_| unknown(key))?;
    let value = operand(column, value, now, zone).map_err(|why| format!("'{word}': {why}"))?;
    let ordered = !matches!(operator, Operator::Is | Operator::IsNot);
    if ordered && column.unit() == Unit::Text {
        return Err(format!(
            "'{word}': {key} has no order. Use {key}= or {key}!="
        ));
    }
    Ok(Term::Condition {
        column,
        operator,
        value,
    })
}

fn unknown(key: &str) -> String {
    let names = Column::names();
    let known: Vec<&str> = names.split(", ").collect();
    match nearest(key, &known) {
        Some(near) => format!("unknown column '{key}'. Did you mean '{near}'?"),
        None => format!("unknown column '{key}'. Columns: {names}"),
    }
}

fn operand(column: Column, text: &str, now: Timestamp, zone: &TimeZone) -> Result<Operand, String> {
    let number = |amount: u64| Value::Number(i64::try_from(amount).unwrap_or(i64::MAX));
    let whole = || {
        text.parse().map_err(|_| {
            let name = column.name();
            format!("{name} must be a whole number, for example {name}=1")
        })
    };
    Ok(Operand::Exact(match column.unit() {
        Unit::Text => return Ok(Operand::Text(text.to_lowercase())),
        Unit::Cpu => number(text.parse::<Cpu>()?.millis()),
        Unit::Bytes => number(text.parse::<Bytes>()?.0),
        Unit::Seconds => number(text.parse::<Span>()?.seconds()),
        Unit::Number => Value::Number(whole()?),
        Unit::Time => Value::Time(moment(text, now, zone)?),
    }))
}

/// Whether a word of the column is `text`. For an id, a prefix is enough. `None` = the session has no such words.
fn is_text(column: Column, session: &Session, text: &str) -> Option<bool> {
    let words = column.words(session);
    let known = !words.is_empty();
    let mut words = words.into_iter().map(|word| word.to_lowercase());
    known.then(|| match column {
        Column::Id => words.any(|word| word.starts_with(text)),
        _ => words.any(|word| is_like(&word, text)),
    })
}

/// `*` matches any text.
fn is_like(word: &str, pattern: &str) -> bool {
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
