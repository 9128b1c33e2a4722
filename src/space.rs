//! The space of file systems.

use std::{os::fd::AsFd, path::Path};

use rustix::fs::{StatVfs, fstatvfs, statvfs};

use crate::model::resources::Bytes;

/// The space of one file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiskSpace {
    pub total: Bytes,
    /// What this user may still use. Root may use more.
    pub free: Bytes,
}

impl DiskSpace {
    /// The file system that a path is on.
    pub fn at(path: &Path) -> rustix::io::Result<Self> {
        statvfs(path).map(|facts| Self::from(&facts))
    }

    /// The file system that an open file or directory is on.
    pub fn of(file: impl AsFd) -> rustix::io::Result<Self> {
        fstatvfs(file).map(|facts| Self::from(&facts))
    }
}

impl From<&StatVfs> for DiskSpace {
    fn from(facts: &StatVfs) -> Self {
        let bytes = |blocks: u64| Bytes(blocks.saturating_mul(facts.f_frsize));
        Self {
            total: bytes(facts.f_blocks),
            free: bytes(facts.f_bavail),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn the_size_is_what_df_prints() {
        let dir = tempfile::tempdir().unwrap();
        let words = ["--output=size", "-B1"];
        let output = Command::new("df").args(words).arg(dir.path()).output();
        let printed = String::from_utf8(output.unwrap().stdout).unwrap();
        let size = printed.lines().last().unwrap().trim().parse().unwrap();
        let found = DiskSpace::at(dir.path()).unwrap();
        assert_eq!(found.total, Bytes(size));
        assert!(found.free < found.total);
        let open = std::fs::File::open(dir.path()).unwrap();
        assert_eq!(DiskSpace::of(&open).unwrap().total, found.total);
        assert!(DiskSpace::at(&dir.path().join("none")).is_err());
    }
}
