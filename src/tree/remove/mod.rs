//! Removes a directory tree of any depth and with any modes.

use std::{
    collections::HashSet,
    ffi::{CStr, CString, OsStr},
    io, mem,
    os::{
        fd::OwnedFd,
        unix::ffi::{OsStrExt as _, OsStringExt as _},
    },
    path::{Path, PathBuf},
};

use rustix::{
    fs::{AtFlags, CWD, Dir, FileType, fstat, renameat, unlinkat},
    io::Errno,
};

use super::{BOUNDS, Bounds, open};

/// How many subdirectories of one directory are remembered at a time.
const BATCH: usize = 4096;
/// The most passes over one directory, so that a program that keeps writing can't prolong the removal forever.
const PASSES: u32 = 2_000;

/// How many levels the path in an error message has.
const NAMED: usize = 16;

/// Removes `path` and everything in it. Succeeds if `path` doesn't exist. If something can't be removed, removes the
/// rest and returns the first failure with its path.
///
/// Doesn't remove anything on other file systems, and removes links without following them.
pub fn remove(path: &Path) -> io::Result<()> {
    remove_with(path, BOUNDS)
}

fn remove_with(path: &Path, bounds: Bounds) -> io::Result<()> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let parent = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    let holder = match open::trusted_directory(CWD, parent.unwrap_or(Path::new("."))) {
        Err(Errno::NOENT) => return Ok(()),
        other => other?,
    };
    remove_in(holder, CString::new(name.as_bytes())?, bounds, &mut || true)
}

/// Removes the entry `name` of an open directory like [`remove`]. Calls `removed` after each entry, and stops when that
/// returns false.
pub fn remove_entry(
    holder: OwnedFd,
    name: &CStr,
    removed: &mut dyn FnMut() -> bool,
) -> io::Result<()> {
    remove_in(holder, name.to_owned(), BOUNDS, removed)
}

fn remove_in(
    holder: OwnedFd,
    name: CString,
    bounds: Bounds,
    removed: &mut dyn FnMut() -> bool,
) -> io::Result<()> {
    let mut removal = Removal {
        device: None,
        bounds,
        here: holder,
        levels: Vec::new(),
        failure: None,
        removed,
        is_stopped: false,
    };
    removal.run(name);
    if removal.is_stopped {
        return Err(io::ErrorKind::Interrupted.into());
    }
    removal.failure.map_or(Ok(()), Err)
}

/// A directory that is being emptied.
struct DirectoryToEmpty {
    /// The open directory, to return to from a deeper one.
    dir: Option<OwnedFd>,
    ino: u64,
    name: CString,
    /// Subdirectories that were found but not entered yet.
    pending: Vec<CString>,
    /// The entries that couldn't be removed.
    stuck: HashSet<CString>,
    passes: u32,
    is_done: bool,
}

impl DirectoryToEmpty {
    fn new(ino: u64, name: CString) -> Self {
        Self {
            dir: None,
            ino,
            name,
            pending: Vec::new(),
            stuck: HashSet::new(),
            passes: 0,
            is_done: false,
        }
    }
}

struct Removal<'a> {
    /// The file system of the tree.
    device: Option<u64>,
    bounds: Bounds,
    /// The current directory, which is that of the last level.
    here: OwnedFd,
    /// The parent directory of the tree, then the top of the tree, and so on downwards.
    levels: Vec<DirectoryToEmpty>,
    /// The first failure.
    failure: Option<io::Error>,
    /// Called after each removed entry. `false` = stop.
    removed: &'a mut dyn FnMut() -> bool,
    is_stopped: bool,
}

impl Removal<'_> {
    fn run(&mut self, tree: CString) {
        // In the parent directory only the tree is removed.
        let mut holder = DirectoryToEmpty::new(0, CString::default());
        holder.pending.push(tree);
        holder.is_done = true;
        self.levels.push(holder);
        while let Some(level) = self.levels.last_mut() {
            if self.is_stopped {
                return;
            }
            if let Some(name) = level.pending.pop() {
                self.enter(name);
            } else if level.is_done {
                self.leave();
            } else {
                self.sweep();
            }
        }
    }

    /// Removes the files of the current directory and finds its subdirectories.
    fn sweep(&mut self) {
        let Some(level) = self.levels.last_mut() else {
            return;
        };
        level.passes += 1;
        let mut failed = None;
        match Dir::read_from(&self.here) {
            Ok(entries) => {
                for entry in entries {
                    let Ok(entry) = entry else { break };
                    let name = entry.file_name();
                    if matches!(name.to_bytes(), b"." | b"..") || level.stuck.contains(name) {
                        continue;
                    }
                    match unlink_unless_directory(&self.here, name, entry.file_type()) {
                        Ok(true) if !(self.removed)() => {
                            self.is_stopped = true;
                            break;
                        }
                        Ok(true) => {}
                        Ok(false) => level.pending.push(name.to_owned()),
                        Err(error) => {
                            level.stuck.insert(name.to_owned());
                            failed.get_or_insert((name.to_owned(), error));
                        }
                    }
                    if level.pending.len() >= BATCH {
                        break;
                    }
                }
            }
            Err(error) => failed = Some((c".".to_owned(), error)),
        }
        // After its subdirectories are removed, the directory is read again for entries that weren't in this pass.
        level.is_done = level.pending.is_empty() || level.passes >= PASSES;
        if let Some((name, error)) = failed {
            self.note(&name, error);
        }
    }

    fn enter(&mut self, name: CString) {
        if self.levels.len() >= self.bounds.levels {
            return self.hoist(name);
        }
        match open::opened_up(&self.here, name.as_c_str()) {
            Ok(dir) => self.descend(dir, name),
            Err(Errno::NOENT) => {}
            // The directory was replaced meanwhile, or the whole tree is a link or a file.
            Err(Errno::NOTDIR | Errno::LOOP) => self.unlink(name, AtFlags::empty()),
            Err(error) => {
                // An empty directory can be removed without being read.
                if unlinkat(&self.here, name.as_c_str(), AtFlags::REMOVEDIR).is_err() {
                    self.stick(name, error);
                }
            }
        }
    }

    fn descend(&mut self, dir: OwnedFd, name: CString) {
        let stat = match fstat(&dir) {
            Ok(stat) => stat,
            Err(error) => return self.stick(name, error),
        };
        if *self.device.get_or_insert(stat.st_dev) != stat.st_dev {
            return self.stick(name, Errno::XDEV);
        }
        let above = mem::replace(&mut self.here, dir);
        // The parent directory and the top stay open: the parent's number isn't stored, and `hoist` needs the top.
        let is_kept = self.levels.len() <= self.bounds.descriptors.max(2);
        if let Some(level) = self.levels.last_mut() {
            level.dir = is_kept.then_some(above);
        }
        self.levels.push(DirectoryToEmpty::new(stat.st_ino, name));
    }

    /// Moves a directory that is too deep to the top of the tree, where a later pass finds it.
    fn hoist(&mut self, name: CString) {
        let Some(top) = self.levels.get(1).and_then(|top| top.dir.as_ref()) else {
            return;
        };
        // Moving a directory changes its `..` entry, so the directory must be writable.
        let opened = open::opened_up(&self.here, name.as_c_str()).map(drop);
        let unique = format!(".deep-{}", uuid::Uuid::new_v4().simple());
        let moved =
            opened.and_then(|()| renameat(&self.here, name.as_c_str(), top, unique.as_str()));
        match moved {
            Ok(()) | Err(Errno::NOENT) => {}
            Err(Errno::NOTDIR | Errno::LOOP) => self.unlink(name, AtFlags::empty()),
            Err(error) => self.stick(name, error),
        }
    }

    /// Leaves the current directory after everything removable in it is removed, and removes it if it is empty.
    fn leave(&mut self) {
        let (Some(level), true) = (self.levels.pop(), self.go_up()) else {
            return;
        };
        if level.stuck.is_empty() {
            self.unlink(level.name, AtFlags::REMOVEDIR);
        } else if let Some(parent) = self.levels.last_mut() {
            parent.stuck.insert(level.name);
        }
    }

    /// Makes the directory of the last level the current one. If that directory was moved, the nearest open one is
    /// read again.
    fn go_up(&mut self) -> bool {
        let Some(parent) = self.levels.last_mut() else {
            return false;
        };
        if let Some(dir) = parent.dir.take() {
            self.here = dir;
            return true;
        }
        let device = self.device.unwrap_or_default();
        if let Ok(Some(above)) = open::parent(&self.here, device, parent.ino) {
            self.here = above;
            return true;
        }
        while let Some(level) = self.levels.last_mut() {
            if let Some(dir) = level.dir.take() {
                self.here = dir;
                level.is_done = level.passes >= PASSES;
                break;
            }
            self.levels.pop();
        }
        false
    }

    fn unlink(&mut self, name: CString, how: AtFlags) {
        match unlinkat(&self.here, name.as_c_str(), how) {
            Ok(()) => self.is_stopped |= !(self.removed)(),
            Err(Errno::NOENT) => {}
            Err(error) => self.stick(name, error),
        }
    }

    fn stick(&mut self, name: CString, error: Errno) {
        self.note(&name, error);
        if let Some(level) = self.levels.last_mut() {
            level.stuck.insert(name);
        }
    }

    fn note(&mut self, name: &CStr, error: Errno) {
        if self.failure.is_some() {
            return;
        }
        let part = |name: &CStr| OsStr::from_bytes(name.to_bytes()).to_owned();
        let above = self.levels.len().saturating_sub(NAMED).max(1);
        let names = self
            .levels
            .iter()
            .skip(above)
            .map(|level| part(&level.name));
        let place: PathBuf = names.chain([part(name)]).collect();
        let place = shortened(place.into_os_string().into_vec());
        let error = io::Error::from(error);
        self.failure = Some(io::Error::new(error.kind(), format!("{place}: {error}")));
    }
}

/// Removes an entry that isn't a directory, and returns whether it is gone.
fn unlink_unless_directory(dir: &OwnedFd, name: &CStr, kind: FileType) -> Result<bool, Errno> {
    if kind == FileType::Directory {
        return Ok(false);
    }
    match unlinkat(dir, name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => Ok(true),
        Err(Errno::ISDIR) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Returns the end of a path, for a message.
fn shortened(path: Vec<u8>) -> String {
    const MOST: usize = 120;
    let text = String::from_utf8_lossy(&path).into_owned();
    let length = text.chars().count();
    if length <= MOST {
        return text;
    }
    let end: String = text.chars().skip(length - MOST).collect();
    format!("…{end}")
}

#[cfg(test)]
mod tests;
