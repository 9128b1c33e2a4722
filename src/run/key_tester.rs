//! `workbay keys test`: shows what arrives when you press a key, and what the key does.

use std::{
    fmt::Write as _,
    io::{self, IsTerminal as _, Write as _},
};

use color_eyre::eyre::{Result, bail};
use crossterm::{
    event::{self, DisableBracketedPaste, EnableBracketedPaste, Event, KeyEventKind},
    execute,
    terminal::{self, disable_raw_mode, enable_raw_mode},
};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use super::{
    background, input,
    late_answer::LateAnswer,
    screen::{KEYS_OFF, KEYS_ON},
};
use crate::{
    action::{Action, Scope},
    app::msg::Msg,
    key::Key,
    keymap::{Keymap, Lookup},
    model::text::Clean,
    terminal::{
        encode::{self, Modes},
        fatal,
    },
    view::text,
};

/// Widths of the columns.
const KEY: usize = 15;
const BYTES: usize = 15;
const ASKED: usize = 15;
/// The minimum width of the last column.
const LEAST: usize = 20;

/// Shows each key until Ctrl-C is pressed twice.
pub fn key_tester(keymap: &Keymap) -> Result<()> {
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        bail!(tr!("testing keys needs a terminal on stdin and stdout"));
    }
    let (about, ()) = background::detect(|name| std::env::var(name).ok(), || ());
    let mut late = LateAnswer::new(about.late_answer.as_deref());
    let _raw = Raw::enter(about.distinguishes_keys)?;
    say(if about.distinguishes_keys {
        tr!("Your terminal distinguishes all keys (keyboard protocol of kitty).")
    } else {
        tr!(
            "Your terminal doesn't distinguish all keys: Shift-Enter is Enter, Ctrl-Shift-A is Ctrl-A."
        )
    })?;
    say(tr!("Press keys. Press Ctrl-C twice to quit."))?;
    let [key, bytes, asked] = [
        (tr!("KEY"), KEY),
        (tr!("TO A PROGRAM"), BYTES),
        (tr!("IF IT ASKED"), ASKED),
    ]
    .map(|(head, cells)| text::pad(head, cells));
    say(&format!("{key} {bytes} {asked} {}", tr!("IN WORKBAY")))?;
    let mut interrupted = false;
    loop {
        let event = event::read()?;
        let released = matches!(event, Event::Key(key) if key.kind == KeyEventKind::Release);
        let Some(msg) = input::msg(event) else {
            if !released {
                say(tr!("(a key without a name: it can't be bound)"))?;
            }
            continue;
        };
        for msg in late.filter(msg) {
            match msg {
                Msg::Key(key) => {
                    let columns = terminal::size().map_or(80, |(columns, _)| usize::from(columns));
                    for line in lines(key, keymap, columns) {
                        say(&line)?;
                    }
                    let interrupt = key == Key::ctrl('c');
                    if interrupt && interrupted {
                        return Ok(());
                    }
                    interrupted = interrupt;
                }
                Msg::Paste(text) => {
                    let count = text.chars().count();
                    say(&tr!("(pasted: {count} characters)", count))?;
                }
                _ => {}
            }
        }
    }
}

/// Describes a key: its name in keymaps, its bytes, its bytes for a program that asked for all keys (if
/// different) and its bindings. Lines have up to `columns` cells and break between words.
fn lines(key: Key, keymap: &Keymap, columns: usize) -> Vec<String> {
    let plain = encode::key(key, Modes::default());
    let modes = Modes {
        other_keys: 1,
        ..Modes::default()
    };
    let asked = encode::key(key, modes);
    let asked = if asked == plain {
        String::new()
    } else {
        shown(&asked)
    };
    let bytes = shown(&plain);
    let mut bound: Vec<String> = Vec::new();
    for scope in Scope::ALL {
        let mut found = keymap.lookup(scope, &[key]);
        // Like the app: outside of terminals, an unbound key acts as its plainer variant.
        if found == Lookup::NotFound && scope != Scope::Terminal {
            found = keymap.lookup(scope, &[key.plainer()]);
        }
        let actions = match found {
            Lookup::NotFound => continue,
            Lookup::Pending(_) => tr!("begins a sequence").to_owned(),
            Lookup::Matched(actions) => Action::names(&actions),
        };
        bound.push(format!("{}: {actions}", scope.name()));
    }
    let bound = if bound.is_empty() {
        tr!("nothing").to_owned()
    } else {
        bound.join("; ")
    };
    let first = format!("{:KEY$} {bytes:BYTES$} {asked:ASKED$} ", key.to_string());
    let room = columns.saturating_sub(text::width(&first)).max(LEAST);
    let mut lines = text::wrap(&bound, room);
    let indent = " ".repeat(KEY + BYTES + ASKED + 3);
    for (number, line) in lines.iter_mut().enumerate() {
        let before = if number == 0 { &first } else { &indent };
        *line = format!("{before}{line}");
    }
    lines
}

/// Bytes in readable form: `\x1b[A`, `한`.
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

/// The terminal reports every key. Dropping this always restores the terminal.
struct Raw {
    keys: bool,
}

impl Raw {
    fn enter(keys: bool) -> io::Result<Self> {
        let signals = [fatal::UNEXPECTED, &[SIGINT, SIGTERM, SIGHUP]].concat();
        fatal::give_back_before(&signals, if keys { give_back_with_keys } else { give_back })?;
        enable_raw_mode()?;
        let raw = Self { keys };
        execute!(io::stdout(), EnableBracketedPaste)?;
        if keys {
            io::stdout().write_all(KEYS_ON)?;
        }
        Ok(raw)
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        if self.keys {
            give_back_with_keys();
        } else {
            give_back();
        }
    }
}

fn give_back_with_keys() {
    let _ = io::stdout().write_all(KEYS_OFF);
    give_back();
}

fn give_back() {
    let _ = execute!(io::stdout(), DisableBracketedPaste);
    let _ = disable_raw_mode();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(key: &str) -> String {
        lines(key.parse().unwrap(), &Keymap::default(), 500).join("\n")
    }

    #[test]
    fn words_stay_whole_on_a_small_terminal() {
        let key = "enter".parse().unwrap();
        let small = lines(key, &Keymap::default(), 80);
        assert!(small.len() > 1, "{small:?}");
        assert!(small.iter().all(|line| line.len() <= 80), "{small:?}");
        let words = |lines: &[String]| -> Vec<String> {
            let text = lines.join(" ");
            text.split_whitespace().map(str::to_owned).collect()
        };
        assert_eq!(words(&small), words(&lines(key, &Keymap::default(), 500)));
    }

    #[test]
    fn a_key_shows_its_bytes_and_its_places() {
        let leader = report("ctrl-]");
        assert!(leader.starts_with("ctrl-]"), "{leader}");
        assert!(leader.contains("\\x1d"), "{leader}");
        assert!(leader.contains("terminal: terminal.leader"), "{leader}");
        assert!(report("up").contains("\\x1b[A"));
        let distinguished = report("shift-enter");
        let columns: Vec<&str> = distinguished.split_whitespace().collect();
        assert_eq!(columns[..3], ["shift-enter", "\\x0d", "\\x1b[27;2;13~"]);
        assert!(distinguished.contains("session.open"), "{distinguished}");
        assert!(report("한").contains("한  "), "{}", report("한"));
        assert!(report("alt-ctrl-F9").ends_with("nothing"));
    }
}
