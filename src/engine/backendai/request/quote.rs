//! Somebody else's words, quoted in a sentence of ours.

use crate::model::text::Clean;

/// Longest quotation of somebody else's words, in characters.
const QUOTE: usize = 400;

/// Somebody else's words in one safe line of bounded length.
pub(in crate::engine::backendai) fn quote(words: &str) -> String {
    let clean = Clean::new(words.trim()).into_string();
    if clean.chars().count() <= QUOTE {
        return clean;
    }
    let mut short: String = clean.chars().take(QUOTE).collect();
    short.push('…');
    short
}
