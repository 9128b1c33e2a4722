//! How a command fails: a sentence, a fix, an exit code.

use std::io;

use crate::{
    client::{ClientError, language},
    model::{failure::Failure, selector::SelectError, text::Clean},
};

/// Exit codes, which are the same for every command.
pub mod code {
    pub const FAILED: u8 = 1;
    pub const USAGE: u8 = 2;
    pub const NOT_FOUND: u8 = 3;
    pub const UNREACHABLE: u8 = 5;
    pub const TIMEOUT: u8 = 124;
    /// A session ended other than by its command.
    pub const ENDED: u8 = 125;
    /// Ctrl-C, with the code that shells use.
    pub const INTERRUPTED: u8 = 130;
    /// Stdout is closed, with the code that shells use.
    pub const CLOSED: u8 = 141;
}

/// How a command failed: its exit code, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fail {
    pub code: u8,
    /// `None` = everything was printed already, or the output is closed.
    pub failure: Option<Failure>,
}

pub type Outcome = Result<u8, Fail>;

impl Fail {
    pub fn new(code: u8, message: impl Into<Clean>) -> Self {
        Self {
            code,
            failure: Some(Failure::refused(message)),
        }
    }

    pub fn usage(message: impl Into<Clean>) -> Self {
        Self::new(code::USAGE, message)
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<Clean>) -> Self {
        self.failure = self.failure.map(|failure| failure.hint(hint));
        self
    }

    /// What happened, and why.
    pub fn message(&self) -> Option<Clean> {
        self.failure.as_ref().map(Failure::message)
    }

    /// Only an exit code.
    pub fn silent(code: u8) -> Self {
        Self {
            code,
            failure: None,
        }
    }
}

impl From<Failure> for Fail {
    fn from(failure: Failure) -> Self {
        Self {
            code: failure.kind.exit_code(),
            // That of the daemon is translated already, but not that of work on files in this process.
            failure: Some(language::failure(failure)),
        }
    }
}

impl From<ClientError> for Fail {
    fn from(error: ClientError) -> Self {
        error.into_failure().into()
    }
}

impl From<SelectError> for Fail {
    fn from(error: SelectError) -> Self {
        let code = match error {
            SelectError::NotFound(_) | SelectError::Elsewhere { .. } => code::NOT_FOUND,
            SelectError::Ambiguous { .. } => code::USAGE,
        };
        Self::new(code, error.to_string())
    }
}

impl From<io::Error> for Fail {
    /// An error of the standard streams. A closed pipe (`| head`) is reported as for other programs, which a signal
    /// ends: only by the exit code.
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self::silent(code::CLOSED);
        }
        Self::new(
            code::FAILED,
            tr!("reading or writing failed: {error}", error),
        )
    }
}

impl From<serde_json::Error> for Fail {
    fn from(error: serde_json::Error) -> Self {
        Self::new(
            code::FAILED,
            tr!("can't be written as JSON: {error}", error),
        )
    }
}

impl From<color_eyre::Report> for Fail {
    fn from(report: color_eyre::Report) -> Self {
        Self::new(code::FAILED, format!("{report:#}"))
    }
}
