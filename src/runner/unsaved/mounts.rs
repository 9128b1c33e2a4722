//! What is mounted in this container: it isn't part of the container's own files.

use std::{
    collections::BTreeSet,
    ffi::OsString,
    fs, io,
    os::unix::ffi::OsStringExt as _,
    path::{Path, PathBuf},
};

/// The mount points, without the root directory.
pub(super) struct Mounts(BTreeSet<PathBuf>);

impl Mounts {
    pub(super) fn read() -> io::Result<Self> {
        Ok(Self::parse(&fs::read("/proc/self/mountinfo")?))
    }

    fn parse(info: &[u8]) -> Self {
        let fields = info
            .split(|byte| *byte == b'\n')
            .filter_map(|line| line.split(|byte| *byte == b' ').nth(4));
        let points = fields.map(|field| PathBuf::from(unescape(field)));
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

/// Decodes a path in which blanks are written as three octal digits.
fn unescape(field: &[u8]) -> OsString {
    let mut bytes = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((&byte, after)) = rest.split_first() {
        let digits = after.get(..3).and_then(|it| std::str::from_utf8(it).ok());
        match digits.and_then(|it| u8::from_str_radix(it, 8).ok()) {
            Some(value) if byte == b'\\' => {
                bytes.push(value);
                rest = &after[3..];
            }
            _ => {
                bytes.push(byte);
                rest = after;
            }
        }
    }
    OsString::from_vec(bytes)
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
