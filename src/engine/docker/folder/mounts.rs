//! Mounts files of this machine into a session.

use std::path::{Path, PathBuf};

use bollard::models::{Mount, MountBindOptions, MountType};

use crate::tree::mountinfo::mount_points;

/// Mounts `source` without the file systems mounted inside it: a read-only bind doesn't apply to those, so they
/// would stay writable.
pub(in crate::engine::docker) fn read_only(source: &Path, target: &Path) -> Mount {
    bind(source, target, true)
}

/// Mounts `source`, writable.
pub(in crate::engine::docker) fn writable(source: &Path, target: &Path) -> Mount {
    bind(source, target, false)
}

fn bind(source: &Path, target: &Path, read_only: bool) -> Mount {
    Mount {
        source: Some(source.display().to_string()),
        target: Some(target.display().to_string()),
        typ: Some(MountType::BIND),
        read_only: Some(read_only),
        bind_options: Some(MountBindOptions {
            non_recursive: Some(true),
            ..MountBindOptions::default()
        }),
        ..Mount::default()
    }
}

/// A directory and every file system mounted inside it, each as a separate read-only mount.
pub(in crate::engine::docker) fn read_only_tree(dir: &Path, mountinfo: &str) -> Vec<Mount> {
    let mut below: Vec<PathBuf> = mount_points(mountinfo.as_bytes()).collect();
    below.retain(|point| point.starts_with(dir) && point != dir);
    below.sort();
    below.dedup();
    std::iter::once(dir.to_owned())
        .chain(below)
        .map(|place| read_only(&place, &place))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_mounted_below_is_mounted_read_only_automatically() {
        let info = "1 0 8:1 / / rw - ext4 /dev/a rw\n\
                    2 1 8:2 / /usr/local rw - ext4 /dev/b rw\n\
                    3 1 0:9 / /usr/share/a\\040b rw - tmpfs tmpfs rw\n\
                    4 1 0:9 / /usr2 rw - tmpfs tmpfs rw\n";
        let mounts = read_only_tree(Path::new("/usr"), info);
        let targets: Vec<&str> = mounts.iter().filter_map(|m| m.target.as_deref()).collect();
        assert_eq!(targets, ["/usr", "/usr/local", "/usr/share/a b"]);
        for mount in &mounts {
            assert_eq!(mount.read_only, Some(true));
            assert_eq!(
                mount.bind_options.as_ref().unwrap().non_recursive,
                Some(true)
            );
        }
    }
}
