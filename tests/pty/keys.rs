//! Every key there and back: what we send for it, read again as a terminal's, is the same key.

use workbay::{
    key::{Key, KeyCode},
    terminal::encode::{self, Modes},
};

use crate::{
    machine::{BINARY, Machine},
    terminal::Terminal,
};

/// Every key with every modifier that a keymap can name.
fn keys() -> Vec<Key> {
    let mut codes: Vec<KeyCode> = ('!'..='~').map(KeyCode::Char).collect();
    codes.extend("한é日ß".chars().map(KeyCode::Char));
    codes.extend((1..=24).map(KeyCode::F));
    codes.extend([
        KeyCode::Enter,
        KeyCode::Tab,
        KeyCode::Backspace,
        KeyCode::Delete,
        KeyCode::Insert,
        KeyCode::Home,
        KeyCode::End,
        KeyCode::PageUp,
        KeyCode::PageDown,
        KeyCode::Up,
        KeyCode::Down,
        KeyCode::Left,
        KeyCode::Right,
    ]);
    let mut keys = Vec::new();
    for code in codes {
        for held in 0..8 {
            let key = Key {
                ctrl: held & 1 != 0,
                alt: held & 2 != 0,
                shift: held & 4 != 0,
                code,
            };
            if !(key.shift && matches!(code, KeyCode::Char(_))) {
                keys.push(key);
            }
        }
    }
    keys
}

/// What is left of a key in the bytes that terminals have always sent for it.
fn seen_as(key: Key) -> Option<Key> {
    let mut seen = key.plainer();
    match key.code {
        KeyCode::Char(c) if key.ctrl => {
            seen = Key {
                alt: key.alt,
                ..match c.to_ascii_lowercase() {
                    'i' => Key::plain(KeyCode::Tab),
                    'm' => Key::plain(KeyCode::Enter),
                    '8' | '?' => Key::plain(KeyCode::Backspace),
                    '[' | '3' => Key::plain(KeyCode::Esc),
                    '@' | '`' | '2' => Key::ctrl(' '),
                    '4' => Key::ctrl('\\'),
                    '5' | '{' | '}' => Key::ctrl(']'),
                    '6' | '~' => Key::ctrl('^'),
                    '7' | '_' => Key::ctrl('/'),
                    c @ ('a'..='z' | '\\' | ']' | '^' | '/') => Key::ctrl(c),
                    _ => Key::char(c),
                }
            };
            // `ESC ESC` begins something else; braces are keys without control characters.
            if seen.code == KeyCode::Esc || matches!(c, '{' | '}' | '|' | '`') {
                return None;
            }
        }
        // These begin sequences of the terminal: no terminal can distinguish them from Alt.
        KeyCode::Char('[' | 'O' | 'P' | ']' | 'X' | '^' | '_') if key.alt => return None,
        KeyCode::Char(c) if !c.is_ascii() && key.alt => return None,
        // `CSI 1 ; 5 R` is also the position of the cursor.
        KeyCode::F(3 | 15) if key.ctrl || key.alt || key.shift || key.code == KeyCode::F(15) => {
            return None;
        }
        // F13 to F24 are the first twelve with shift.
        KeyCode::F(number) if number > 12 => {
            seen.code = KeyCode::F(number - 12);
            seen.shift = true;
        }
        KeyCode::Backspace if key.ctrl => {
            seen = Key {
                alt: key.alt,
                ..Key::ctrl('h')
            };
        }
        // `ESC ESC` once more.
        KeyCode::Tab if key.alt && key.shift => return None,
        KeyCode::Tab => seen.ctrl = false,
        _ => {}
    }
    Some(seen)
}

/// Types `bytes` and gives the name `keys test` has for them.
fn bytes_seen(terminal: &mut Terminal, bytes: &[u8], count: usize) -> String {
    let before = terminal.raw_len();
    // What comes first is whole when the line of the next key is there.
    let mark = count % 10;
    terminal.type_(&format!("{}{mark}", std::str::from_utf8(bytes).unwrap()));
    let end = format!("\r\n{mark}  ");
    loop {
        let raw = terminal.raw();
        let seen = String::from_utf8_lossy(&raw[before..]);
        if seen.contains(&end) {
            let name = seen.split_whitespace().next().unwrap_or_default();
            return name.to_owned();
        }
        terminal.wait_bytes(raw.len());
    }
}

#[test]
fn a_key_comes_back_as_itself() {
    let machine = Machine::new();
    let mut terminal = Terminal::start(&[BINARY, "keys", "test"], &machine.env(), 200, 50);
    terminal.wait_for("IN WORKBAY");
    let mut wrong = Vec::new();
    let mut count = 0;
    for key in keys() {
        let Some(expected) = seen_as(key) else {
            continue;
        };
        let bytes = encode::key(key, Modes::default());
        let seen = bytes_seen(&mut terminal, &bytes, count);
        count += 1;
        if seen != expected.to_string() {
            wrong.push(format!("{key}: {seen} and not {expected} by {bytes:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 400, "{count}");
}
