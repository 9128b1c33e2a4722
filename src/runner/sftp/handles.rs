//! Open files and directories of the client.

use std::{
    collections::BTreeMap,
    fs::{File, Permissions},
    io::{ErrorKind, Write as _},
    os::unix::fs::{FileExt as _, PermissionsExt as _},
};

use russh_sftp::protocol::{Attrs, FileAttributes, Handle, Name, OpenFlags, Packet, StatusCode};
use rustix::fs::{Mode, OFlags};

use super::{
    attributes,
    directory::Directory,
    files::{Outcome, path},
    status::{self, Refusal},
};

/// How many files and directories a client may have open.
pub(super) const MOST: usize = 512;

enum Opened {
    File { file: File, appends: bool },
    Directory(Directory),
}

/// What is open, by the number that clients know as its handle.
#[derive(Default)]
pub(super) struct Handles {
    opened: BTreeMap<u32, Opened>,
    last: u32,
}

impl Handles {
    pub(super) fn open(
        &mut self,
        id: u32,
        name: &str,
        flags: OpenFlags,
        asked: &FileAttributes,
    ) -> Outcome {
        self.has_room()?;
        let mode = attributes::mode(asked).unwrap_or(0o666);
        let mode = Mode::from_raw_mode(mode);
        let file = rustix::fs::open(path(name), system_flags(flags), mode)?;
        let appends = flags.contains(OpenFlags::APPEND);
        let file = File::from(file);
        Ok(self.keep(id, Opened::File { file, appends }))
    }

    pub(super) fn open_directory(&mut self, id: u32, name: &str) -> Outcome {
        self.has_room()?;
        let directory = Directory::open(path(name))?;
        Ok(self.keep(id, Opened::Directory(directory)))
    }

    fn has_room(&self) -> Result<(), Refusal> {
        if self.opened.len() < MOST {
            return Ok(());
        }
        let why = format!("{MOST} files are open, which are the most");
        Err(Refusal::because(StatusCode::Failure, &why))
    }

    fn keep(&mut self, id: u32, opened: Opened) -> Packet {
        while self.opened.contains_key(&self.last) {
            self.last = self.last.wrapping_add(1);
        }
        self.opened.insert(self.last, opened);
        let handle = self.last.to_string();
        Packet::Handle(Handle { id, handle })
    }

    pub(super) fn close(&mut self, handle: &str) -> Result<(), Refusal> {
        let number = number(handle.as_bytes()).ok_or_else(unknown)?;
        self.opened.remove(&number).map(drop).ok_or_else(unknown)
    }

    /// Fills `piece` from `offset` as far as the file goes.
    pub(super) fn read(
        &mut self,
        handle: &[u8],
        piece: &mut [u8],
        offset: u64,
    ) -> Result<usize, Refusal> {
        let (file, _) = self.file(handle)?;
        let mut filled = 0;
        while filled < piece.len() {
            match file.read_at(&mut piece[filled..], offset + filled as u64) {
                Ok(0) => break,
                Ok(length) => filled += length,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        if filled == 0 && !piece.is_empty() {
            return Err(Refusal::new(StatusCode::Eof));
        }
        Ok(filled)
    }

    pub(super) fn write(&mut self, handle: &[u8], data: &[u8], offset: u64) -> Result<(), Refusal> {
        let (mut file, appends) = self.file(handle)?;
        if appends {
            return Ok(file.write_all(data)?);
        }
        Ok(file.write_all_at(data, offset)?)
    }

    /// The next entries of an open directory.
    pub(super) fn list(&mut self, id: u32, handle: &str) -> Outcome {
        let number = number(handle.as_bytes()).ok_or_else(unknown)?;
        let Some(Opened::Directory(directory)) = self.opened.get_mut(&number) else {
            return Err(unknown());
        };
        let files = directory.next()?;
        if files.is_empty() {
            return Err(Refusal::new(StatusCode::Eof));
        }
        Ok(Packet::Name(Name { id, files }))
    }

    pub(super) fn attributes(&self, id: u32, handle: &str) -> Outcome {
        let (file, _) = self.file(handle.as_bytes())?;
        let attrs = attributes::of(&file.metadata()?);
        Ok(Packet::Attrs(Attrs { id, attrs }))
    }

    pub(super) fn change(&self, id: u32, handle: &str, asked: &FileAttributes) -> Outcome {
        let (file, _) = self.file(handle.as_bytes())?;
        if let Some(size) = asked.size {
            file.set_len(size)?;
        }
        if let Some(mode) = attributes::mode(asked) {
            file.set_permissions(Permissions::from_mode(mode))?;
        }
        if let Some(times) = attributes::times(asked) {
            rustix::fs::futimens(file, &times)?;
        }
        if let (Some(user), Some(group)) = (asked.uid, asked.gid) {
            std::os::unix::fs::fchown(file, Some(user), Some(group))?;
        }
        Ok(status::of(id, Ok(())))
    }

    /// The file of a handle, and whether it is written at its end only.
    pub(super) fn file(&self, handle: &[u8]) -> Result<(&File, bool), Refusal> {
        let number = number(handle).ok_or_else(unknown)?;
        match self.opened.get(&number) {
            Some(Opened::File { file, appends }) => Ok((file, *appends)),
            _ => Err(unknown()),
        }
    }
}

fn unknown() -> Refusal {
    Refusal::because(StatusCode::Failure, "no such handle")
}

fn number(handle: &[u8]) -> Option<u32> {
    std::str::from_utf8(handle).ok()?.parse().ok()
}

fn system_flags(asked: OpenFlags) -> OFlags {
    let both = OpenFlags::READ | OpenFlags::WRITE;
    // A FIFO without a writer must not block the client's other requests.
    let mut flags = OFlags::CLOEXEC | OFlags::NOCTTY | OFlags::NONBLOCK;
    flags |= if asked.contains(both) {
        OFlags::RDWR
    } else if asked.contains(OpenFlags::WRITE) {
        OFlags::WRONLY
    } else {
        OFlags::RDONLY
    };
    for (one, system) in [
        (OpenFlags::APPEND, OFlags::APPEND),
        (OpenFlags::CREATE, OFlags::CREATE),
        (OpenFlags::TRUNCATE, OFlags::TRUNC),
        (OpenFlags::EXCLUDE, OFlags::EXCL),
    ] {
        if asked.contains(one) {
            flags |= system;
        }
    }
    flags
}
