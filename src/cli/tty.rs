//! The calling terminal: whether it is one, its size, and raw mode for `exec`.

use std::io::{self, IsTerminal};

use rustix::termios::{self, OptionalActions, Termios};

use super::fail::Fail;

/// Whether a person sits at both ends.
pub fn is_interactive() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// Columns and rows of the terminal on stdout.
pub fn size() -> Option<(u16, u16)> {
    let size = termios::tcgetwinsize(io::stdout()).ok()?;
    (size.ws_col > 0 && size.ws_row > 0).then_some((size.ws_col, size.ws_row))
}

/// Every key goes to the program at the other end until this is dropped.
pub struct Raw {
    before: Termios,
}

impl Raw {
    pub fn enter() -> Result<Self, Fail> {
        let before = termios::tcgetattr(io::stdin()).map_err(io::Error::from)?;
        let mut raw = before.clone();
        raw.make_raw();
        termios::tcsetattr(io::stdin(), OptionalActions::Now, &raw).map_err(io::Error::from)?;
        Ok(Self { before })
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        // The terminal may be gone; then there is nothing to restore.
        let _ = termios::tcsetattr(io::stdin(), OptionalActions::Now, &self.before);
    }
}
