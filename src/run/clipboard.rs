//! The person's clipboard, through their terminal.

use base64::{Engine as _, engine::general_purpose::STANDARD};

/// Terminals drop longer ones silently.
const LONGEST: usize = 74_994;

/// The bytes that put `text` into the clipboard (OSC 52), or a sentence why not. Inside tmux it is
/// sent twice: for tmux itself, and passed through it.
pub fn osc52(text: &str, inside_tmux: bool) -> Result<Vec<u8>, String> {
    let encoded = STANDARD.encode(text);
    if encoded.len() > LONGEST {
        return Err(format!(
            "{} bytes are too much for a terminal's clipboard: save it to a file instead",
            text.len()
        ));
    }
    let plain = format!("\x1b]52;c;{encoded}\x1b\\");
    if !inside_tmux {
        return Ok(plain.into_bytes());
    }
    Ok(format!("{plain}{}", through_tmux(&plain)).into_bytes())
}

/// A sequence that tmux passes on to the terminal outside, where its `allow-passthrough` is on.
pub(super) fn through_tmux(sequence: &str) -> String {
    let doubled = sequence.replace('\x1b', "\x1b\x1b");
    format!("\x1bPtmux;{doubled}\x1b\\")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_wrapped_for_the_terminal() {
        let bytes = osc52("hello", false).unwrap();
        assert_eq!(bytes, b"\x1b]52;c;aGVsbG8=\x1b\\");
        let inside = String::from_utf8(osc52("hello", true).unwrap()).unwrap();
        assert!(inside.ends_with("\x1bPtmux;\x1b\x1b]52;c;aGVsbG8=\x1b\x1b\\\x1b\\"));
        assert!(osc52(&"x".repeat(100_000), false).is_err());
    }
}
