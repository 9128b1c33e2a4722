//! What a person copied in tmux: its digest is left in tmux, so that a face can tell it from what programs
//! write to the clipboard. The text itself stays where it is.

use std::{
    io::{self, Read as _},
    process::ExitCode,
};

use super::{complain, tmux::Tmux};
use crate::model::{digest, inside};

/// More than any history holds.
const LONGEST: u64 = 64 * 1024 * 1024;

/// Reads the text as tmux's `copy-command`.
pub(super) fn run() -> ExitCode {
    let mut text = Vec::new();
    let read = io::stdin().lock().take(LONGEST).read_to_end(&mut text);
    let told = read.and_then(|_| Tmux::new()).map(|tmux| {
        let digest = digest::of(&text);
        tmux.quietly(&["set-option", "-g", inside::COPIED, &digest])
    });
    match told {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            complain(&format!("what was copied could not be told: {error}"));
            ExitCode::FAILURE
        }
    }
}
