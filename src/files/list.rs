//! Lists directories. Only the names are read of a large directory, and the metadata of the requested part.

use std::{
    cmp::Ordering,
    ffi::{CStr, CString, OsString},
    os::{fd::OwnedFd, unix::ffi::OsStringExt as _},
};

use jiff::Timestamp;
use rustix::{
    fs::{AtFlags, Dir, FileType, Stat, StatVfsMountFlags, fstat, fstatvfs, readlinkat, statat},
    io::Errno,
};

use super::{
    Result,
    error::{Verb, failed},
    root::Root,
};
use crate::model::{
    files::{
        FileEntry, FileKind, FileListing, FileName, FileOrder, FilePath, ListOptions, MOST_LISTED,
    },
    natural,
};

/// The most bytes of names and link targets in one part. Larger parts are cut.
const HEAVIEST: usize = 512 * 1024;

/// An entry, as far as its directory describes it.
struct Found {
    name: CString,
    /// The name as text.
    text: String,
    is_directory: bool,
    /// The size or the time, if the order needs it.
    rank: (i64, i64),
}

pub(super) fn list(root: &Root, path: &FilePath, options: &ListOptions) -> Result<FileListing> {
    let fail = |error| failed(path, Verb::Read, error);
    let dir = root.directory(path).map_err(fail)?;
    let (mut found, all) = names(&dir, options).map_err(fail)?;
    let total = found.len() as u64;
    if options.order != FileOrder::Name {
        rank(&dir, &mut found, options.order);
    }
    let offset = usize::try_from(options.offset).unwrap_or(usize::MAX);
    let count = options.count.min(MOST_LISTED) as usize;
    let part = part(found, offset, count, |a, b| compare(a, b, options));
    let mut entries = Vec::with_capacity(part.len());
    let mut weight = 0;
    for one in part {
        match entry(&dir, &one.name) {
            Ok(entry) => {
                let target = entry.target.as_ref().map_or(0, |target| target.0.len());
                weight += entry.name.0.len() + target;
                entries.push(entry);
            }
            // It was deleted meanwhile.
            Err(Errno::NOENT) => {}
            Err(error) => return Err(fail(error)),
        }
        if weight >= HEAVIEST {
            break;
        }
    }
    let flags = fstatvfs(&dir).map(|about| about.f_flag);
    let is_read_only = flags.is_ok_and(|flags| flags.contains(StatVfsMountFlags::RDONLY));
    Ok(FileListing {
        entries,
        total,
        all,
        read_only: is_read_only.then(|| tr_sent!("the file system is read-only").into()),
    })
}

/// The requested part of entries that an engine listed completely.
#[must_use]
pub fn select(entries: Vec<FileEntry>, options: &ListOptions) -> FileListing {
    let all = entries.len() as u64;
    let filter = options.filter.as_ref().map(|text| text.to_lowercase());
    let matches = |entry: &FileEntry| {
        let name = entry.name.0.to_string_lossy();
        let is_hidden = options.without_hidden && name.starts_with('.');
        let filter = filter.as_ref();
        !is_hidden && filter.is_none_or(|filter| name.to_lowercase().contains(filter))
    };
    let ranked = |entry: FileEntry| {
        let modified = entry.modified.unwrap_or_default();
        let rank = match options.order {
            FileOrder::Name => (0, 0),
            FileOrder::Size => (i64::try_from(entry.size).unwrap_or(i64::MAX), 0),
            FileOrder::Modified => (modified.as_second(), modified.subsec_nanosecond().into()),
        };
        let found = Found {
            // A name with a NUL byte isn't from a file system, and has no order.
            name: CString::new(entry.name.0.as_encoded_bytes()).unwrap_or_default(),
            text: entry.name.0.to_string_lossy().into_owned(),
            is_directory: entry.kind == FileKind::Directory,
            rank,
        };
        (found, entry)
    };
    let found: Vec<_> = entries.into_iter().filter(matches).map(ranked).collect();
    let total = found.len() as u64;
    let offset = usize::try_from(options.offset).unwrap_or(usize::MAX);
    let count = options.count.min(MOST_LISTED) as usize;
    let part = part(found, offset, count, |a, b| compare(&a.0, &b.0, options));
    FileListing {
        entries: part.into_iter().map(|(_, entry)| entry).collect(),
        total,
        all,
        read_only: None,
    }
}

pub(super) fn stat(root: &Root, path: &FilePath) -> Result<FileEntry> {
    let fail = |error| failed(path, Verb::Read, error);
    if path.is_root() {
        let dir = root.directory(path).map_err(fail)?;
        return Ok(described(OsString::new(), &fstat(&dir).map_err(fail)?));
    }
    let (dir, name) = root.parent(path, Verb::Read)?;
    entry(&dir, &name).map_err(fail)
}

/// The names that match, and how many there are in all.
fn names(dir: &OwnedFd, options: &ListOptions) -> rustix::io::Result<(Vec<Found>, u64)> {
    let filter = options.filter.as_ref().map(|text| text.to_lowercase());
    let (mut found, mut all) = (Vec::new(), 0);
    for entry in Dir::read_from(dir)? {
        let entry = entry?;
        let name = entry.file_name();
        if matches!(name.to_bytes(), b"." | b"..") {
            continue;
        }
        all += 1;
        if options.without_hidden && name.to_bytes().starts_with(b".") {
            continue;
        }
        let text = name.to_string_lossy();
        if filter
            .as_ref()
            .is_some_and(|filter| !text.to_lowercase().contains(filter))
        {
            continue;
        }
        let is_directory = match entry.file_type() {
            FileType::Unknown => {
                statat(dir, name, AtFlags::SYMLINK_NOFOLLOW).is_ok_and(|stat| is_directory(&stat))
            }
            kind => kind == FileType::Directory,
        };
        found.push(Found {
            text: text.into_owned(),
            name: name.to_owned(),
            is_directory,
            rank: (0, 0),
        });
    }
    Ok((found, all))
}

fn rank(dir: &OwnedFd, found: &mut [Found], order: FileOrder) {
    for one in found {
        // What was deleted meanwhile is left out later.
        let Ok(stat) = statat(dir, one.name.as_c_str(), AtFlags::SYMLINK_NOFOLLOW) else {
            continue;
        };
        one.rank = match order {
            FileOrder::Size if one.is_directory => (0, 0),
            FileOrder::Size => (stat.st_size, 0),
            FileOrder::Modified | FileOrder::Name => (
                stat.st_mtime,
                i64::try_from(stat.st_mtime_nsec).unwrap_or(0),
            ),
        };
    }
}

/// Directories first, then in the order. Different names are never equal.
fn compare(a: &Found, b: &Found, options: &ListOptions) -> Ordering {
    let by_name = || natural::compare(&a.text, &b.text).then_with(|| a.name.cmp(&b.name));
    let inner = || {
        let order = a.rank.cmp(&b.rank).then_with(by_name);
        if options.reversed {
            order.reverse()
        } else {
            order
        }
    };
    b.is_directory.cmp(&a.is_directory).then_with(inner)
}

/// A part of all elements in order. Only the part is sorted.
fn part<T>(
    mut all: Vec<T>,
    offset: usize,
    count: usize,
    compare: impl Fn(&T, &T) -> Ordering,
) -> Vec<T> {
    let end = offset.saturating_add(count).min(all.len());
    if offset >= end {
        return Vec::new();
    }
    if end < all.len() {
        all.select_nth_unstable_by(end, &compare);
        all.truncate(end);
    }
    if offset > 0 {
        all.select_nth_unstable_by(offset, &compare);
        all.drain(..offset);
    }
    all.sort_unstable_by(&compare);
    all
}

fn is_directory(stat: &Stat) -> bool {
    FileType::from_raw_mode(stat.st_mode) == FileType::Directory
}

/// An entry of an open directory.
pub(super) fn entry(dir: &OwnedFd, name: &CStr) -> rustix::io::Result<FileEntry> {
    let stat = statat(dir, name, AtFlags::SYMLINK_NOFOLLOW)?;
    let shown = OsString::from_vec(name.to_bytes().to_vec());
    let mut entry = described(shown, &stat);
    if entry.kind == FileKind::Link {
        // It may have been replaced meanwhile.
        let target = readlinkat(dir, name, Vec::new()).ok();
        entry.target = target.map(|it| FileName(OsString::from_vec(it.into_bytes())));
    }
    Ok(entry)
}

fn described(name: OsString, stat: &Stat) -> FileEntry {
    let kind = match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => FileKind::File,
        FileType::Directory => FileKind::Directory,
        FileType::Symlink => FileKind::Link,
        _ => FileKind::Special,
    };
    let size = match kind {
        FileKind::Directory | FileKind::Special => 0,
        FileKind::File | FileKind::Link => u64::try_from(stat.st_size).unwrap_or(0),
    };
    let nanoseconds = i32::try_from(stat.st_mtime_nsec).unwrap_or(0);
    FileEntry {
        name: FileName(name),
        kind,
        size,
        modified: Timestamp::new(stat.st_mtime, nanoseconds).ok(),
        mode: Some(stat.st_mode & 0o7777),
        target: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_part_is_what_sorting_everything_gives() {
        let all: Vec<u32> = (0..97).map(|it| it * 7919 % 97).collect();
        let mut sorted = all.clone();
        sorted.sort_unstable();
        for (offset, count) in [
            (0, 10),
            (5, 1),
            (50, 47),
            (50, 100),
            (96, 1),
            (97, 1),
            (0, 0),
        ] {
            let end = (offset + count).min(97);
            let expected = sorted.get(offset..end).unwrap_or_default();
            assert_eq!(part(all.clone(), offset, count, Ord::cmp), expected);
        }
    }
}
