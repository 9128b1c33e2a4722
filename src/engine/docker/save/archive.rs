//! One archive while it is written to the disk: limited, sparse, and removed unless it was finished.

use std::{
    fs, io,
    io::SeekFrom,
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
    process,
};

use tokio::{
    fs::File,
    io::{AsyncSeekExt as _, AsyncWriteExt as _},
};

use crate::{
    model::{resources::Bytes, settings::SaveLimits},
    space::DiskSpace,
};

/// A block of zeros of this size becomes a hole in the file, because the engine expands sparse files.
const BLOCK: usize = 4096;
/// The free space is checked again after this many bytes.
const LOOK_EVERY: u64 = 16 * Bytes::MIB;

/// Limits for all files saved for one session together.
#[derive(Clone, Copy, Debug)]
pub(super) struct ArchiveLimits {
    /// Bytes on the disk.
    pub(super) disk: u64,
    /// Bytes of the archives, holes included.
    pub(super) length: u64,
    /// Bytes that stay free on the file system, but never more than a tenth of it.
    pub(super) free: u64,
}

/// An archive's length, holes included, may exceed its size on the disk by this factor.
const HOLES: u64 = 10;
/// On a small file system, one part of this many stays free.
const PART: u64 = 10;

impl ArchiveLimits {
    pub(super) fn of(limits: SaveLimits) -> Self {
        let most = match limits.most {
            Bytes(0) => u64::MAX,
            Bytes(most) => most,
        };
        Self {
            disk: most,
            length: most.saturating_mul(HOLES),
            free: limits.keep_free.0,
        }
    }

    /// Checks that enough stays free on a file system of `whole` bytes.
    fn check_room(self, free: u64, whole: u64) -> io::Result<()> {
        let floor = self.free.min(whole / PART);
        if free >= floor {
            return Ok(());
        }
        let (free, floor) = (Bytes(free), Bytes(floor));
        Err(io::Error::new(
            io::ErrorKind::StorageFull,
            tr_sent!(
                "{free} free, but {floor} must stay free. Free some space, or change `[disk] \
                 keep-free`",
                free,
                floor
            ),
        ))
    }

    /// The limits that are left after an archive.
    pub(super) fn less(self, (disk, length): (u64, u64)) -> Self {
        Self {
            disk: self.disk.saturating_sub(disk),
            length: self.length.saturating_sub(length),
            ..self
        }
    }
}

/// The unfinished file; it is removed when this is dropped.
struct PartialFile(PathBuf);

impl Drop for PartialFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

pub(super) struct SaveArchive {
    target: PathBuf,
    part: PartialFile,
    out: File,
    limits: ArchiveLimits,
    disk: u64,
    length: u64,
    /// Zeros that aren't written yet.
    hole: u64,
    looked_at: u64,
}

impl SaveArchive {
    /// Only this user may read what a session contained.
    pub(super) fn create(target: &Path, limits: ArchiveLimits) -> io::Result<Self> {
        let part = target.with_extension(format!("{}.part", process::id()));
        match fs::remove_file(&part) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut options = fs::OpenOptions::new();
        let out = options
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&part)?;
        let archive = Self {
            target: target.to_owned(),
            part: PartialFile(part),
            out: File::from_std(out),
            limits,
            disk: 0,
            length: 0,
            hole: 0,
            looked_at: 0,
        };
        archive.check_room()?;
        Ok(archive)
    }

    pub(super) async fn add(&mut self, piece: &[u8]) -> io::Result<()> {
        self.length += piece.len() as u64;
        if self.length > self.limits.length {
            return Err(too_large(tr_sent!(
                "more than {most} of archive. Save less, save into a folder, or change `[disk] save-limit`",
                most = Bytes(self.limits.length)
            )));
        }
        let is_zero = |block: &[u8]| block.iter().all(|byte| *byte == 0);
        let mut rest = piece;
        while !rest.is_empty() {
            let mut blocks = rest.chunks(BLOCK);
            let zeros: usize = blocks
                .by_ref()
                .take_while(|it| is_zero(it))
                .map(<[u8]>::len)
                .sum();
            self.hole += zeros as u64;
            rest = &rest[zeros..];
            let blocks = rest.chunks(BLOCK);
            let data: usize = blocks.take_while(|it| !is_zero(it)).map(<[u8]>::len).sum();
            if data > 0 {
                self.write(&rest[..data]).await?;
                rest = &rest[data..];
            }
        }
        Ok(())
    }

    async fn write(&mut self, data: &[u8]) -> io::Result<()> {
        self.disk += data.len() as u64;
        if self.disk > self.limits.disk {
            return Err(too_large(tr_sent!(
                "more than {most} of data. Save less, save into a folder, or change `[disk] save-limit`",
                most = Bytes(self.limits.disk)
            )));
        }
        if self.disk - self.looked_at >= LOOK_EVERY {
            self.looked_at = self.disk;
            self.check_room()?;
        }
        if self.hole > 0 {
            let distance = i64::try_from(self.hole).map_err(io::Error::other)?;
            self.out.seek(SeekFrom::Current(distance)).await?;
            self.hole = 0;
        }
        self.out.write_all(data).await
    }

    fn check_room(&self) -> io::Result<()> {
        let space = DiskSpace::at(&self.part.0)?;
        self.limits.check_room(space.free.0, space.total.0)
    }

    /// Renames the file to its final name; returns its size on the disk and its length.
    pub(super) async fn finish(mut self) -> io::Result<(u64, u64)> {
        self.out.flush().await?;
        self.out.set_len(self.length).await?;
        self.out.sync_all().await?;
        fs::rename(&self.part.0, &self.target)?;
        Ok((self.disk, self.length))
    }
}

fn too_large(text: String) -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, text)
}

/// Removes unfinished files of a daemon that was killed, but not those of this process.
pub(in crate::engine::docker) fn remove_unfinished(dir: &Path) {
    let ours = format!(".{}.part", process::id());
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_part = Path::new(&name).extension().is_some_and(|it| it == "part");
        if is_part && !name.ends_with(&ours) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt as _;

    use super::*;

    const SMALL: ArchiveLimits = ArchiveLimits {
        disk: 100_000,
        length: 1 << 32,
        free: 0,
    };

    fn files(dir: &Path) -> Vec<String> {
        let entries = fs::read_dir(dir).unwrap();
        entries
            .map(|it| it.unwrap().file_name().into_string().unwrap())
            .collect()
    }

    #[tokio::test]
    async fn zeros_take_no_room_and_the_content_is_the_same() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("a.tar");
        let mut archive = SaveArchive::create(&file, SMALL).unwrap();
        let mut whole = b"head".to_vec();
        whole.resize(3_000_000, 0);
        whole.extend_from_slice(b"middle");
        whole.resize(5_000_001, 0);
        for piece in whole.chunks(10_007) {
            archive.add(piece).await.unwrap();
        }
        archive.finish().await.unwrap();
        assert_eq!(fs::read(&file).unwrap(), whole);
        assert!(fs::metadata(&file).unwrap().blocks() * 512 < 100_000);
        assert_eq!(files(dir.path()), ["a.tar"]);
    }

    #[tokio::test]
    async fn what_is_too_large_or_dropped_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("a.tar");
        let mut archive = SaveArchive::create(&file, SMALL).unwrap();
        let error = archive.add(&vec![1; 100_001]).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
        drop(archive);
        let short = ArchiveLimits {
            length: 1_000_000,
            ..SMALL
        };
        let mut archive = SaveArchive::create(&file, short).unwrap();
        archive.add(&vec![0; 1_000_000]).await.unwrap();
        assert!(archive.add(&[0]).await.is_err());
        assert_eq!(files(dir.path()).len(), 1);
        drop(archive);
        assert!(files(dir.path()).is_empty());
    }

    #[test]
    fn some_space_stays_free_and_less_of_a_small_file_system() {
        let limits = ArchiveLimits::of(SaveLimits::default());
        let (gib, large) = (1 << 30, 1 << 40);
        assert!(limits.check_room(gib, large).is_ok());
        let error = limits.check_room(gib - 1, large).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        assert!(limits.check_room(30_000_000, 300_000_000).is_ok());
        assert!(limits.check_room(29_999_999, 300_000_000).is_err());
        let open = SaveLimits {
            most: Bytes(0),
            keep_free: Bytes(0),
        };
        assert!(ArchiveLimits::of(open).check_room(0, large).is_ok());
        assert_eq!(ArchiveLimits::of(open).disk, u64::MAX);
    }

    #[test]
    fn what_a_killed_daemon_left_goes_at_the_start() {
        let dir = tempfile::tempdir().unwrap();
        let ours = format!("b.{}.part", process::id());
        for name in ["a.part", "a.1.part", "a.tar", ours.as_str()] {
            fs::write(dir.path().join(name), "").unwrap();
        }
        remove_unfinished(dir.path());
        let mut left = files(dir.path());
        left.sort();
        assert_eq!(left, ["a.tar".to_owned(), ours]);
    }
}
