//! Characters as the parser should get them.

use std::borrow::Cow;

/// Stands for U+FFFD, which the parser drops although it takes a cell.
const STAND_IN: &str = "\u{10fffd}";
const REPLACEMENT: &str = "\u{fffd}";

/// Asks for the picture of a character that is also a sign (U+FE0F). The parser would make it two
/// cells wide; tmux and most terminals do not, and all that follows would stand elsewhere.
const PICTURE: &str = "\u{fe0f}";

/// Every byte that is no text is one replacement character, and takes its cell.
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

/// What a cell shows.
pub(super) fn shown(text: &str) -> &str {
    if text.starts_with(STAND_IN) {
        REPLACEMENT
    } else {
        text
    }
}
