//! Converts a key to text and back: `ctrl-]`, `g g`, `shift-tab`, `F12`.
//!
//! Keymap files, the help view and tests all use this notation. It doesn't depend on crossterm: `run/input`
//! translates.

use std::{
    fmt::{self, Write as _},
    str::FromStr,
};

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum KeyCode {
    Char(char),
    F(u8),
    Enter,
    Esc,
    Tab,
    Backspace,
    Delete,
    Insert,
    Home,
    End,
    PageUp,
    PageDown,
    Up,
    Down,
    Left,
    Right,
}

/// One key press with its modifiers. For printable keys Shift is part of the character (`G`, not `shift-g`).
/// For other keys it is a modifier (`shift-tab`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Key {
    pub code: KeyCode,
    pub ctrl: bool,
    pub alt: bool,
    pub shift: bool,
}

impl Key {
    #[must_use]
    pub const fn plain(code: KeyCode) -> Self {
        Self {
            code,
            ctrl: false,
            alt: false,
            shift: false,
        }
    }

    #[must_use]
    pub const fn char(c: char) -> Self {
        Self::plain(KeyCode::Char(c))
    }

    #[must_use]
    pub const fn ctrl(c: char) -> Self {
        Self {
            code: KeyCode::Char(c),
            ctrl: true,
            alt: false,
            shift: false,
        }
    }
}

impl Key {
    /// The key that a terminal sends if it can't report these modifiers. Used if nothing is bound to the key
    /// itself.
    #[must_use]
    pub fn plainer(mut self) -> Self {
        match self.code {
            KeyCode::Enter => (self.ctrl, self.shift) = (false, false),
            KeyCode::Esc | KeyCode::Backspace => self.shift = false,
            KeyCode::Char('i') if self.ctrl => (self.code, self.ctrl) = (KeyCode::Tab, false),
            KeyCode::Char('m') if self.ctrl => (self.code, self.ctrl) = (KeyCode::Enter, false),
            KeyCode::Char(c) if self.ctrl => self.code = KeyCode::Char(c.to_ascii_lowercase()),
            _ => {}
        }
        self
    }
}

const NAMED: &[(&str, KeyCode)] = &[
    ("enter", KeyCode::Enter),
    ("esc", KeyCode::Esc),
    ("tab", KeyCode::Tab),
    ("backspace", KeyCode::Backspace),
    ("delete", KeyCode::Delete),
    ("insert", KeyCode::Insert),
    ("home", KeyCode::Home),
    ("end", KeyCode::End),
    ("pageup", KeyCode::PageUp),
    ("pagedown", KeyCode::PageDown),
    ("up", KeyCode::Up),
    ("down", KeyCode::Down),
    ("left", KeyCode::Left),
    ("right", KeyCode::Right),
    ("space", KeyCode::Char(' ')),
];

/// Every key name except single characters and F1 to F24.
pub fn names() -> impl Iterator<Item = &'static str> {
    NAMED.iter().map(|(name, _)| *name)
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        for (on, name) in [
            (self.ctrl, "ctrl-"),
            (self.alt, "alt-"),
            (self.shift, "shift-"),
        ] {
            if on {
                text.push_str(name);
            }
        }
        match self.code {
            KeyCode::F(n) => write!(text, "F{n}")?,
            code => match NAMED.iter().find(|(_, c)| *c == code) {
                Some((name, _)) => text.push_str(name),
                None => {
                    if let KeyCode::Char(c) = code {
                        text.push(c);
                    }
                }
            },
        }
        f.pad(&text)
    }
}

impl FromStr for Key {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut key = Self::plain(KeyCode::Esc);
        let mut rest = text;
        while let Some((head, tail)) = rest.split_once('-') {
            // `ctrl--` is Ctrl with the minus key.
            if tail.is_empty() {
                break;
            }
            match head.to_ascii_lowercase().as_str() {
                "ctrl" => key.ctrl = true,
                "alt" => key.alt = true,
                "shift" => key.shift = true,
                _ => {
                    return Err(format!(
                        "unknown modifier '{head}-'. Use ctrl-, alt- or shift-"
                    ));
                }
            }
            rest = tail;
        }
        key.code = parse_code(rest).ok_or_else(|| {
            format!(
                "unknown key '{text}'. Use a character, a name (enter, esc, tab, up, pagedown, \
                 space …) or F1 to F24"
            )
        })?;
        Ok(key)
    }
}

fn parse_code(text: &str) -> Option<KeyCode> {
    let mut chars = text.chars();
    if let (Some(c), None) = (chars.next(), chars.next()) {
        return Some(KeyCode::Char(c));
    }
    let lower = text.to_ascii_lowercase();
    if let Some((_, code)) = NAMED.iter().find(|(name, _)| *name == lower) {
        return Some(*code);
    }
    let number: u8 = lower.strip_prefix('f')?.parse().ok()?;
    (1..=24).contains(&number).then_some(KeyCode::F(number))
}

/// Parses a sequence of keys, separated by spaces: `g g`.
pub fn parse_sequence(text: &str) -> Result<Vec<Key>, String> {
    let keys: Vec<Key> = text
        .split_whitespace()
        .map(str::parse)
        .collect::<Result<_, _>>()?;
    if keys.is_empty() {
        Err("the key is empty".to_owned())
    } else {
        Ok(keys)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plainer_key_is_what_most_terminals_send() {
        for (key, plainer) in [
            ("shift-enter", "enter"),
            ("ctrl-enter", "enter"),
            ("alt-enter", "alt-enter"),
            ("shift-backspace", "backspace"),
            ("ctrl-i", "tab"),
            ("ctrl-m", "enter"),
            ("ctrl-A", "ctrl-a"),
            ("A", "A"),
            ("shift-up", "shift-up"),
        ] {
            assert_eq!(key.parse::<Key>().unwrap().plainer().to_string(), plainer);
        }
    }

    #[test]
    fn keys_read_and_print_alike() {
        for text in [
            "a",
            "G",
            "ctrl-]",
            "alt-f",
            "shift-tab",
            "F12",
            "enter",
            "space",
            "ctrl--",
            "-",
            "ctrl-alt-x",
            "/",
        ] {
            assert_eq!(text.parse::<Key>().unwrap().to_string(), text);
        }
        for bad in ["", "hyper-x", "F99", "entre"] {
            assert!(bad.parse::<Key>().is_err(), "{bad}");
        }
    }

    #[test]
    fn fuzz_keys() {
        crate::fuzz::parser("keys", &[], |bytes, _| {
            let text = String::from_utf8_lossy(bytes);
            let read = parse_sequence(&text);
            crate::fuzz::bounded(bytes, &read);
            if let Ok(keys) = read {
                let written: Vec<String> = keys.iter().map(Key::to_string).collect();
                assert_eq!(parse_sequence(&written.join(" ")), Ok(keys));
            }
        });
    }
}
