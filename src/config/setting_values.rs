//! Reads the values of settings that have a form of their own.

use super::{
    amount::some_span,
    document::{DocumentFault, Item, Value},
    writing::quoted_list,
};
use crate::model::{
    link_schemes::LinkSchemes,
    notice::EVENTS,
    secret_rules::NamePattern,
    settings::{DesktopNotices, LIST_COLUMNS, Settings},
    span::Span,
    spec::check_variable_name,
};

/// A string that is not empty.
pub(super) fn word(item: &Item) -> Result<String, DocumentFault> {
    match item.text()?.trim() {
        "" => Err(DocumentFault::new(
            item.at,
            tr!("expected a name, found an empty string"),
        )),
        text => Ok(text.to_owned()),
    }
}

/// `"auto"`, or the code of a language. Whether it has texts is checked where they are read.
pub(super) fn language(item: &Item) -> Result<String, DocumentFault> {
    let text = word(item)?;
    if text
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
    {
        return Ok(text);
    }
    let fault = DocumentFault::new(item.at, tr!("invalid language '{text}'", text));
    Err(fault.help(tr!(
        "write \"auto\", or the code of a language like \"ko\" or \"pt_BR\""
    )))
}

/// `"auto"`, or a program by name or full path.
pub(super) fn preferred(item: &Item) -> Result<Option<String>, DocumentFault> {
    let text = word(item)?;
    if text == "auto" {
        return Ok(None);
    }
    if text.contains(char::is_whitespace) || (text.contains('/') && !text.starts_with('/')) {
        let fault = DocumentFault::new(item.at, tr!("invalid shell name '{text}'", text));
        return Err(fault.help(tr!(
            "write \"auto\", a name like \"zsh\", or an absolute path"
        )));
    }
    Ok(Some(text))
}

/// `"auto"`, `true` or `false`.
pub(super) fn automatic(item: &Item) -> Result<Option<bool>, DocumentFault> {
    match &item.value {
        Value::Bool(on) => Ok(Some(*on)),
        Value::Text(text) if text == "auto" => Ok(None),
        _ => Err(item.mismatch(tr!("\"auto\", true or false"))),
    }
}

/// A program and its arguments, each a string.
pub(super) fn words(item: &Item) -> Result<Vec<String>, DocumentFault> {
    let words = item.list()?.iter().map(|word| match word.text()? {
        text if text.contains('\0') => Err(DocumentFault::new(
            word.at,
            tr!("a word must not contain a NUL byte"),
        )),
        text => Ok(text.to_owned()),
    });
    let words: Vec<String> = words.collect::<Result<_, _>>()?;
    match words.first() {
        Some(program) if program.is_empty() => Err(DocumentFault::new(
            item.at,
            tr!("the program name is empty"),
        )),
        _ => Ok(words),
    }
}

pub(super) fn events(item: &Item) -> Result<Vec<String>, DocumentFault> {
    let events = item.list()?.iter().map(|word| match word.text()? {
        text if EVENTS.contains(&text) => Ok(text.to_owned()),
        text => Err(DocumentFault::unknown(word.at, tr!("event"), text, EVENTS)),
    });
    events.collect()
}

pub(super) fn columns(item: &Item) -> Result<Vec<String>, DocumentFault> {
    let mut columns: Vec<String> = Vec::new();
    for word in item.list()? {
        match word.text()? {
            text if !LIST_COLUMNS.contains(&text) => {
                return Err(
                    DocumentFault::unknown(word.at, tr!("column"), text, LIST_COLUMNS).help(tr!(
                        "use some of {columns}",
                        columns = LIST_COLUMNS.join(", ")
                    )),
                );
            }
            text if columns.iter().any(|it| it == text) => {
                return Err(DocumentFault::new(
                    word.at,
                    tr!("'{text}' is in the list twice", text),
                ));
            }
            text => columns.push(text.to_owned()),
        }
    }
    Ok(columns)
}

pub(super) fn link_schemes(item: &Item) -> Result<LinkSchemes, DocumentFault> {
    let schemes = item.list()?.iter().map(|word| {
        let scheme = word.text()?.parse();
        scheme.map_err(|why: String| DocumentFault::new(word.at, why))
    });
    schemes.collect()
}

pub(super) fn hook_timeout(item: &Item) -> Result<Span, DocumentFault> {
    const MOST: Span = Span(10 * 60);
    match some_span(item)? {
        span if span > MOST => {
            let text = tr!("{span} is too long (max: {most})", span, most = MOST);
            Err(DocumentFault::new(item.at, text))
        }
        span => Ok(span),
    }
}

pub(super) fn desktop(item: &Item) -> Result<DesktopNotices, DocumentFault> {
    let all = DesktopNotices::ALL;
    one_of(
        item,
        tr!("kind of desktop notifications"),
        all,
        DesktopNotices::word,
    )
}

/// A word with one of a few meanings.
pub(super) fn one_of<T: Copy, const N: usize>(
    item: &Item,
    what: &str,
    all: [T; N],
    name: fn(T) -> &'static str,
) -> Result<T, DocumentFault> {
    let word = item.text()?;
    let known = all.into_iter().find(|it| name(*it) == word);
    known.ok_or_else(|| DocumentFault::unknown(item.at, what, word, all.map(name)))
}

/// `"auto"`, the name of a container program, or an address with a scheme that the engine's client supports.
pub(super) fn endpoint(item: &Item) -> Result<Option<String>, DocumentFault> {
    let text = item.text()?;
    if text == "auto" {
        return Ok(None);
    }
    let schemes = ["unix:///", "tcp://", "http://", "ssh://"];
    let is_address = schemes.iter().any(|scheme| text.starts_with(scheme));
    if is_address || ["docker", "podman"].contains(&text) {
        return Ok(Some(text.to_owned()));
    }
    let fault = DocumentFault::new(item.at, tr!("invalid engine address '{text}'", text));
    Err(fault.help(tr!("write \"auto\", \"docker\", \"podman\", or an address: \"unix:///var/run/docker.sock\", \"ssh://USER@HOST\", \"tcp://HOST:PORT\"")))
}

/// Adds name patterns to those of the layer below.
pub(super) fn more(patterns: &mut Vec<NamePattern>, item: &Item) -> Result<(), DocumentFault> {
    for word in item.list()? {
        let pattern = word.text()?.parse();
        let pattern = pattern.map_err(|why: String| DocumentFault::new(word.at, why))?;
        if !patterns.contains(&pattern) {
            patterns.push(pattern);
        }
    }
    Ok(())
}

pub(super) fn shown(patterns: &[NamePattern]) -> String {
    let texts: Vec<String> = patterns.iter().map(ToString::to_string).collect();
    quoted_list(&texts)
}

/// Merges variables one by one into those of the layer below.
pub(super) fn variables(settings: &mut Settings, item: &Item) -> Result<(), DocumentFault> {
    for entry in item.table()? {
        check_variable_name(&entry.key).map_err(|why| DocumentFault::new(entry.at, why))?;
        let value = entry.item.text()?.to_owned();
        settings.launch.env.insert(entry.key.clone(), value);
    }
    Ok(())
}
