//! Checks commands and scripts, which are sent to the engine in one piece.

use crate::model::resources::Bytes;

/// The max size of a command or a script in bytes.
pub const MOST: usize = 64 * 1024;

/// Checks a text. `what` names it in the error.
pub fn check(text: &str, what: &str) -> Result<(), String> {
    if text.contains('\0') {
        return Err(format!("{what} contains a NUL byte. Remove it"));
    }
    if text.len() > MOST {
        return Err(format!(
            "{what} is too long: {} (max: {}). Store it in a folder and run it from there",
            Bytes(text.len() as u64),
            Bytes(MOST as u64),
        ));
    }
    Ok(())
}
