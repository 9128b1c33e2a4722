//! Where a value comes from: the system-wide file, the user's file or another source.

use std::{fmt, path::PathBuf};

/// The paths of the layers.
#[derive(Clone, Debug)]
pub struct Places {
    pub site: PathBuf,
    pub user: PathBuf,
}

/// What set an effective value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    Default,
    /// The system-wide file, with the position.
    Site {
        file: PathBuf,
        line: usize,
        column: usize,
    },
    /// The user's file, with the position.
    User {
        file: PathBuf,
        line: usize,
        column: usize,
    },
    /// An environment variable.
    Environment {
        variable: &'static str,
    },
    /// A command-line option.
    Flag {
        option: &'static str,
    },
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str(tr_in!("origin", "default")),
            Self::Site { file, line, .. } => {
                f.write_str(&tr!("site, {file}:{line}", file = file.display(), line))
            }
            Self::User { file, line, .. } => {
                f.write_str(&tr!("user, {file}:{line}", file = file.display(), line))
            }
            Self::Environment { variable } => {
                f.write_str(&tr!("environment, {variable}", variable))
            }
            Self::Flag { option } => f.write_str(&tr!("option {option}", option)),
        }
    }
}

impl Origin {
    /// `default`, `site`, `user`, `environment`, `flag`.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Site { .. } => "site",
            Self::User { .. } => "user",
            Self::Environment { .. } => "environment",
            Self::Flag { .. } => "flag",
        }
    }
}
