//! A text of several lines: the command of a batch session.

use tui_textarea::{CursorMove, TextArea};

use crate::key::{Key, KeyCode};

#[derive(Clone, Debug, Default)]
pub struct ScriptInput {
    area: TextArea<'static>,
}

impl ScriptInput {
    pub fn text(&self) -> String {
        self.area.lines().join("\n")
    }

    pub fn is_empty(&self) -> bool {
        self.area.is_empty()
    }

    pub fn lines(&self) -> &[String] {
        self.area.lines()
    }

    /// Line and character of the cursor, from 0.
    pub fn cursor(&self) -> (usize, usize) {
        let cursor = self.area.cursor();
        (cursor.0, cursor.1)
    }

    /// Replaces the whole text. The cursor goes to the end.
    pub fn set(&mut self, text: &str) {
        let lines = clean(text).split('\n').map(str::to_owned).collect();
        self.area = TextArea::new(lines);
        self.area.move_cursor(CursorMove::Bottom);
        self.area.move_cursor(CursorMove::End);
    }

    pub fn paste(&mut self, text: &str) {
        self.area.insert_str(clean(text.trim_end_matches('\n')));
    }

    pub fn new_line(&mut self) {
        self.area.insert_newline();
    }

    /// Moves one line up or down. Returns `false` if there is none, so that the key can do something else.
    pub fn go(&mut self, down: bool) -> bool {
        let before = self.area.cursor();
        self.area.move_cursor(if down {
            CursorMove::Down
        } else {
            CursorMove::Up
        });
        self.area.cursor() != before
    }

    /// Handles a key of a text. Returns `false` if the key isn't used.
    pub fn key(&mut self, key: Key) -> bool {
        let area = &mut self.area;
        match (key.ctrl, key.alt, key.code) {
            (false, false, KeyCode::Char(c)) => area.insert_char(c),
            (false, false, KeyCode::Backspace) | (true, false, KeyCode::Char('h')) => {
                area.delete_char();
            }
            (false, false, KeyCode::Delete) | (true, false, KeyCode::Char('d')) => {
                area.delete_next_char();
            }
            (false, false, KeyCode::Left) | (true, false, KeyCode::Char('b')) => {
                area.move_cursor(CursorMove::Back);
            }
            (false, false, KeyCode::Right) | (true, false, KeyCode::Char('f')) => {
                area.move_cursor(CursorMove::Forward);
            }
            (false, false, KeyCode::Home) | (true, false, KeyCode::Char('a')) => {
                area.move_cursor(CursorMove::Head);
            }
            (false, false, KeyCode::End) | (true, false, KeyCode::Char('e')) => {
                area.move_cursor(CursorMove::End);
            }
            (true, false, KeyCode::Char('k')) => {
                area.delete_line_by_end();
            }
            (true, false, KeyCode::Char('u')) => {
                area.delete_line_by_head();
            }
            (true, false, KeyCode::Char('w')) | (false, true, KeyCode::Backspace) => {
                area.delete_word();
            }
            (true, false, KeyCode::Char('y')) => {
                area.paste();
            }
            _ => return false,
        }
        true
    }
}

/// Makes all line ends the same, replaces tabs with spaces, and removes other control characters.
fn clean(text: &str) -> String {
    text.replace("\r\n", "\n")
        .replace('\r', "\n")
        .replace('\t', "    ")
        .chars()
        .filter(|c| *c == '\n' || !c.is_control())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_kept() {
        let mut script = ScriptInput::default();
        script.set("echo one\r\necho two\u{1b}[31m");
        assert_eq!(script.text(), "echo one\necho two[31m");
        assert_eq!(script.cursor(), (1, 12));
        assert!(script.go(false) && !script.go(false));
        script.new_line();
        script.paste("x\n");
        assert!(script.text().contains("\nx"));
        assert!(!script.key("enter".parse().unwrap()));
    }
}
