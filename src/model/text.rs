//! Makes text from outside safe to display.
//!
//! Names, labels, log lines, server errors and titles aren't trusted, because a container can print anything.
//! Such text enters the screen, a saved file or a toast only as [`Clean`], so the compiler finds the places
//! that forget to scrub it.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Text without control characters, escape sequences, bidirectional overrides or invisible format characters.
/// Tabs become one space. Only [`Clean::multiline`] keeps line breaks.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Clean(String);

impl Clean {
    /// Makes one line: every line break becomes a space.
    #[must_use]
    pub fn new(raw: &str) -> Self {
        Self(scrub(raw, false))
    }

    /// Keeps `\n`, for messages and logs of several lines.
    #[must_use]
    pub fn multiline(raw: &str) -> Self {
        Self(scrub(raw, true))
    }

    /// Makes one line from bytes that may not be UTF-8.
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

/// The reason of an I/O error, without the number that the system adds.
#[must_use]
pub fn io_reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error") {
        Some(at) => text[..at].to_owned(),
        None => text,
    }
}

/// Removes whole escape sequences (so that `\x1b[2J` leaves nothing, not `[2J`), then the remaining dangerous
/// characters.
fn scrub(raw: &str, keep_newlines: bool) -> String {
    let mut out = String::with_capacity(raw.len());
    let mut chars = raw.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            c if is_joiner(c) => {
                if is_joining(out.chars().next_back(), c, chars.peek().copied()) {
                    out.push(c);
                }
            }
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
        // A final byte ends a CSI. A character outside ASCII means that it wasn't a CSI.
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

/// Whether a character must not appear in displayed text: control characters (Cc), format characters (Cf,
/// with those that change the direction of a text), line separators, and letters and marks without a glyph.
/// Inside emoji, [some invisible characters are needed](is_joining).
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            // Cf of Unicode 16, without U+200D.
            '\u{ad}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}'
            | '\u{890}' | '\u{891}' | '\u{8e2}' | '\u{180e}' | '\u{200b}' | '\u{200c}'
            | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{110bd}' | '\u{110cd}'
            | '\u{13430}'..='\u{1343f}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e007f}'
            // Zl and Zp.
            | '\u{2028}' | '\u{2029}'
            // Letters and marks without a glyph: fillers, the grapheme joiner, variation selectors.
            | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180d}' | '\u{180f}' | '\u{3164}' | '\u{ffa0}'
            | '\u{fe00}'..='\u{fe0d}' | '\u{e0100}'..='\u{e01ef}')
}

/// Whether a character is invisible too, but is used to compose emoji.
pub fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200d}' | '\u{fe0e}' | '\u{fe0f}')
}

/// Whether a joiner belongs to an emoji. Elsewhere it only makes different texts look the same.
pub fn is_joining(before: Option<char>, joiner: char, after: Option<char>) -> bool {
    let Some(before) = before else {
        return false;
    };
    if joiner == '\u{200d}' {
        let joined = is_pictograph(before) || before == '\u{fe0f}';
        return joined && after.is_some_and(is_pictograph);
    }
    let keycap = before.is_ascii_digit() || matches!(before, '#' | '*');
    is_pictograph(before) || (keycap && after == Some('\u{20e3}'))
}

fn is_pictograph(c: char) -> bool {
    matches!(c,
        '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}'
        | '\u{2190}'..='\u{2bff}' | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}'
        | '\u{1f000}'..='\u{1faff}')
}

/// JSON in which every [invisible character](is_hidden) is escaped. It parses to the same values and is
/// harmless on a terminal.
#[must_use]
pub fn json_escaped(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        // Line breaks within strings are escaped already.
        if c == '\n' || !is_hidden(c) {
            out.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            out.extend(format!("\\u{unit:04x}").chars());
        }
    }
    out
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
    /// Scrubs again, because the other side of a socket or a file on disk isn't trusted either.
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
    fn every_character_that_shows_nothing_is_gone() {
        for hidden in [
            '\u{9b}',
            '\u{85}',
            '\u{202e}',
            '\u{61c}',
            '\u{206e}',
            '\u{ad}',
            '\u{2028}',
            '\u{200e}',
            '\u{2068}',
            '\u{e0041}',
            '\u{fffa}',
            '\u{180e}',
            '\u{3164}',
            '\u{200d}',
            '\u{fe0f}',
            '\u{fe01}',
            '\u{e0101}',
        ] {
            let clean = Clean::multiline(&format!("a{hidden}"));
            assert_eq!(clean, "a", "{hidden:?}");
        }
        // The rest of a sequence doesn't change the direction of a text.
        assert_eq!(Clean::new("a\u{200d}b x\u{fe0f}1\u{fe0f}"), "ab x1");
    }

    #[test]
    fn json_says_the_same_and_shows_nothing_hidden() {
        let text = "a\u{9b}2J\u{202e}\u{61c}\u{206e}\u{ad}\u{e0041}\u{7f}\u{1b}\n한 \\ \"";
        let escaped = json_escaped(&serde_json::to_string_pretty(&[text]).unwrap());
        assert!(
            !escaped.chars().any(|c| is_hidden(c) && c != '\n'),
            "{escaped}"
        );
        assert!(escaped.contains("\\u009b") && escaped.contains("\\udb40\\udc41"));
        assert_eq!(
            serde_json::from_str::<[String; 1]>(&escaped).unwrap(),
            [text]
        );
    }

    #[test]
    fn korean_and_emoji_stay() {
        let text = "한글 세션 👩\u{200d}💻 ❤\u{fe0f} 🏳\u{fe0f}\u{200d}🌈 1\u{fe0f}\u{20e3}";
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

        #[test]
        fn nor_does_any_of_what_is_dangerous(parts in proptest::collection::vec(
            proptest::sample::select(vec![
                "\u{1b}", "[", "]", "P", "\u{9b}", "\u{9d}", "\u{9c}", "\u{7}", "\\", "\n", "\r", "\t",
                "31m", ";", "\u{202e}", "\u{200d}", "\u{fe0f}", "\u{20e3}", "1", "👩", "💻", "가", "\u{ad}",
            ]), 0..24))
        {
            let raw = parts.concat();
            for clean in [Clean::new(&raw), Clean::multiline(&raw)] {
                let hidden = |c: char| is_hidden(c) && c != '\n';
                proptest::prop_assert!(!clean.as_str().chars().any(hidden));
                proptest::prop_assert_eq!(Clean::multiline(clean.as_str()), clean);
            }
        }
    }
}
