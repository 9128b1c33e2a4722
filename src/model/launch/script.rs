//! The rule for commands and scripts: they go to the engine in one piece.

use super::super::resources::Bytes;

/// Bytes of a command or a script.
pub const MOST: usize = 64 * 1024;

/// `what` names it in a sentence.
pub fn check(text: &str, what: &str) -> Result<(), String> {
    if text.contains('\0') {
        return Err(format!("{what} holds a zero byte"));
    }
    if text.len() > MOST {
        return Err(format!(
            "{what} is too long ({}): {} at most; put it into a folder and run it from there",
            Bytes(text.len() as u64),
            Bytes(MOST as u64),
        ));
    }
    Ok(())
}
