//! Translates events of the outer terminal into messages of the app.

pub mod parser;

use crossterm::event::{
    Event, KeyCode as Code, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent,
    MouseEventKind,
};

use self::parser::Typed;
use crate::{
    app::msg::{Button, Mouse, MouseKind, Msg},
    key::{Key, KeyCode},
};

/// The message of what the terminal sent. `None` = it is ignored.
pub fn typed(typed: Typed) -> Option<Msg> {
    match typed {
        Typed::Event(event) => msg(event),
        Typed::Scheme { dark } => Some(Msg::ColorScheme { dark }),
    }
}

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
}
