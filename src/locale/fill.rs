//! Texts with placeholders: `{name}`. Two braces are a brace.

use std::fmt::{Display, Write as _};

/// A part of a text with placeholders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part<'a> {
    Words(&'a str),
    Name(&'a str),
}

/// The parts of a text. What isn't a placeholder is words.
pub(super) fn parts(text: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        let (words, brace) = rest.split_at(at);
        if !words.is_empty() {
            parts.push(Part::Words(words));
        }
        if brace.starts_with("{{") || brace.starts_with("}}") {
            parts.push(Part::Words(&brace[..1]));
            rest = &brace[2..];
            continue;
        }
        match brace[1..].split_once('}') {
            Some((name, after)) if brace.starts_with('{') && is_name(name) => {
                parts.push(Part::Name(name));
                rest = after;
            }
            _ => {
                parts.push(Part::Words(&brace[..1]));
                rest = &brace[1..];
            }
        }
    }
    if !rest.is_empty() {
        parts.push(Part::Words(rest));
    }
    parts
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

/// The names of the placeholders, sorted, each once.
#[must_use]
pub fn names(text: &str) -> Vec<&str> {
    let mut names: Vec<&str> = parts(text)
        .into_iter()
        .filter_map(|part| match part {
            Part::Name(name) => Some(name),
            Part::Words(_) => None,
        })
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// The text with its values. A placeholder without a value stays as it is.
#[must_use]
pub fn fill(text: &str, values: &[(&str, &dyn Display)]) -> String {
    let mut filled = String::with_capacity(text.len() + 16);
    for part in parts(text) {
        match part {
            Part::Words(words) => filled.push_str(words),
            Part::Name(name) => match values.iter().find(|(it, _)| *it == name) {
                // Writing to a String doesn't fail.
                Some((_, value)) => drop(write!(filled, "{value}")),
                None => drop(write!(filled, "{{{name}}}")),
            },
        }
    }
    filled
}

/// [`fill`] with texts.
pub(super) fn fill_from(text: &str, values: &[(&str, String)]) -> String {
    let values: Vec<(&str, &dyn Display)> = values
        .iter()
        .map(|(name, value)| (*name, value as &dyn Display))
        .collect();
    fill(text, &values)
}

/// The text as pieces: the words with one style, each placeholder with the style of its value.
#[must_use]
pub fn pieces<S: Copy, const N: usize>(
    text: &str,
    plain: S,
    values: [(&str, (String, S)); N],
) -> Vec<(String, S)> {
    let mut pieces: Vec<(String, S)> = Vec::new();
    let mut is_words = false;
    for part in parts(text) {
        match part {
            Part::Words(words) => match pieces.last_mut().filter(|_| is_words) {
                Some((last, _)) => last.push_str(words),
                None => pieces.push((words.to_owned(), plain)),
            },
            Part::Name(name) => {
                let value = values.iter().find(|(it, _)| *it == name);
                pieces.extend(value.map(|(_, piece)| piece.clone()));
            }
        }
        is_words = matches!(part, Part::Words(_));
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_filled_in_any_order() {
        let values: [(&str, &dyn Display); 2] = [("a", &1), ("b", &"x{a}")];
        assert_eq!(
            fill("{b} of {a} {{a}} {c} }", &values),
            "x{a} of 1 {a} {c} }"
        );
        assert_eq!(fill("{ {A} {", &values), "{ {A} {");
        assert_eq!(names("{b} {a} {b} {{c}} { d}"), ["a", "b"]);
    }

    #[test]
    fn pieces_keep_the_style_of_their_values() {
        let found = pieces("{key}{{}} 누르기", 'w', [("key", ("n".to_owned(), 'k'))]);
        assert_eq!(
            found,
            [("n".to_owned(), 'k'), ("{} 누르기".to_owned(), 'w')]
        );
    }
}
