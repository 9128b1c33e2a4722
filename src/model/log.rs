//! Log lines of a session.

use serde::{Deserialize, Serialize};

use super::id::KernelId;

/// Stands, with a line end, where a line goes on that could not wait for its end: engines keep whole lines only, and
/// a progress bar ends none. A terminal shows nothing of it. Who reads a log joins such lines again.
pub const UNFINISHED: &[u8] = b"\x1b_workbay:unfinished\x1b\\\n";

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogSource {
    Stdout,
    Stderr,
}

/// What of a log is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogOptions {
    /// Go on with new lines until the session ends or the stream is closed.
    pub follow: bool,
    /// Only the last so many lines first; `None` = all.
    pub tail: Option<u32>,
    /// Whose log; `None` = the main kernel's.
    #[serde(default)]
    pub kernel: Option<KernelId>,
}
