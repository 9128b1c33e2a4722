//! Writes a log to the disk while it is read.

use std::{
    fs, io,
    io::Write as _,
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
};

use bytes::{Bytes, BytesMut};
use tokio::sync::mpsc;

use super::WITH_TIMES;
use crate::engine::docker::private_directory::private_directory;

/// How much of the end is kept when the disk has no room for the whole log.
const LAST: usize = 4 * 1024 * 1024;

/// The smallest part that is tried on a full disk.
const LEAST: usize = 16 * 1024;

/// A piece of a log for the disk.
pub(super) enum LogPiece {
    Bytes(Bytes),
    /// The log is complete.
    End,
}

/// Writes all pieces. Keeps nothing if [`LogPiece::End`] is missing.
pub(super) fn all(path: &Path, mut pieces: mpsc::Receiver<LogPiece>) -> io::Result<()> {
    let mut saving = Saving::begin(path)?;
    while let Some(piece) = pieces.blocking_recv() {
        match piece {
            LogPiece::Bytes(bytes) => saving.add(&bytes)?,
            LogPiece::End => return saving.finish(),
        }
    }
    Ok(())
}

/// A log that is being written to a temporary file until it is complete.
pub(super) struct Saving {
    path: PathBuf,
    /// `None` = the disk is full.
    part: Option<io::BufWriter<fs::File>>,
    /// The end of the log, for a full disk.
    last: BytesMut,
}

impl Saving {
    pub(super) fn begin(path: &Path) -> io::Result<Self> {
        let mut saving = Self {
            path: path.to_owned(),
            part: None,
            last: BytesMut::new(),
        };
        match create(path) {
            Ok(file) => {
                saving.part = Some(io::BufWriter::new(file));
                saving.write(WITH_TIMES)?;
            }
            Err(error) => saving.failed(error)?,
        }
        Ok(saving)
    }

    pub(super) fn add(&mut self, piece: &[u8]) -> io::Result<()> {
        self.last.extend_from_slice(piece);
        // Cuts only occasionally, not for every piece.
        if self.last.len() > 2 * LAST {
            let _ = self.last.split_to(self.last.len() - LAST);
        }
        self.write(piece)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self.part.as_mut().map(|part| part.write_all(bytes)) {
            Some(Err(error)) => self.failed(error),
            _ => Ok(()),
        }
    }

    /// Continues on a full disk: there may still be room for the end of the log.
    fn failed(&mut self, error: io::Error) -> io::Result<()> {
        self.discard();
        if is_full(&error) { Ok(()) } else { Err(error) }
    }

    fn discard(&mut self) {
        if let Some(part) = self.part.take() {
            // Its buffered bytes must not be written.
            drop(part.into_parts());
            let _ = fs::remove_file(part_of(&self.path));
        }
    }

    pub(super) fn finish(mut self) -> io::Result<()> {
        if let Some(part) = &mut self.part {
            let written = part.flush().and_then(|()| part.get_ref().sync_all());
            match written.and_then(|()| fs::rename(part_of(&self.path), &self.path)) {
                Ok(()) => {
                    self.part = None;
                    return Ok(());
                }
                Err(error) => self.failed(error)?,
            }
        }
        let last = last(std::mem::take(&mut self.last));
        write_what_fits(&self.path, &last)
    }
}

impl Drop for Saving {
    fn drop(&mut self) {
        self.discard();
    }
}

/// The last `LAST` bytes, from the beginning of a line if possible.
pub(super) fn last(mut kept: BytesMut) -> Bytes {
    if kept.len() > LAST {
        let _ = kept.split_to(kept.len() - LAST);
        let line_end = kept.iter().position(|byte| *byte == b'\n');
        if let Some(end) = line_end {
            let _ = kept.split_to(end + 1);
        }
    }
    kept.freeze()
}

pub(super) fn is_full(error: &io::Error) -> bool {
    let kinds = [io::ErrorKind::StorageFull, io::ErrorKind::QuotaExceeded];
    kinds.contains(&error.kind())
}

/// On a full disk, writes the end of the log or nothing: the session must be able to end anyway.
fn write_what_fits(path: &Path, contents: &[u8]) -> io::Result<()> {
    let mut rest = contents;
    loop {
        match write(path, rest) {
            Err(error) if is_full(&error) && !rest.is_empty() => {
                let keep = if rest.len() > LEAST {
                    rest.len() / 8
                } else {
                    0
                };
                rest = &rest[rest.len() - keep..];
            }
            Err(error) if is_full(&error) => {
                tracing::warn!(path = %path.display(), "the disk is full: the log isn't saved");
                return Ok(());
            }
            result => return result,
        }
    }
}

/// Writes in one step; leaves nothing behind on an error.
pub(super) fn write(path: &Path, contents: &[u8]) -> io::Result<()> {
    let part = part_of(path);
    let write = |mut file: fs::File| {
        file.write_all(WITH_TIMES)?;
        file.write_all(contents)?;
        file.sync_all()
    };
    let written = create(path)
        .and_then(write)
        .and_then(|()| fs::rename(&part, path));
    if written.is_err() {
        let _ = fs::remove_file(&part);
    }
    written
}

fn part_of(path: &Path) -> PathBuf {
    let mut part = path.as_os_str().to_owned();
    part.push(".part");
    part.into()
}

/// The temporary file beside `path`; creates the directory if needed.
fn create(path: &Path) -> io::Result<fs::File> {
    let dir = path.parent().unwrap_or(Path::new("/"));
    private_directory(dir)?;
    fs::OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(part_of(path))
}
