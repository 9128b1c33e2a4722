//! Attributes of files, as the protocol has them.

use std::{fs::Metadata, os::unix::fs::MetadataExt as _};

use russh_sftp::protocol::FileAttributes;
use rustix::fs::{Timespec, Timestamps};

/// The bits of a mode that a client may set.
const MODE: u32 = 0o7777;

/// What the protocol says about a file. Its times are seconds in 32 bits.
pub(super) fn of(metadata: &Metadata) -> FileAttributes {
    FileAttributes {
        size: Some(metadata.len()),
        uid: Some(metadata.uid()),
        gid: Some(metadata.gid()),
        permissions: Some(metadata.mode()),
        atime: Some(seconds(metadata.atime())),
        mtime: Some(seconds(metadata.mtime())),
        ..FileAttributes::default()
    }
}

fn seconds(time: i64) -> u32 {
    u32::try_from(time.max(0)).unwrap_or(u32::MAX)
}

/// The mode that a client asks for.
pub(super) fn mode(asked: &FileAttributes) -> Option<u32> {
    asked.permissions.map(|mode| mode & MODE)
}

/// The times that a client asks for.
pub(super) fn times(asked: &FileAttributes) -> Option<Timestamps> {
    let (last_access, last_modification) = (asked.atime?, asked.mtime?);
    let time = |seconds: u32| Timespec {
        tv_sec: i64::from(seconds),
        tv_nsec: 0,
    };
    Some(Timestamps {
        last_access: time(last_access),
        last_modification: time(last_modification),
    })
}

/// A line as `ls -l` prints it, for clients that show it unchanged.
pub(super) fn line(name: &str, metadata: &Metadata) -> String {
    let mode = metadata.mode();
    let time = jiff::Timestamp::from_second(metadata.mtime()).unwrap_or_default();
    format!(
        "{}{} {:>4} {:<8} {:<8} {:>8} {} {name}",
        kind(mode),
        permissions(mode),
        metadata.nlink(),
        metadata.uid(),
        metadata.gid(),
        metadata.len(),
        time.strftime("%b %e %Y %H:%M"),
    )
}

fn kind(mode: u32) -> char {
    match mode & 0o170_000 {
        0o040_000 => 'd',
        0o120_000 => 'l',
        0o020_000 => 'c',
        0o060_000 => 'b',
        0o010_000 => 'p',
        0o140_000 => 's',
        _ => '-',
    }
}

fn permissions(mode: u32) -> String {
    let letters = "rwxrwxrwx".chars().enumerate();
    letters
        .map(|(place, letter)| {
            let bit = 0o400 >> place;
            if mode & bit == 0 { '-' } else { letter }
        })
        .collect()
}
