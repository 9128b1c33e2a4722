//! Checks commands and scripts, which are sent to the engine in one piece.

use crate::model::resources::Bytes;

/// The max size of a command or a script in bytes.
pub const MOST: usize = 64 * 1024;

/// Checks a text. `what` names it in the error.
pub fn check(text: &str, what: &str) -> Result<(), String> {
    if text.contains('\0') {
        return Err(tr!("{what} contains a NUL byte. Remove it", what));
    }
    if text.len() > MOST {
        return Err(tr!(
            "{what} is too long: {size} (max: {most}). Store it in a folder and run it from there",
            what,
            size = Bytes(text.len() as u64),
            most = Bytes(MOST as u64)
        ));
    }
    Ok(())
}
