//! A stop hook: what runs in a session before it is terminated.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::span::Span;

/// A command to run, files to save, or both, with a time limit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct StopHook {
    /// A shell runs it in the home directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Paths in the session. A relative path is below `/home/work`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub save: Vec<String>,
    /// The mounted folder to save them in; `None` = on this machine, below the data directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// The time limit for the command and the files together.
    pub timeout: Span,
}

impl Default for StopHook {
    fn default() -> Self {
        Self {
            command: None,
            save: Vec::new(),
            folder: None,
            timeout: Self::USUAL,
        }
    }
}

impl StopHook {
    pub const USUAL: Span = Span(60);
    pub const MOST: Span = Span(10 * 60);

    /// Whether it has nothing to do.
    pub fn is_empty(&self) -> bool {
        self.command.is_none() && self.save.is_empty()
    }
}

impl fmt::Display for StopHook {
    /// Prints it in one line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        let command = self.command.as_deref();
        parts.extend(command.and_then(|it| it.lines().next()).map(str::to_owned));
        if !self.save.is_empty() {
            let place = self.folder.as_deref().unwrap_or(tr!("this machine"));
            parts.push(tr!(
                "saves {paths} to {place}",
                paths = self.save.join(", "),
                place
            ));
        }
        parts.push(tr!("max {timeout}", timeout = self.timeout));
        f.write_str(&parts.join("; "))
    }
}
