//! Writes workbay's own lines to the session's log.

use std::io::Write as _;

use crate::model::inside::OWN_LINE;

pub(super) fn announce(line: &str) {
    let mut out = std::io::stdout();
    // A session keeps running even if its log can't be written.
    let _ = writeln!(out, "{OWN_LINE}{line}").and_then(|()| out.flush());
}
