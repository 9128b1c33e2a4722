//! Reads the terms of a filter.

use jiff::{Timestamp, tz::TimeZone};

use super::{Condition, FilterError, FilterKey, FilterWord, Operand, Operator};
use crate::{
    model::{
        history::filter::moment,
        nearest::nearest,
        resources::{Bytes, Cpu},
        span::Span,
    },
    rules::column::{Unit, Value},
};

#[derive(Debug)]
pub(super) enum Term {
    Word(FilterWord),
    Condition(Condition),
}

/// Longer operators come first.
const OPERATORS: [(&str, Operator); 7] = [
    ("!=", Operator::IsNot),
    (">=", Operator::AtLeast),
    ("<=", Operator::AtMost),
    (":", Operator::Has),
    ("=", Operator::Is),
    (">", Operator::More),
    ("<", Operator::Less),
];

/// Splits at spaces, except inside quotes.
pub(super) fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut quoted = false;
    let mut start = 0;
    for (at, c) in text.char_indices() {
        if c == '"' {
            quoted = !quoted;
        } else if c.is_whitespace() && !quoted {
            tokens.push(&text[start..at]);
            start = at + c.len_utf8();
        }
    }
    tokens.push(&text[start..]);
    tokens.retain(|token| !token.is_empty());
    tokens
}

/// A token without the sign that negates it. The sign alone is a word.
pub(super) fn unsigned(token: &str) -> (bool, &str) {
    match token.strip_prefix(['!', '-']) {
        Some(rest) if !rest.is_empty() => (true, rest),
        _ => (false, token),
    }
}

/// Key, operator and value of a condition, `None` if the token is a word.
pub(super) fn parts(token: &str) -> Option<(&str, &'static str, &str)> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let end = token.find(|c| !is_part(c))?;
    let (key, rest) = token.split_at(end);
    let mut operators = OPERATORS.iter();
    let (mark, _) = operators.find(|(mark, _)| rest.starts_with(mark))?;
    (!key.is_empty()).then(|| (key, *mark, &rest[mark.len()..]))
}

pub(super) fn read(token: &str, now: Timestamp, zone: &TimeZone) -> Result<Term, FilterError> {
    let (not, unsigned) = unsigned(token);
    let word = || {
        Term::Word(FilterWord {
            text: unsigned.replace('"', ""),
            not,
        })
    };
    let Some((name, mark, value)) = parts(unsigned) else {
        return Ok(word());
    };
    let operator = OPERATORS.iter().find(|(it, _)| *it == mark);
    let operator = operator.map_or(Operator::Has, |(_, it)| *it);
    let value = value.replace('"', "");
    let key = match FilterKey::of(name) {
        Some(key) => key,
        // `python:3.12` is a word, because no key is named so.
        None if operator == Operator::Has && near(name).is_none() => return Ok(word()),
        None => return Err(invalid(unknown(name))),
    };
    if value.is_empty() {
        let example = example(key);
        return Err(FilterError {
            message: tr!(
                "{name}{mark} needs a value, for example {example}",
                name,
                mark,
                example
            ),
            is_unfinished: true,
        });
    }
    let value = operand(key, operator, &value, now, zone)
        .map_err(|why| invalid(format!("'{unsigned}': {why}")))?;
    Ok(Term::Condition(Condition {
        key,
        not,
        operator,
        value,
    }))
}

fn invalid(message: String) -> FilterError {
    FilterError {
        message,
        is_unfinished: false,
    }
}

fn near(name: &str) -> Option<&'static str> {
    let names: Vec<&str> = FilterKey::names().map(|(name, _)| name).collect();
    nearest(name, &names)
}

fn unknown(name: &str) -> String {
    match near(name) {
        Some(near) => tr!("unknown key '{name}'. Did you mean '{near}'?", name, near),
        None => {
            // Other names of a key are left out.
            let mut seen = Vec::new();
            let first = FilterKey::names().filter(|(_, key)| {
                let is_new = !seen.contains(key);
                seen.push(*key);
                is_new
            });
            let names: Vec<&str> = first.map(|(name, _)| name).collect();
            tr!(
                "unknown key '{name}'. Keys: {names}",
                name,
                names = names.join(", ")
            )
        }
    }
}

/// A condition on the key, for an error.
pub(super) fn example(key: FilterKey) -> String {
    let names = FilterKey::names();
    let mut names = names.filter(|(_, it)| *it == key);
    let name = names.next().map_or("name", |(name, _)| name);
    let rest = match (key, key.unit()) {
        (FilterKey::NAME, _) => ":train*",
        (FilterKey::OWNER, _) => ":me",
        (FilterKey::Gpu, _) => ">0",
        (_, Unit::Cpu) => ">=2",
        (_, Unit::Bytes) => ">4g",
        (_, Unit::Seconds) => ">2h",
        (_, Unit::Number) => "=1",
        (_, Unit::Time) => ">1d",
        (_, Unit::Text) => match name {
            "status" => ":running",
            "type" => ":batch",
            "environment" => ":python",
            _ => ":TEXT",
        },
    };
    format!("{name}{rest}")
}

fn operand(
    key: FilterKey,
    operator: Operator,
    text: &str,
    now: Timestamp,
    zone: &TimeZone,
) -> Result<Operand, String> {
    let number = |amount: u64| Value::Number(i64::try_from(amount).unwrap_or(i64::MAX));
    let is_equality = matches!(operator, Operator::Has | Operator::Is | Operator::IsNot);
    Ok(Operand::Exact(match key.unit() {
        Unit::Text if is_equality => return Ok(Operand::Text(text.to_lowercase())),
        Unit::Text => {
            let example = example(key);
            return Err(tr!(
                "this key has no order. Use : = or !=, for example {example}",
                example
            ));
        }
        Unit::Time if operator == Operator::Has => {
            return Err(tr!(
                "compare times with > or <, for example {example}",
                example = example(key)
            ));
        }
        // No session can be launched with none, but `gpu>0` is a question.
        Unit::Cpu if text == "0" => number(0),
        Unit::Cpu => number(text.parse::<Cpu>()?.millis()),
        Unit::Bytes => number(text.parse::<Bytes>()?.0),
        Unit::Seconds => number(text.parse::<Span>()?.seconds()),
        Unit::Number => Value::Number(text.parse().map_err(|_| {
            let example = example(key);
            tr!("must be a whole number, for example {example}", example)
        })?),
        Unit::Time => Value::Time(moment(text, now, zone)?),
    }))
}
