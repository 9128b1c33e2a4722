//! Errors of the system as failures with a fix.

use std::{fmt, io};

use rustix::io::Errno;

use crate::model::{failure::Failure, text::io_reason};

/// The fix for a full disk or quota.
pub(super) const FULL: &str = tr_sent!("delete files that you don't need, or use another folder");

/// What was done with a file. Each has texts of its own, because a verb alone can't be translated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verb {
    Changed,
    Continued,
    Copied,
    Created,
    Deleted,
    Measured,
    Moved,
    Opened,
    Read,
    Renamed,
    Stored,
    Written,
}

impl Verb {
    /// `'data/x' can't be written: permission denied`.
    pub(super) fn cannot(self, path: impl fmt::Display, why: impl fmt::Display) -> String {
        match self {
            Self::Changed => tr_sent!("'{path}' can't be changed: {why}", path, why),
            Self::Continued => tr_sent!("'{path}' can't be continued: {why}", path, why),
            Self::Copied => tr_sent!("'{path}' can't be copied: {why}", path, why),
            Self::Created => tr_sent!("'{path}' can't be created: {why}", path, why),
            Self::Deleted => tr_sent!("'{path}' can't be deleted: {why}", path, why),
            Self::Measured => tr_sent!("'{path}' can't be measured: {why}", path, why),
            Self::Moved => tr_sent!("'{path}' can't be moved: {why}", path, why),
            Self::Opened => tr_sent!("'{path}' can't be opened: {why}", path, why),
            Self::Read => tr_sent!("'{path}' can't be read: {why}", path, why),
            Self::Renamed => tr_sent!("'{path}' can't be renamed: {why}", path, why),
            Self::Stored => tr_sent!("'{path}' can't be stored: {why}", path, why),
            Self::Written => tr_sent!("'{path}' can't be written: {why}", path, why),
        }
    }

    /// The end of a sentence about what has no path.
    pub(super) fn cannot_be(self) -> &'static str {
        match self {
            Self::Changed => tr_sent!("can't be changed"),
            Self::Continued => tr_sent!("can't be continued"),
            Self::Copied => tr_sent!("can't be copied"),
            Self::Created => tr_sent!("can't be created"),
            Self::Deleted => tr_sent!("can't be deleted"),
            Self::Measured => tr_sent!("can't be measured"),
            Self::Moved => tr_sent!("can't be moved"),
            Self::Opened => tr_sent!("can't be opened"),
            Self::Read => tr_sent!("can't be read"),
            Self::Renamed => tr_sent!("can't be renamed"),
            Self::Stored => tr_sent!("can't be stored"),
            Self::Written => tr_sent!("can't be written"),
        }
    }
}

/// `'data/x' can't be written: permission denied`.
pub(super) fn failed(path: impl fmt::Display, what: Verb, error: Errno) -> Failure {
    match error {
        Errno::NOENT => Failure::not_found(tr_sent!("'{path}' not found", path))
            .hint(tr_sent!("list the directory above it to see its contents")),
        Errno::EXIST => Failure::refused(tr_sent!("'{path}' already exists", path))
            .hint(tr_sent!("choose another name")),
        _ => {
            let (why, fix) = reason(error);
            Failure::refused(what.cannot(path, why)).hint(fix)
        }
    }
}

/// The same for an error of the standard library.
pub(super) fn failed_io(path: impl fmt::Display, what: Verb, error: &io::Error) -> Failure {
    match error.raw_os_error() {
        Some(number) => failed(path, what, Errno::from_raw_os_error(number)),
        None => Failure::refused(what.cannot(path, error))
            .hint(tr_sent!("check the permissions and the free space")),
    }
}

/// Whether the file system or the quota is full.
pub(super) fn is_full(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
    )
}

fn reason(error: Errno) -> (String, &'static str) {
    let (why, fix) = match error {
        Errno::ACCESS | Errno::PERM => (
            tr_sent!("permission denied"),
            tr_sent!("check the permissions and the owner of the file and its directory"),
        ),
        Errno::LOOP | Errno::XDEV => (
            tr_sent!("the path leads through a link or to another file system"),
            tr_sent!("use the path without links"),
        ),
        Errno::NOTDIR => (
            tr_sent!("a part of the path is a link or a file"),
            tr_sent!("list the directory above it to see its contents"),
        ),
        Errno::ISDIR => (
            tr_sent!("it is a directory"),
            tr_sent!("choose another name"),
        ),
        Errno::NOTEMPTY => (
            tr_sent!("a directory of this name isn't empty"),
            tr_sent!("choose another name, or delete that directory first"),
        ),
        Errno::NOSPC => (tr_sent!("no space is left"), FULL),
        Errno::DQUOT => (
            tr_sent!("the quota is reached"),
            tr_sent!(
                "delete files that you don't need, use another folder, or change the quota with \
             `workbay folder quota`"
            ),
        ),
        Errno::ROFS => (
            tr_sent!("the file system is read-only"),
            tr_sent!("use a folder that you may write to"),
        ),
        Errno::NAMETOOLONG => (
            tr_sent!("the name is too long"),
            tr_sent!("use a shorter name (max 255 bytes)"),
        ),
        Errno::BUSY => (
            tr_sent!("it is in use, for example as a mount"),
            tr_sent!("terminate the session that uses it"),
        ),
        Errno::INVAL => (
            tr_sent!("the file system doesn't allow it"),
            tr_sent!("check that a directory isn't moved into itself"),
        ),
        other => {
            return (
                io_reason(&io::Error::from(other)).to_lowercase(),
                tr_sent!("check the file system of this directory"),
            );
        }
    };
    (why.to_owned(), fix)
}
