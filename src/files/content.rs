//! Copies the content of a file: by sharing blocks where the file system can, without filling holes.

use std::os::fd::OwnedFd;

use rustix::{
    fs::{SeekFrom, copy_file_range, ftruncate, ioctl_ficlone, seek},
    io::{Errno, pread, pwrite},
};

/// The most bytes between two reports.
const PIECE: u64 = 4 << 20;
const BUFFER: usize = 256 * 1024;

/// Copies `size` bytes into an empty file. Calls `step` with the number of bytes that were copied; an error ends the copy.
/// Holes count as copied.
pub(super) fn copy<E: From<Errno>>(
    from: &OwnedFd,
    to: &OwnedFd,
    size: u64,
    mut step: impl FnMut(u64) -> Result<(), E>,
) -> Result<(), E> {
    if size == 0 {
        return Ok(());
    }
    if ioctl_ficlone(to, from).is_ok() {
        return step(size);
    }
    let mut at = 0;
    while at < size {
        let (begin, end) = data(from, at, size)?;
        if begin > at {
            step(begin - at)?;
        }
        copy_range(from, to, begin, end, &mut step)?;
        at = end;
    }
    ftruncate(to, size)?;
    Ok(())
}

/// The next range with data, at or after `at`. Empty at the end if only a hole is left.
fn data(from: &OwnedFd, at: u64, size: u64) -> rustix::io::Result<(u64, u64)> {
    let begin = match seek(from, SeekFrom::Data(at)) {
        Ok(begin) => begin.min(size),
        // No data follows.
        Err(Errno::NXIO) => return Ok((size, size)),
        // The file system knows no holes.
        Err(Errno::INVAL | Errno::OPNOTSUPP) => return Ok((at, size)),
        Err(error) => return Err(error),
    };
    let end = match seek(from, SeekFrom::Hole(begin)) {
        Ok(end) => end.clamp(begin, size),
        Err(_) => size,
    };
    Ok((begin, end))
}

fn copy_range<E: From<Errno>>(
    from: &OwnedFd,
    to: &OwnedFd,
    begin: u64,
    end: u64,
    step: &mut impl FnMut(u64) -> Result<(), E>,
) -> Result<(), E> {
    let (mut read_at, mut write_at) = (begin, begin);
    while read_at < end {
        let length = (end - read_at).min(PIECE) as usize;
        match copy_file_range(from, Some(&mut read_at), to, Some(&mut write_at), length) {
            // The file became shorter.
            Ok(0) => return Ok(()),
            Ok(copied) => step(copied as u64)?,
            Err(Errno::INTR) => {}
            Err(Errno::XDEV | Errno::INVAL | Errno::OPNOTSUPP | Errno::NOSYS | Errno::PERM) => {
                return by_hand(from, to, read_at, end, step);
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

fn by_hand<E: From<Errno>>(
    from: &OwnedFd,
    to: &OwnedFd,
    mut at: u64,
    end: u64,
    step: &mut impl FnMut(u64) -> Result<(), E>,
) -> Result<(), E> {
    let mut buffer = vec![0; BUFFER];
    while at < end {
        let most = usize::try_from(end - at).unwrap_or(BUFFER).min(BUFFER);
        let length = pread(from, &mut buffer[..most], at)?;
        if length == 0 {
            return Ok(());
        }
        let mut rest = &buffer[..length];
        while !rest.is_empty() {
            let written = pwrite(to, rest, at)?;
            rest = &rest[written..];
            at += written as u64;
        }
        step(length as u64)?;
    }
    Ok(())
}
