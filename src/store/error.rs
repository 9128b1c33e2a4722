//! What can go wrong with the store, each a sentence that names the file and the way out.

use std::{
    fmt::Display,
    path::{Path, PathBuf},
};

use rusqlite::ErrorCode;
use thiserror::Error;

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum StoreError {
    #[error(
        "the disk is full, {} cannot be written: free some room there and try again",
        .0.display()
    )]
    Full(PathBuf),
    #[error("{} is broken ({why}): restart the daemon, it begins a new file and keeps this one", .path.display())]
    Corrupt { path: PathBuf, why: String },
    #[error("{} cannot be written: check who owns it and its directory, or set WORKBAY_STATE_DIR", .0.display())]
    Forbidden(PathBuf),
    #[error(
        "{} was written by a newer workbay (layout {found}, this one knows {known}): update \
         workbay, or set WORKBAY_STATE_DIR to another directory", .path.display()
    )]
    Newer {
        path: PathBuf,
        found: usize,
        known: usize,
    },
    #[error("{} cannot be used: {why}", .path.display())]
    Other { path: PathBuf, why: String },
    #[error("the store is closed: the daemon is ending")]
    Closed,
}

impl StoreError {
    pub(super) fn other(path: &Path, why: &dyn Display) -> Self {
        Self::Other {
            path: path.to_path_buf(),
            why: why.to_string(),
        }
    }

    /// What SQLite said about this file.
    pub(super) fn sqlite(path: &Path, error: &rusqlite::Error) -> Self {
        let path = path.to_path_buf();
        if let rusqlite::Error::FromSqlConversionFailure(..) = error {
            let why = error.to_string();
            return Self::Corrupt { path, why };
        }
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Self::Full(path),
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::Corrupt {
                path,
                why: error.to_string(),
            },
            Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
                Self::Forbidden(path)
            }
            _ => Self::Other {
                path,
                why: error.to_string(),
            },
        }
    }

    pub(super) fn is_corrupt(&self) -> bool {
        matches!(self, Self::Corrupt { .. })
    }
}
