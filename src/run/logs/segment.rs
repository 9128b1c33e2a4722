//! A piece of a spool: an unnamed file, or memory if the disk is full.

use std::{fs::File, io, os::unix::fs::FileExt as _, path::Path};

use rustix::fs::{CWD, Mode, OFlags};

use crate::config::saving::private_directory;

#[derive(Debug)]
pub(super) enum Segment {
    File { file: File, length: u64 },
    Memory(Vec<u8>),
}

impl Segment {
    /// Creates a file in this directory that only this process can access. The system frees it whenever the
    /// process ends.
    pub(super) fn file(directory: &Path) -> io::Result<Self> {
        private_directory(directory)?;
        let flags = OFlags::RDWR | OFlags::CLOEXEC;
        let private = Mode::RUSR | Mode::WUSR;
        let file = match rustix::fs::open(directory, flags | OFlags::TMPFILE, private) {
            Ok(file) => file,
            // Not every file system supports unnamed files.
            Err(_) => {
                let path = directory.join(format!("log-{}", std::process::id()));
                let flags = flags | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW;
                // Left by a process that was killed before it removed the file.
                let _ = std::fs::remove_file(&path);
                let file = rustix::fs::openat(CWD, &path, flags, private)?;
                std::fs::remove_file(&path)?;
                file
            }
        };
        Ok(Self::File {
            file: file.into(),
            length: 0,
        })
    }

    pub(super) fn length(&self) -> u64 {
        match self {
            Self::File { length, .. } => *length,
            Self::Memory(bytes) => bytes.len() as u64,
        }
    }

    /// Adds bytes at the end. If this fails, nothing is added.
    pub(super) fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::File { file, length } => {
                file.write_all_at(bytes, *length)?;
                *length += bytes.len() as u64;
            }
            Self::Memory(held) => held.extend_from_slice(bytes),
        }
        Ok(())
    }

    pub(super) fn read(&self, from: u64, to: u64) -> io::Result<Vec<u8>> {
        match self {
            Self::File { file, .. } => {
                let mut bytes = vec![0; to.saturating_sub(from) as usize];
                file.read_exact_at(&mut bytes, from)?;
                Ok(bytes)
            }
            Self::Memory(bytes) => Ok(bytes
                .get(from as usize..to as usize)
                .ok_or(io::ErrorKind::UnexpectedEof)?
                .to_vec()),
        }
    }
}
