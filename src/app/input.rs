//! A one-line text input with the keys of readline.

use tui_textarea::{CursorMove, TextArea};

use crate::key::{Key, KeyCode};

/// The text, its cursor and the last text that was cut (`ctrl-y` inserts it).
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
    /// Creates an input with `text` and the cursor after it.
    #[must_use]
    pub fn with_text(text: &str) -> Self {
        let mut area = TextArea::new(vec![one_line(text)]);
        area.move_cursor(CursorMove::End);
        Self { area }
    }

    /// Creates an input with `text` completely marked. Typing replaces the text, moving the cursor keeps it.
    #[must_use]
    pub fn with_marked(text: &str) -> Self {
        let mut input = Self::with_text(text);
        input.area.select_all();
        input
    }

    /// The whole text is marked: the next character replaces it.
    pub fn is_marked(&self) -> bool {
        self.area.is_selecting()
    }

    pub fn text(&self) -> &str {
        self.area.lines().first().map_or("", String::as_str)
    }

    pub fn is_empty(&self) -> bool {
        self.text().is_empty()
    }

    /// The text before the cursor.
    pub fn before_cursor(&self) -> &str {
        let text = self.text();
        let at = self.area.cursor().1;
        text.char_indices()
            .nth(at)
            .map_or(text, |(byte, _)| &text[..byte])
    }

    /// Replaces the whole text.
    pub fn set(&mut self, text: &str) {
        *self = Self::with_text(text);
    }

    /// Inserts pasted text. Line breaks become spaces, control characters are removed.
    pub fn paste(&mut self, text: &str) {
        self.area.insert_str(one_line(text.trim_end()));
    }

    /// Handles a key of an input. Returns `false` if the key isn't one.
    pub fn key(&mut self, key: Key) -> bool {
        match (key.ctrl, key.alt, key.code) {
            (false, false, KeyCode::Char(c)) => self.area.insert_char(c),
            (true, false, KeyCode::Char(c)) => return self.control(c),
            (false, true, KeyCode::Char(c)) => return self.meta(c),
            (false, true, KeyCode::Backspace) | (true, false, KeyCode::Backspace) => {
                self.area.delete_word();
            }
            (true, false, KeyCode::Left) => self.go(CursorMove::WordBack),
            (true, false, KeyCode::Right) => self.go(CursorMove::WordForward),
            (false, false, code) => return self.named(code),
            _ => return false,
        }
        true
    }

    fn go(&mut self, to: CursorMove) {
        self.area.cancel_selection();
        self.area.move_cursor(to);
    }

    fn named(&mut self, code: KeyCode) -> bool {
        match code {
            KeyCode::Backspace => {
                self.area.delete_char();
            }
            KeyCode::Delete => {
                self.area.delete_next_char();
            }
            KeyCode::Left => self.go(CursorMove::Back),
            KeyCode::Right => self.go(CursorMove::Forward),
            KeyCode::Home => self.go(CursorMove::Head),
            KeyCode::End => self.go(CursorMove::End),
            _ => return false,
        }
        true
    }

    fn control(&mut self, c: char) -> bool {
        match c {
            'a' => self.go(CursorMove::Head),
            'e' => self.go(CursorMove::End),
            'b' => self.go(CursorMove::Back),
            'f' => self.go(CursorMove::Forward),
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
            'b' => self.go(CursorMove::WordBack),
            'f' => self.go(CursorMove::WordForward),
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
    fn a_marked_text_is_replaced_by_what_is_typed_and_kept_by_a_key_that_moves() {
        let marked = |keys: &str| {
            let mut input = Input::with_marked("train.toml");
            assert!(input.is_marked());
            for key in keys.split_whitespace() {
                assert!(input.key(key.parse().unwrap()), "{key} was not taken");
            }
            assert!(!input.is_marked());
            input.text().to_owned()
        };
        assert_eq!(marked("m y"), "my");
        assert_eq!(marked("backspace x"), "x");
        assert_eq!(marked("ctrl-w x"), "x");
        assert_eq!(marked("home a"), "atrain.toml");
        assert_eq!(marked("end x"), "train.tomlx");
        assert_eq!(marked("left backspace"), "train.tol");
        let mut input = Input::with_marked("train.toml");
        input.paste("mine.toml\n");
        assert_eq!(input.text(), "mine.toml");
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
