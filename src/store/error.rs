//! The errors of the store. Each message names the file and the fix.

use std::{
    fmt::{self, Display},
    io,
    path::{Path, PathBuf},
};

use rusqlite::ErrorCode;
use rustix::{
    fs::{Access, Mode, OFlags, StatVfsMountFlags, access, open, statvfs},
    io::Errno,
};

use super::unwritable::is_of_a_row;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreError {
    Full(PathBuf),
    ReadOnly(PathBuf),
    Corrupt {
        path: PathBuf,
        why: String,
    },
    Forbidden(PathBuf),
    Failing {
        path: PathBuf,
        why: String,
    },
    Newer {
        path: PathBuf,
        found: usize,
        known: usize,
    },
    Busy {
        path: PathBuf,
        why: String,
    },
    Row {
        path: PathBuf,
        why: String,
    },
    Other {
        path: PathBuf,
        why: String,
    },
    Closed,
}

impl std::error::Error for StoreError {}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&match self {
            Self::Full(path) => tr_sent!(
                "the disk is full: {path} can't be written. Free some space. Sessions can still be terminated, and workbay retries automatically",
                path = path.display()
            ),
            Self::ReadOnly(path) => tr_sent!(
                "{path} is on a file system that is now read-only. Make it writable. workbay retries automatically",
                path = path.display()
            ),
            Self::Corrupt { path, why } => tr_sent!(
                "{path} is damaged ({why}). Run `workbay daemon stop`. The next command recreates the file and keeps a copy of this one",
                path = path.display(),
                why
            ),
            Self::Forbidden(path) => tr_sent!(
                "{path} can't be written. Check the owner of the file and its directory, or set WORKBAY_STATE_DIR to another directory",
                path = path.display()
            ),
            Self::Failing { path, why } => tr_sent!(
                "{path} can't be read or written ({why}). Check its disk with `dmesg`",
                path = path.display(),
                why
            ),
            Self::Newer { path, found, known } => tr_sent!(
                "{path} was written by a newer workbay (layout {found}, supported: {known}). Update workbay, or set WORKBAY_STATE_DIR to another directory",
                path = path.display(),
                found,
                known
            ),
            Self::Busy { path, why } => tr_sent!(
                "{path} is in use by another program ({why}). Close that program, then try again",
                path = path.display(),
                why
            ),
            Self::Row { path, why } => tr_sent!(
                "a row of {path} can't be written ({why}). Report this error with daemon.log",
                path = path.display(),
                why
            ),
            Self::Other { path, why } => {
                tr_sent!("{path} can't be used: {why}", path = path.display(), why)
            }
            Self::Closed => {
                tr_sent!("the state database is closed, because the daemon is stopping").to_owned()
            }
        })
    }
}

impl StoreError {
    pub(super) fn other(path: &Path, why: &dyn Display) -> Self {
        Self::Other {
            path: path.to_path_buf(),
            why: why.to_string(),
        }
    }

    pub(super) fn corrupt(path: &Path, why: &dyn Display) -> Self {
        Self::Corrupt {
            path: path.to_path_buf(),
            why: why.to_string(),
        }
    }

    /// Converts an SQLite error from reading a file of ours. An error that isn't caused by the file system or another
    /// program means that the file is damaged.
    pub(super) fn broken(path: &Path, error: &rusqlite::Error) -> Self {
        match Self::sqlite(path, error) {
            Self::Other { path, why } | Self::Row { path, why } => Self::Corrupt { path, why },
            other => other,
        }
    }

    /// Whether a new file helps, because this one can't be opened, understood or read.
    pub(super) fn is_of_the_file(&self) -> bool {
        matches!(
            self,
            Self::Corrupt { .. } | Self::Failing { .. } | Self::Other { .. } | Self::Row { .. }
        )
    }

    /// Whether a single row can't be written. A retry doesn't help, but the other rows can be written.
    pub fn is_of_a_row(&self) -> bool {
        matches!(self, Self::Row { .. })
    }

    /// Converts a system error about a file of the store.
    pub(super) fn io(path: &Path, error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                Self::Full(path.to_path_buf())
            }
            io::ErrorKind::ReadOnlyFilesystem => Self::ReadOnly(path.to_path_buf()),
            io::ErrorKind::PermissionDenied => Self::Forbidden(path.to_path_buf()),
            _ => Self::other(path, error),
        }
    }

    /// Converts an SQLite error about this file. Some SQLite errors fit several faults. For those, the file system is
    /// checked.
    pub(super) fn sqlite(path: &Path, error: &rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Self::Full(path.to_path_buf()),
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                Self::corrupt(path, error)
            }
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy {
                path: path.to_path_buf(),
                why: error.to_string(),
            },
            _ if is_of_schema(error) => Self::corrupt(path, error),
            // The file and its directory are writable, so a damaged header makes the file read-only.
            Some(ErrorCode::ReadOnly) if of_its_place(path).is_none() && may_be_written(path) => {
                Self::corrupt(path, error)
            }
            Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
                of_its_place(path).unwrap_or_else(|| Self::Forbidden(path.to_path_buf()))
            }
            Some(ErrorCode::SystemIoFailure) => {
                of_its_place(path).unwrap_or_else(|| Self::Failing {
                    path: path.to_path_buf(),
                    why: error.to_string(),
                })
            }
            _ if is_of_a_row(error) => Self::Row {
                path: path.to_path_buf(),
                why: error.to_string(),
            },
            _ => Self::other(path, error),
        }
    }
}

fn may_be_written(path: &Path) -> bool {
    let directory = path.parent().unwrap_or(path);
    [path, directory]
        .iter()
        .all(|it| access(*it, Access::WRITE_OK).is_ok())
}

/// Whether a statement of ours doesn't match the tables, which means that their definition was damaged.
fn is_of_schema(error: &rusqlite::Error) -> bool {
    let text = error.to_string();
    let words = ["no such column", "no such table", "has no column named"];
    words.iter().any(|words| text.contains(words))
}

/// Whether the directory is read-only. A file system that the kernel made read-only after a disk fault may lack the
/// read-only flag. A file without a name tests it and leaves nothing behind.
fn takes_nothing(dir: &Path) -> bool {
    let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
    matches!(open(dir, flags, Mode::RUSR | Mode::WUSR), Err(Errno::ROFS))
}

/// Returns what is wrong with the file system that the file is on.
fn of_its_place(path: &Path) -> Option<StoreError> {
    let dir = path.parent()?;
    let facts = statvfs(dir).ok()?;
    if facts.f_flag.contains(StatVfsMountFlags::RDONLY) || takes_nothing(dir) {
        return Some(StoreError::ReadOnly(path.to_path_buf()));
    }
    (facts.f_bavail == 0).then(|| StoreError::Full(path.to_path_buf()))
}
