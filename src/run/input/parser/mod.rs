//! Reads the bytes that the outer terminal sends as keys, pastes, mouse events and reports.
//!
//! crossterm has such a parser, too, but it waits for the end of a report that it doesn't know, and takes all keys
//! until then. This one knows the end of every sequence, so that a report is never typed and never takes a key.

use std::collections::VecDeque;

use crossterm::event::{
    Event, KeyCode as Code, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent,
    MouseEventKind,
};

/// What a terminal sends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Typed {
    Event(Event),
    /// The terminal changed to a dark or a light color scheme (mode 2031).
    Scheme {
        dark: bool,
    },
}

/// The beginning of a sequence whose end hasn't come, and what was read before it.
#[derive(Debug, Default)]
pub struct Parser {
    bytes: Vec<u8>,
    /// Up to here, a begun paste has no end.
    searched: usize,
    read: VecDeque<Typed>,
}

/// What the first bytes are.
enum Parsed {
    /// The beginning of something.
    Begun,
    /// The number of bytes, and what they mean. `None` = nothing that the TUI uses.
    Whole(usize, Option<Typed>),
}

use Parsed::{Begun, Whole};

const ESC: u8 = 0x1b;
const PASTE: &[u8] = b"\x1b[200~";
const PASTE_END: &[u8] = b"\x1b[201~";
/// A longer sequence without an end is damage.
const LONGEST: usize = 64;

impl Parser {
    /// Takes bytes. `more` means that more have come already, so that an ESC at the end isn't the key.
    pub fn take(&mut self, bytes: &[u8], more: bool) {
        self.bytes.extend_from_slice(bytes);
        let mut at = 0;
        while at < self.bytes.len() {
            let rest = &self.bytes[at..];
            // Esc was pressed twice. The second one doesn't make the next key one with Alt.
            if is_esc_twice(rest, more) {
                let esc = Typed::Event(Event::Key(Code::Esc.into()));
                self.read.extend([esc.clone(), esc]);
                at += 2;
                continue;
            }
            let parsed = if rest.starts_with(PASTE) {
                paste(rest, self.searched)
            } else {
                parse(rest, more)
            };
            let Whole(length, typed) = parsed else {
                self.searched = rest.len();
                break;
            };
            self.searched = 0;
            at += length;
            self.read.extend(typed);
        }
        self.bytes.drain(..at);
    }

    /// The next of what was read.
    pub fn next(&mut self) -> Option<Typed> {
        self.read.pop_front()
    }
}

/// Whether Esc comes twice, without a sequence of a key with Alt after the first.
fn is_esc_twice(bytes: &[u8], more: bool) -> bool {
    match bytes {
        [ESC, ESC] => !more,
        [ESC, ESC, third, ..] => !matches!(third, b'[' | b'O'),
        _ => false,
    }
}

fn event(length: usize, event: Event) -> Parsed {
    Whole(length, Some(Typed::Event(event)))
}

fn pressed(length: usize, code: Code, modifiers: KeyModifiers) -> Parsed {
    event(length, Event::Key(KeyEvent::new(code, modifiers)))
}

fn parse(bytes: &[u8], more: bool) -> Parsed {
    let none = KeyModifiers::NONE;
    match bytes {
        [] => Begun,
        [ESC] if more => Begun,
        [ESC] => pressed(1, Code::Esc, none),
        [ESC, b'[', rest @ ..] => after(2, csi(rest)),
        [ESC, b'O', rest @ ..] => after(2, function_key(rest)),
        [ESC, ESC] => Begun,
        [ESC, rest @ ..] => with_alt(parse(rest, more)),
        [first, ..] => match first {
            b'\r' => pressed(1, Code::Enter, none),
            b'\t' => pressed(1, Code::Tab, none),
            0x7f => pressed(1, Code::Backspace, none),
            0 => pressed(1, Code::Char(' '), KeyModifiers::CONTROL),
            1..=0x1a => letter(first - 1 + b'a'),
            0x1c..=0x1f => letter(first - 0x1c + b'4'),
            _ => character(bytes),
        },
    }
}

/// A key with Ctrl.
fn letter(byte: u8) -> Parsed {
    pressed(1, Code::Char(char::from(byte)), KeyModifiers::CONTROL)
}

fn character(bytes: &[u8]) -> Parsed {
    let length = match bytes[0] {
        0..=0x7f => 1,
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => return Whole(1, None),
    };
    let start = &bytes[..bytes.len().min(length)];
    match std::str::from_utf8(start) {
        Ok(text) => {
            let Some(c) = text.chars().next() else {
                return Whole(1, None);
            };
            let shift = if c.is_uppercase() {
                KeyModifiers::SHIFT
            } else {
                KeyModifiers::NONE
            };
            pressed(length, Code::Char(c), shift)
        }
        Err(error) if error.error_len().is_none() => Begun,
        Err(_) => Whole(1, None),
    }
}

/// Adds the bytes before to what was parsed.
fn after(before: usize, parsed: Parsed) -> Parsed {
    match parsed {
        Begun => Begun,
        Whole(length, typed) => Whole(before + length, typed),
    }
}

fn with_alt(parsed: Parsed) -> Parsed {
    let mut parsed = after(1, parsed);
    if let Whole(_, Some(Typed::Event(Event::Key(key)))) = &mut parsed {
        key.modifiers |= KeyModifiers::ALT;
    }
    parsed
}

/// What follows `ESC O`.
fn function_key(rest: &[u8]) -> Parsed {
    let Some(last) = rest.first() else {
        return Begun;
    };
    let none = KeyModifiers::NONE;
    match cursor_key(*last) {
        Some(code) => pressed(1, code, none),
        // It was Alt-O, and another key follows.
        None => pressed(0, Code::Char('O'), KeyModifiers::ALT | KeyModifiers::SHIFT),
    }
}

/// The key of `ESC O …` and of `ESC [ …`.
fn cursor_key(last: u8) -> Option<Code> {
    Some(match last {
        b'A' => Code::Up,
        b'B' => Code::Down,
        b'C' => Code::Right,
        b'D' => Code::Left,
        b'H' => Code::Home,
        b'F' => Code::End,
        b'P' => Code::F(1),
        b'Q' => Code::F(2),
        b'R' => Code::F(3),
        b'S' => Code::F(4),
        _ => return None,
    })
}

fn paste(bytes: &[u8], searched: usize) -> Parsed {
    let from = searched.saturating_sub(PASTE_END.len()).max(PASTE.len());
    let mut places = bytes[from..].windows(PASTE_END.len());
    let Some(end) = places.position(|it| it == PASTE_END) else {
        return Begun;
    };
    let end = from + end;
    let text = String::from_utf8_lossy(&bytes[PASTE.len()..end]).into_owned();
    event(end + PASTE_END.len(), Event::Paste(text))
}

/// What follows `ESC [`.
fn csi(rest: &[u8]) -> Parsed {
    match rest {
        [] | [b'['] => return Begun,
        // The console of Linux.
        [b'[', key, ..] => {
            let code = (b'A'..=b'E').contains(key).then(|| Code::F(key - b'A' + 1));
            return Whole(2, code.map(|code| Typed::Event(Event::Key(code.into()))));
        }
        [b'M', inside @ ..] => {
            return match inside {
                [button, column, row, ..] => {
                    let [button, column, row] =
                        [button, column, row].map(|it| u16::from(*it).saturating_sub(32));
                    Whole(4, mouse(button, column, row, false).map(Typed::Event))
                }
                _ => Begun,
            };
        }
        _ => {}
    }
    let ends = |byte: &u8| !(0x20..0x40).contains(byte);
    let Some(end) = rest.iter().position(ends) else {
        return if rest.len() > LONGEST {
            Whole(rest.len(), None)
        } else {
            Begun
        };
    };
    // A control character can't be inside, so the sequence was cut.
    if !(0x40..=0x7e).contains(&rest[end]) {
        return Whole(end, None);
    }
    let text = std::str::from_utf8(&rest[..end]).unwrap_or_default();
    Whole(end + 1, sequence(text, rest[end]))
}

/// A whole sequence: the parameters, and the last byte.
fn sequence(text: &str, last: u8) -> Option<Typed> {
    if let Some(text) = text.strip_prefix('?') {
        return match (text, last) {
            ("997;1", b'n') => Some(Typed::Scheme { dark: true }),
            ("997;2", b'n') => Some(Typed::Scheme { dark: false }),
            _ => None,
        };
    }
    if let Some(text) = text.strip_prefix('<') {
        let mut numbers = text.split(';').map(str::parse::<u16>);
        let mut next = || numbers.next()?.ok();
        let (button, column, row) = (next()?, next()?, next()?);
        return match last {
            b'M' | b'm' => mouse(button, column, row, last == b'm').map(Typed::Event),
            _ => None,
        };
    }
    let mut parts = text.split(';');
    let mut codes = parts.next().unwrap_or_default().split(':');
    let code: Option<u32> = codes.next().and_then(|it| it.parse().ok());
    let (modifiers, kind) = modifiers(parts.next().unwrap_or_default());
    let key = |code| Event::Key(KeyEvent::new_with_kind(code, modifiers, kind));
    let event = match last {
        b'I' if text.is_empty() => Event::FocusGained,
        b'O' if text.is_empty() => Event::FocusLost,
        b'Z' => Event::Key(KeyEvent::new(
            Code::BackTab,
            modifiers | KeyModifiers::SHIFT,
        )),
        b'~' => key(numbered(code?)?),
        b'u' => Event::Key(kitty(code?, codes.next(), modifiers, kind)?),
        // The answer to a question about the cursor has the same form.
        b'R' if code != Some(1) || modifiers.is_empty() => return None,
        _ => key(cursor_key(last)?),
    };
    Some(Typed::Event(event))
}

/// `1 + 1 Shift + 2 Alt + 4 Ctrl + …`, then `:` and the kind.
fn modifiers(text: &str) -> (KeyModifiers, KeyEventKind) {
    let (mask, kind) = text.split_once(':').unwrap_or((text, ""));
    let mask = mask.parse::<u8>().unwrap_or(1).saturating_sub(1);
    let all = [
        KeyModifiers::SHIFT,
        KeyModifiers::ALT,
        KeyModifiers::CONTROL,
        KeyModifiers::SUPER,
        KeyModifiers::HYPER,
        KeyModifiers::META,
    ];
    let held = all.into_iter().enumerate();
    let held = held.filter(|(bit, _)| mask & (1 << bit) != 0);
    let kind = match kind {
        "2" => KeyEventKind::Repeat,
        "3" => KeyEventKind::Release,
        _ => KeyEventKind::Press,
    };
    (held.map(|(_, it)| it).collect(), kind)
}

/// The key of `ESC [ code ~`.
fn numbered(code: u32) -> Option<Code> {
    let number = u8::try_from(code).ok()?;
    Some(match number {
        1 | 7 => Code::Home,
        2 => Code::Insert,
        3 => Code::Delete,
        4 | 8 => Code::End,
        5 => Code::PageUp,
        6 => Code::PageDown,
        11..=15 => Code::F(number - 10),
        17..=21 => Code::F(number - 11),
        23..=26 => Code::F(number - 12),
        28..=29 => Code::F(number - 15),
        31..=34 => Code::F(number - 17),
        _ => return None,
    })
}

/// The key of `ESC [ code : shifted ; modifiers u`.
fn kitty(
    code: u32,
    shifted: Option<&str>,
    mut modifiers: KeyModifiers,
    kind: KeyEventKind,
) -> Option<KeyEvent> {
    let has_shift = modifiers.contains(KeyModifiers::SHIFT);
    let mut key = match code {
        27 => Code::Esc,
        13 => Code::Enter,
        9 if has_shift => Code::BackTab,
        9 => Code::Tab,
        127 => Code::Backspace,
        57376..=57398 => Code::F((code - 57376) as u8 + 13),
        57399..=57426 => keypad(code),
        // Keys without a meaning for programs in a terminal.
        57344..=63743 => return None,
        _ => Code::Char(char::from_u32(code)?),
    };
    let shifted = shifted.and_then(|it| char::from_u32(it.parse().ok()?));
    if let Some(c) = shifted.filter(|_| has_shift) {
        key = Code::Char(c);
        modifiers.remove(KeyModifiers::SHIFT);
    }
    Some(KeyEvent::new_with_kind(key, modifiers, kind))
}

fn keypad(code: u32) -> Code {
    const CHARS: &[char] = &[
        '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '.', '/', '*', '-', '+',
    ];
    const KEYS: &[Code] = &[
        Code::Enter,
        Code::Char('='),
        Code::Char(','),
        Code::Left,
        Code::Right,
        Code::Up,
        Code::Down,
        Code::PageUp,
        Code::PageDown,
        Code::Home,
        Code::End,
        Code::Insert,
        Code::Delete,
    ];
    let at = (code - 57399) as usize;
    match CHARS.get(at) {
        Some(c) => Code::Char(*c),
        None => KEYS[at - CHARS.len()],
    }
}

/// The button has the modifiers, too. Columns and rows begin at 1.
fn mouse(button: u16, column: u16, row: u16, released: bool) -> Option<Event> {
    let number = (button & 0b11) | ((button & 0b1100_0000) >> 4);
    let dragged = button & 0b10_0000 != 0;
    let one = |number| match number {
        0 => Some(MouseButton::Left),
        1 => Some(MouseButton::Middle),
        2 => Some(MouseButton::Right),
        _ => None,
    };
    let kind = match (number, dragged) {
        (0..=2, true) => MouseEventKind::Drag(one(number)?),
        (0..=2, false) if released => MouseEventKind::Up(one(number)?),
        (0..=2, false) => MouseEventKind::Down(one(number)?),
        // Mice without the newer encoding don't report which button.
        (3, false) => MouseEventKind::Up(MouseButton::Left),
        (3..=5, true) => MouseEventKind::Moved,
        (4, false) => MouseEventKind::ScrollUp,
        (5, false) => MouseEventKind::ScrollDown,
        (6, false) => MouseEventKind::ScrollLeft,
        (7, false) => MouseEventKind::ScrollRight,
        _ => return None,
    };
    let all = [
        (0b100, KeyModifiers::SHIFT),
        (0b1000, KeyModifiers::ALT),
        (0b1_0000, KeyModifiers::CONTROL),
    ];
    let held = all.into_iter().filter(|(bit, _)| button & bit != 0);
    Some(Event::Mouse(MouseEvent {
        kind,
        column: column.checked_sub(1)?,
        row: row.checked_sub(1)?,
        modifiers: held.map(|(_, it)| it).collect(),
    }))
}

#[cfg(test)]
mod tests;
