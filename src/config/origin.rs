//! Where a value comes from: the files of the site and the person, and what else may set one.

use std::{fmt, path::PathBuf};

/// Where layers are looked for.
#[derive(Clone, Debug)]
pub struct Places {
    pub site: PathBuf,
    pub user: PathBuf,
}

/// What a value in force was set by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    Default,
    /// The site's file, with the line.
    Site {
        file: PathBuf,
        line: usize,
        column: usize,
    },
    /// The person's file, with the line.
    User {
        file: PathBuf,
        line: usize,
        column: usize,
    },
    /// An environment variable.
    Environment {
        variable: &'static str,
    },
    /// An option of the command line.
    Flag {
        option: &'static str,
    },
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::Site { file, line, .. } => write!(f, "site, {}:{line}", file.display()),
            Self::User { file, line, .. } => write!(f, "user, {}:{line}", file.display()),
            Self::Environment { variable } => write!(f, "environment, {variable}"),
            Self::Flag { option } => write!(f, "option {option}"),
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
