//! Log lines of a session.

use serde::{Deserialize, Serialize};

use super::id::KernelId;

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
