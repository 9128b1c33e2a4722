//! Outside text made safe.
//!
//! Names, labels, log lines, server errors and titles come from places we do not trust: a container
//! can print anything. [`Clean`] is the one type through which such text enters the screen, a saved
//! file or a toast, so the compiler finds the places that forgot.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Text without control characters, escape sequences, bidirectional overrides or invisible format
/// characters. Tabs become one space, line breaks are kept only by [`Clean::multiline`].
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Clean(String);

impl Clean {
    /// One line: every line break becomes a space.
    #[must_use]
    pub fn new(raw: &str) -> Self {
        Self(scrub(raw, false))
    }

    /// Keeps `\n`; for messages and logs of several lines.
    #[must_use]
    pub fn multiline(raw: &str) -> Self {
        Self(scrub(raw, true))
    }

    /// One line from bytes that may not be UTF-8.
    #[must_use]
    pub fn from_bytes(raw: &[u8]) -> Self {
        Self::new(&String::from_utf8_lossy(raw))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn into_string(self) -> String {
        self.0
    }
}

/// Removes escape sequences whole (so that `\x1b[2J` leaves nothing, not `[2J`), then what is left
/// of the dangerous characters.
fn scrub(raw: &str, keep_newlines: bool) -> String {
    let mut out = String::with_capacity(raw.len());
    let mut chars = raw.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => skip_escape(&mut chars),
            '\u{9b}' => skip_csi(&mut chars),
            '\u{90}' | '\u{9d}' | '\u{98}' | '\u{9e}' | '\u{9f}' => skip_string(&mut chars),
            '\n' if keep_newlines => out.push('\n'),
            '\n' | '\t' => out.push(' '),
            c if is_hidden(c) => {}
            c => out.push(c),
        }
    }
    out
}

type Chars<'a> = std::iter::Peekable<std::str::Chars<'a>>;

fn skip_escape(chars: &mut Chars<'_>) {
    match chars.next() {
        Some('[') => skip_csi(chars),
        Some(']' | 'P' | 'X' | '^' | '_') => skip_string(chars),
        // An escape with intermediates (`ESC ( B`) ends at its first byte outside 0x20..=0x2f.
        Some(' '..='/') => {
            for c in chars.by_ref() {
                if !(' '..='/').contains(&c) {
                    break;
                }
            }
        }
        _ => {}
    }
}

fn skip_csi(chars: &mut Chars<'_>) {
    for c in chars.by_ref() {
        // Final bytes end a CSI; anything outside ASCII means it was never one.
        if ('@'..='~').contains(&c) || !c.is_ascii() {
            break;
        }
    }
}

/// A string sequence (OSC, DCS, SOS, PM, APC) ends at BEL, ST or, for safety, at a line break.
fn skip_string(chars: &mut Chars<'_>) {
    while let Some(c) = chars.next() {
        match c {
            '\u{7}' | '\u{9c}' | '\n' => break,
            '\u{1b}' => {
                if chars.peek() == Some(&'\\') {
                    chars.next();
                }
                break;
            }
            _ => {}
        }
    }
}

/// Control characters, bidirectional overrides, line separators and invisible format characters.
/// ZWJ (U+200D) and the variation selectors stay: emoji need them.
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}'
            | '\u{200b}' | '\u{200c}' | '\u{200e}' | '\u{200f}' | '\u{2060}'..='\u{2064}'
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

impl fmt::Display for Clean {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Debug for Clean {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl From<&str> for Clean {
    fn from(raw: &str) -> Self {
        Self::new(raw)
    }
}

impl From<String> for Clean {
    fn from(raw: String) -> Self {
        Self::new(&raw)
    }
}

impl PartialEq<str> for Clean {
    fn eq(&self, other: &str) -> bool {
        self.0 == other
    }
}

impl PartialEq<&str> for Clean {
    fn eq(&self, other: &&str) -> bool {
        self.0 == *other
    }
}

impl AsRef<str> for Clean {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl Serialize for Clean {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Clean {
    /// Scrubs again: the other side of a socket or a file on disk is outside too.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self::multiline(&String::deserialize(deserializer)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_leave_nothing_behind() {
        assert_eq!(Clean::new("a\x1b[2Jb"), "ab");
        assert_eq!(Clean::new("a\x1b]0;title\x07b"), "ab");
        assert_eq!(Clean::new("a\x1b]52;c;aGk=\x1b\\b"), "ab");
        assert_eq!(Clean::new("a\x1bP1$r\x1b\\b"), "ab");
        assert_eq!(Clean::new("a\x1b(Bb"), "ab");
        assert_eq!(Clean::new("a\u{9b}31mb"), "ab");
    }

    #[test]
    fn tricks_with_direction_and_invisible_characters_are_gone() {
        assert_eq!(Clean::new("abc\u{202e}fed\u{2066}\u{200b}"), "abcfed");
        assert_eq!(Clean::new("\u{feff}x\u{7f}\u{0}"), "x");
    }

    #[test]
    fn korean_and_emoji_stay() {
        let text = "한글 세션 👩\u{200d}💻 ❤\u{fe0f}";
        assert_eq!(Clean::new(text), text);
    }

    #[test]
    fn line_breaks_stay_only_where_asked() {
        assert_eq!(Clean::new("a\nb\tc"), "a b c");
        assert_eq!(Clean::multiline("a\r\nb"), "a\nb");
    }

    proptest::proptest! {
        #[test]
        fn nothing_dangerous_survives(raw in ".*") {
            let clean = Clean::new(&raw);
            proptest::prop_assert!(!clean.as_str().chars().any(is_hidden));
            proptest::prop_assert_eq!(Clean::new(clean.as_str()), clean);
        }
    }
}
