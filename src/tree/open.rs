//! Opens directories without following links.

use std::os::fd::{AsFd, AsRawFd as _, OwnedFd};

use rustix::{
    fs::{Mode, OFlags, chmod, fchmod, fstat, openat},
    io::Errno,
    path::Arg,
};

const PLAIN: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::CLOEXEC);

/// The mode that the owner of a directory needs to empty it.
const WHOLE: u32 = 0o700;

/// Opens the directory `name` in `at`. Fails with `NOTDIR` or `LOOP` for a link or a file.
pub(super) fn directory(at: impl AsFd, name: impl Arg) -> rustix::io::Result<OwnedFd> {
    openat(at, name, PLAIN | OFlags::NOFOLLOW, Mode::empty())
}

/// Like [`directory`], but follows a link in the last part of the name, which must be trusted.
pub(super) fn trusted_directory(at: impl AsFd, name: impl Arg) -> rustix::io::Result<OwnedFd> {
    openat(at, name, PLAIN, Mode::empty())
}

/// Opens the directory and makes it readable and writable for its owner.
pub(super) fn opened_up(at: impl AsFd, name: impl Arg + Copy) -> rustix::io::Result<OwnedFd> {
    let opened = match directory(&at, name) {
        Err(Errno::ACCESS) => unlocked(at, name)?,
        other => other?,
    };
    if fstat(&opened)?.st_mode & WHOLE != WHOLE {
        // If this fails, the removal of the contents reports why.
        let _ = fchmod(&opened, Mode::from_raw_mode(WHOLE));
    }
    Ok(opened)
}

/// Opens a directory whose mode locks out its owner. `chmod` always follows links, so the mode is changed through a
/// descriptor of the directory itself.
fn unlocked(at: impl AsFd, name: impl Arg) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let place = openat(at, name, flags, Mode::empty())?;
    let itself = format!("/proc/self/fd/{}", place.as_raw_fd());
    chmod(itself, Mode::from_raw_mode(WHOLE)).map_err(|_| Errno::ACCESS)?;
    openat(&place, c".", PLAIN, Mode::empty())
}

/// Opens the parent directory of `below`, if it still has this device and inode number.
pub(super) fn parent(
    below: impl AsFd,
    device: u64,
    ino: u64,
) -> rustix::io::Result<Option<OwnedFd>> {
    let above = directory(below, c"..")?;
    let stat = fstat(&above)?;
    // If `below` was moved meanwhile, its parent is another directory.
    Ok(((stat.st_dev, stat.st_ino) == (device, ino)).then_some(above))
}
