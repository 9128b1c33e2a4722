//! Whether the command runs in a terminal and can ask for confirmation there, and the terminal's size.

use std::io::{self, IsTerminal};

use rustix::termios;

use super::fail::Fail;

/// Whether stdin and stdout are terminals.
pub fn is_interactive() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// Columns and rows of the terminal on stdout.
pub fn size() -> Option<(u16, u16)> {
    let size = termios::tcgetwinsize(io::stdout()).ok()?;
    (size.ws_col > 0 && size.ws_row > 0).then_some((size.ws_col, size.ws_row))
}

/// Fails if nobody can confirm: a script must pass an option instead.
pub fn require_for_confirmation(command: &str, yes: bool) -> Result<(), Fail> {
    if yes || is_interactive() {
        return Ok(());
    }
    let fail = Fail::usage(format!(
        "`{command}` asks for confirmation, but stdin isn't a terminal"
    ));
    Err(fail.hint("add --yes to skip the confirmation"))
}
