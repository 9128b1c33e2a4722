//! Prepares characters for the parser.

use std::borrow::Cow;

/// Replaces U+FFFD, which the parser drops although it takes a cell.
const STAND_IN: &str = "\u{10fffd}";
const REPLACEMENT: &str = "\u{fffd}";

/// The variation selector for emoji (U+FE0F). The parser would make the character before it two cells wide.
/// tmux and most terminals don't, so everything after it would be in the wrong column.
const PICTURE: &str = "\u{fe0f}";

/// Replaces every invalid byte by one replacement character, which takes one cell.
pub(super) fn prepared(bytes: &[u8]) -> Cow<'_, [u8]> {
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.contains('\u{fffd}') && !text.contains('\u{fe0f}') => {
            Cow::Borrowed(bytes)
        }
        Ok(text) => Cow::Owned(replaced(text).into_bytes()),
        Err(_) => Cow::Owned(replaced(&String::from_utf8_lossy(bytes)).into_bytes()),
    }
}

fn replaced(text: &str) -> String {
    text.replace(REPLACEMENT, STAND_IN).replace(PICTURE, "")
}

/// The text to show for a cell.
pub(super) fn shown(text: &str) -> &str {
    if text.starts_with(STAND_IN) {
        REPLACEMENT
    } else {
        text
    }
}
