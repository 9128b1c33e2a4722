//! What directories hold on disk, as `du` counts it: blocks, a file of several names once.

use std::{
    collections::HashSet,
    io,
    path::{Path, PathBuf},
};

use crate::{
    model::resources::Bytes,
    tree::{self, Entry, Next},
};

/// More than so many entries are not counted: what they hold is not known then.
const ENTRIES: u32 = 1_000_000;
/// Of `Stat::st_blocks`, whatever the file system's own are.
const BLOCK: u64 = 512;

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
        blocks = blocks.and_then(|sum| Some(sum + blocks_of(directory, &mut left)?));
    }
    Found {
        held: blocks.map(|blocks: u64| Bytes(blocks * BLOCK)),
        entries: most - left,
    }
}

/// `None` when there are more than `left` entries, or one cannot be read.
fn blocks_of(directory: &Path, left: &mut u32) -> Option<u64> {
    let mut count = Count::default();
    let counted = tree::visit(directory, |entry| {
        if entry.name.to_bytes() != b"." {
            let fewer = left.checked_sub(1);
            *left = fewer.ok_or_else(|| io::Error::other("too many entries"))?;
        }
        count.add(&entry);
        Ok(Next::Into)
    });
    counted.ok().map(|()| count.blocks)
}

#[derive(Default)]
struct Count {
    blocks: u64,
    /// Files of several names that were met.
    met: HashSet<u64>,
}

impl Count {
    fn add(&mut self, entry: &Entry<'_>) {
        let stat = entry.stat;
        if entry.is_directory() || stat.st_nlink < 2 || self.met.insert(stat.st_ino) {
            self.blocks += u64::try_from(stat.st_blocks).unwrap_or(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        fs::{self, File},
        os::unix::fs::symlink,
        process::Command,
    };

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
        let deep: PathBuf = std::iter::repeat_n("d", 300).collect();
        let deep = dir.path().join(deep);
        fs::create_dir_all(&deep).unwrap();
        let found = look(&[dir.path().to_path_buf()]);
        assert_eq!(found.held, Some(du(dir.path())), "however deep it is");
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
