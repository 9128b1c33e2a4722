//! Translates events of the outer terminal into messages of the app.

use crossterm::event::{
    Event, KeyCode as Code, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent,
    MouseEventKind,
};

use crate::{
    app::msg::{Button, Mouse, MouseKind, Msg},
    key::{Key, KeyCode},
};

/// The message of an event. `None` = the event is ignored (releases, keys that can't be bound).
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
    // Keys with these modifiers belong to the desktop.
    let foreign = KeyModifiers::SUPER | KeyModifiers::HYPER | KeyModifiers::META;
    if event.kind == KeyEventKind::Release || event.modifiers.intersects(foreign) {
        return None;
    }
    let mut shift = event.modifiers.contains(KeyModifiers::SHIFT);
    let mut ctrl = event.modifiers.contains(KeyModifiers::CONTROL);
    let code = match event.code {
        Code::Char(c) => {
            // A printable character already includes Shift.
            let c = if shift { upper(c) } else { c };
            shift = false;
            match c {
                // Ctrl-[ and Esc are the same key.
                '[' if ctrl => {
                    ctrl = false;
                    KeyCode::Esc
                }
                c if ctrl => KeyCode::Char(control_as_typed(c)),
                c => KeyCode::Char(c),
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

/// The bytes 0x1c to 0x1f arrive as Ctrl-4 to Ctrl-7. On keyboards they are these characters.
fn control_as_typed(c: char) -> char {
    match c {
        '4' => '\\',
        '5' => ']',
        '6' => '^',
        '7' => '/',
        c => c,
    }
}

fn upper(c: char) -> char {
    let mut upper = c.to_uppercase();
    match (upper.next(), upper.next()) {
        (Some(one), None) => one,
        _ => c,
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

/// Drops answers to questions about the terminal that come after the wait for them ended. On a slow
/// connection they would arrive as typed keys. (Answers that aren't strings are recognized as answers.)
#[derive(Debug, Default)]
pub struct LateAnswer {
    awaited: Vec<AnswerKind>,
    held: Vec<Msg>,
}

/// An answer of a terminal that is a string, as keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AnswerKind {
    /// `ESC ] 1 0 ; r g b : … ESC \`, the same with 11
    Colour,
    /// `ESC P > | … ESC \`
    Name,
}

impl AnswerKind {
    fn key(self) -> Key {
        match self {
            Self::Colour => alt(']'),
            Self::Name => alt('P'),
        }
    }

    /// The characters allowed at this position of the beginning of the answer. `None` = after the beginning.
    fn beginning(self, at: usize) -> Option<&'static str> {
        let places: &[&str] = match self {
            Self::Colour => &["1", "01", ";", "r", "g", "b"],
            Self::Name => &[">", "|"],
        };
        places.get(at).copied()
    }

    fn goes_on_with(self, c: char) -> bool {
        match self {
            Self::Colour => c.is_ascii_hexdigit() || matches!(c, ':' | '/' | 'a'),
            Self::Name => c == ' ' || c.is_ascii_graphic(),
        }
    }
}

/// Longest answer: `11;rgba:ffff/ffff/ffff/ffff`, a long name.
const LONGEST: usize = 64;

impl LateAnswer {
    pub fn new(awaited: bool) -> Self {
        Self {
            awaited: if awaited {
                vec![AnswerKind::Colour, AnswerKind::Colour, AnswerKind::Name]
            } else {
                Vec::new()
            },
            held: Vec::new(),
        }
    }

    /// Passes a message on, with the messages held before it. Holds messages that may be an answer.
    pub fn filter(&mut self, msg: Msg) -> Vec<Msg> {
        if self.awaited.is_empty() {
            return vec![msg];
        }
        let Msg::Key(key) = &msg else {
            return self.release(msg);
        };
        let first = match self.held.first() {
            Some(Msg::Key(first)) => *first,
            _ => *key,
        };
        let Some(kind) = self
            .awaited
            .iter()
            .copied()
            .find(|kind| kind.key() == first)
        else {
            return self.release(msg);
        };
        if self.held.is_empty() {
            self.held.push(msg);
            return Vec::new();
        }
        if *key == alt('\\') || *key == Key::ctrl('g') {
            let at = self.awaited.iter().position(|awaited| *awaited == kind);
            at.map(|at| self.awaited.remove(at));
            self.held.clear();
            return Vec::new();
        }
        let at = self.held.len() - 1;
        let fits = match (key.code, kind.beginning(at)) {
            (KeyCode::Char(c), Some(expected)) => expected.contains(c),
            (KeyCode::Char(c), None) => !key.alt && !key.ctrl && kind.goes_on_with(c),
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
            (Code::Char('C'), ctrl | KeyModifiers::SHIFT, "ctrl-C"),
            (Code::Char('c'), ctrl | KeyModifiers::SHIFT, "ctrl-C"),
            (
                Code::Char('a'),
                KeyModifiers::ALT | KeyModifiers::SHIFT,
                "alt-A",
            ),
            (Code::Char('['), ctrl, "esc"),
            (Code::Char('i'), ctrl, "ctrl-i"),
            (Code::Enter, KeyModifiers::SHIFT, "shift-enter"),
            (Code::Char('c'), KeyModifiers::SUPER, "None"),
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
        let foreground = keys("10;rgb:e0e0/e0e0/e0e0", Key::ctrl('g'));
        assert_eq!(feed(&mut filter, &foreground), "");
        assert_eq!(feed(&mut filter, &answer[..3]), "alt-]11", "told already");
        let mut name = vec![alt('P')];
        name.extend(">|XTerm(390) 1".chars().map(Key::char));
        name.push(alt('\\'));
        assert_eq!(feed(&mut filter, &name), "");
        assert_eq!(feed(&mut filter, &name[..3]), "alt-P>|");
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
