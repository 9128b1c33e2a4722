//! Extensions of OpenSSH.

use std::path::PathBuf;

use bytes::{BufMut as _, Bytes};
use russh_sftp::protocol::{ExtendedReply, FileAttributes, Packet, StatusCode, Version};
use rustix::fs::StatVfs;

use super::{
    LONGEST_DATA, LONGEST_PACKET,
    fields::Fields,
    files::{self, Outcome},
    handles::{self, Handles},
    status::{self, Refusal},
};

const RENAME: &str = "posix-rename@openssh.com";
const STATVFS: &str = "statvfs@openssh.com";
const FSTATVFS: &str = "fstatvfs@openssh.com";
const HARDLINK: &str = "hardlink@openssh.com";
const FSYNC: &str = "fsync@openssh.com";
const LSETSTAT: &str = "lsetstat@openssh.com";
const LIMITS: &str = "limits@openssh.com";
const EXPAND: &str = "expand-path@openssh.com";

/// The first answer: the version, and the extensions with theirs.
pub(super) fn version() -> Packet {
    let mut version = Version::new();
    version.extensions = [
        (RENAME, "1"),
        (STATVFS, "2"),
        (FSTATVFS, "2"),
        (HARDLINK, "1"),
        (FSYNC, "1"),
        (LSETSTAT, "1"),
        (LIMITS, "1"),
        (EXPAND, "1"),
    ]
    .into_iter()
    .map(|(name, version)| (name.to_owned(), version.to_owned()))
    .collect();
    Packet::Version(version)
}

pub(super) fn answer(handles: &Handles, id: u32, request: &str, data: &[u8]) -> Outcome {
    let mut fields = Fields(data);
    match request {
        RENAME => files::replace(id, text(&mut fields)?, text(&mut fields)?),
        HARDLINK => files::hard_link(id, text(&mut fields)?, text(&mut fields)?),
        STATVFS => {
            let found = rustix::fs::statvfs(files::path(text(&mut fields)?))?;
            Ok(reply(id, &figures(&found)))
        }
        FSTATVFS => {
            let handle = fields.bytes().ok_or_else(bad)?;
            let found = rustix::fs::fstatvfs(handles.file(handle)?.0)?;
            Ok(reply(id, &figures(&found)))
        }
        FSYNC => {
            let handle = fields.bytes().ok_or_else(bad)?;
            handles.file(handle)?.0.sync_all()?;
            Ok(status::of(id, Ok(())))
        }
        LSETSTAT => {
            let name = text(&mut fields)?;
            let asked = attributes(&mut fields).ok_or_else(bad)?;
            files::change_link(id, name, &asked)
        }
        LIMITS => {
            let data = LONGEST_DATA as u64;
            let limits = [LONGEST_PACKET as u64, data, data, handles::MOST as u64];
            Ok(reply(id, &limits))
        }
        EXPAND => {
            let path = expand(text(&mut fields)?)?;
            files::real_path(id, &path.to_string_lossy())
        }
        _ => Err(Refusal::new(StatusCode::OpUnsupported)),
    }
}

fn text<'a>(fields: &mut Fields<'a>) -> Result<&'a str, Refusal> {
    fields.text().ok_or_else(bad)
}

fn bad() -> Refusal {
    Refusal::new(StatusCode::BadMessage)
}

fn reply(id: u32, numbers: &[u64]) -> Packet {
    let mut data = Vec::with_capacity(8 * numbers.len());
    for number in numbers {
        data.put_u64(*number);
    }
    Packet::ExtendedReply(ExtendedReply { id, data })
}

fn figures(of: &StatVfs) -> [u64; 11] {
    [
        of.f_bsize,
        of.f_frsize,
        of.f_blocks,
        of.f_bfree,
        of.f_bavail,
        of.f_files,
        of.f_ffree,
        of.f_favail,
        of.f_fsid,
        // Clients know the first two bits only: read-only and no set-user-ID.
        of.f_flag.bits() & 3,
        of.f_namemax,
    ]
}

/// The attributes at the end of a request.
fn attributes(fields: &mut Fields<'_>) -> Option<FileAttributes> {
    let mut packet = vec![9];
    packet.put_u32(0);
    packet.put_u32(0);
    packet.put_slice(fields.0);
    // The library decodes attributes only as part of a request.
    match Packet::try_from(&mut Bytes::from(packet)).ok()? {
        Packet::SetStat(request) => Some(request.attrs),
        _ => None,
    }
}

/// `~` and `~user` as a shell has them; other users have no home directory here.
fn expand(path: &str) -> Result<PathBuf, Refusal> {
    let Some(rest) = path.strip_prefix('~') else {
        return Ok(PathBuf::from(path));
    };
    let (user, rest) = rest.split_once('/').unwrap_or((rest, ""));
    if !user.is_empty() {
        return Err(Refusal::new(StatusCode::NoSuchFile));
    }
    Ok(PathBuf::from(crate::model::inside::HOME).join(rest))
}
