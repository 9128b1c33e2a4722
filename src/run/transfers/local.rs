//! Files of this machine, as the transfers use them.

use std::{
    ffi::{OsStr, OsString},
    fs::{File, FileTimes, Metadata, OpenOptions},
    io,
    os::unix::{
        ffi::{OsStrExt as _, OsStringExt as _},
        fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _},
    },
    path::{Path, PathBuf},
    time::SystemTime,
};

use jiff::Timestamp;
use rustix::fs::{CWD, OFlags, RenameFlags, renameat_with};

use crate::{
    app::transfers::ConflictSide,
    model::files::{FileKind, part_name},
};

/// A path that begins with `~` is below the home directory.
pub fn expanded(path: &Path) -> PathBuf {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    match (path.strip_prefix("~"), home) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => path.to_path_buf(),
    }
}

/// `NAME-1.EXT`.
pub fn numbered(name: &OsStr, number: u32) -> OsString {
    let bytes = name.as_bytes();
    let dot = bytes.iter().rposition(|byte| *byte == b'.');
    let at = dot.filter(|at| *at > 0).unwrap_or(bytes.len());
    let mut numbered = bytes[..at].to_vec();
    numbered.extend_from_slice(format!("-{number}").as_bytes());
    numbered.extend_from_slice(&bytes[at..]);
    OsString::from_vec(numbered)
}

/// A free path `NAME-1.EXT` beside a path that is taken.
pub fn free_path(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default();
    let candidates = (1..).map(|number| path.with_file_name(numbered(name, number)));
    let mut free = candidates.filter(|it| std::fs::symlink_metadata(it).is_err());
    free.next().unwrap_or_else(|| path.to_path_buf())
}

/// The kind of a file, without following a link.
pub fn kind_of(metadata: &Metadata) -> FileKind {
    let kind = metadata.file_type();
    if kind.is_file() {
        FileKind::File
    } else if kind.is_dir() {
        FileKind::Directory
    } else if kind.is_symlink() {
        FileKind::Link
    } else {
        FileKind::Special
    }
}

pub fn modified(metadata: &Metadata) -> Option<Timestamp> {
    let nanoseconds = i32::try_from(metadata.mtime_nsec()).ok()?;
    Timestamp::new(metadata.mtime(), nanoseconds).ok()
}

/// What a question shows of a file.
pub fn side_of(metadata: &Metadata) -> ConflictSide {
    ConflictSide {
        size: metadata.is_file().then_some(metadata.len()),
        modified: modified(metadata),
    }
}

/// How many files a path contains, and their bytes.
pub fn measure(path: &Path) -> io::Result<(u64, u64)> {
    let metadata = std::fs::metadata(path)?;
    if !metadata.is_dir() {
        return Ok((1, metadata.len()));
    }
    let (mut files, mut bytes) = (0, 0);
    let mut waiting = vec![path.to_path_buf()];
    while let Some(directory) = waiting.pop() {
        // A directory that can't be read is reported when it is its turn.
        let Ok(entries) = std::fs::read_dir(&directory) else {
            continue;
        };
        for entry in entries.flatten() {
            match entry.metadata() {
                Ok(metadata) if metadata.is_dir() => waiting.push(entry.path()),
                Ok(metadata) if metadata.is_file() => {
                    files += 1;
                    bytes += metadata.len();
                }
                _ => {}
            }
        }
    }
    Ok((files, bytes))
}

/// Opens a file for reading. A pipe doesn't block it.
pub fn open(path: &Path) -> io::Result<(File, Metadata)> {
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(flags.bits().cast_signed())
        .open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        let text = tr!("it isn't a regular file");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
    }
    Ok((file, metadata))
}

/// A file of this machine that is being written, under a temporary name.
#[derive(Debug)]
pub struct LocalPart {
    pub file: File,
    pub path: PathBuf,
    /// How many bytes an interrupted transfer left.
    pub offset: u64,
}

impl LocalPart {
    /// Continues the part of the same version of the file, or begins one. The time of a part says which version of the
    /// file it belongs to.
    pub fn open(target: &Path, size: u64, modified: Option<Timestamp>) -> io::Result<Self> {
        let name = target.file_name().unwrap_or_default();
        let path = target.with_file_name(part_name(name));
        if let Some((file, offset)) = resumable(&path, size, modified) {
            return Ok(Self { file, path, offset });
        }
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&path)?;
        Ok(Self {
            file,
            path,
            offset: 0,
        })
    }

    /// Notes which version of the file it belongs to.
    pub fn mark(file: &File, modified: Option<Timestamp>) -> io::Result<()> {
        match modified {
            Some(at) => file.set_times(FileTimes::new().set_modified(SystemTime::from(at))),
            None => Ok(()),
        }
    }
}

fn resumable(path: &Path, size: u64, modified: Option<Timestamp>) -> Option<(File, u64)> {
    let expected = modified?;
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = OpenOptions::new()
        .append(true)
        .custom_flags(flags.bits().cast_signed())
        .open(path)
        .ok()?;
    let metadata = file.metadata().ok()?;
    let is_same = self::modified(&metadata) == Some(expected);
    let fits = metadata.is_file() && metadata.nlink() == 1 && metadata.len() <= size;
    (is_same && fits).then_some((file, metadata.len()))
}

/// Gives a complete part its name, permissions and time.
pub fn finish(
    part: &File,
    path: &Path,
    target: &Path,
    (mode, modified): (Option<u32>, Option<Timestamp>),
    replace: bool,
) -> io::Result<()> {
    // Special permission bits of a session mean nothing here.
    let mode = mode.unwrap_or(0o644) & 0o777;
    part.set_permissions(std::fs::Permissions::from_mode(mode))?;
    LocalPart::mark(part, modified)?;
    part.sync_all()?;
    if replace {
        return std::fs::rename(path, target);
    }
    let renamed = renameat_with(CWD, path, CWD, target, RenameFlags::NOREPLACE);
    Ok(renamed?)
}

/// Whether a name of a place can be the name of a file here. A name with a slash would lead elsewhere.
pub fn is_plain_name(name: &OsStr) -> bool {
    let bytes = name.as_bytes();
    !matches!(bytes, b"" | b"." | b"..") && !bytes.contains(&b'/') && !bytes.contains(&0)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn a_number_goes_before_the_extension() {
        for (name, expected) in [
            ("data.tar.gz", "data.tar-2.gz"),
            ("Makefile", "Makefile-2"),
            (".bashrc", ".bashrc-2"),
            ("데이터.csv", "데이터-2.csv"),
        ] {
            assert_eq!(numbered(OsStr::new(name), 2), OsStr::new(expected));
        }
    }

    #[test]
    fn names_that_lead_elsewhere_are_refused() {
        for bad in ["", ".", "..", "a/b", "/etc/passwd", "a\0b"] {
            assert!(!is_plain_name(OsStr::new(bad)), "{bad}");
        }
        assert!(is_plain_name(OsStr::from_bytes(b"\xff...")));
    }

    #[test]
    fn a_part_continues_only_for_the_same_version() {
        let directory = tempfile::tempdir().unwrap();
        let target = directory.path().join("model.bin");
        let at = Timestamp::new(1_700_000_000, 123_456_789).ok();
        let mut part = LocalPart::open(&target, 10, at).unwrap();
        assert_eq!(part.offset, 0);
        part.file.write_all(b"abc").unwrap();
        LocalPart::mark(&part.file, at).unwrap();
        drop(part);
        let mut part = LocalPart::open(&target, 10, at).unwrap();
        assert_eq!(part.offset, 3);
        part.file.write_all(b"def").unwrap();
        LocalPart::mark(&part.file, at).unwrap();
        assert_eq!(std::fs::read(&part.path).unwrap(), b"abcdef");
        let later = Timestamp::new(1_700_000_001, 0).ok();
        assert_eq!(LocalPart::open(&target, 10, later).unwrap().offset, 0);
    }

    #[test]
    fn a_link_in_place_of_a_part_isnt_followed() {
        let directory = tempfile::tempdir().unwrap();
        let victim = directory.path().join("victim");
        std::fs::write(&victim, "kept").unwrap();
        let target = directory.path().join("a.txt");
        let part = directory.path().join(".a.txt.workbay-part");
        std::os::unix::fs::symlink(&victim, &part).unwrap();
        let mut part = LocalPart::open(&target, 10, None).unwrap();
        part.file.write_all(b"new").unwrap();
        finish(&part.file, &part.path, &target, (Some(0o4755), None), false).unwrap();
        assert_eq!(std::fs::read(&victim).unwrap(), b"kept");
        assert_eq!(std::fs::read(&target).unwrap(), b"new");
        let mode = std::fs::metadata(&target).unwrap().permissions().mode();
        assert_eq!(mode & 0o7777, 0o755);
    }

    #[test]
    fn a_name_that_is_taken_meanwhile_isnt_replaced() {
        let directory = tempfile::tempdir().unwrap();
        let target = directory.path().join("a.txt");
        let part = LocalPart::open(&target, 0, None).unwrap();
        std::fs::write(&target, "theirs").unwrap();
        let end = finish(&part.file, &part.path, &target, (None, None), false);
        assert_eq!(end.unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(std::fs::read(&target).unwrap(), b"theirs");
        assert_eq!(free_path(&target), directory.path().join("a-1.txt"));
    }
}
