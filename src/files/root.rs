//! The directory that all paths are below.

use std::{
    ffi::{CString, OsStr},
    os::{
        fd::{AsFd, OwnedFd},
        unix::ffi::OsStrExt as _,
    },
    path::{Component, Path},
};

use rustix::{
    fs::{CWD, Gid, Mode, OFlags, ResolveFlags, Uid, fchown, fstat, openat, openat2},
    io::Errno,
};

use super::{
    Result,
    error::{Verb, failed},
    room::Room,
};
use crate::model::{failure::Failure, files::FilePath};

/// How often a path is resolved again that was renamed meanwhile.
const ATTEMPTS: u32 = 16;

const DIRECTORY: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

/// An open directory. Cheap to open.
#[derive(Debug)]
pub struct Root {
    dir: OwnedFd,
    /// Who gets what is created; `None` = it stays with this process's user.
    owner: Option<(Uid, Gid)>,
    /// What may be written; `None` = as much as the file system takes.
    room: Option<Room>,
}

impl Root {
    /// Opens a directory. The path itself is trusted. `owner` (uid and gid) gets what is created.
    pub fn open(path: &Path, owner: Option<(u32, u32)>) -> Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let dir = openat(CWD, path, flags, Mode::empty())
            .map_err(|error| failed(path.display(), Verb::Opened, error))?;
        let me = (rustix::process::geteuid(), rustix::process::getegid());
        let owner = owner
            .map(|(uid, gid)| (Uid::from_raw(uid), Gid::from_raw(gid)))
            .filter(|owner| *owner != me);
        Ok(Self {
            dir,
            owner,
            room: None,
        })
    }

    /// Limits what is written.
    #[must_use]
    pub fn with_room(self, room: Option<Room>) -> Self {
        Self { room, ..self }
    }

    pub(super) const fn room(&self) -> Option<&Room> {
        self.room.as_ref()
    }

    /// Whether both are the same directory.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let id = |root: &Self| fstat(&root.dir).map(|stat| (stat.st_dev, stat.st_ino));
        matches!((id(self), id(other)), (Ok(one), Ok(other)) if one == other)
    }

    /// Opens a directory to read it.
    pub(super) fn directory(&self, path: &FilePath) -> rustix::io::Result<OwnedFd> {
        let name = if path.is_root() {
            Path::new(".")
        } else {
            path.as_path()
        };
        let resolve =
            ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS | ResolveFlags::NO_SYMLINKS;
        for _ in 0..ATTEMPTS {
            match openat2(&self.dir, name, DIRECTORY, Mode::empty(), resolve) {
                // Something was renamed meanwhile.
                Err(Errno::AGAIN) => {}
                // An old kernel, or a container that forbids the call.
                Err(Errno::NOSYS | Errno::PERM) => break,
                other => return other,
            }
        }
        self.step_by_step(name)
    }

    /// The same, one name after the other.
    pub(super) fn step_by_step(&self, path: &Path) -> rustix::io::Result<OwnedFd> {
        let mut here = openat(&self.dir, c".", DIRECTORY, Mode::empty())?;
        for part in path.components() {
            match part {
                Component::CurDir => {}
                Component::Normal(name) => {
                    here = openat(&here, name, DIRECTORY, Mode::empty())?;
                }
                _ => return Err(Errno::XDEV),
            }
        }
        Ok(here)
    }

    /// The directory that contains an entry, and the entry's name. Fails for the place itself.
    pub(super) fn parent(&self, path: &FilePath, what: Verb) -> Result<(OwnedFd, CString)> {
        let (Some(parent), Some(name)) = (path.parent(), path.name()) else {
            let text = tr_sent!(
                "the folder or home directory itself {cannot}",
                cannot = what.cannot_be()
            );
            return Err(Failure::refused(text).hint(tr_sent!("choose something in it")));
        };
        let dir = self
            .directory(&parent)
            .map_err(|error| failed(path, what, error))?;
        Ok((dir, c_name(name)?))
    }

    /// Gives a new file or directory to the owner.
    pub(super) fn give(&self, created: impl AsFd) -> rustix::io::Result<()> {
        match self.owner {
            Some((uid, gid)) => fchown(created, Some(uid), Some(gid)),
            None => Ok(()),
        }
    }

    pub(super) const fn owner(&self) -> Option<(Uid, Gid)> {
        self.owner
    }
}

/// A name for system calls.
pub(super) fn c_name(name: &OsStr) -> Result<CString> {
    CString::new(name.as_bytes()).map_err(|_| {
        Failure::usage(tr_sent!("invalid name: it contains a NUL byte"))
            .hint(tr_sent!("use another name"))
    })
}

/// Opens a directory in an open directory.
pub(super) fn directory_in(at: impl AsFd, name: &std::ffi::CStr) -> rustix::io::Result<OwnedFd> {
    openat(at, name, DIRECTORY, Mode::empty())
}
