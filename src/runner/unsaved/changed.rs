//! The files that the engine reports as changed.

use std::{
    fs, io,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

use jiff::Timestamp;

use super::{is_within, mounts::Mounts};
use crate::model::{
    files::FilePath,
    loss::{CountedFiles, UnsavedFile, UnsavedOrder},
    resources::Bytes,
};

/// What the kernel and the engine keep in a container. It isn't anyone's work.
const NOT_OURS: [&str; 4] = ["/proc", "/sys", "/dev", "/.dockerenv"];

/// Counts the files among the changed paths.
pub(super) fn count(order: &UnsavedOrder, mounts: &Mounts, most: u64) -> CountedFiles {
    let mut counted = CountedFiles::default();
    for (path, metadata) in each(order, mounts) {
        if counted.is_full(most) {
            let why = tr_sent!("more than {most} files changed", most);
            counted.incomplete = Some(why.as_str().into());
            break;
        }
        let size = Bytes(metadata.len());
        match FilePath::parse(path.as_os_str()) {
            Ok(path) => counted.add(UnsavedFile {
                path,
                size,
                modified: modified(&metadata),
            }),
            Err(_) => counted.count(size),
        }
    }
    counted.finish();
    counted
}

/// The paths of the files, relative to the root directory.
pub(super) fn files(order: &UnsavedOrder, mounts: &Mounts) -> Vec<PathBuf> {
    let relative = |(path, _): (PathBuf, _)| path.strip_prefix("/").map(Path::to_owned).ok();
    each(order, mounts).filter_map(relative).collect()
}

fn each<'a>(
    order: &'a UnsavedOrder,
    mounts: &'a Mounts,
) -> impl Iterator<Item = (PathBuf, fs::Metadata)> + 'a {
    order.changed.iter().filter_map(|path| {
        let path = Path::new("/").join(path.as_path());
        let is_other = NOT_OURS.iter().any(|it| is_within(&path, it)) || mounts.hold(&path);
        if is_other {
            return None;
        }
        let (path, metadata) = find(path).ok()?;
        (metadata.is_file() || metadata.is_symlink()).then_some((path, metadata))
    })
}

/// The engine's text has a replacement character for each byte that isn't UTF-8, so the entry is searched for.
fn find(path: PathBuf) -> io::Result<(PathBuf, fs::Metadata)> {
    match fs::symlink_metadata(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let shown = path.to_string_lossy();
            if !shown.contains(char::REPLACEMENT_CHARACTER) {
                return Err(error);
            }
            let mut found = PathBuf::from("/");
            for part in path.strip_prefix("/").unwrap_or(&path) {
                found = entry(&found, &part.to_string_lossy())?.unwrap_or(found.join(part));
            }
            let metadata = fs::symlink_metadata(&found)?;
            Ok((found, metadata))
        }
        other => other.map(|metadata| (path, metadata)),
    }
}

/// The entry of a directory that is shown as this text.
fn entry(directory: &Path, text: &str) -> io::Result<Option<PathBuf>> {
    if !text.contains(char::REPLACEMENT_CHARACTER) {
        return Ok(None);
    }
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy() == text {
            return Ok(Some(entry.path()));
        }
    }
    Ok(None)
}

fn modified(metadata: &fs::Metadata) -> Option<Timestamp> {
    let nanos = i32::try_from(metadata.mtime_nsec()).ok()?;
    Timestamp::new(metadata.mtime(), nanos).ok()
}
