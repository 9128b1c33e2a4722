//! Project quotas of ext4 and XFS: all files of a limited directory have the number of a project.

use std::{ffi::OsStr, fs, os::unix::fs::MetadataExt as _, path::Path};

use super::{WhyMeasured, tool};
use crate::{model::resources::Bytes, tree::mountinfo};

/// Projects of workbay have numbers from here on: this and the inode of the directory, so that two directories of a file
/// system have different ones.
const FIRST_PROJECT: u64 = 1 << 30;
/// The unit of limits.
const BLOCK: u64 = 1024;

/// Whether the file system of `place` is mounted with project quotas.
pub(super) fn is_on(place: &Path) -> bool {
    let table = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    mount_of(&table, place).is_some_and(|mount| mount.has_project_quotas)
}

/// Where the file system of `place` is mounted.
pub(super) fn mount_point(place: &Path) -> Option<String> {
    let table = fs::read_to_string("/proc/self/mountinfo").ok()?;
    Some(mount_of(&table, place)?.point)
}

/// Whether the programs exist.
pub(super) fn check() -> Result<(), WhyMeasured> {
    tool::run("setquota", &["--version"]).map(drop)
}

pub(super) fn limit(path: &Path, limit: Option<Bytes>) -> Result<(), WhyMeasured> {
    let inode = fs::symlink_metadata(path)
        .map_err(|error| error.to_string())?
        .ino();
    let project = (FIRST_PROJECT | (inode & (FIRST_PROJECT - 1))).to_string();
    let table = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let Some(mount) = mount_of(&table, path) else {
        return Err(tr_sent!(
            "the mount of {path} can't be found",
            path = path.display()
        ));
    };
    if limit.is_some() {
        let chattr = |words: &[&str]| {
            let words = words.iter().map(OsStr::new).chain([path.as_os_str()]);
            tool::run("chattr", &words.collect::<Vec<_>>())
        };
        chattr(&["-R", "-p", &project])?;
        // New files inherit the project of their directory.
        chattr(&["+P"])?;
        // ext4 refuses the flag for files, so this one fails where there are any.
        let _ = chattr(&["-R", "-f", "+P"]);
    }
    let blocks = limit.map_or(0, |most| most.0.div_ceil(BLOCK)).to_string();
    let words = ["-P", &project, "0", &blocks, "0", "0", &mount.point].map(OsStr::new);
    tool::run("setquota", &words).map(drop)
}

#[derive(Debug, PartialEq, Eq)]
struct Mount {
    point: String,
    has_project_quotas: bool,
}

/// The mount that a path is on, from /proc/self/mountinfo.
fn mount_of(table: &str, path: &Path) -> Option<Mount> {
    let mounts = table.lines().filter_map(|line| {
        let (before, after) = line.split_once(" - ")?;
        let point = mountinfo::unescape(before.split(' ').nth(4)?.as_bytes());
        let options = after.split(' ').nth(2)?;
        let mut options = options.split(',');
        Some(Mount {
            point: point.to_string_lossy().into_owned(),
            has_project_quotas: options.any(|it| matches!(it, "prjquota" | "pquota")),
        })
    });
    // The last of several mounts at one place is the visible one.
    mounts
        .filter(|mount| path.starts_with(&mount.point))
        .max_by_key(|mount| mount.point.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_mount_counts() {
        let table = "1 0 8:1 / / rw - ext4 /dev/a rw\n\
                     2 1 8:2 / /data rw,relatime - ext4 /dev/b rw,prjquota\n\
                     3 1 8:3 / /data/my\\040disk rw shared:1 - xfs /dev/c rw,attr2,prjquota\n\
                     4 1 8:4 / /data/plain rw - xfs /dev/d rw,noquota\n";
        let found = |path: &str| {
            let mount = mount_of(table, Path::new(path)).unwrap();
            (mount.point, mount.has_project_quotas)
        };
        assert_eq!(found("/home"), ("/".to_owned(), false));
        assert_eq!(found("/data/x"), ("/data".to_owned(), true));
        assert_eq!(found("/database"), ("/".to_owned(), false));
        assert_eq!(found("/data/my disk/x"), ("/data/my disk".to_owned(), true));
        assert_eq!(found("/data/plain/x"), ("/data/plain".to_owned(), false));
    }
}
