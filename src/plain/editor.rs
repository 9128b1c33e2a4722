//! The line that the user types. It is echoed character by character, so that a message can be printed before the
//! line is complete, and the line after it again.

use unicode_width::UnicodeWidthChar as _;

/// What a typed byte did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Typed {
    /// Print this.
    Echo(String),
    /// The line is complete.
    Line(String),
    /// Ctrl-D in an empty line.
    End,
}

#[derive(Clone, Debug, Default)]
pub struct Editor {
    line: String,
    /// The bytes of a character that isn't complete.
    part: Vec<u8>,
    escape: Escape,
}

/// Where in a key that is more than a character, for example an arrow key. Such keys do nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Escape {
    #[default]
    No,
    Begun,
    Sequence,
}

impl Editor {
    /// The line as typed so far.
    pub fn line(&self) -> &str {
        &self.line
    }

    /// Forgets the line.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    pub fn take(&mut self, byte: u8) -> Typed {
        match (self.escape, byte) {
            (_, 0x1b) => {
                self.escape = Escape::Begun;
                return Typed::Echo(String::new());
            }
            (Escape::Begun, b'[' | b'O') => {
                self.escape = Escape::Sequence;
                return Typed::Echo(String::new());
            }
            (Escape::Sequence, 0x20..=0x3f) => return Typed::Echo(String::new()),
            (Escape::Sequence, 0x40..=0x7e) => {
                self.escape = Escape::No;
                return Typed::Echo(String::new());
            }
            _ => self.escape = Escape::No,
        }
        match byte {
            b'\r' | b'\n' => {
                self.part.clear();
                Typed::Line(std::mem::take(&mut self.line))
            }
            0x04 if self.line.is_empty() => Typed::End,
            0x08 | 0x7f => Typed::Echo(self.erase(1)),
            0x15 => Typed::Echo(self.erase(usize::MAX)),
            0x17 => {
                let kept = self.line.trim_end();
                let kept = kept.rfind(' ').map_or(0, |at| at + 1);
                let count = self.line[kept..].chars().count();
                Typed::Echo(self.erase(count))
            }
            b'\t' => Typed::Echo(self.push(' ')),
            0x00..=0x1f => Typed::Echo(String::new()),
            byte => Typed::Echo(self.byte(byte)),
        }
    }

    fn byte(&mut self, byte: u8) -> String {
        self.part.push(byte);
        match std::str::from_utf8(&self.part) {
            Ok(text) => {
                let c = text.chars().next();
                self.part.clear();
                c.map_or_else(String::new, |c| self.push(c))
            }
            // The rest of the character follows.
            Err(error) if error.error_len().is_none() => String::new(),
            Err(_) => {
                self.part.clear();
                self.push(char::REPLACEMENT_CHARACTER)
            }
        }
    }

    fn push(&mut self, c: char) -> String {
        // Characters without a width, such as direction marks, can't be erased on the screen.
        if c.width().unwrap_or(0) == 0 && !is_joining(c) {
            return String::new();
        }
        self.line.push(c);
        c.to_string()
    }

    /// Removes characters at the end. Returns what erases them on a terminal that only knows backspace.
    fn erase(&mut self, count: usize) -> String {
        let mut columns = 0;
        for _ in 0..count {
            let Some(c) = self.line.pop() else { break };
            columns += c.width().unwrap_or(0);
        }
        let back = "\u{8}".repeat(columns);
        format!("{back}{}{back}", " ".repeat(columns))
    }
}

/// Marks that belong to the character before them: accents, vowels and finals of decomposed Hangul.
fn is_joining(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{1160}'..='\u{11ff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(editor: &mut Editor, bytes: &[u8]) -> (String, Option<String>) {
        let mut echo = String::new();
        for byte in bytes {
            match editor.take(*byte) {
                Typed::Echo(text) => echo.push_str(&text),
                Typed::Line(line) => return (echo, Some(line)),
                Typed::End => return (echo, None),
            }
        }
        (echo, None)
    }

    #[test]
    fn a_line_is_echoed_and_complete_with_enter() {
        let mut editor = Editor::default();
        let (echo, line) = typed(&mut editor, "ls 한글\r".as_bytes());
        assert_eq!(
            (echo.as_str(), line.as_deref()),
            ("ls 한글", Some("ls 한글"))
        );
        assert_eq!(editor.line(), "");
    }

    #[test]
    fn erasing_takes_the_columns_of_the_character() {
        let mut editor = Editor::default();
        typed(&mut editor, "a한".as_bytes());
        assert_eq!(
            editor.take(0x7f),
            Typed::Echo("\u{8}\u{8}  \u{8}\u{8}".into())
        );
        assert_eq!(editor.line(), "a");
        typed(&mut editor, b" b c");
        typed(&mut editor, &[0x17]);
        assert_eq!(editor.line(), "a b ");
        typed(&mut editor, &[0x15]);
        assert_eq!(editor.line(), "");
    }

    #[test]
    fn arrow_keys_do_nothing_and_no_escape_is_echoed() {
        let mut editor = Editor::default();
        let (echo, line) = typed(&mut editor, b"a\x1b[A\x1b[1;5Cb\x1bOPc\r");
        assert_eq!((echo.as_str(), line.as_deref()), ("abc", Some("abc")));
    }

    #[test]
    fn ctrl_d_ends_only_an_empty_line() {
        let mut editor = Editor::default();
        assert_eq!(editor.take(4), Typed::End);
        editor.take(b'a');
        assert_eq!(editor.take(4), Typed::Echo(String::new()));
    }
}
