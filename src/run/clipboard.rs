//! Writes to the user's clipboard through the outer terminal.

use base64::{Engine as _, engine::general_purpose::STANDARD};

use crate::{app::panels::apps::opened::masked, model::text::Clean, terminal::clipboard::fits};

/// Characters of a copied text that the notification shows.
const SHOWN: usize = 40;
/// GNU screen passes strings on in pieces up to this size, including their begin and end sequences.
const SCREEN_PIECE: usize = 768;
const SCREEN_BEGIN: &str = "\x1bP";
const SCREEN_END: &str = "\x1b\\";

/// The multiplexer between workbay and the user's terminal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Multiplexer {
    #[default]
    None,
    Tmux,
    /// GNU screen.
    Screen,
}

impl Multiplexer {
    /// Finds the multiplexer from the variables that each one sets. The inner one counts.
    #[must_use]
    pub fn of(variable: impl Fn(&str) -> Option<String>) -> Self {
        let term = variable("TERM").unwrap_or_default();
        let (tmux, screen) = (variable("TMUX").is_some(), variable("STY").is_some());
        match (tmux, screen) {
            // Both are set. tmux also uses the terminal name `screen` by default.
            (true, true) if term.starts_with("screen.") => Self::Screen,
            (true, _) => Self::Tmux,
            (false, true) => Self::Screen,
            (false, false) => Self::None,
        }
    }
}

/// The bytes that put `text` into the clipboard (OSC 52), or an error sentence. Inside tmux the sequence is
/// sent twice: to tmux itself, and through it to the terminal outside.
pub fn osc52(text: &str, around: Multiplexer) -> Result<Vec<u8>, String> {
    if !fits(text) {
        return Err(tr!(
            "{count} bytes are too long for a terminal's clipboard. Save the text to a file instead",
            count = text.len()
        ));
    }
    let encoded = STANDARD.encode(text);
    let plain = format!("\x1b]52;c;{encoded}\x1b\\");
    let sent = match around {
        Multiplexer::None => plain,
        Multiplexer::Tmux => format!("{plain}{}", through_tmux(&plain)),
        // The string terminator would also end screen's own string, so BEL ends this one.
        Multiplexer::Screen => through_screen(&format!("\x1b]52;c;{encoded}\x07")),
    };
    Ok(sent.into_bytes())
}

/// Describes what was copied. Terminals don't report whether they accepted it. The message shows the beginning
/// of the text because the text came from a session.
pub fn sent(text: &str) -> Clean {
    let first = text.lines().find(|line| !line.trim().is_empty());
    // The token of a URL isn't shown.
    let first = masked(first.unwrap_or_default().trim(), "*");
    let first = Clean::new(&first);
    let mut shown: String = first.as_str().chars().take(SHOWN).collect();
    if shown.len() < first.as_str().len() {
        shown.push_str("...");
    }
    let said = match text.lines().count() {
        0 | 1 => tr!("Copied to your terminal's clipboard").to_owned(),
        n => tr!("{n} lines copied to your terminal's clipboard", n),
    };
    let said = format!("{said}\n{shown}");
    Clean::multiline(said.trim_end())
}

/// A sequence that tmux passes on to the terminal outside if `allow-passthrough` is on.
pub(super) fn through_tmux(sequence: &str) -> String {
    let doubled = sequence.replace('\x1b', "\x1b\x1b");
    format!("\x1bPtmux;{doubled}\x1b\\")
}

/// A sequence that screen passes on to the terminal outside.
fn through_screen(sequence: &str) -> String {
    let room = SCREEN_PIECE - SCREEN_BEGIN.len() - SCREEN_END.len();
    let mut wrapped = String::new();
    let mut rest = sequence;
    while !rest.is_empty() {
        // The sequence is ASCII only.
        let (piece, after) = rest.split_at(rest.len().min(room));
        wrapped.push_str(SCREEN_BEGIN);
        wrapped.push_str(piece);
        wrapped.push_str(SCREEN_END);
        rest = after;
    }
    wrapped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(text: &str, around: Multiplexer) -> String {
        String::from_utf8(osc52(text, around).unwrap()).unwrap()
    }

    #[test]
    fn text_is_wrapped_for_the_terminal() {
        let plain = "\x1b]52;c;aGVsbG8=\x1b\\";
        assert_eq!(bytes("hello", Multiplexer::None), plain);
        let inside = bytes("hello", Multiplexer::Tmux);
        assert!(inside.starts_with(plain));
        assert!(inside.ends_with("\x1bPtmux;\x1b\x1b]52;c;aGVsbG8=\x1b\x1b\\\x1b\\"));
        assert!(osc52(&"x".repeat(100_000), Multiplexer::None).is_err());
    }

    #[test]
    fn screen_gets_pieces_that_make_the_whole() {
        let text = "한글 text ".repeat(400);
        let wrapped = bytes(&text, Multiplexer::Screen);
        let mut whole = String::new();
        for piece in wrapped.split_inclusive(SCREEN_END) {
            assert!(piece.len() <= SCREEN_PIECE, "{}", piece.len());
            let inner = piece.strip_prefix(SCREEN_BEGIN).unwrap();
            whole.push_str(inner.strip_suffix(SCREEN_END).unwrap());
        }
        let encoded = whole
            .strip_prefix("\x1b]52;c;")
            .and_then(|rest| rest.strip_suffix('\x07'));
        assert_eq!(STANDARD.decode(encoded.unwrap()).unwrap(), text.as_bytes());
    }

    #[test]
    fn what_is_around_us_is_known_by_its_variables() {
        let of = |pairs: &'static [(&str, &str)]| {
            Multiplexer::of(|name| {
                let found = pairs.iter().find(|(key, _)| *key == name);
                found.map(|(_, value)| (*value).to_owned())
            })
        };
        assert_eq!(of(&[]), Multiplexer::None);
        assert_eq!(of(&[("TMUX", "/tmp/x,1,0")]), Multiplexer::Tmux);
        assert_eq!(of(&[("STY", "1.pts")]), Multiplexer::Screen);
        let both = [
            ("TMUX", "x"),
            ("STY", "1"),
            ("TERM", "screen.xterm-256color"),
        ];
        assert_eq!(
            Multiplexer::of(|name| {
                both.iter()
                    .find(|(key, _)| *key == name)
                    .map(|(_, v)| (*v).to_owned())
            }),
            Multiplexer::Screen
        );
    }

    #[test]
    fn only_what_is_known_is_said() {
        let url = sent("http://h:1/?workbay_token=abc");
        assert!(!url.as_str().contains("abc"), "{url}");
        assert_eq!(sent("one"), "Copied to your terminal's clipboard\none");
        let two = sent("\n a\u{202e}b\n");
        assert!(two.as_str().starts_with("2 lines copied"));
        assert!(two.as_str().ends_with("\nab"), "{two}");
    }
}
