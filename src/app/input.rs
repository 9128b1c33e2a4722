//! A one-line text input with the keys of readline.

use tui_textarea::{CursorMove, TextArea};

use crate::key::{Key, KeyCode};

/// The text, its cursor and the last text cut (`ctrl-y` brings it back).
#[derive(Clone, Debug)]
pub struct Input {
    area: TextArea<'static>,
}

impl Default for Input {
    fn default() -> Self {
        Self::with_text("")
    }
}

impl Input {
    /// An input that already holds `text`, the cursor behind it.
    #[must_use]
    pub fn with_text(text: &str) -> Self {
        let mut area = TextArea::new(vec![one_line(text)]);
        area.move_cursor(CursorMove::End);
        Self { area }
    }

    pub fn text(&self) -> &str {
        self.area.lines().first().map_or("", String::as_str)
    }

    pub fn is_empty(&self) -> bool {
        self.text().is_empty()
    }

    /// What stands before the cursor.
    pub fn before_cursor(&self) -> &str {
        let text = self.text();
        let at = self.area.cursor().1;
        text.char_indices()
            .nth(at)
            .map_or(text, |(byte, _)| &text[..byte])
    }

    /// Replaces everything.
    pub fn set(&mut self, text: &str) {
        *self = Self::with_text(text);
    }

    /// Pasted text: line breaks become spaces, control characters vanish.
    pub fn paste(&mut self, text: &str) {
        self.area.insert_str(one_line(text.trim_end()));
    }

    /// Takes a key if it is one of an input; `false` = it is free for others.
    pub fn key(&mut self, key: Key) -> bool {
        match (key.ctrl, key.alt, key.code) {
            (false, false, KeyCode::Char(c)) => self.area.insert_char(c),
            (true, false, KeyCode::Char(c)) => return self.control(c),
            (false, true, KeyCode::Char(c)) => return self.meta(c),
            (false, true, KeyCode::Backspace) | (true, false, KeyCode::Backspace) => {
                self.area.delete_word();
            }
            (true, false, KeyCode::Left) => self.area.move_cursor(CursorMove::WordBack),
            (true, false, KeyCode::Right) => self.area.move_cursor(CursorMove::WordForward),
            (false, false, code) => return self.named(code),
            _ => return false,
        }
        true
    }

    fn named(&mut self, code: KeyCode) -> bool {
        match code {
            KeyCode::Backspace => {
                self.area.delete_char();
            }
            KeyCode::Delete => {
                self.area.delete_next_char();
            }
            KeyCode::Left => self.area.move_cursor(CursorMove::Back),
            KeyCode::Right => self.area.move_cursor(CursorMove::Forward),
            KeyCode::Home => self.area.move_cursor(CursorMove::Head),
            KeyCode::End => self.area.move_cursor(CursorMove::End),
            _ => return false,
        }
        true
    }

    fn control(&mut self, c: char) -> bool {
        match c {
            'a' => self.area.move_cursor(CursorMove::Head),
            'e' => self.area.move_cursor(CursorMove::End),
            'b' => self.area.move_cursor(CursorMove::Back),
            'f' => self.area.move_cursor(CursorMove::Forward),
            'h' => {
                self.area.delete_char();
            }
            'd' => {
                self.area.delete_next_char();
            }
            'k' => {
                self.area.delete_line_by_end();
            }
            'u' => {
                self.area.delete_line_by_head();
            }
            'w' => {
                self.area.delete_word();
            }
            'y' => {
                self.area.paste();
            }
            _ => return false,
        }
        true
    }

    fn meta(&mut self, c: char) -> bool {
        match c {
            'b' => self.area.move_cursor(CursorMove::WordBack),
            'f' => self.area.move_cursor(CursorMove::WordForward),
            'd' => {
                self.area.delete_next_word();
            }
            _ => return false,
        }
        true
    }
}

fn one_line(text: &str) -> String {
    text.chars()
        .map(|c| {
            if matches!(c, '\n' | '\r' | '\t') {
                ' '
            } else {
                c
            }
        })
        .filter(|c| !c.is_control())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(start: &str, keys: &str) -> Input {
        let mut input = Input::with_text(start);
        for key in keys.split_whitespace() {
            assert!(input.key(key.parse().unwrap()), "{key} was not taken");
        }
        input
    }

    #[test]
    fn readline_keys_edit() {
        assert_eq!(typed("one two", "ctrl-w x").text(), "one x");
        assert_eq!(typed("one two", "ctrl-a ctrl-k a").text(), "a");
        assert_eq!(
            typed("one two", "alt-b ctrl-u ctrl-e ctrl-y").text(),
            "twoone "
        );
        assert_eq!(typed("세션", "left backspace").text(), "션");
        assert_eq!(typed("ab", "home delete end c").text(), "bc");
        assert_eq!(typed("세션", "left").before_cursor(), "세");
    }

    #[test]
    fn it_stays_one_line() {
        let mut input = Input::default();
        input.paste("a\nb\u{1b}[31m\n");
        assert_eq!(input.text(), "a b[31m");
        assert!(!input.key("enter".parse().unwrap()));
        assert!(!input.key("up".parse().unwrap()));
        assert_eq!(typed("x", "ctrl-a ctrl-h").text(), "x");
    }
}
