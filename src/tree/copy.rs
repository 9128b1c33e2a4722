//! Copies a tree that may change meanwhile.

use std::{
    ffi::{CStr, CString},
    io, mem,
    os::fd::OwnedFd,
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
};

use rustix::{
    fs::{
        AtFlags, CWD, Dir, FileType, Gid, Mode, OFlags, SeekFrom, Stat, Timespec, Timestamps, Uid,
        copy_file_range, fchmod, fchown, fstat, ftruncate, futimens, ioctl_ficlone, mkdirat,
        mknodat, openat, readlinkat, seek, statat, symlinkat,
    },
    io::Errno,
};

use super::{BOUNDS, Bounds, open};

/// The most that is copied between two looks at the cancellation.
const PIECE: u64 = 16 << 20;
/// Permission bits that are copied. Programs that run as their owner lose that right.
const MODES: u32 = 0o1777;

/// What was copied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Copied {
    /// Files, directories and links.
    pub entries: u64,
    /// Sockets, devices and other file systems, which can't be copied.
    pub skipped: u64,
}

/// Copies the directory `from` with everything in it to `to`, which must not exist. Links are copied as links, hard links
/// as separate files. Blocks are shared where the file system can do that, and holes stay holes. On a failure, what was
/// copied until then stays. `owner` is uid and gid of the copies; `None` = the caller.
pub fn copy(
    from: &Path,
    to: &Path,
    owner: Option<(u32, u32)>,
    cancelled: &AtomicBool,
) -> io::Result<Copied> {
    // Nothing is created for a directory that can't be opened.
    drop(open::directory(CWD, from)?);
    mkdirat(CWD, to, Mode::RWXU)?;
    copy_into(from, to, owner, cancelled)
}

/// The same for a directory `to` that exists and is empty.
pub fn copy_into(
    from: &Path,
    to: &Path,
    owner: Option<(u32, u32)>,
    cancelled: &AtomicBool,
) -> io::Result<Copied> {
    copy_with(from, to, owner, cancelled, BOUNDS)
}

fn copy_with(
    from: &Path,
    to: &Path,
    owner: Option<(u32, u32)>,
    cancelled: &AtomicBool,
    bounds: Bounds,
) -> io::Result<Copied> {
    let from = open::directory(CWD, from)?;
    let to = open::directory(CWD, to)?;
    let owner = owner.map(|(uid, gid)| (Uid::from_raw(uid), Gid::from_raw(gid)));
    let device = fstat(&from)?.st_dev;
    let mut copying = Copying {
        device,
        target_device: fstat(&to)?.st_dev,
        bounds,
        owner,
        cancelled,
        from,
        to,
        levels: Vec::new(),
        copied: Copied::default(),
    };
    copying.begin()?;
    while copying.step()? {}
    Ok(copying.copied)
}

/// The current directory, or one of those above it.
struct Level {
    /// Both directories, to return to. Beyond the bound, they are reopened as the parents of their subdirectories.
    dirs: Option<(OwnedFd, OwnedFd)>,
    from: Stat,
    to_ino: u64,
    /// Subdirectories that haven't been copied yet.
    pending: Vec<CString>,
}

struct Copying<'a> {
    device: u64,
    target_device: u64,
    bounds: Bounds,
    owner: Option<(Uid, Gid)>,
    cancelled: &'a AtomicBool,
    /// The current directory and its copy.
    from: OwnedFd,
    to: OwnedFd,
    levels: Vec<Level>,
    copied: Copied,
}

impl Copying<'_> {
    fn check(&self) -> io::Result<()> {
        if self.cancelled.load(Ordering::Relaxed) {
            return Err(io::Error::new(io::ErrorKind::Interrupted, "cancelled"));
        }
        Ok(())
    }

    /// Copies the entries of the current directory, except its subdirectories.
    fn begin(&mut self) -> io::Result<()> {
        if self.levels.len() >= self.bounds.levels {
            return Err(io::Error::other(tr_sent!(
                "directories are nested too deep"
            )));
        }
        let mut pending = Vec::new();
        for entry in Dir::read_from(&self.from)? {
            self.check()?;
            let entry = entry?;
            let name = entry.file_name();
            if matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            let stat = match statat(&self.from, name, AtFlags::SYMLINK_NOFOLLOW) {
                Err(Errno::NOENT) => continue,
                other => other?,
            };
            if stat.st_dev != self.device {
                self.copied.skipped += 1;
                continue;
            }
            match self.entry(name, &stat) {
                Ok(true) => pending.push(name.to_owned()),
                Ok(false) => {}
                // The entry was removed or replaced meanwhile.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(named(name, error)),
            }
        }
        let level = Level {
            dirs: None,
            from: fstat(&self.from)?,
            to_ino: fstat(&self.to)?.st_ino,
            pending,
        };
        self.levels.push(level);
        Ok(())
    }

    /// Copies an entry. Returns whether it is a directory, which is copied later.
    fn entry(&mut self, name: &CStr, stat: &Stat) -> io::Result<bool> {
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::Directory => return Ok(true),
            FileType::RegularFile => self.file(name)?,
            FileType::Symlink => {
                let target = readlinkat(&self.from, name, Vec::new())?;
                symlinkat(target.as_c_str(), &self.to, name)?;
            }
            FileType::Fifo => {
                let mode = Mode::from_raw_mode(stat.st_mode & MODES);
                mknodat(&self.to, name, FileType::Fifo, mode, 0)?;
            }
            _ => {
                self.copied.skipped += 1;
                return Ok(false);
            }
        }
        self.copied.entries += 1;
        Ok(false)
    }

    fn file(&self, name: &CStr) -> io::Result<()> {
        // A pipe that took the place of the file meanwhile must not block.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let from = openat(&self.from, name, flags, Mode::empty())?;
        let stat = fstat(&from)?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            return Ok(());
        }
        let flags =
            OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let to = openat(&self.to, name, flags, Mode::RUSR | Mode::WUSR)?;
        if ioctl_ficlone(&to, &from).is_err() {
            self.contents(&from, &to, u64::try_from(stat.st_size).unwrap_or(0))?;
        }
        self.finish(&to, &stat)
    }

    /// Copies the data of a file, and leaves its holes.
    fn contents(&self, from: &OwnedFd, to: &OwnedFd, size: u64) -> io::Result<()> {
        let mut at = 0;
        while at < size {
            let begin = match seek(from, SeekFrom::Data(at)) {
                Ok(begin) => begin,
                // Only a hole is left.
                Err(Errno::NXIO) => break,
                // This file system doesn't know holes.
                Err(_) => at,
            };
            let end = seek(from, SeekFrom::Hole(begin)).unwrap_or(size).min(size);
            if end <= begin {
                break;
            }
            self.range(from, to, begin, end)?;
            at = end;
        }
        ftruncate(to, size)?;
        Ok(())
    }

    fn range(&self, from: &OwnedFd, to: &OwnedFd, begin: u64, end: u64) -> io::Result<()> {
        let (mut read, mut write) = (begin, begin);
        while read < end {
            self.check()?;
            let piece = usize::try_from((end - read).min(PIECE)).unwrap_or(usize::MAX);
            match copy_file_range(from, Some(&mut read), to, Some(&mut write), piece) {
                // The file became shorter.
                Ok(0) => return Ok(()),
                Ok(_) | Err(Errno::INTR) => {}
                Err(Errno::XDEV | Errno::NOSYS | Errno::INVAL | Errno::OPNOTSUPP) => {
                    return self.plainly(from, to, read, end);
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Copies where the kernel can't copy.
    fn plainly(&self, from: &OwnedFd, to: &OwnedFd, begin: u64, end: u64) -> io::Result<()> {
        let mut buffer = vec![0; 1 << 20];
        let mut at = begin;
        while at < end {
            self.check()?;
            let most = usize::try_from(end - at)
                .unwrap_or(usize::MAX)
                .min(buffer.len());
            let read = rustix::io::pread(from, &mut buffer[..most], at)?;
            if read == 0 {
                break;
            }
            let mut written = 0;
            while written < read {
                let here = at + written as u64;
                written += rustix::io::pwrite(to, &buffer[written..read], here)?;
            }
            at += read as u64;
        }
        Ok(())
    }

    /// Gives the copy its owner, mode and time.
    fn finish(&self, to: &OwnedFd, stat: &Stat) -> io::Result<()> {
        if let Some((uid, gid)) = self.owner {
            fchown(to, Some(uid), Some(gid))?;
        }
        fchmod(to, Mode::from_raw_mode(stat.st_mode & MODES))?;
        let times = Timestamps {
            last_access: timespec(stat.st_atime, stat.st_atime_nsec),
            last_modification: timespec(stat.st_mtime, stat.st_mtime_nsec),
        };
        futimens(to, &times)?;
        Ok(())
    }

    /// Enters the next directory or returns to the parent. `false` = no directory is left.
    fn step(&mut self) -> io::Result<bool> {
        let is_kept = self.levels.len() <= self.bounds.descriptors / 2;
        let Some(level) = self.levels.last_mut() else {
            return Ok(false);
        };
        let Some(name) = level.pending.pop() else {
            return self.up();
        };
        let from = match open::directory(&self.from, name.as_c_str()) {
            // The directory was removed or replaced meanwhile.
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => return Ok(true),
            other => other.map_err(|error| named(&name, error.into()))?,
        };
        mkdirat(&self.to, name.as_c_str(), Mode::RWXU)?;
        let to = open::directory(&self.to, name.as_c_str())?;
        let before = (
            mem::replace(&mut self.from, from),
            mem::replace(&mut self.to, to),
        );
        level.dirs = is_kept.then_some(before);
        self.copied.entries += 1;
        self.begin()?;
        Ok(true)
    }

    fn up(&mut self) -> io::Result<bool> {
        let Some(done) = self.levels.pop() else {
            return Ok(false);
        };
        self.finish(&self.to, &done.from)?;
        let Some(above) = self.levels.last_mut() else {
            return Ok(false);
        };
        (self.from, self.to) = match above.dirs.take() {
            Some(dirs) => dirs,
            None => {
                let moved =
                    || io::Error::other(tr_sent!("directories were moved while they were copied"));
                let from = open::parent(&self.from, self.device, above.from.st_ino)?;
                let to = open::parent(&self.to, self.target_device, above.to_ino)?;
                (from.ok_or_else(moved)?, to.ok_or_else(moved)?)
            }
        };
        Ok(true)
    }
}

fn timespec(seconds: i64, nanoseconds: u64) -> Timespec {
    Timespec {
        tv_sec: seconds,
        tv_nsec: i64::try_from(nanoseconds).unwrap_or(0),
    }
}

/// Adds the name to an error, except to a cancellation.
fn named(name: &CStr, error: io::Error) -> io::Error {
    if error.kind() == io::ErrorKind::Interrupted {
        return error;
    }
    let name: String = name.to_string_lossy().chars().take(120).collect();
    io::Error::new(error.kind(), format!("{name}: {error}"))
}

#[cfg(test)]
mod tests {
    use std::{
        fs::{self, File},
        os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink},
        process::Command,
    };

    use super::{
        super::testing::{deep, in_a_small_stack},
        *,
    };

    fn copied(from: &Path, to: &Path) -> io::Result<Copied> {
        copy(from, to, None, &AtomicBool::new(false))
    }

    #[test]
    fn a_copy_equals_its_original() {
        let dir = tempfile::tempdir().unwrap();
        let (from, to) = (dir.path().join("from"), dir.path().join("to"));
        fs::create_dir_all(from.join("a/b")).unwrap();
        fs::write(from.join("a/file"), vec![7; 3_000_000]).unwrap();
        fs::write(from.join("a/b/run"), "#!/bin/sh\n").unwrap();
        fs::set_permissions(from.join("a/b/run"), fs::Permissions::from_mode(0o4755)).unwrap();
        fs::set_permissions(from.join("a/b"), fs::Permissions::from_mode(0o750)).unwrap();
        symlink("/etc/passwd", from.join("link")).unwrap();
        symlink("nowhere", from.join("a/broken")).unwrap();
        let pipe = from.join("pipe");
        assert!(
            Command::new("mkfifo")
                .arg(&pipe)
                .status()
                .unwrap()
                .success()
        );
        let sparse = File::create(from.join("sparse")).unwrap();
        sparse.set_len(1 << 40).unwrap();
        let socket = std::os::unix::net::UnixListener::bind(from.join("socket")).unwrap();
        let result = copied(&from, &to).unwrap();
        drop(socket);
        assert_eq!((result.entries, result.skipped), (8, 1));
        assert!(!to.join("socket").exists());
        fs::remove_file(from.join("socket")).unwrap();
        let both = [&from, &to].map(|path| path.join("sparse"));
        for path in &both {
            let meta = fs::metadata(path).unwrap();
            assert_eq!((meta.len(), meta.blocks()), (1 << 40, 0), "{path:?}");
            fs::remove_file(path).unwrap();
        }
        let mode = |path: &str| fs::metadata(to.join(path)).unwrap().mode() & 0o7777;
        assert_eq!((mode("a/b/run"), mode("a/b")), (0o755, 0o750));
        let time = |root: &Path| fs::metadata(root.join("a/b")).unwrap().modified().unwrap();
        assert_eq!(time(&from), time(&to));
        for path in [&from, &to] {
            fs::remove_file(path.join("pipe")).unwrap();
        }
        let mut compared = Command::new("diff");
        compared.args(["-r", "--no-dereference"]);
        let compared = compared.arg(&from).arg(&to).output().unwrap();
        assert!(compared.status.success(), "{compared:?}");
        assert!(copied(&from, &to).is_err(), "the name is taken");
    }

    #[test]
    fn a_very_deep_tree_is_copied_with_few_descriptors() {
        let dir = tempfile::tempdir().unwrap();
        let (from, to) = (dir.path().join("from"), dir.path().join("to"));
        deep(&from, 20_000);
        in_a_small_stack(move || {
            assert_eq!(copied(&from, &to).unwrap().entries, 20_000);
            super::super::remove(&from).unwrap();
            super::super::remove(&to).unwrap();
        });
    }

    #[test]
    fn a_cancelled_copy_ends() {
        let dir = tempfile::tempdir().unwrap();
        let from = dir.path().join("from");
        fs::create_dir(&from).unwrap();
        fs::write(from.join("file"), "x").unwrap();
        let error = copy(&from, &dir.path().join("to"), None, &AtomicBool::new(true)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::Interrupted);
    }

    #[test]
    fn a_link_in_the_place_of_the_folder_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        symlink("/etc", dir.path().join("link")).unwrap();
        assert!(copied(&dir.path().join("link"), &dir.path().join("to")).is_err());
        assert!(!dir.path().join("to").exists());
    }
}
