//! Requests that name a path. Relative paths begin in the directory where the service was started.

use std::{
    fs,
    io::{self, ErrorKind},
    os::unix::fs::{DirBuilderExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
};

use russh_sftp::protocol::{Attrs, File, FileAttributes, Name, Packet, StatusCode};
use rustix::{
    fs::{AtFlags, CWD, RenameFlags},
    io::Errno,
};

use super::{
    attributes,
    status::{self, Refusal},
};

pub(super) type Outcome = Result<Packet, Refusal>;

/// The path that a client names. An empty one is the directory where the service was started.
pub(super) fn path(text: &str) -> &Path {
    Path::new(if text.is_empty() { "." } else { text })
}

pub(super) fn attributes(id: u32, name: &str, follow: bool) -> Outcome {
    let found = if follow {
        fs::metadata(path(name))
    } else {
        fs::symlink_metadata(path(name))
    };
    let attrs = attributes::of(&found?);
    Ok(Packet::Attrs(Attrs { id, attrs }))
}

pub(super) fn change(id: u32, name: &str, asked: &FileAttributes) -> Outcome {
    let path = path(name);
    if let Some(size) = asked.size {
        let file = fs::OpenOptions::new().write(true).open(path)?;
        file.set_len(size)?;
    }
    if let Some(mode) = attributes::mode(asked) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode))?;
    }
    if let Some(times) = attributes::times(asked) {
        rustix::fs::utimensat(CWD, path, &times, AtFlags::empty())?;
    }
    if let (Some(user), Some(group)) = (asked.uid, asked.gid) {
        std::os::unix::fs::chown(path, Some(user), Some(group))?;
    }
    Ok(status::of(id, Ok(())))
}

/// Like [`change`], but changes a link itself.
pub(super) fn change_link(id: u32, name: &str, asked: &FileAttributes) -> Outcome {
    let path = path(name);
    if asked.size.is_some() {
        return Err(Refusal::new(StatusCode::BadMessage));
    }
    if let Some(mode) = attributes::mode(asked) {
        let flags = AtFlags::SYMLINK_NOFOLLOW;
        rustix::fs::chmodat(CWD, path, rustix::fs::Mode::from_raw_mode(mode), flags)?;
    }
    if let Some(times) = attributes::times(asked) {
        rustix::fs::utimensat(CWD, path, &times, AtFlags::SYMLINK_NOFOLLOW)?;
    }
    if let (Some(user), Some(group)) = (asked.uid, asked.gid) {
        std::os::unix::fs::lchown(path, Some(user), Some(group))?;
    }
    Ok(status::of(id, Ok(())))
}

pub(super) fn remove(id: u32, name: &str) -> Outcome {
    fs::remove_file(path(name))?;
    Ok(status::of(id, Ok(())))
}

pub(super) fn make_directory(id: u32, name: &str, asked: &FileAttributes) -> Outcome {
    let mode = attributes::mode(asked).unwrap_or(0o777);
    fs::DirBuilder::new().mode(mode).create(path(name))?;
    Ok(status::of(id, Ok(())))
}

pub(super) fn remove_directory(id: u32, name: &str) -> Outcome {
    fs::remove_dir(path(name))?;
    Ok(status::of(id, Ok(())))
}

/// The absolute path without links. The last part needn't exist.
pub(super) fn real_path(id: u32, name: &str) -> Outcome {
    let real = resolve(path(name))?;
    Ok(one_name(id, &real))
}

fn resolve(path: &Path) -> io::Result<PathBuf> {
    match fs::canonicalize(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let Some(last) = path.file_name() else {
                return Err(error);
            };
            let parent = path.parent().filter(|parent| *parent != Path::new(""));
            Ok(fs::canonicalize(parent.unwrap_or(Path::new(".")))?.join(last))
        }
        outcome => outcome,
    }
}

/// Renames a file; version 3 of the protocol never replaces one.
pub(super) fn rename(id: u32, from: &str, to: &str) -> Outcome {
    let (from, to) = (path(from), path(to));
    match rustix::fs::renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        // The file system doesn't know the flag.
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
            if fs::symlink_metadata(to).is_ok() {
                return Err(Errno::EXIST.into());
            }
            fs::rename(from, to)?;
        }
        outcome => outcome?,
    }
    Ok(status::of(id, Ok(())))
}

/// Renames a file and replaces an existing one.
pub(super) fn replace(id: u32, from: &str, to: &str) -> Outcome {
    fs::rename(path(from), path(to))?;
    Ok(status::of(id, Ok(())))
}

pub(super) fn read_link(id: u32, name: &str) -> Outcome {
    let target = fs::read_link(path(name))?;
    Ok(one_name(id, &target))
}

/// Makes a symbolic link at `at`.
pub(super) fn link(id: u32, target: &str, at: &str) -> Outcome {
    std::os::unix::fs::symlink(target, path(at))?;
    Ok(status::of(id, Ok(())))
}

pub(super) fn hard_link(id: u32, from: &str, to: &str) -> Outcome {
    fs::hard_link(path(from), path(to))?;
    Ok(status::of(id, Ok(())))
}

pub(super) fn one_name(id: u32, path: &Path) -> Packet {
    let name = path.to_string_lossy();
    let mut file = File::dummy(&*name);
    file.longname = name.into_owned();
    let files = vec![file];
    Packet::Name(Name { id, files })
}
