//! Limits of directories: the home directories of sessions, and folders.
//!
//! A limit is enforced where the file system has quotas and the daemon may set them: Btrfs with quotas (each directory is a
//! subvolume), ext4 and XFS with project quotas. Elsewhere it is only measured.

mod btrfs;
mod lacks;
mod project;
mod tool;
pub(super) mod wanted;

use std::{fs, io, os::unix::fs::DirBuilderExt as _, path::Path};

use rustix::fs::statfs;

use super::private_directory::private_directory;
use crate::{model::resources::Bytes, tree};

/// What enforces limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mechanism {
    Btrfs,
    Project,
}

/// Why limits are only measured, as a part of a sentence after "because".
pub(super) type WhyMeasured = String;

const BTRFS: i64 = 0x9123_683e;
const EXT4: i64 = 0xef53;
const XFS: i64 = 0x5846_5342;

/// The mechanism for directories in `parent`, or why limits are only measured there. Runs programs, so it blocks.
fn mechanism(parent: &Path) -> Result<Mechanism, WhyMeasured> {
    // The directory may not have been created yet.
    let place = parent.ancestors().find(|it| it.is_dir());
    let place = place.unwrap_or(Path::new("/"));
    let shown = place.display();
    let about =
        statfs(place).map_err(|error| tr_sent!("{shown} can't be read: {error}", shown, error))?;
    let found = match about.f_type {
        BTRFS => Mechanism::Btrfs,
        EXT4 | XFS => Mechanism::Project,
        _ => {
            return Err(tr_sent!(
                "the file system at {shown} has no quotas that workbay can set",
                shown
            ));
        }
    };
    if found == Mechanism::Project && !project::is_on(place) {
        let point = project::mount_point(place);
        let point = point.unwrap_or_else(|| shown.to_string());
        return Err(tr_sent!(
            "the file system at {point} is mounted without project quotas (prjquota)",
            point
        ));
    }
    if !rustix::process::geteuid().is_root() {
        return Err(tr_sent!("only a daemon that runs as root can set quotas").to_owned());
    }
    match found {
        Mechanism::Btrfs => btrfs::check(place)?,
        Mechanism::Project => project::check()?,
    }
    Ok(found)
}

/// Whether the file system of `place` is mounted with project quotas.
pub(super) fn has_project_quotas(place: &Path) -> bool {
    project::is_on(place)
}

/// Why limits of directories in `parent` are only measured; `None` = the file system enforces them.
pub(super) fn why_measured(parent: &Path) -> Option<WhyMeasured> {
    mechanism(parent).err()
}

/// Creates a directory that only this user can access, and its missing parents, so that it can be limited. Fails if it exists.
pub(super) fn create(path: &Path) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        private_directory(parent)?;
        if mechanism(parent) == Ok(Mechanism::Btrfs) {
            return btrfs::create(path);
        }
    }
    fs::DirBuilder::new().mode(0o700).create(path)
}

/// Removes a directory that may have been limited, with everything in it. Succeeds if it doesn't exist.
///
/// A Btrfs subvolume is another device than the directory above, so [`tree::remove`] of that directory leaves it out. Its
/// quota group is removed in the background.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    let is_btrfs = statfs(path).is_ok_and(|about| about.f_type == BTRFS);
    let group = is_btrfs.then(|| btrfs::Group::of(path)).flatten();
    tree::remove(path)?;
    if let Some(group) = group {
        std::thread::spawn(move || group.remove());
    }
    Ok(())
}

/// Makes the file system enforce the limit of a directory, or removes its limit. Fails with the reason why the limit is only
/// measured. What the directory has already counts.
pub(super) fn enforce(path: &Path, limit: Option<Bytes>) -> Result<(), WhyMeasured> {
    match mechanism(path)? {
        Mechanism::Btrfs => btrfs::limit(path, limit),
        Mechanism::Project => project::limit(path, limit),
    }
}

#[cfg(test)]
mod tests;
