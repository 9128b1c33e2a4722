//! Quotas of Btrfs: each limited directory is a subvolume, which has a quota group.

use std::{
    ffi::OsStr,
    fs, io,
    os::unix::fs::MetadataExt as _,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use rustix::fs::{AtFlags, CWD, StatxAttributes, StatxFlags, statx};

use super::{WhyMeasured, tool};
use crate::model::resources::Bytes;

/// The inode of the root directory of each subvolume.
const ROOT_INODE: u64 = 256;

/// Whether quotas are on.
pub(super) fn check(place: &Path) -> Result<(), WhyMeasured> {
    let words = [OsStr::new("qgroup"), OsStr::new("show"), place.as_os_str()];
    match tool::run("btrfs", &words) {
        Ok(_) => Ok(()),
        Err(why) if why.contains("not enabled") => Err(tr_sent!(
            "the Btrfs file system at {place} has no quotas. `btrfs quota enable` switches them on",
            place = place.display()
        )),
        Err(why) => Err(why),
    }
}

/// Creates a private subvolume.
pub(super) fn create(path: &Path) -> io::Result<()> {
    if path.symlink_metadata().is_ok() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    let words = [
        OsStr::new("subvolume"),
        OsStr::new("create"),
        path.as_os_str(),
    ];
    tool::run("btrfs", &words).map_err(io::Error::other)?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o700))
}

/// Whether it is the root directory of a subvolume.
fn is_root(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|it| it.ino() == ROOT_INODE)
}

/// Whether it is a subvolume that no mount put in its place.
pub(super) fn is_subvolume(path: &Path) -> bool {
    let about = statx(
        CWD,
        path,
        AtFlags::SYMLINK_NOFOLLOW,
        StatxFlags::BASIC_STATS,
    );
    let mounted = StatxAttributes::MOUNT_ROOT;
    let is_mounted = about.map_or(true, |it| {
        !it.stx_attributes_mask.contains(mounted) || it.stx_attributes.contains(mounted)
    });
    !is_mounted && is_root(path)
}

/// The quota group of a subvolume, which outlives it on kernels before 6.12.
pub(super) struct Group {
    /// The directory that contains the subvolume.
    above: PathBuf,
    id: String,
}

impl Group {
    /// `None` if it isn't a subvolume, or can't be read.
    pub(super) fn of(path: &Path) -> Option<Self> {
        if !is_subvolume(path) {
            return None;
        }
        let words = [
            OsStr::new("inspect-internal"),
            OsStr::new("rootid"),
            path.as_os_str(),
        ];
        let id = tool::run("btrfs", &words).ok()?.trim().to_owned();
        let is_number = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit());
        let above = path.parent()?.to_path_buf();
        is_number.then_some(Self { above, id })
    }

    /// Removes the group of a subvolume that was deleted. Blocks until the file system has forgotten the subvolume.
    pub(super) fn remove(&self) {
        let above = self.above.as_os_str();
        let words = [
            OsStr::new("subvolume"),
            OsStr::new("sync"),
            above,
            OsStr::new(&self.id),
        ];
        let group = format!("0/{}", self.id);
        let destroy = [
            OsStr::new("qgroup"),
            OsStr::new("destroy"),
            OsStr::new(&group),
            above,
        ];
        let done = tool::run("btrfs", &words).and_then(|_| tool::run("btrfs", &destroy));
        // A newer kernel has removed the group with its subvolume.
        if let Err(why) = done
            && !why.contains("No such file")
        {
            tracing::info!(%why, %group, "a quota group stays");
        }
    }
}

pub(super) fn limit(path: &Path, limit: Option<Bytes>) -> Result<(), WhyMeasured> {
    if !is_root(path) {
        return Err(tr_sent!(
            "it was created without a quota, as a directory that Btrfs can't limit. A clone of it \
             can be limited"
        )
        .to_owned());
    }
    let amount = limit.map_or_else(|| "none".to_owned(), |most| most.0.to_string());
    let words = [
        OsStr::new("qgroup"),
        OsStr::new("limit"),
        OsStr::new(&amount),
        path.as_os_str(),
    ];
    tool::run("btrfs", &words).map(drop)
}
