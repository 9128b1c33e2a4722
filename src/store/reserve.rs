//! The reserve: a file beside the database that only takes up space, so that the end of a session can be recorded on a
//! full disk. It is removed then, and recreated once there is space.

use std::{
    fs::{self, OpenOptions},
    io::Write as _,
    os::unix::fs::{MetadataExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
};

use rustix::{
    fs::{FallocateFlags, OFlags, fallocate},
    io::Errno,
};

use crate::space::DiskSpace;

/// The size of the reserve.
const SIZE: u64 = 4 * 1024 * 1024;
/// The reserve takes max 1/16 of a small file system.
const PART: u64 = 16;
/// The size of a write on file systems without `fallocate`.
const BLOCK: usize = 64 * 1024;

/// Whether the space is reserved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReserveState {
    Held,
    /// There isn't enough space.
    NoSpace,
    /// The file can't be created here, even with enough space.
    Unsupported,
}

#[derive(Debug)]
pub(super) struct Reserve {
    path: PathBuf,
    state: ReserveState,
}

impl Reserve {
    /// Returns the reserve of this database, without creating its file.
    pub fn of(database: &Path) -> Self {
        Self {
            path: database.with_extension("reserve"),
            state: ReserveState::NoSpace,
        }
    }

    /// Creates the file if it is missing and twice its size is free.
    pub fn ensure(&mut self) -> ReserveState {
        if self.state == ReserveState::NoSpace {
            self.state = self.make();
        }
        self.state
    }

    /// Removes the file, and returns whether there was one.
    pub fn release(&mut self) -> bool {
        if self.state != ReserveState::Unsupported {
            self.state = ReserveState::NoSpace;
        }
        fs::remove_file(&self.path).is_ok()
    }

    fn make(&self) -> ReserveState {
        let directory = self.path.parent().unwrap_or(&self.path);
        let Ok(space) = DiskSpace::at(directory) else {
            return ReserveState::Unsupported;
        };
        let size = SIZE.min(space.total.0 / PART);
        if self.takes(size) {
            return ReserveState::Held;
        }
        if space.free.0 < 2 * size {
            return ReserveState::NoSpace;
        }
        let made = self.allocate(size);
        if made.is_err() {
            // A partial file would only take up the missing space.
            let _ = fs::remove_file(&self.path);
        }
        match made {
            Ok(()) => ReserveState::Held,
            Err(Errno::NOSPC | Errno::DQUOT) => ReserveState::NoSpace,
            Err(error) => {
                tracing::warn!(%error, "no space can be reserved for the state database");
                ReserveState::Unsupported
            }
        }
    }

    /// Whether the file exists and takes up its full size.
    fn takes(&self, size: u64) -> bool {
        let meta = fs::symlink_metadata(&self.path);
        meta.is_ok_and(|meta| meta.is_file() && meta.blocks().saturating_mul(512) >= size)
    }

    fn allocate(&self, size: u64) -> Result<(), Errno> {
        let plain = |error: std::io::Error| Errno::from_io_error(&error).unwrap_or(Errno::IO);
        let flags = i32::try_from(OFlags::NOFOLLOW.bits()).unwrap_or_default();
        let mut file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .custom_flags(flags)
            .open(&self.path)
            .map_err(plain)?;
        match fallocate(&file, FallocateFlags::empty(), 0, size) {
            Err(Errno::OPNOTSUPP | Errno::NOSYS) => {}
            result => return result,
        }
        let mut left = size;
        while left > 0 {
            let piece = left.min(BLOCK as u64);
            file.write_all(&vec![0; usize::try_from(piece).unwrap_or(BLOCK)])
                .map_err(plain)?;
            left -= piece;
        }
        file.sync_all().map_err(plain)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_takes_its_space_until_it_is_released() {
        let dir = tempfile::tempdir().unwrap();
        let mut reserve = Reserve::of(&dir.path().join("workbay.db"));
        assert_eq!(reserve.ensure(), ReserveState::Held);
        let path = dir.path().join("workbay.reserve");
        let meta = fs::metadata(&path).unwrap();
        assert!(meta.blocks() * 512 >= meta.len() && meta.len() > 0);
        assert_eq!(meta.mode() & 0o777, 0o600);
        // The next owner finds the file.
        let mut next = Reserve::of(&dir.path().join("workbay.db"));
        assert_eq!(next.ensure(), ReserveState::Held);
        assert!(next.release());
        assert!(!path.exists());
        assert!(!next.release(), "there is nothing left");
        assert_eq!(next.ensure(), ReserveState::Held, "there is space again");
        assert!(path.exists());
    }

    #[test]
    fn a_link_in_its_place_is_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let other = dir.path().join("other");
        fs::write(&other, "kept").unwrap();
        std::os::unix::fs::symlink(&other, dir.path().join("workbay.reserve")).unwrap();
        let mut reserve = Reserve::of(&dir.path().join("workbay.db"));
        assert_eq!(reserve.ensure(), ReserveState::Unsupported);
        assert_eq!(fs::read_to_string(&other).unwrap(), "kept");
    }
}
