//! A problem in a configuration file, with its place and the fix.

use std::{fmt, path::PathBuf};

/// One problem in a file that a user wrote. Printed as `file:line:column: message (help)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub file: PathBuf,
    /// Counted from 1; 0 = the file as a whole.
    pub line: usize,
    pub column: usize,
    pub message: String,
    /// "did you mean …", or another fix.
    pub help: Option<String>,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if self.line > 0 {
            write!(f, ":{}:{}", self.line, self.column)?;
        }
        write!(f, ": {}", self.message)?;
        if let Some(help) = &self.help {
            write!(f, " ({help})")?;
        }
        Ok(())
    }
}
