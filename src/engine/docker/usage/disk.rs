//! The size of directories on disk, counted like `du`: in blocks, with hard-linked files once.

use std::{
    collections::HashSet,
    io,
    path::{Path, PathBuf},
};

use crate::{
    model::resources::Bytes,
    tree::{self, TreeEntry, WalkStep},
};

/// With more entries than this, the size is unknown.
const ENTRIES: u32 = 1_000_000;
/// The unit of `Stat::st_blocks` on every file system.
const BLOCK: u64 = 512;

/// The result of a measurement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::engine::docker) struct DiskUsage {
    /// `None` if it can't be determined.
    pub held: Option<Bytes>,
    /// Number of files and directories that were counted.
    pub entries: u32,
}

/// The size of all directories together. Doesn't follow links, because sessions write there at the same time.
pub(in crate::engine::docker) fn look(directories: &[PathBuf]) -> DiskUsage {
    look_at_most(directories, ENTRIES)
}

fn look_at_most(directories: &[PathBuf], most: u32) -> DiskUsage {
    let (mut left, mut blocks) = (most, Some(0));
    for directory in directories {
        blocks = blocks.and_then(|sum| Some(sum + blocks_of(directory, &mut left)?));
    }
    DiskUsage {
        held: blocks.map(|blocks: u64| Bytes(blocks * BLOCK)),
        entries: most - left,
    }
}

/// `None` when there are more than `left` entries, or one can't be read.
fn blocks_of(directory: &Path, left: &mut u32) -> Option<u64> {
    let mut count = DiskCounter::default();
    let counted = tree::visit(directory, |entry| {
        if entry.name.to_bytes() != b"." {
            let fewer = left.checked_sub(1);
            *left = fewer.ok_or_else(|| io::Error::other("too many entries"))?;
        }
        count.add(&entry);
        Ok(WalkStep::Into)
    });
    counted.ok().map(|()| count.blocks)
}

#[derive(Default)]
struct DiskCounter {
    blocks: u64,
    /// Files with several names that were already counted.
    met: HashSet<u64>,
}

impl DiskCounter {
    fn add(&mut self, entry: &TreeEntry<'_>) {
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

    /// The result of `du` for a directory.
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
        assert_eq!(look(&[dir.path().join("none")]), DiskUsage::default());
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
        let many = DiskUsage {
            held: None,
            entries: 1,
        };
        assert_eq!(one(), many, "too many");
        assert_eq!(look(&[]).held, Some(Bytes(0)));
    }
}
