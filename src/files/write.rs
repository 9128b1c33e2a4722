//! Writes a file under a temporary name, so that it appears only when it is complete.

use std::{
    ffi::CString,
    fs::File,
    io::{self, Seek as _, SeekFrom, Write as _},
    os::fd::OwnedFd,
};

use jiff::Timestamp;
use rustix::{
    fs::{
        AtFlags, FileType, Mode, OFlags, fchmod, fstat, fsync, futimens, openat, statat, unlinkat,
    },
    io::Errno,
};

use super::{
    Result,
    change::{BITS, NEW_FILE, changed_at, rename_in},
    error::{FULL, Verb, failed, failed_io, is_full},
    room::Room,
    root::{Root, c_name},
};
use crate::{
    model::{
        failure::Failure,
        files::{FilePath, WriteOptions, part_name},
        resources::Bytes,
    },
    space::DiskSpace,
};

/// When a file and its name must be on the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Storing {
    /// When it is finished.
    Now,
    /// The caller stores all of its files later. The time of the last change is set, too.
    Later { modified: Option<Timestamp> },
}

/// A file that is being written. Dropping it keeps what was written, so that the transfer can continue.
#[derive(Debug)]
pub struct PartFile {
    path: FilePath,
    dir: OwnedFd,
    name: CString,
    part: CString,
    file: File,
    options: WriteOptions,
    /// How many bytes the part has.
    size: u64,
    room: Option<Room>,
    /// What was taken from the room.
    taken: u64,
}

impl PartFile {
    /// Creates the part, or continues it at its end.
    pub fn open(root: &Root, path: &FilePath, options: WriteOptions) -> Result<Self> {
        let fail = |error| failed(path, Verb::Written, error);
        let (dir, name) = root.parent(path, Verb::Written)?;
        let file_name = path.name().unwrap_or_default();
        let part = c_name(&part_name(file_name))?;
        let there = statat(&dir, name.as_c_str(), AtFlags::SYMLINK_NOFOLLOW).ok();
        match &there {
            Some(stat) if FileType::from_raw_mode(stat.st_mode) == FileType::Directory => {
                return Err(fail(Errno::ISDIR));
            }
            Some(_) if !options.replace => return Err(fail(Errno::EXIST)),
            _ => {}
        }
        let space = options.size.map(|size| size.saturating_sub(options.offset));
        check_space(&dir, path, space.unwrap_or(0), root.room())?;
        let file = if options.offset == 0 {
            create(root, &dir, &part).map_err(fail)?
        } else {
            resume(&dir, &part, path, options.offset)?
        };
        // A file that is replaced keeps its permissions.
        let kept = there.map(|stat| stat.st_mode);
        let mode = options.mode.or(kept).unwrap_or(NEW_FILE);
        let options = WriteOptions {
            mode: Some(mode & BITS & !0o1000),
            ..options
        };
        Ok(Self {
            path: path.clone(),
            dir,
            name,
            part,
            file,
            options,
            size: options.offset,
            room: root.room().cloned(),
            taken: 0,
        })
    }

    /// Writes the next bytes. If the disk or the quota is full, what was written is removed.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let size = self.size + bytes.len() as u64;
        if self.options.size.is_some_and(|most| size > most) {
            return Err(self.wrong_size(size));
        }
        if let Some(room) = &self.room {
            let length = bytes.len() as u64;
            let taken = room.take(length);
            taken.map_err(|error| self.trouble(&error.into()))?;
            self.taken += length;
        }
        self.file
            .write_all(bytes)
            .map_err(|error| self.trouble(&error))?;
        self.size = size;
        Ok(())
    }

    /// Stores the file and gives it its name.
    pub fn finish(self) -> Result<()> {
        self.finish_as(Storing::Now)
    }

    /// Gives the file its name.
    pub(super) fn finish_as(self, storing: Storing) -> Result<()> {
        if self.options.size.is_some_and(|size| size != self.size) {
            return Err(self.wrong_size(self.size));
        }
        let mode = Mode::from_raw_mode(self.options.mode.unwrap_or(NEW_FILE));
        let stored = fchmod(&self.file, mode).and_then(|()| match storing {
            Storing::Now => fsync(&self.file),
            Storing::Later { modified } => match modified {
                Some(modified) => futimens(&self.file, &changed_at(modified)),
                None => Ok(()),
            },
        });
        stored.map_err(|error| self.trouble(&error.into()))?;
        let replace = self.options.replace;
        rename_in(&self.dir, &self.part, &self.dir, &self.name, replace).map_err(|error| {
            self.remove();
            failed(&self.path, Verb::Written, error)
        })?;
        if storing == Storing::Now {
            // Without this, the name may be lost with the power. Not all file systems can do it.
            let _ = fsync(&self.dir);
        }
        Ok(())
    }

    /// Ends an unfinished transfer. A part that would help nobody is removed.
    pub fn interrupt(self) {
        if self.size == 0 {
            self.remove();
        }
    }

    fn trouble(&self, error: &io::Error) -> Failure {
        if is_full(error) {
            self.remove();
        }
        failed_io(&self.path, Verb::Written, error)
    }

    fn remove(&self) {
        let _ = unlinkat(&self.dir, self.part.as_c_str(), AtFlags::empty());
        if let Some(room) = &self.room {
            room.give_back(self.taken);
        }
    }

    fn wrong_size(&self, size: u64) -> Failure {
        let expected = self.options.size.unwrap_or_default();
        let path = &self.path;
        if size > expected {
            self.remove();
        }
        let text = tr_sent!(
            "'{path}' isn't complete: {size} of {expected} bytes arrived",
            path,
            size,
            expected
        );
        Failure::refused(text).hint(tr_sent!(
            "start the transfer again, if the file isn't being changed"
        ))
    }
}

fn create(root: &Root, dir: &OwnedFd, part: &CString) -> rustix::io::Result<File> {
    match unlinkat(dir, part.as_c_str(), AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => {}
        Err(error) => return Err(error),
    }
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let made = openat(dir, part.as_c_str(), flags, Mode::from_raw_mode(0o600))?;
    root.give(&made)?;
    Ok(File::from(made))
}

/// Opens the part of an interrupted transfer. A program may have put anything in its place.
fn resume(dir: &OwnedFd, part: &CString, path: &FilePath, offset: u64) -> Result<File> {
    let flags = OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let again = tr_sent!("start the transfer again from the beginning");
    let opened =
        openat(dir, part.as_c_str(), flags, Mode::empty()).map_err(|error| match error {
            Errno::NOENT => Failure::not_found(tr_sent!(
                "the interrupted transfer of '{path}' doesn't exist any more",
                path
            ))
            .hint(again),
            error => failed(path, Verb::Continued, error),
        })?;
    let stat = fstat(&opened).map_err(|error| failed(path, Verb::Continued, error))?;
    let is_plain = FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
    let size = u64::try_from(stat.st_size).unwrap_or(0);
    if !is_plain || stat.st_nlink != 1 || size != offset {
        let text = tr_sent!(
            "the interrupted transfer of '{path}' has {size} bytes instead of {offset}",
            path,
            size,
            offset
        );
        return Err(Failure::refused(text).hint(again));
    }
    let mut file = File::from(opened);
    file.seek(SeekFrom::Start(offset))
        .map_err(|error| failed_io(path, Verb::Continued, &error))?;
    Ok(file)
}

/// Refuses what can't fit before it fills the disk or the quota.
fn check_space(dir: &OwnedFd, path: &FilePath, needed: u64, room: Option<&Room>) -> Result<()> {
    let needed = Bytes(needed);
    let refused = |why: &str| {
        let text = tr_sent!(
            "'{path}' can't be written: it needs {needed}, and {why}",
            path,
            needed,
            why
        );
        Err(Failure::refused(text).hint(FULL))
    };
    match (DiskSpace::of(dir), room.map(Room::left)) {
        (Ok(space), _) if needed > space.free => {
            refused(&tr_sent!("{free} are free", free = space.free))
        }
        (_, Some(left)) if needed > left => {
            refused(&tr_sent!("{left} are left of the folder's quota", left))
        }
        _ => Ok(()),
    }
}
