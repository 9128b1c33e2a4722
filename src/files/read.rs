//! Opens plain files.

use std::{
    ffi::CStr,
    fs::File,
    io::{Seek as _, SeekFrom},
    os::fd::{AsRawFd as _, OwnedFd},
};

use rustix::{
    fs::{CWD, FileType, Mode, OFlags, Stat, fstat, openat},
    io::Errno,
};

use super::{
    Result,
    error::{Verb, failed, failed_io},
    root::Root,
};
use crate::model::{failure::Failure, files::FilePath};

impl Root {
    /// Opens a file to read it from an offset.
    pub fn read(&self, path: &FilePath, offset: u64) -> Result<File> {
        let (dir, name) = self.parent(path, Verb::Read)?;
        let (opened, stat) = plain(&dir, &name, path, Verb::Read)?;
        let size = u64::try_from(stat.st_size).unwrap_or(0);
        if offset > size {
            let text = tr_sent!(
                "'{path}' has only {size} bytes, so it can't be read from {offset}",
                path,
                size,
                offset
            );
            return Err(Failure::refused(text)
                .hint(tr_sent!("start the transfer again from the beginning")));
        }
        let mut file = File::from(opened);
        file.seek(SeekFrom::Start(offset))
            .map_err(|error| failed_io(path, Verb::Read, &error))?;
        Ok(file)
    }
}

/// Opens a plain file to read it. Opening a pipe would block, and opening a device may have effects, so anything else is
/// refused before it is opened.
pub(super) fn plain(
    dir: &OwnedFd,
    name: &CStr,
    path: &FilePath,
    what: Verb,
) -> Result<(OwnedFd, Stat)> {
    let fail = |error| failed(path, what, error);
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let place = openat(dir, name, flags, Mode::empty()).map_err(fail)?;
    let stat = fstat(&place).map_err(fail)?;
    check_plain(&stat, path, what)?;
    let opened = reopen(dir, name, &place, &stat).map_err(fail)?;
    let stat = fstat(&opened).map_err(fail)?;
    Ok((opened, stat))
}

/// Refuses everything that isn't a plain file.
pub(super) fn check_plain(stat: &Stat, path: &FilePath, what: Verb) -> Result<()> {
    let kind = match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => return Ok(()),
        FileType::Directory => tr_sent!("a directory"),
        FileType::Symlink => tr_sent!("a link"),
        FileType::Fifo => tr_sent!("a pipe"),
        FileType::Socket => tr_sent!("a socket"),
        _ => tr_sent!("a device"),
    };
    let text = what.cannot(path, tr_sent!("it is {kind}, not a file", kind));
    Err(Failure::refused(text).hint(tr_sent!("choose a file")))
}

/// Opens the file that `place` refers to, even if its name leads elsewhere by now.
fn reopen(dir: &OwnedFd, name: &CStr, place: &OwnedFd, stat: &Stat) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let itself = format!("/proc/self/fd/{}", place.as_raw_fd());
    match openat(CWD, itself, flags, Mode::empty()) {
        // Without /proc, the name is opened again and compared.
        Err(Errno::NOENT) => {
            let opened = openat(dir, name, flags | OFlags::NOFOLLOW, Mode::empty())?;
            let now = fstat(&opened)?;
            let is_same = (now.st_dev, now.st_ino) == (stat.st_dev, stat.st_ino);
            if is_same {
                Ok(opened)
            } else {
                Err(Errno::NOENT)
            }
        }
        other => other,
    }
}
