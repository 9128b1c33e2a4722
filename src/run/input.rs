//! What the outer terminal says, in the app's words.

use crossterm::event::{
    Event, KeyCode as Code, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent,
    MouseEventKind,
};

use crate::{
    app::msg::{Button, Mouse, MouseKind, Msg},
    key::{Key, KeyCode},
};

/// The message of an event; `None` = of no interest (releases, keys nobody can bind).
pub fn msg(event: Event) -> Option<Msg> {
    Some(match event {
        Event::Key(event) => Msg::Key(key(event)?),
        Event::Paste(text) => Msg::Paste(text),
        Event::Mouse(event) => Msg::Mouse(mouse(event)?),
        Event::Resize(columns, rows) => Msg::Resize { columns, rows },
        Event::FocusGained => Msg::Focus(true),
        Event::FocusLost => Msg::Focus(false),
    })
}

fn key(event: KeyEvent) -> Option<Key> {
    if event.kind == KeyEventKind::Release {
        return None;
    }
    let mut shift = event.modifiers.contains(KeyModifiers::SHIFT);
    let mut ctrl = event.modifiers.contains(KeyModifiers::CONTROL);
    let code = match event.code {
        Code::Char(c) => {
            // Shift is part of a printable character.
            shift = false;
            if ctrl {
                KeyCode::Char(control_as_typed(c))
            } else {
                KeyCode::Char(c)
            }
        }
        Code::F(number) => KeyCode::F(number),
        Code::Enter => KeyCode::Enter,
        Code::Esc => KeyCode::Esc,
        Code::Tab => KeyCode::Tab,
        Code::BackTab => {
            shift = true;
            KeyCode::Tab
        }
        Code::Backspace => KeyCode::Backspace,
        Code::Delete => KeyCode::Delete,
        Code::Insert => KeyCode::Insert,
        Code::Home => KeyCode::Home,
        Code::End => KeyCode::End,
        Code::PageUp => KeyCode::PageUp,
        Code::PageDown => KeyCode::PageDown,
        Code::Up => KeyCode::Up,
        Code::Down => KeyCode::Down,
        Code::Left => KeyCode::Left,
        Code::Right => KeyCode::Right,
        Code::Null => {
            ctrl = true;
            KeyCode::Char(' ')
        }
        _ => return None,
    };
    Some(Key {
        code,
        ctrl,
        alt: event.modifiers.contains(KeyModifiers::ALT),
        shift,
    })
}

/// The bytes 0x1c to 0x1f arrive as Ctrl-4 to Ctrl-7; on keyboards they are these.
fn control_as_typed(c: char) -> char {
    match c {
        '4' => '\\',
        '5' => ']',
        '6' => '^',
        '7' => '/',
        c => c.to_ascii_lowercase(),
    }
}

fn mouse(event: MouseEvent) -> Option<Mouse> {
    let button = |button: MouseButton| match button {
        MouseButton::Left => Button::Left,
        MouseButton::Middle => Button::Middle,
        MouseButton::Right => Button::Right,
    };
    let kind = match event.kind {
        MouseEventKind::Down(b) => MouseKind::Press(button(b)),
        MouseEventKind::Up(b) => MouseKind::Release(button(b)),
        MouseEventKind::Drag(b) => MouseKind::Drag(button(b)),
        MouseEventKind::Moved => MouseKind::Moved,
        MouseEventKind::ScrollUp => MouseKind::WheelUp,
        MouseEventKind::ScrollDown => MouseKind::WheelDown,
        MouseEventKind::ScrollLeft | MouseEventKind::ScrollRight => return None,
    };
    Some(Mouse {
        kind,
        column: event.column,
        row: event.row,
        ctrl: event.modifiers.contains(KeyModifiers::CONTROL),
        alt: event.modifiers.contains(KeyModifiers::ALT),
        shift: event.modifiers.contains(KeyModifiers::SHIFT),
    })
}

/// Swallows the answer to a question about the background that comes after we stopped waiting for
/// it: on a slow line it would arrive as typed keys.
#[derive(Debug, Default)]
pub struct LateAnswer {
    awaited: bool,
    held: Vec<Msg>,
}

/// `ESC ] 1 1 ; r g b : … ESC \` as keys begin so.
const BEGINNING: &str = "11;rgb";
/// Longest answer: `11;rgba:ffff/ffff/ffff/ffff`.
const LONGEST: usize = 32;

impl LateAnswer {
    pub fn new(awaited: bool) -> Self {
        Self {
            awaited,
            held: Vec::new(),
        }
    }

    /// Lets a message through, with what was held before it; holds what may be the answer.
    pub fn filter(&mut self, msg: Msg) -> Vec<Msg> {
        if !self.awaited {
            return vec![msg];
        }
        let Msg::Key(key) = &msg else {
            return self.release(msg);
        };
        if self.held.is_empty() {
            let begins = *key == alt(']');
            return if begins {
                self.held.push(msg);
                Vec::new()
            } else {
                vec![msg]
            };
        }
        if *key == alt('\\') || *key == Key::ctrl('g') {
            self.awaited = false;
            self.held.clear();
            return Vec::new();
        }
        let at = self.held.len() - 1;
        let fits = match (key.code, BEGINNING.chars().nth(at)) {
            (KeyCode::Char(c), Some(expected)) => c == expected,
            (KeyCode::Char(c), None) => c.is_ascii_hexdigit() || matches!(c, ':' | '/' | 'a'),
            _ => false,
        };
        if !fits || self.held.len() >= LONGEST {
            return self.release(msg);
        }
        self.held.push(msg);
        Vec::new()
    }

    fn release(&mut self, msg: Msg) -> Vec<Msg> {
        let mut out = std::mem::take(&mut self.held);
        out.push(msg);
        out
    }
}

fn alt(c: char) -> Key {
    Key {
        alt: true,
        ..Key::char(c)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pressed(code: Code, modifiers: KeyModifiers) -> String {
        match msg(Event::Key(KeyEvent::new(code, modifiers))) {
            Some(Msg::Key(key)) => key.to_string(),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn keys_have_one_name() {
        let none = KeyModifiers::NONE;
        let ctrl = KeyModifiers::CONTROL;
        for (code, modifiers, name) in [
            (Code::Char('a'), none, "a"),
            (Code::Char('G'), KeyModifiers::SHIFT, "G"),
            (Code::Char('5'), ctrl, "ctrl-]"),
            (Code::Char(']'), ctrl, "ctrl-]"),
            (Code::Char(' '), ctrl, "ctrl-space"),
            (Code::Char('C'), ctrl | KeyModifiers::SHIFT, "ctrl-c"),
            (Code::BackTab, KeyModifiers::SHIFT, "shift-tab"),
            (Code::Char('x'), KeyModifiers::ALT, "alt-x"),
            (Code::F(12), none, "F12"),
            (Code::Up, KeyModifiers::SHIFT, "shift-up"),
        ] {
            assert_eq!(pressed(code, modifiers), name);
        }
        assert_eq!(pressed(Code::CapsLock, none), "None");
        let release = KeyEvent::new_with_kind(Code::Char('a'), none, KeyEventKind::Release);
        assert_eq!(msg(Event::Key(release)), None);
    }

    fn feed(filter: &mut LateAnswer, keys: &[Key]) -> String {
        let mut text = String::new();
        for key in keys {
            for msg in filter.filter(Msg::Key(*key)) {
                if let Msg::Key(key) = msg {
                    text += &key.to_string();
                }
            }
        }
        text
    }

    fn keys(text: &str, last: Key) -> Vec<Key> {
        let mut keys = vec![alt(']')];
        keys.extend(text.chars().map(Key::char));
        keys.push(last);
        keys
    }

    #[test]
    fn a_late_answer_is_not_typed() {
        let answer = keys("11;rgb:1e1e/1e1e/1e1e", alt('\\'));
        let mut filter = LateAnswer::new(true);
        assert_eq!(feed(&mut filter, &answer), "");
        assert_eq!(feed(&mut filter, &[Key::char('x')]), "x");
        assert_eq!(feed(&mut LateAnswer::new(false), &answer[..2]), "alt-]1");
    }

    #[test]
    fn what_is_no_answer_is_typed_whole() {
        let mut filter = LateAnswer::new(true);
        let typed = keys("11;ok", Key::char('!'));
        assert_eq!(feed(&mut filter, &typed), "alt-]11;ok!");
        assert_eq!(feed(&mut filter, &keys("1", Key::char('x'))), "alt-]1x");
    }
}
