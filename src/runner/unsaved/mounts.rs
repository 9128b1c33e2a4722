//! What is mounted in this container: it isn't part of the container's own files.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
};

use crate::tree::mountinfo;

/// The mount points, without the root directory.
pub(super) struct Mounts(BTreeSet<PathBuf>);

impl Mounts {
    pub(super) fn read() -> io::Result<Self> {
        Ok(Self::parse(&fs::read("/proc/self/mountinfo")?))
    }

    fn parse(info: &[u8]) -> Self {
        let points = mountinfo::mount_points(info);
        Self(points.filter(|point| point != Path::new("/")).collect())
    }

    /// Whether the path is a mount point.
    pub(super) fn has(&self, path: &Path) -> bool {
        self.0.contains(path)
    }

    /// Whether the path is a mount point or inside of a mount.
    pub(super) fn hold(&self, path: &Path) -> bool {
        path.ancestors().any(|it| self.0.contains(it))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mount_points_hold_what_is_inside_of_them() {
        let info = b"1 0 0:1 / / rw - overlay overlay rw\n\
                     2 1 8:1 /x /home/work rw - ext4 /dev/a rw\n\
                     3 1 8:1 /y /home/work/a\\040b rw - ext4 /dev/a rw\n";
        let mounts = Mounts::parse(info);
        assert!(mounts.has(Path::new("/home/work/a b")));
        assert!(!mounts.has(Path::new("/home/work/c")));
        assert!(mounts.hold(Path::new("/home/work/c")));
        assert!(!mounts.hold(Path::new("/opt/c")));
    }
}
