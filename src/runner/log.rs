//! Words of ours in the session's log.

use std::io::Write as _;

pub(super) fn announce(line: &str) {
    let mut out = std::io::stdout();
    // A log that cannot be written is no reason to end a session.
    let _ = writeln!(out, "workbay: {line}").and_then(|()| out.flush());
}
