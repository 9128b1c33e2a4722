//! `workbay keys test`: what arrives when a key is pressed, and what becomes of it.

use std::{
    fmt::Write as _,
    io::{self, IsTerminal as _, Write as _},
};

use color_eyre::eyre::{Result, bail};
use crossterm::{
    event::{self, DisableBracketedPaste, EnableBracketedPaste},
    execute,
    terminal::{disable_raw_mode, enable_raw_mode},
};

use super::input;
use crate::{
    action::{Action, Scope},
    app::msg::Msg,
    key::Key,
    keymap::{Keymap, Lookup},
    model::text::Clean,
    terminal::encode::{self, Modes},
};

/// Where the columns stand.
const KEY: usize = 16;
const BYTES: usize = 18;

/// Shows key after key until Ctrl-C was pressed twice.
pub fn key_tester(keymap: &Keymap) -> Result<()> {
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        bail!("keys are tested on a terminal: stdin and stdout have to be one");
    }
    let _raw = Raw::enter()?;
    say("Press keys; Ctrl-C twice ends.")?;
    say(&format!(
        "{:KEY$}{:BYTES$}IN WORKBAY",
        "KEY", "TO A PROGRAM"
    ))?;
    let mut interrupted = false;
    loop {
        let Some(msg) = input::msg(event::read()?) else {
            say("(a key without a name: it cannot be bound)")?;
            continue;
        };
        match msg {
            Msg::Key(key) => {
                say(&line(key, keymap))?;
                let interrupt = key == Key::ctrl('c');
                if interrupt && interrupted {
                    return Ok(());
                }
                interrupted = interrupt;
            }
            Msg::Paste(text) => {
                let count = text.chars().count();
                say(&format!("(pasted: {count} characters)"))?;
            }
            _ => {}
        }
    }
}

/// One key: its name as keymaps write it, its bytes, what it is bound to.
fn line(key: Key, keymap: &Keymap) -> String {
    let bytes = shown(&encode::key(key, Modes::default()));
    let mut bound: Vec<String> = Vec::new();
    for scope in Scope::ALL {
        let actions = match keymap.lookup(scope, &[key]) {
            Lookup::NotFound => continue,
            Lookup::Pending(_) => "begins a sequence".to_owned(),
            Lookup::Matched(actions) => names(&actions),
        };
        bound.push(format!("{}: {actions}", scope.name()));
    }
    let bound = if bound.is_empty() {
        "nothing".to_owned()
    } else {
        bound.join("; ")
    };
    format!("{:KEY$}{bytes:BYTES$}{bound}", key.to_string())
}

fn names(actions: &[Action]) -> String {
    let names: Vec<&str> = actions.iter().map(|action| action.name()).collect();
    names.join(", ")
}

/// Bytes as they can be read: `\x1b[A`, `한`.
fn shown(bytes: &[u8]) -> String {
    let mut text = String::new();
    for c in String::from_utf8_lossy(bytes).chars() {
        if c.is_control() {
            let _ = write!(text, "\\x{:02x}", u32::from(c));
        } else {
            text.push(c);
        }
    }
    text
}

fn say(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    write!(out, "{}\r\n", Clean::new(text))?;
    out.flush()
}

/// The terminal gives every key; given back at the end, whatever happens.
struct Raw;

impl Raw {
    fn enter() -> io::Result<Self> {
        enable_raw_mode()?;
        let raw = Self;
        execute!(io::stdout(), EnableBracketedPaste)?;
        Ok(raw)
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        let _ = execute!(io::stdout(), DisableBracketedPaste);
        let _ = disable_raw_mode();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(key: &str) -> String {
        line(key.parse().unwrap(), &Keymap::default())
    }

    #[test]
    fn a_key_tells_its_bytes_and_its_places() {
        let leader = told("ctrl-]");
        assert!(leader.starts_with("ctrl-]"), "{leader}");
        assert!(leader.contains("\\x1d"), "{leader}");
        assert!(leader.contains("terminal: terminal.leader"), "{leader}");
        assert!(told("up").contains("\\x1b[A"));
        assert!(told("한").contains("한  "), "{}", told("한"));
        assert!(told("alt-ctrl-F9").ends_with("nothing"));
    }
}
