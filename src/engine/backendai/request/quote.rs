//! Quotes text from other programs in our sentences.

use crate::model::text::Clean;

/// The longest quotation, in characters.
const QUOTE: usize = 400;

/// Returns the text as one safe line of limited length.
pub(in crate::engine::backendai) fn quote(words: &str) -> String {
    let clean = Clean::new(words.trim()).into_string();
    if clean.chars().count() <= QUOTE {
        return clean;
    }
    let mut short: String = clean.chars().take(QUOTE).collect();
    short.push('…');
    short
}
