//! Writes values as TOML, so that they read back unchanged.

use std::{collections::BTreeMap, fmt::Display};

use crate::{
    model::{resources::Bytes, text::is_hidden},
    rules::launch::amounts,
};

/// A string as TOML writes it.
pub(super) fn quoted(text: &str) -> String {
    let plain = |c: char| matches!(c, '\n' | '\t') || !is_hidden(c);
    if text.chars().all(plain) {
        return toml::Value::String(text.to_owned()).to_string();
    }
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if is_hidden(c) => out.extend(format!("\\U{:08x}", u32::from(c)).chars()),
            c => out.push(c),
        }
    }
    out + "\""
}

/// A value that needs no quotes.
pub(super) fn plain(value: impl Display) -> String {
    value.to_string()
}

/// A value that TOML supports only as a string.
pub(super) fn in_quotes(value: impl Display) -> String {
    quoted(&value.to_string())
}

/// Memory, written so that it reads back as the same number of bytes.
pub(super) fn size(bytes: Bytes) -> String {
    quoted(&amounts::exact(bytes))
}

/// Thousandths as a decimal number.
pub(super) fn decimal(amount: u64) -> String {
    amounts::thousandths(amount).to_string()
}

/// Accelerators as an inline table, or `None` if there are none.
pub(super) fn slots(accelerators: &BTreeMap<String, u64>) -> Option<String> {
    let pairs = accelerators.iter();
    let pairs = pairs.map(|(slot, amount)| (slot.clone(), decimal(*amount)));
    (!accelerators.is_empty()).then(|| table(pairs))
}

/// A key, quoted unless it is a bare word.
pub(super) fn key(key: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !key.is_empty() && key.chars().all(bare) {
        return key.to_owned();
    }
    quoted(key)
}

/// Strings as a list.
pub(super) fn quoted_list(words: &[String]) -> String {
    let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    format!("[{}]", words.join(", "))
}

/// An inline table of these values. Keys that aren't bare words are quoted.
pub(super) fn table(pairs: impl Iterator<Item = (String, String)>) -> String {
    let pairs: Vec<String> = pairs
        .map(|(name, value)| format!("{} = {value}", key(&name)))
        .collect();
    if pairs.is_empty() {
        return "{}".to_owned();
    }
    format!("{{ {} }}", pairs.join(", "))
}
