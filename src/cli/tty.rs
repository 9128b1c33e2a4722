//! Whether the command runs in a terminal and can ask for confirmation there, and the terminal's size.

use std::{
    io::{self, IsTerminal},
    sync::atomic::{AtomicBool, Ordering},
};

use rustix::termios;

use super::{fail::Fail, output};

/// Set by the plain mode in the environment of the commands that it runs: questions are answered where the output is read.
pub const ANSWERS: &str = "WORKBAY_ANSWERS";

/// Whether `--plain` is on the command line.
static PLAIN: AtomicBool = AtomicBool::new(false);

/// From now on, the output has no sequences that move the cursor or color text.
pub fn be_plain() {
    PLAIN.store(true, Ordering::Relaxed);
}

/// Whether nothing may be printed but lines of text: `--plain`, or a terminal that knows nothing else.
pub fn is_plain() -> bool {
    PLAIN.load(Ordering::Relaxed) || dumb_terminal().is_some()
}

/// Why the terminal can't move its cursor, as far as `TERM` says so.
pub fn dumb_terminal() -> Option<&'static str> {
    match std::env::var_os("TERM") {
        None => Some(tr!("TERM isn't set")),
        Some(term) if term.is_empty() => Some(tr!("TERM isn't set")),
        Some(term) if term == "dumb" => Some(tr!("TERM is dumb")),
        Some(_) => None,
    }
}

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
    if yes || is_interactive() || std::env::var_os(ANSWERS).is_some() {
        return Ok(());
    }
    let fail = Fail::usage(tr!(
        "`{command}` asks for confirmation, but stdin isn't a terminal",
        command
    ));
    Err(fail.hint(tr!("add --yes to skip the confirmation")))
}

/// Reads the line that answers a question. It takes no byte after the line, because another program may read the rest.
pub fn answer() -> Result<String, Fail> {
    let mut line = Vec::new();
    let mut byte = [0];
    loop {
        match rustix::io::read(io::stdin(), &mut byte) {
            Ok(0) => {
                if line.is_empty() && io::stderr().is_terminal() {
                    // Ctrl-D leaves the cursor behind the question.
                    output::remark("");
                }
                break;
            }
            Ok(_) if byte[0] == b'\n' => break,
            Ok(_) => line.push(byte[0]),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(io::Error::from(error).into()),
        }
    }
    Ok(String::from_utf8_lossy(&line).trim().to_owned())
}

/// Whether the answer to a question is yes.
pub fn is_agreed() -> Result<bool, Fail> {
    let answer = answer()?.to_lowercase();
    Ok(matches!(answer.as_str(), "y" | "yes"))
}
