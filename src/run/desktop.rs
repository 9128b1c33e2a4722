//! Sends desktop notifications through the user's terminal.

use super::clipboard::through_tmux;
use crate::model::{settings::DesktopNotices, text::Clean};

/// Desktops cut longer texts.
const LONGEST: usize = 200;

/// The sequence that asks the terminal for a notification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// The sequence of iTerm2, which most other terminals understand.
    Osc9,
    /// The sequence of rxvt.
    Osc777,
}

/// The dialect that this terminal understands. `None` = desktop notifications are off.
pub fn dialect(
    setting: DesktopNotices,
    variable: impl Fn(&str) -> Option<String>,
) -> Option<Dialect> {
    let term = variable("TERM").unwrap_or_default();
    let known = if term.starts_with("rxvt") {
        Some(Dialect::Osc777)
    } else {
        takes_osc9(&term, variable).then_some(Dialect::Osc9)
    };
    match setting {
        DesktopNotices::Off => None,
        DesktopNotices::Auto => known,
        DesktopNotices::On => Some(known.unwrap_or(Dialect::Osc9)),
    }
}

/// Inside tmux and over SSH, only some of these variables remain.
fn takes_osc9(term: &str, variable: impl Fn(&str) -> Option<String>) -> bool {
    const TERMS: [&str; 5] = ["xterm-kitty", "xterm-ghostty", "ghostty", "wezterm", "foot"];
    const PROGRAMS: [&str; 4] = ["WezTerm", "iTerm.app", "ghostty", "kitty"];
    const SIGNS: [&str; 7] = [
        "WEZTERM_PANE",
        "ITERM_SESSION_ID",
        "KITTY_WINDOW_ID",
        "GHOSTTY_RESOURCES_DIR",
        "WT_SESSION",
        "ConEmuPID",
        "FOOT_PID",
    ];
    let is = |name: &str, known: &[&str]| {
        variable(name).is_some_and(|value| known.contains(&value.as_str()))
    };
    TERMS.iter().any(|known| term.starts_with(known))
        || is("TERM_PROGRAM", &PROGRAMS)
        || is("LC_TERMINAL", &["iTerm2"])
        || SIGNS.iter().any(|name| variable(name).is_some())
}

/// The bytes that ask the terminal for a desktop notification. The text can't end the sequence.
pub fn notification(text: &Clean, dialect: Dialect, inside_tmux: bool) -> Vec<u8> {
    let plain = |c: char| match c {
        ';' => ',',
        c if c.is_control() => ' ',
        c => c,
    };
    // The text never begins with a number: some terminals read a number as a command.
    let said: String = text.as_str().chars().take(LONGEST).map(plain).collect();
    let sequence = match dialect {
        Dialect::Osc9 => format!("\x1b]9;workbay: {said}\x1b\\"),
        Dialect::Osc777 => format!("\x1b]777;notify;workbay;{said}\x1b\\"),
    };
    if inside_tmux {
        return through_tmux(&sequence).into_bytes();
    }
    sequence.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dialect_of(setting: DesktopNotices, pairs: &[(&str, &str)]) -> Option<Dialect> {
        dialect(setting, |name| {
            let found = pairs.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn only_terminals_that_are_known_to_take_it_are_asked() {
        use DesktopNotices::{Auto, Off, On};
        let xterm = ("TERM", "xterm-256color");
        assert_eq!(dialect_of(Auto, &[xterm]), None);
        assert_eq!(dialect_of(On, &[xterm]), Some(Dialect::Osc9));
        let inside_tmux = [("TERM", "tmux-256color"), ("WEZTERM_PANE", "0")];
        assert_eq!(dialect_of(Auto, &inside_tmux), Some(Dialect::Osc9));
        assert_eq!(dialect_of(Off, &inside_tmux), None);
        let iterm = [xterm, ("TERM_PROGRAM", "iTerm.app")];
        assert_eq!(dialect_of(Auto, &iterm), Some(Dialect::Osc9));
        let rxvt = [("TERM", "rxvt-unicode-256color")];
        assert_eq!(dialect_of(Auto, &rxvt), Some(Dialect::Osc777));
    }

    #[test]
    fn a_text_cannot_end_its_sequence_or_begin_another() {
        let text = Clean::multiline("4;1;a\nb\u{1b}\\c");
        let bytes = notification(&text, Dialect::Osc9, false);
        let said = String::from_utf8(bytes).unwrap();
        assert!(said.starts_with("\x1b]9;workbay: 4,1,a b"), "{said:?}");
        assert_eq!(said.matches('\x1b').count(), 2);
        let long = Clean::new(&"x".repeat(1000));
        let bytes = notification(&long, Dialect::Osc777, false);
        assert!(bytes.len() < 250 && bytes.starts_with(b"\x1b]777;notify;workbay;x"));
        let inside = notification(&Clean::new("hi"), Dialect::Osc9, true);
        assert_eq!(inside, b"\x1bPtmux;\x1b\x1b]9;workbay: hi\x1b\x1b\\\x1b\\");
    }
}
