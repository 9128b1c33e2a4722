//! Encodes keys, pastes and mouse events as the bytes that a terminal sends, by the modes of the child.

use crate::key::{Key, KeyCode};

/// The modes that a child switched on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Modes {
    /// Arrows as `ESC O A` (mode 1).
    pub application_cursor: bool,
    /// Pastes in brackets (mode 2004).
    pub bracketed_paste: bool,
    /// Focus reports (mode 1004).
    pub focus: bool,
    pub mouse: MouseMode,
    /// Mouse reports as decimal numbers (mode 1006).
    pub sgr_mouse: bool,
    /// Also report keys that have no bytes of their own (xterm's modifyOtherKeys): 1 = only those, 2 = also
    /// keys that have bytes with Ctrl or Alt.
    pub other_keys: u8,
}

/// Which mouse events the child wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum MouseMode {
    #[default]
    Off,
    /// Presses only (mode 9).
    Press,
    /// Presses and releases (mode 1000).
    PressRelease,
    /// Also movement while a button is pressed (mode 1002).
    Drag,
    /// All movement (mode 1003).
    Motion,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MouseButton {
    Left,
    Middle,
    Right,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MouseEvent {
    Press(MouseButton),
    Release(MouseButton),
    Drag(MouseButton),
    Moved,
    WheelUp,
    WheelDown,
}

/// A mouse event at a cell of the child's screen, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MouseReport {
    pub event: MouseEvent,
    pub column: u16,
    pub row: u16,
    pub ctrl: bool,
    pub alt: bool,
    pub shift: bool,
}

/// The bytes of a key press.
pub fn key(key: Key, modes: Modes) -> Vec<u8> {
    if let Some(bytes) = other_key(key, modes.other_keys) {
        return bytes;
    }
    match key.code {
        KeyCode::Char(c) => character(c, key),
        KeyCode::Enter => with_alt(key, b"\r"),
        KeyCode::Esc => with_alt(key, b"\x1b"),
        KeyCode::Tab if key.shift => with_alt(key, b"\x1b[Z"),
        KeyCode::Tab => with_alt(key, b"\t"),
        KeyCode::Backspace if key.ctrl => with_alt(key, b"\x08"),
        KeyCode::Backspace => with_alt(key, b"\x7f"),
        KeyCode::Up => cursor_key(b'A', key, modes),
        KeyCode::Down => cursor_key(b'B', key, modes),
        KeyCode::Right => cursor_key(b'C', key, modes),
        KeyCode::Left => cursor_key(b'D', key, modes),
        KeyCode::End => cursor_key(b'F', key, modes),
        KeyCode::Home => cursor_key(b'H', key, modes),
        KeyCode::Insert => tilde_key(2, key),
        KeyCode::Delete => tilde_key(3, key),
        KeyCode::PageUp => tilde_key(5, key),
        KeyCode::PageDown => tilde_key(6, key),
        KeyCode::F(number) => function_key(number, key),
    }
}

fn with_alt(key: Key, bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len() + 1);
    if key.alt {
        out.push(0x1b);
    }
    out.extend_from_slice(bytes);
    out
}

/// `CSI 27 ; modifiers ; character ~`, if the child asked for it and the key has no distinct bytes.
fn other_key(key: Key, level: u8) -> Option<Vec<u8>> {
    if level == 0 {
        return None;
    }
    let all = level > 1;
    let (character, wanted) = match key.code {
        KeyCode::Enter => ('\r', key.ctrl || key.shift || all),
        KeyCode::Esc => ('\x1b', key.ctrl || key.shift || all),
        KeyCode::Tab => ('\t', key.ctrl || (all && key.alt)),
        // Level 1 keeps Backspace as it is, so that it still deletes when a modifier is pressed by mistake.
        KeyCode::Backspace => ('\x7f', all),
        KeyCode::Char(c) if key.ctrl => {
            let known = control_character(c).is_some() && !c.is_ascii_uppercase();
            (c, !known || all)
        }
        KeyCode::Char(c) => (c, key.alt && all),
        _ => return None,
    };
    let shifted = key.ctrl && character.is_uppercase();
    let held = modifiers(Key {
        shift: key.shift || shifted,
        ..key
    });
    let held = held.filter(|_| wanted)?;
    Some(format!("\x1b[27;{held};{}~", u32::from(character)).into_bytes())
}

fn character(c: char, key: Key) -> Vec<u8> {
    if key.ctrl
        && let Some(control) = control_character(c)
    {
        return with_alt(key, &[control]);
    }
    let mut buffer = [0; 4];
    with_alt(key, c.encode_utf8(&mut buffer).as_bytes())
}

/// The byte of Ctrl and a character on a terminal without extended keys.
fn control_character(c: char) -> Option<u8> {
    let control = match c {
        '@'..='_' | 'a'..='z' => (c as u8) & 0x1f,
        ' ' | '2' => 0,
        '3' => 0x1b,
        '4' => 0x1c,
        '5' => 0x1d,
        '6' | '~' => 0x1e,
        '7' | '/' => 0x1f,
        '8' | '?' => 0x7f,
        _ => return None,
    };
    Some(control)
}

/// xterm's number for the pressed modifiers, `None` without any.
fn modifiers(key: Key) -> Option<u8> {
    let bits = u8::from(key.shift) | u8::from(key.alt) << 1 | u8::from(key.ctrl) << 2;
    (bits != 0).then_some(bits + 1)
}

fn cursor_key(letter: u8, key: Key, modes: Modes) -> Vec<u8> {
    match modifiers(key) {
        Some(held) => format!("\x1b[1;{held}{}", char::from(letter)).into_bytes(),
        None if modes.application_cursor => vec![0x1b, b'O', letter],
        None => vec![0x1b, b'[', letter],
    }
}

fn tilde_key(number: u8, key: Key) -> Vec<u8> {
    match modifiers(key) {
        Some(held) => format!("\x1b[{number};{held}~").into_bytes(),
        None => format!("\x1b[{number}~").into_bytes(),
    }
}

/// F1 to F12. F13 to F24 are F1 to F12 with shift, as in xterm.
fn function_key(number: u8, mut key: Key) -> Vec<u8> {
    let number = if number > 12 {
        key.shift = true;
        number - 12
    } else {
        number
    };
    match number {
        1..=4 => {
            let letter = char::from(b'P' + number - 1);
            match modifiers(key) {
                Some(held) => format!("\x1b[1;{held}{letter}").into_bytes(),
                None => format!("\x1bO{letter}").into_bytes(),
            }
        }
        5 => tilde_key(15, key),
        6..=10 => tilde_key(number + 11, key),
        11 | 12 => tilde_key(number + 12, key),
        _ => Vec::new(),
    }
}

const PASTE_START: &[u8] = b"\x1b[200~";
const PASTE_END: &[u8] = b"\x1b[201~";

/// A paste, in brackets if the child asked for them and with line breaks as Enter. An end bracket in the text
/// can't end the paste.
pub fn paste(text: &str, modes: Modes) -> Vec<u8> {
    let typed = text.replace("\r\n", "\r").replace('\n', "\r");
    let plain = |c: &char| !c.is_control() || matches!(c, '\t' | '\r');
    let safe: String = typed.chars().filter(plain).collect();
    if !modes.bracketed_paste {
        return safe.into_bytes();
    }
    [PASTE_START, safe.as_bytes(), PASTE_END].concat()
}

/// Focus gained or lost, if the child asked for it.
pub fn focus(gained: bool, modes: Modes) -> Option<&'static [u8]> {
    modes
        .focus
        .then_some(if gained { b"\x1b[I" } else { b"\x1b[O" })
}

/// A mouse event, if the child asked for it.
pub fn mouse(report: MouseReport, modes: Modes) -> Option<Vec<u8>> {
    let least = match report.event {
        MouseEvent::Press(_) | MouseEvent::WheelUp | MouseEvent::WheelDown => MouseMode::Press,
        MouseEvent::Release(_) => MouseMode::PressRelease,
        MouseEvent::Drag(_) => MouseMode::Drag,
        MouseEvent::Moved => MouseMode::Motion,
    };
    if modes.mouse == MouseMode::Off || modes.mouse < least {
        return None;
    }
    let held = u8::from(report.shift) << 2 | u8::from(report.alt) << 3 | u8::from(report.ctrl) << 4;
    let (code, released) = mouse_code(report.event);
    if modes.sgr_mouse {
        let end = if released { 'm' } else { 'M' };
        let (column, row) = (report.column + 1, report.row + 1);
        return Some(format!("\x1b[<{};{column};{row}{end}", code | held).into_bytes());
    }
    // The old encoding has no button in a release and no cell beyond 223.
    let code = if released { 3 } else { code };
    let cell = |at: u16| u8::try_from(at + 33).ok();
    let (column, row) = (cell(report.column)?, cell(report.row)?);
    Some(vec![0x1b, b'[', b'M', 32 + (code | held), column, row])
}

/// xterm's button code and whether it is a release.
fn mouse_code(event: MouseEvent) -> (u8, bool) {
    let button = |button: MouseButton| match button {
        MouseButton::Left => 0,
        MouseButton::Middle => 1,
        MouseButton::Right => 2,
    };
    match event {
        MouseEvent::Press(b) => (button(b), false),
        MouseEvent::Release(b) => (button(b), true),
        MouseEvent::Drag(b) => (32 + button(b), false),
        MouseEvent::Moved => (35, false),
        MouseEvent::WheelUp => (64, false),
        MouseEvent::WheelDown => (65, false),
    }
}

#[cfg(test)]
mod tests;
