//! Errors of the system as failures with a fix.

use std::{fmt, io};

use rustix::io::Errno;

use crate::model::failure::Failure;

/// The fix for a full disk or quota.
pub(super) const FULL: &str = "delete files that you don't need, or use another folder";

/// `'data/x' can't be written: permission denied`. `what` is the verb.
pub(super) fn failed(path: impl fmt::Display, what: &str, error: Errno) -> Failure {
    match error {
        Errno::NOENT => Failure::not_found(format!("'{path}' not found"))
            .hint("list the directory above it to see its contents"),
        Errno::EXIST => {
            Failure::refused(format!("'{path}' already exists")).hint("choose another name")
        }
        _ => {
            let (why, fix) = reason(error);
            Failure::refused(format!("'{path}' can't be {what}: {why}")).hint(fix)
        }
    }
}

/// The same for an error of the standard library.
pub(super) fn failed_io(path: impl fmt::Display, what: &str, error: &io::Error) -> Failure {
    match error.raw_os_error() {
        Some(number) => failed(path, what, Errno::from_raw_os_error(number)),
        None => Failure::refused(format!("'{path}' can't be {what}: {error}"))
            .hint("check the permissions and the free space"),
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
            "permission denied",
            "check the permissions and the owner of the file and its directory",
        ),
        Errno::LOOP | Errno::XDEV => (
            "the path leads through a link or to another file system",
            "use the path without links",
        ),
        Errno::NOTDIR => (
            "a part of the path is a link or a file",
            "list the directory above it to see its contents",
        ),
        Errno::ISDIR => ("it is a directory", "choose another name"),
        Errno::NOTEMPTY => (
            "a directory of this name isn't empty",
            "choose another name, or delete that directory first",
        ),
        Errno::NOSPC => ("no space is left", FULL),
        Errno::DQUOT => (
            "the quota is reached",
            "delete files that you don't need, use another folder, or change the quota with \
             `workbay folder quota`",
        ),
        Errno::ROFS => (
            "the file system is read-only",
            "use a folder that you may write to",
        ),
        Errno::NAMETOOLONG => ("the name is too long", "use a shorter name (max 255 bytes)"),
        Errno::BUSY => (
            "it is in use, for example as a mount",
            "terminate the session that uses it",
        ),
        Errno::INVAL => (
            "the file system doesn't allow it",
            "check that a directory isn't moved into itself",
        ),
        other => {
            let text = io::Error::from(other).to_string();
            let end = text.find(" (os error").unwrap_or(text.len());
            return (
                text[..end].to_lowercase(),
                "check the file system of this directory",
            );
        }
    };
    (why.to_owned(), fix)
}
