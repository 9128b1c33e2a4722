//! Listings for the tests of the explorer.

use std::ffi::OsString;

use crate::model::files::{FileEntry, FileKind, FileListing, FileName};

pub fn file(name: &str, size: u64) -> FileEntry {
    FileEntry {
        name: FileName(OsString::from(name)),
        kind: FileKind::File,
        size,
        modified: None,
        mode: Some(0o644),
        target: None,
    }
}

pub fn directory(name: &str) -> FileEntry {
    FileEntry {
        kind: FileKind::Directory,
        mode: Some(0o755),
        ..file(name, 0)
    }
}

pub fn listing(entries: Vec<FileEntry>) -> FileListing {
    let total = entries.len() as u64;
    FileListing {
        entries,
        total,
        all: total,
        read_only: None,
    }
}
