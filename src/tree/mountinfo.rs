//! Reads mount points from the lines of `/proc/PID/mountinfo`.

use std::{ffi::OsString, os::unix::ffi::OsStringExt as _, path::PathBuf};

/// All mount points.
pub fn mount_points(mountinfo: &[u8]) -> impl Iterator<Item = PathBuf> {
    mountinfo
        .split(|byte| *byte == b'\n')
        .filter_map(|line| line.split(|byte| *byte == b' ').nth(4))
        .map(|field| PathBuf::from(unescape(field)))
}

/// Decodes a path in which blanks are written as three octal digits.
pub fn unescape(field: &[u8]) -> OsString {
    let mut bytes = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((&byte, after)) = rest.split_first() {
        let digits = after.get(..3).and_then(|it| std::str::from_utf8(it).ok());
        match digits.and_then(|it| u8::from_str_radix(it, 8).ok()) {
            Some(value) if byte == b'\\' => {
                bytes.push(value);
                rest = &after[3..];
            }
            _ => {
                bytes.push(byte);
                rest = after;
            }
        }
    }
    OsString::from_vec(bytes)
}
