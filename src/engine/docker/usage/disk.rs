//! What directories hold on disk, as `du` counts it: blocks, a file of several names once.

use std::{
    collections::HashSet,
    fs::{self, File},
    os::{fd::AsFd, unix::fs::MetadataExt as _},
    path::{Path, PathBuf},
};

use rustix::{
    fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat, openat, statat},
    io::Errno,
};

use crate::model::resources::Bytes;

/// More than so many entries are not counted: what they hold is not known then.
const ENTRIES: u32 = 1_000_000;
/// Each level keeps a directory open.
const DEPTH: u32 = 100;
/// Of `Stat::st_blocks`, whatever the file system's own are.
const BLOCK: u64 = 512;

struct Walk<'a> {
    /// Nothing on another file system is counted.
    device: u64,
    /// Entries that may still be looked at.
    left: &'a mut u32,
    blocks: u64,
    /// Files of several names that were met.
    met: HashSet<u64>,
}

/// What was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    /// `None` where it cannot be found out.
    pub held: Option<Bytes>,
    /// Files and directories that were looked at for it.
    pub entries: u32,
}

/// Of all of them together. Links are not followed: sessions write there while we look.
pub(super) fn look(directories: &[PathBuf]) -> Found {
    look_at_most(directories, ENTRIES)
}

fn look_at_most(directories: &[PathBuf], most: u32) -> Found {
    let (mut left, mut blocks) = (most, Some(0));
    for directory in directories {
        blocks = blocks.and_then(|sum| Some(sum + walk(directory, &mut left)?));
    }
    Found {
        held: blocks.map(|blocks: u64| Bytes(blocks * BLOCK)),
        entries: most - left,
    }
}

fn walk(directory: &Path, left: &mut u32) -> Option<u64> {
    let of_root = fs::symlink_metadata(directory).ok()?;
    let mut walk = Walk {
        device: of_root.dev(),
        left,
        blocks: of_root.blocks(),
        met: HashSet::new(),
    };
    let root = open(CWD, directory).ok()?;
    walk.below(&root, DEPTH)?;
    Some(walk.blocks)
}

fn open(at: impl AsFd, name: impl rustix::path::Arg) -> rustix::io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat(at, name, flags, Mode::empty()).map(File::from)
}

impl Walk<'_> {
    /// `None` when it is too much, too deep or not to be read.
    fn below(&mut self, directory: &File, depth: u32) -> Option<()> {
        for entry in Dir::read_from(directory).ok()? {
            let entry = entry.ok()?;
            let name = entry.file_name();
            if matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            *self.left = self.left.checked_sub(1)?;
            let stat = match statat(directory, name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) => stat,
                Err(Errno::NOENT) => continue,
                Err(_) => return None,
            };
            if stat.st_dev != self.device || !self.add(&stat) {
                continue;
            }
            if FileType::from_raw_mode(stat.st_mode) == FileType::Directory {
                match open(directory, name) {
                    Ok(next) => self.below(&next, depth.checked_sub(1)?)?,
                    // It went, or became something else, meanwhile.
                    Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => {}
                    Err(_) => return None,
                }
            }
        }
        Some(())
    }

    /// Whether it was not counted under another name.
    fn add(&mut self, stat: &Stat) -> bool {
        let is_directory = FileType::from_raw_mode(stat.st_mode) == FileType::Directory;
        let new = is_directory || stat.st_nlink < 2 || self.met.insert(stat.st_ino);
        if new {
            self.blocks += u64::try_from(stat.st_blocks).unwrap_or(0);
        }
        new
    }
}

#[cfg(test)]
mod tests {
    use std::{os::unix::fs::symlink, process::Command};

    use super::*;

    /// What `du` says of a directory.
    fn du(directory: &Path) -> Bytes {
        let output = Command::new("du")
            .args(["-s", "-B512"])
            .arg(directory)
            .output();
        let said = String::from_utf8(output.unwrap().stdout).unwrap();
        let blocks: u64 = said.split_whitespace().next().unwrap().parse().unwrap();
        Bytes(blocks * BLOCK)
    }

    #[test]
    fn it_is_what_du_says() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().join("work");
        fs::create_dir_all(home.join("deep/er")).unwrap();
        fs::write(home.join("deep/er/file"), vec![1; 300_000]).unwrap();
        fs::hard_link(home.join("deep/er/file"), home.join("again")).unwrap();
        fs::write(dir.path().join("outside"), vec![1; 500_000]).unwrap();
        symlink(dir.path(), home.join("link")).unwrap();
        symlink(dir.path().join("outside"), home.join("file link")).unwrap();
        let sparse = File::create(home.join("sparse")).unwrap();
        sparse.set_len(1 << 40).unwrap();
        let found = look(std::slice::from_ref(&home));
        let held = found.held.unwrap();
        assert_eq!((held, found.entries), (du(&home), 7));
        assert!((300_000..400_000).contains(&held.0), "{held:?}");
    }

    #[test]
    fn what_cannot_be_counted_is_not_known() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(look(&[dir.path().join("none")]), Found::default());
        let mut deep = dir.path().to_path_buf();
        for _ in 0..=DEPTH {
            deep.push("d");
        }
        fs::create_dir_all(&deep).unwrap();
        let found = look(&[dir.path().to_path_buf()]);
        assert_eq!(found.held, None, "too deep");
        let one = || look_at_most(std::slice::from_ref(&deep), 1);
        assert!(one().held.is_some());
        fs::write(deep.join("1"), "").unwrap();
        assert!(one().held.is_some());
        fs::write(deep.join("2"), "").unwrap();
        let many = Found {
            held: None,
            entries: 1,
        };
        assert_eq!(one(), many, "too many");
        assert_eq!(look(&[]).held, Some(Bytes(0)));
    }
}
