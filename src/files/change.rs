//! Changes of single entries.

use std::{ffi::OsStr, os::fd::OwnedFd};

use jiff::Timestamp;
use rustix::{
    fs::{
        AtFlags, Mode, OFlags, RenameFlags, Timespec, Timestamps, UTIME_OMIT, chownat, fchmod,
        futimens, linkat, mkdirat, openat, renameat_with, symlinkat, unlinkat,
    },
    io::Errno,
};

use super::{
    Result,
    error::{Verb, failed},
    read,
    root::{Root, directory_in},
};
use crate::model::{failure::Failure, files::FilePath};

/// The permissions of what is created.
pub(super) const NEW_FILE: u32 = 0o644;
const NEW_DIRECTORY: u32 = 0o755;
/// The permission bits that can be set. The others would give rights to programs.
pub(super) const BITS: u32 = 0o1777;

/// In nanoseconds.
const SECOND: i128 = 1_000_000_000;

pub(super) fn directory(root: &Root, path: &FilePath) -> Result<()> {
    let fail = |error| failed(path, Verb::Created, error);
    let (dir, name) = root.parent(path, Verb::Created)?;
    mkdirat(&dir, name.as_c_str(), Mode::from_raw_mode(0o700)).map_err(fail)?;
    let set_up = directory_in(&dir, &name).and_then(|made| {
        root.give(&made)?;
        fchmod(&made, Mode::from_raw_mode(NEW_DIRECTORY))
    });
    set_up.map_err(|error| {
        let _ = unlinkat(&dir, name.as_c_str(), AtFlags::REMOVEDIR);
        fail(error)
    })
}

pub(super) fn file(root: &Root, path: &FilePath) -> Result<()> {
    let fail = |error| failed(path, Verb::Created, error);
    let (dir, name) = root.parent(path, Verb::Created)?;
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let made = openat(&dir, name.as_c_str(), flags, Mode::from_raw_mode(0o600)).map_err(fail)?;
    let set_up = root
        .give(&made)
        .and_then(|()| fchmod(&made, Mode::from_raw_mode(NEW_FILE)));
    set_up.map_err(|error| {
        let _ = unlinkat(&dir, name.as_c_str(), AtFlags::empty());
        fail(error)
    })
}

pub(super) fn link(root: &Root, path: &FilePath, target: &OsStr) -> Result<()> {
    let fail = |error| failed(path, Verb::Created, error);
    let (dir, name) = root.parent(path, Verb::Created)?;
    link_in(root, target, &dir, &name).map_err(fail)
}

pub(super) fn link_in(
    root: &Root,
    target: impl rustix::path::Arg,
    dir: &OwnedFd,
    name: &std::ffi::CStr,
) -> rustix::io::Result<()> {
    symlinkat(target, dir, name)?;
    match root.owner() {
        Some((uid, gid)) => chownat(dir, name, Some(uid), Some(gid), AtFlags::SYMLINK_NOFOLLOW),
        None => Ok(()),
    }
}

pub(super) fn rename(root: &Root, from: &FilePath, to: &FilePath) -> Result<()> {
    if to != from && to.is_within(from) {
        return Err(
            Failure::refused(tr_sent!("'{from}' can't be moved into itself", from))
                .hint(tr_sent!("choose another directory")),
        );
    }
    let (from_dir, from_name) = root.parent(from, Verb::Renamed)?;
    let (to_dir, to_name) = root.parent(to, Verb::Created)?;
    rename_in(&from_dir, &from_name, &to_dir, &to_name, false).map_err(|error| match error {
        Errno::EXIST => failed(to, Verb::Created, error),
        Errno::XDEV => Failure::refused(tr_sent!(
            "'{from}' can't be renamed: '{to}' is on another file system",
            from,
            to
        ))
        .hint(tr_sent!("move it instead, which copies it")),
        error => failed(from, Verb::Renamed, error),
    })
}

/// Renames an entry. Without `replace`, fails with `EXIST` if the name is taken.
pub(super) fn rename_in(
    from: &OwnedFd,
    from_name: &std::ffi::CStr,
    to: &OwnedFd,
    to_name: &std::ffi::CStr,
    replace: bool,
) -> rustix::io::Result<()> {
    let flags = if replace {
        RenameFlags::empty()
    } else {
        RenameFlags::NOREPLACE
    };
    match renameat_with(from, from_name, to, to_name, flags) {
        // The file system doesn't know the flag. A file gets its new name as a second one, which never replaces.
        Err(Errno::INVAL | Errno::NOSYS) if !replace => {
            match linkat(from, from_name, to, to_name, AtFlags::empty()) {
                Ok(()) => unlinkat(from, from_name, AtFlags::empty()),
                Err(Errno::PERM) => Err(Errno::INVAL),
                Err(error) => Err(error),
            }
        }
        other => other,
    }
}

pub(super) fn attributes(
    root: &Root,
    path: &FilePath,
    mode: Option<u32>,
    modified: Option<Timestamp>,
) -> Result<()> {
    let fail = |error| failed(path, Verb::Changed, error);
    let opened = match root.directory(path) {
        Err(Errno::NOTDIR) => {
            let (dir, name) = root.parent(path, Verb::Changed)?;
            read::plain(&dir, &name, path, Verb::Changed)?.0
        }
        other => other.map_err(fail)?,
    };
    if let Some(mode) = mode {
        fchmod(&opened, Mode::from_raw_mode(mode & BITS)).map_err(fail)?;
    }
    if let Some(modified) = modified {
        futimens(&opened, &changed_at(modified)).map_err(fail)?;
    }
    Ok(())
}

/// Sets the time of the last change.
pub(super) fn changed_at(modified: Timestamp) -> Timestamps {
    // The fraction of a time before 1970 counts forward, too.
    let all = modified.as_nanosecond();
    let whole = i64::try_from(all.div_euclid(SECOND)).unwrap_or(i64::MAX);
    let rest = i64::try_from(all.rem_euclid(SECOND)).unwrap_or(0);
    times(whole, rest)
}

/// Sets the time of the last change, and leaves the time of the last access.
pub(super) fn times(seconds: i64, nanoseconds: i64) -> Timestamps {
    Timestamps {
        last_access: Timespec {
            tv_sec: 0,
            tv_nsec: UTIME_OMIT,
        },
        last_modification: Timespec {
            tv_sec: seconds,
            tv_nsec: nanoseconds,
        },
    }
}
