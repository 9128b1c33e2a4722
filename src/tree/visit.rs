//! Visits every entry of a tree that may change meanwhile.

use std::{
    ffi::{CStr, CString, OsStr},
    io, mem,
    os::{
        fd::{AsFd as _, BorrowedFd, OwnedFd},
        unix::ffi::OsStrExt as _,
    },
    path::{Path, PathBuf},
};

use rustix::{
    fs::{AtFlags, CWD, Dir, FileType, Stat, fstat, statat},
    io::Errno,
};

use super::{BOUNDS, Bounds, open};

/// An entry in the tree, or its top (named `.`).
pub struct TreeEntry<'a> {
    /// The directory that contains the entry.
    pub dir: BorrowedFd<'a>,
    /// The path of that directory, relative to the top of the tree.
    pub parent: &'a Path,
    pub name: &'a CStr,
    /// The metadata of the entry itself, because links aren't followed.
    pub stat: &'a Stat,
}

impl TreeEntry<'_> {
    pub fn is_directory(&self) -> bool {
        FileType::from_raw_mode(self.stat.st_mode) == FileType::Directory
    }

    /// The path of the entry, relative to the top of the tree.
    pub fn path(&self) -> PathBuf {
        self.parent.join(OsStr::from_bytes(self.name.to_bytes()))
    }
}

/// Where a walk continues after an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WalkStep {
    /// Into the entry, if it is a directory.
    Into,
    /// Past the entry and its contents.
    Past,
}

/// Calls `each` for every entry of the tree at `root`, for a directory before its contents. Doesn't enter other file
/// systems. Stops at an error of `each`, at a directory that can't be read, and at a tree deeper than the bound.
pub fn visit(
    root: &Path,
    each: impl FnMut(TreeEntry<'_>) -> io::Result<WalkStep>,
) -> io::Result<()> {
    visit_with(root, BOUNDS, each)
}

/// The same for a directory that is open.
pub fn visit_opened(
    top: OwnedFd,
    each: impl FnMut(TreeEntry<'_>) -> io::Result<WalkStep>,
) -> io::Result<()> {
    visit_from(top, BOUNDS, each)
}

fn visit_with(
    root: &Path,
    bounds: Bounds,
    each: impl FnMut(TreeEntry<'_>) -> io::Result<WalkStep>,
) -> io::Result<()> {
    visit_from(open::directory(CWD, root)?, bounds, each)
}

fn visit_from(
    top: OwnedFd,
    bounds: Bounds,
    mut each: impl FnMut(TreeEntry<'_>) -> io::Result<WalkStep>,
) -> io::Result<()> {
    let stat = fstat(&top)?;
    let entry = TreeEntry {
        dir: top.as_fd(),
        parent: Path::new(""),
        name: c".",
        stat: &stat,
    };
    if each(entry)? == WalkStep::Past {
        return Ok(());
    }
    let mut walk = Walk {
        device: stat.st_dev,
        bounds,
        here: top,
        path: PathBuf::new(),
        levels: Vec::new(),
        each,
    };
    walk.begin(stat.st_ino)?;
    while walk.step()? {}
    Ok(())
}

/// The current directory, or one of those above it.
struct OpenDirectory {
    /// The open directory to return to. Beyond the bound, it is reopened as the parent of its subdirectory.
    dir: Option<OwnedFd>,
    ino: u64,
    /// Subdirectories that haven't been entered yet.
    pending: Vec<CString>,
}

struct Walk<F> {
    device: u64,
    bounds: Bounds,
    here: OwnedFd,
    /// The path of the current directory, relative to the top.
    path: PathBuf,
    levels: Vec<OpenDirectory>,
    each: F,
}

impl<F: FnMut(TreeEntry<'_>) -> io::Result<WalkStep>> Walk<F> {
    /// Visits the entries of the current directory.
    fn begin(&mut self, ino: u64) -> io::Result<()> {
        let most = self.bounds.levels;
        if self.levels.len() >= most {
            return Err(io::Error::other(tr_sent!(
                "directories are nested more than {most} levels deep",
                most
            )));
        }
        let mut pending = Vec::new();
        for entry in Dir::read_from(&self.here)? {
            let entry = entry?;
            let name = entry.file_name();
            if matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            let stat = match statat(&self.here, name, AtFlags::SYMLINK_NOFOLLOW) {
                Err(Errno::NOENT) => continue,
                other => other?,
            };
            if stat.st_dev != self.device {
                continue;
            }
            let entry = TreeEntry {
                dir: self.here.as_fd(),
                parent: &self.path,
                name,
                stat: &stat,
            };
            let is_directory = entry.is_directory();
            if (self.each)(entry)? == WalkStep::Into && is_directory {
                pending.push(name.to_owned());
            }
        }
        self.levels.push(OpenDirectory {
            dir: None,
            ino,
            pending,
        });
        Ok(())
    }

    /// Enters the next directory or returns to the parent. `false` = no directory is left.
    fn step(&mut self) -> io::Result<bool> {
        let is_kept = self.levels.len() <= self.bounds.descriptors;
        let Some(level) = self.levels.last_mut() else {
            return Ok(false);
        };
        let Some(name) = level.pending.pop() else {
            return self.up();
        };
        let next = match open::directory(&self.here, name.as_c_str()) {
            // The directory was removed or replaced meanwhile.
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => return Ok(true),
            other => other?,
        };
        let stat = fstat(&next)?;
        if stat.st_dev == self.device {
            let before = mem::replace(&mut self.here, next);
            level.dir = is_kept.then_some(before);
            self.path.push(OsStr::from_bytes(name.to_bytes()));
            self.begin(stat.st_ino)?;
        }
        Ok(true)
    }

    fn up(&mut self) -> io::Result<bool> {
        self.levels.pop();
        self.path.pop();
        let Some(parent) = self.levels.last_mut() else {
            return Ok(false);
        };
        self.here = match parent.dir.take() {
            Some(dir) => dir,
            None => {
                let above = open::parent(&self.here, self.device, parent.ino)?;
                above.ok_or_else(|| {
                    io::Error::other(tr_sent!("directories were moved while they were read"))
                })?
            }
        };
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use super::{
        super::testing::{deep, in_a_small_stack},
        *,
    };

    fn keeping(descriptors: usize) -> Bounds {
        Bounds {
            descriptors,
            ..BOUNDS
        }
    }

    fn count(root: &Path, bounds: Bounds) -> io::Result<u32> {
        let mut seen = 0;
        visit_with(root, bounds, |_| {
            seen += 1;
            Ok(WalkStep::Into)
        })?;
        Ok(seen)
    }

    #[test]
    fn a_very_deep_tree_is_walked_with_a_small_stack_and_few_descriptors() {
        let dir = tempfile::tempdir().unwrap();
        let tree = dir.path().join("tree");
        deep(&tree, 20_000);
        deep(&tree.join("d/d/d/e"), 50);
        in_a_small_stack(move || {
            assert_eq!(count(&tree, keeping(2)).unwrap(), 1 + 20_000 + 1 + 50);
            let shallow = Bounds {
                levels: 19_999,
                ..BOUNDS
            };
            let error = count(&tree, shallow).unwrap_err().to_string();
            assert!(error.contains("19999 levels deep"), "{error}");
            super::super::remove(&tree).unwrap();
        });
    }

    #[test]
    fn each_entry_comes_with_the_path_of_its_directory() {
        let dir = tempfile::tempdir().unwrap();
        for file in ["a/b/one", "a/two", "c/three", "four"] {
            let path = dir.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let mut seen = Vec::new();
        visit(dir.path(), |entry| {
            if !entry.is_directory() {
                seen.push(entry.path().display().to_string());
            }
            Ok(WalkStep::Into)
        })
        .unwrap();
        seen.sort();
        assert_eq!(seen, ["a/b/one", "a/two", "c/three", "four"]);
    }

    #[test]
    fn all_is_shown_once_and_links_are_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let tree = dir.path().join("tree");
        fs::create_dir_all(tree.join("a/b/c")).unwrap();
        fs::create_dir_all(tree.join("a/x")).unwrap();
        fs::write(tree.join("a/file"), "").unwrap();
        symlink("/", tree.join("a/b/link")).unwrap();
        symlink(dir.path(), tree.join("link")).unwrap();
        for most in [0, 1, 100] {
            let mut names = Vec::new();
            visit_with(&tree, keeping(most), |entry| {
                names.push(entry.name.to_str().unwrap().to_owned());
                Ok(WalkStep::Into)
            })
            .unwrap();
            names.sort();
            assert_eq!(names, [".", "a", "b", "c", "file", "link", "link", "x"]);
        }
        let mut shown = 0;
        visit(&tree, |entry| {
            shown += 1;
            let past = entry.name.to_bytes() == b"a";
            Ok(if past { WalkStep::Past } else { WalkStep::Into })
        })
        .unwrap();
        assert_eq!(shown, 3);
        assert!(visit(&tree.join("link"), |_| Ok(WalkStep::Into)).is_err());
    }

    #[test]
    fn a_directory_that_is_moved_while_it_is_read_leads_nowhere_else() {
        let dir = tempfile::tempdir().unwrap();
        let (tree, outside) = (dir.path().join("tree"), dir.path().join("outside"));
        fs::create_dir_all(tree.join("a/b/c")).unwrap();
        fs::create_dir_all(outside.join("secret")).unwrap();
        let mut seen = Vec::new();
        let error = visit_with(&tree, keeping(0), |entry| {
            seen.push(entry.name.to_owned());
            if entry.name.to_bytes() == b"c" {
                fs::rename(tree.join("a/b"), outside.join("b")).unwrap();
            }
            Ok(WalkStep::Into)
        })
        .unwrap_err();
        assert!(error.to_string().contains("moved"), "{error}");
        let secret = std::ffi::OsStr::from_bytes(b"secret");
        assert!(seen.iter().all(|name| name.to_bytes() != secret.as_bytes()));
    }
}
