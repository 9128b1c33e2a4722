//! The entries of an open directory, in pieces that fit a packet.

use std::{
    fs::{self, ReadDir},
    io,
    path::{Path, PathBuf},
};

use russh_sftp::protocol::File;

use super::attributes;

/// How many entries and how many bytes of names one answer has at most.
const ENTRIES: usize = 200;
const NAMES: usize = 64 * 1024;

pub(super) struct Directory {
    path: PathBuf,
    entries: ReadDir,
    /// `.` and `..` come first, as clients expect.
    dots: Vec<&'static str>,
}

impl Directory {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self {
            path: path.to_owned(),
            entries: fs::read_dir(path)?,
            dots: vec!["..", "."],
        })
    }

    /// The next entries; none at the end. Entries that disappear meanwhile are left out.
    pub(super) fn next(&mut self) -> io::Result<Vec<File>> {
        let mut files = Vec::new();
        let mut bytes = 0;
        while files.len() < ENTRIES && bytes < NAMES {
            let name = match self.dots.pop() {
                Some(dots) => dots.into(),
                None => match self.entries.next() {
                    Some(entry) => entry?.file_name(),
                    None => break,
                },
            };
            let Ok(metadata) = fs::symlink_metadata(self.path.join(&name)) else {
                continue;
            };
            let name = name.to_string_lossy().into_owned();
            let longname = attributes::line(&name, &metadata);
            bytes += name.len() + longname.len();
            files.push(File {
                filename: name,
                longname,
                attrs: attributes::of(&metadata),
            });
        }
        Ok(files)
    }
}
