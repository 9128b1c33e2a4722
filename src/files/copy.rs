//! Copies and moves trees, also from one root to another.
//!
//! Permissions and times of change are kept, links stay links, holes stay holes. Set-user-id bits are dropped. A pipe, a
//! socket or a device ends the copy.

use std::{
    ffi::{CStr, CString},
    fmt, mem,
    os::fd::OwnedFd,
};

use rustix::{
    fs::{
        AtFlags, Dir, FileType, Mode, OFlags, Stat, fchmod, fstat, futimens, mkdirat, openat,
        readlinkat, statat, unlinkat,
    },
    io::Errno,
};

use super::{
    Result,
    change::{BITS, link_in, rename_in, times},
    content,
    error::{Verb, failed},
    read,
    room::Room,
    root::{Root, c_name, directory_in},
    work::{Place, Trouble, Watch, count, delete},
};
use crate::{
    model::{
        failure::Failure,
        files::{FilePath, part_name},
        text::Clean,
    },
    tree,
};

/// How many directories are kept open to return to.
const OPEN: usize = 32;

/// Where a copy comes from and goes to.
pub(super) struct Job<'a> {
    pub from: &'a Root,
    pub to: &'a Root,
    pub directory: &'a FilePath,
    /// Whether files are replaced and directories are merged.
    pub replace: bool,
}

/// Copies the paths into the directory.
pub(super) fn copy_all(job: &Job<'_>, paths: &[FilePath], watch: &mut Watch<'_>) -> Result<()> {
    let target = target(job)?;
    watch.progress.of = Some(count(job.from, paths)?);
    for path in paths {
        copy_one(job, path, &target, watch)?;
    }
    Ok(())
}

/// Moves the paths into the directory: by renaming where both are on one file system.
pub(super) fn move_all(job: &Job<'_>, paths: &[FilePath], watch: &mut Watch<'_>) -> Result<()> {
    let target = target(job)?;
    for path in paths {
        let (dir, name) = job.from.parent(path, Verb::Moved)?;
        let arriving = arriving(job, path)?;
        match rename_in(&dir, &name, &target, &name, job.replace) {
            Ok(()) => watch.add(1, 0)?,
            Err(Errno::XDEV) => {
                arriving.give_back();
                let (files, bytes) = count(job.from, std::slice::from_ref(path))?;
                let (known_files, known_bytes) = watch.progress.of.unwrap_or_default();
                watch.progress.of = Some((known_files + files, known_bytes + bytes));
                copy_one(job, path, &target, watch)?;
                // What is deleted doesn't count twice.
                let counted = watch.progress;
                delete(job.from, path, watch)?;
                watch.progress = counted;
            }
            Err(error) => {
                arriving.give_back();
                return Err(match error {
                    Errno::EXIST => taken(path),
                    Errno::INVAL => into_itself(path),
                    error => failed(path, Verb::Moved, error),
                });
            }
        }
    }
    Ok(())
}

/// What a rename brings into the room of another directory.
struct Arriving<'a> {
    room: Option<&'a Room>,
    bytes: u64,
}

impl Arriving<'_> {
    fn give_back(&self) {
        if let Some(room) = self.room {
            room.give_back(self.bytes);
        }
    }
}

/// Takes the room for a path before it is renamed. In the same directory nothing arrives.
fn arriving<'a>(job: &Job<'a>, path: &FilePath) -> Result<Arriving<'a>> {
    let room = job.to.room().filter(|_| !job.from.is_same(job.to));
    let bytes = match room {
        Some(_) => count(job.from, std::slice::from_ref(path))?.1,
        None => 0,
    };
    if let Some(room) = room {
        let taken = room.take(bytes);
        taken.map_err(|error| failed(path, Verb::Moved, error))?;
    }
    Ok(Arriving { room, bytes })
}

fn target(job: &Job<'_>) -> Result<OwnedFd> {
    let opened = job.to.directory(job.directory);
    opened.map_err(|error| failed(job.directory, Verb::Opened, error))
}

fn taken(path: &FilePath) -> Failure {
    let name = path.name().unwrap_or_default().to_string_lossy();
    let text = tr_sent!(
        "'{name}' already exists in that directory",
        name = Clean::new(&name)
    );
    Failure::refused(text).hint(tr_sent!("choose another directory, or replace it"))
}

fn into_itself(path: impl fmt::Display) -> Failure {
    Failure::refused(tr_sent!(
        "'{path}' can't be copied or moved into itself",
        path
    ))
    .hint(tr_sent!("choose another directory"))
}

/// Copies one path. What was created for it is removed if that fails.
fn copy_one(job: &Job<'_>, path: &FilePath, target: &OwnedFd, watch: &mut Watch<'_>) -> Result<()> {
    let place = Place::find(job.from, path, Verb::Copied)?;
    let there = statat(target, place.name.as_c_str(), AtFlags::SYMLINK_NOFOLLOW).ok();
    if let Some(there) = &there {
        if !job.replace {
            return Err(taken(path));
        }
        if (there.st_dev, there.st_ino) == (place.stat.st_dev, place.stat.st_ino) {
            return Err(into_itself(path));
        }
    }
    let mut copy = Copy {
        job,
        watch,
        top: path.clone(),
        names: Vec::new(),
        taken: 0,
    };
    let copied = if place.is_directory() {
        copy.tree(&place.dir, &place.name, target)
    } else {
        copy.entry(&place.dir, &place.name, &place.stat, target)
    };
    copied.map_err(|trouble| {
        // What existed before is never removed.
        if there.is_none()
            && let Ok(target) = job.to.directory(job.directory)
        {
            let _ = tree::remove_entry(target, &place.name, &mut || true);
            if let Some(room) = job.to.room() {
                room.give_back(copy.taken);
            }
        }
        match trouble {
            Trouble::Failure(failure) => failure,
            Trouble::Errno(error) => failed(copy.path(), Verb::Copied, error),
        }
    })
}

/// A directory that is being copied, and its copy.
struct Level {
    /// Open, to return to from a deeper one.
    open: Option<(OwnedFd, OwnedFd)>,
    stat: Stat,
    /// Device and number of the copy.
    copy: (u64, u64),
    /// Subdirectories that haven't been copied yet.
    pending: Vec<CString>,
}

struct Copy<'a, 'w> {
    job: &'a Job<'a>,
    watch: &'a mut Watch<'w>,
    top: FilePath,
    /// The names from the top to what is being copied, for messages.
    names: Vec<CString>,
    /// What was taken from the room of the target.
    taken: u64,
}

type Copied = std::result::Result<(), Trouble>;

impl Copy<'_, '_> {
    /// The path of what is being copied, as far as it fits in a message.
    fn path(&self) -> String {
        let mut text = self.top.to_string();
        for name in self.names.iter().take(16) {
            text.push('/');
            text.push_str(Clean::new(&name.to_string_lossy()).as_str());
        }
        text
    }

    /// Copies a directory and everything in it, without recursion.
    fn tree(&mut self, dir: &OwnedFd, name: &CStr, target: &OwnedFd) -> Copied {
        let mut here = self.create(dir, name, target)?;
        let mut levels = vec![self.fill(&here, None)?];
        let top = levels[0].copy;
        while let Some(level) = levels.last_mut() {
            let Some(name) = level.pending.pop() else {
                let done = levels.pop();
                if let Some(done) = &done {
                    finish(&here.1, &done.stat)?;
                }
                self.names.pop();
                let Some(above) = levels.last_mut() else {
                    break;
                };
                here = match above.open.take() {
                    Some(open) => open,
                    None => (
                        parent(&here.0, (above.stat.st_dev, above.stat.st_ino))?,
                        parent(&here.1, above.copy)?,
                    ),
                };
                continue;
            };
            self.names.push(name.clone());
            let next = self.create(&here.0, &name, &here.1)?;
            let below = self.fill(&next, Some(top))?;
            let before = mem::replace(&mut here, next);
            let is_kept = levels.len() <= OPEN;
            if let Some(level) = levels.last_mut() {
                level.open = is_kept.then_some(before);
            }
            levels.push(below);
        }
        Ok(())
    }

    /// Opens a directory and creates its copy.
    fn create(
        &self,
        dir: &OwnedFd,
        name: &CStr,
        target: &OwnedFd,
    ) -> std::result::Result<(OwnedFd, OwnedFd), Trouble> {
        let original = directory_in(dir, name)?;
        match mkdirat(target, name, Mode::from_raw_mode(0o700)) {
            Ok(()) => {
                let copy = directory_in(target, name)?;
                self.job.to.give(&copy)?;
                Ok((original, copy))
            }
            Err(Errno::EXIST) if self.job.replace => Ok((original, directory_in(target, name)?)),
            Err(error) => Err(error.into()),
        }
    }

    /// Copies the entries of a directory, except its subdirectories.
    fn fill(
        &mut self,
        (original, copy): &(OwnedFd, OwnedFd),
        top: Option<(u64, u64)>,
    ) -> std::result::Result<Level, Trouble> {
        let (stat, about) = (fstat(original)?, fstat(copy)?);
        let copy_id = (about.st_dev, about.st_ino);
        let top = top.unwrap_or(copy_id);
        let mut pending = Vec::new();
        for entry in Dir::read_from(original)? {
            let entry = entry?;
            let name = entry.file_name();
            if matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            let stat = match statat(original, name, AtFlags::SYMLINK_NOFOLLOW) {
                Err(Errno::NOENT) => continue,
                other => other?,
            };
            if FileType::from_raw_mode(stat.st_mode) != FileType::Directory {
                self.names.push(name.to_owned());
                self.entry(original, name, &stat, copy)?;
                self.names.pop();
            } else if (stat.st_dev, stat.st_ino) == top {
                return Err(into_itself(&self.top).into());
            } else {
                pending.push(name.to_owned());
            }
        }
        Ok(Level {
            open: None,
            stat,
            copy: copy_id,
            pending,
        })
    }

    /// Copies what isn't a directory.
    fn entry(&mut self, dir: &OwnedFd, name: &CStr, stat: &Stat, target: &OwnedFd) -> Copied {
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => self.file(dir, name, target)?,
            FileType::Symlink => self.link(dir, name, target)?,
            _ => {
                let text = tr_sent!(
                    "'{path}' can't be copied: it is a pipe, a socket or a device",
                    path = self.path()
                );
                return Err(Failure::refused(text)
                    .hint(tr_sent!("delete it, or select other files"))
                    .into());
            }
        }
        self.watch.add(1, 0)?;
        Ok(())
    }

    fn link(&self, dir: &OwnedFd, name: &CStr, target: &OwnedFd) -> Copied {
        let leads_to = readlinkat(dir, name, Vec::new())?;
        match link_in(self.job.to, leads_to.as_c_str(), target, name) {
            Err(Errno::EXIST) if self.job.replace => {
                unlinkat(target, name, AtFlags::empty())?;
                link_in(self.job.to, leads_to.as_c_str(), target, name)?;
            }
            other => other?,
        }
        Ok(())
    }

    fn file(&mut self, dir: &OwnedFd, name: &CStr, target: &OwnedFd) -> Copied {
        let (from, stat) = read::plain(dir, name, &self.top, Verb::Copied)?;
        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        // An existing file stays as it is until its replacement is complete.
        let part = if self.job.replace {
            let name = std::os::unix::ffi::OsStrExt::from_bytes(name.to_bytes());
            let part = c_name(&part_name(name))?;
            let _ = unlinkat(target, part.as_c_str(), AtFlags::empty());
            part
        } else {
            name.to_owned()
        };
        let to = openat(target, part.as_c_str(), flags, Mode::from_raw_mode(0o600))?;
        let size = u64::try_from(stat.st_size).unwrap_or(0);
        let (watch, room, taken) = (&mut *self.watch, self.job.to.room(), &mut self.taken);
        let copied = content::copy(&from, &to, size, |bytes| {
            if let Some(room) = room {
                room.take(bytes)?;
                *taken += bytes;
            }
            watch.add(0, bytes).map_err(Trouble::from)
        });
        let done = copied
            .and_then(|()| Ok(self.job.to.give(&to)?))
            .and_then(|()| finish(&to, &stat))
            .and_then(|()| {
                if self.job.replace {
                    rename_in(target, &part, target, name, true)?;
                }
                Ok(())
            });
        done.inspect_err(|_| {
            let _ = unlinkat(target, part.as_c_str(), AtFlags::empty());
        })
    }
}

/// Gives a copy the permissions and the time of its original.
fn finish(copy: &OwnedFd, stat: &Stat) -> Copied {
    fchmod(copy, Mode::from_raw_mode(stat.st_mode & BITS))?;
    let nanoseconds = i64::try_from(stat.st_mtime_nsec).unwrap_or(0);
    futimens(copy, &times(stat.st_mtime, nanoseconds))?;
    Ok(())
}

/// Reopens the directory above, if it is still the same.
fn parent(below: &OwnedFd, id: (u64, u64)) -> std::result::Result<OwnedFd, Trouble> {
    let above = directory_in(below, c"..")?;
    let stat = fstat(&above)?;
    if (stat.st_dev, stat.st_ino) == id {
        return Ok(above);
    }
    Err(
        Failure::refused(tr_sent!("directories were moved while they were copied"))
            .hint(tr_sent!("start the copy again"))
            .into(),
    )
}
