//! Reads a tar stream into a directory that programs may be changing at the same time.
//!
//! Each step is relative to an open directory and follows no link, so nothing is written outside, whatever replaces
//! directories by links meanwhile.

use std::{
    ffi::OsStr,
    fs::File,
    io::{self, Read},
    os::fd::{AsFd as _, BorrowedFd, OwnedFd},
    path::{Component, Path},
};

use rustix::{
    fs::{
        AtFlags, Gid, Mode, OFlags, RawMode, Timespec, Timestamps, Uid, chownat, fchmod, fchown,
        futimens, mkdirat, openat, symlinkat,
    },
    io::Errno,
};
use tar::{Entry, EntryType};

use super::Copied;
use crate::model::text::{Clean, io_reason};

const DIRECTORY: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

/// The mode of directories that the stream doesn't describe.
const USUAL: RawMode = 0o755;

/// Unpacks a stream into an empty directory. `seen` gets the numbers of files and bytes while they are written. Everything in it belongs to `owner` afterwards, if this process may give
/// files away. Set-user-id bits are dropped. Links are kept as links, wherever they lead, because nothing follows them.
///
/// # Errors
///
/// The stream isn't a tar stream or names a path outside, two entries have the same name, or a file can't be written.
pub fn unpack_beneath(
    stream: impl Read,
    root: BorrowedFd<'_>,
    owner: Option<(u32, u32)>,
    mut seen: impl FnMut(u64, u64),
) -> io::Result<Copied> {
    let mut archive = tar::Archive::new(stream);
    let mut copied = Copied::default();
    for entry in archive.entries()? {
        let mut entry = entry?;
        let name = entry.path()?.into_owned();
        let place = Place::open(root, &name, owner)?;
        let written = match entry.header().entry_type() {
            EntryType::Directory => place.directory(&entry),
            EntryType::Regular | EntryType::Continuous => {
                let (files, bytes) = (copied.files, copied.bytes);
                copied.files += 1;
                copied.bytes += entry.size();
                let written = place.file(&mut entry, |length| seen(files, bytes + length));
                seen(copied.files, copied.bytes);
                written
            }
            EntryType::Symlink => place.link(&entry),
            _ => {
                copied.skip(|| {
                    tr_sent!("{name}: not a file, directory or link", name = shown(&name))
                });
                Ok(())
            }
        };
        written.map_err(|error| {
            let text = format!("{}: {}", shown(&name), io_reason(&error));
            io::Error::new(error.kind(), text)
        })?;
    }
    Ok(copied)
}

fn shown(name: &Path) -> String {
    Clean::new(&name.to_string_lossy()).into_string()
}

/// Where an entry is written.
struct Place<'a> {
    parent: OwnedFd,
    /// Empty = the destination itself.
    name: &'a OsStr,
    owner: Option<(u32, u32)>,
}

impl<'a> Place<'a> {
    /// Opens the directory of an entry, and creates it if it is missing.
    fn open(root: BorrowedFd<'_>, name: &'a Path, owner: Option<(u32, u32)>) -> io::Result<Self> {
        let mut parts = Vec::new();
        for part in name.components() {
            match part {
                Component::Normal(part) => parts.push(part),
                Component::CurDir => {}
                _ => {
                    let text =
                        tr_sent!("'{name}' leads out of the destination", name = shown(name));
                    return Err(io::Error::new(io::ErrorKind::InvalidData, text));
                }
            }
        }
        let last = parts.pop().unwrap_or_default();
        let mut parent = openat(root, c".", DIRECTORY, Mode::empty())?;
        for part in parts {
            parent = subdirectory(&parent, part, owner)?;
        }
        Ok(Self {
            parent,
            name: last,
            owner,
        })
    }

    fn directory(&self, entry: &Entry<'_, impl Read>) -> io::Result<()> {
        if self.name.is_empty() {
            return Ok(());
        }
        let made = subdirectory(&self.parent, self.name, self.owner)?;
        // Its owner must be able to read and empty it.
        let mode = entry.header().mode()? & 0o777 | 0o700;
        fchmod(&made, Mode::from_raw_mode(mode))?;
        Ok(())
    }

    /// `seen` gets the number of bytes while they are written.
    fn file(&self, entry: &mut Entry<'_, impl Read>, seen: impl FnMut(u64)) -> io::Result<()> {
        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let made = openat(&self.parent, self.name, flags, Mode::from_raw_mode(0o600))?;
        let mut file = File::from(made);
        let mut content = Counted {
            content: &mut *entry,
            length: 0,
            seen,
        };
        io::copy(&mut content, &mut file)?;
        give(file.as_fd(), self.owner)?;
        let mode = entry.header().mode()? & 0o777;
        fchmod(&file, Mode::from_raw_mode(mode))?;
        if let Ok(modified) = entry.header().mtime() {
            let modified = Timespec {
                tv_sec: i64::try_from(modified).unwrap_or_default(),
                tv_nsec: 0,
            };
            futimens(
                &file,
                &Timestamps {
                    last_access: modified,
                    last_modification: modified,
                },
            )?;
        }
        Ok(())
    }

    fn link(&self, entry: &Entry<'_, impl Read>) -> io::Result<()> {
        let target = entry.link_name_bytes();
        let target = target.ok_or_else(|| io::Error::other(tr_sent!("a link without a target")))?;
        symlinkat(&*target, &self.parent, self.name)?;
        if let Some((uid, gid)) = self.owner {
            let owner = (Uid::from_raw(uid), Gid::from_raw(gid));
            let given = chownat(
                &self.parent,
                self.name,
                Some(owner.0),
                Some(owner.1),
                AtFlags::SYMLINK_NOFOLLOW,
            );
            given?;
        }
        Ok(())
    }
}

/// Counts what is read.
struct Counted<R, F> {
    content: R,
    length: u64,
    seen: F,
}

impl<R: Read, F: FnMut(u64)> Read for Counted<R, F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.content.read(buffer)?;
        self.length += length as u64;
        (self.seen)(self.length);
        Ok(length)
    }
}

fn subdirectory(at: &OwnedFd, name: &OsStr, owner: Option<(u32, u32)>) -> io::Result<OwnedFd> {
    match mkdirat(at, name, Mode::from_raw_mode(USUAL)) {
        Ok(()) => {
            let made = openat(at, name, DIRECTORY, Mode::empty())?;
            give(made.as_fd(), owner)?;
            Ok(made)
        }
        Err(Errno::EXIST) => Ok(openat(at, name, DIRECTORY, Mode::empty())?),
        Err(error) => Err(error.into()),
    }
}

fn give(file: BorrowedFd<'_>, owner: Option<(u32, u32)>) -> io::Result<()> {
    if let Some((uid, gid)) = owner {
        fchown(file, Some(Uid::from_raw(uid)), Some(Gid::from_raw(gid)))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::{
        fs,
        os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink},
        path::PathBuf,
    };

    use super::*;
    use crate::archive::pack_as;

    fn opened(path: &Path) -> OwnedFd {
        openat(rustix::fs::CWD, path, DIRECTORY, Mode::empty()).unwrap()
    }

    fn packed(root: &Path, paths: &[&str]) -> Vec<u8> {
        let named = paths.iter().map(|it| (root.join(it), PathBuf::from(it)));
        let mut bytes = Vec::new();
        pack_as(named.collect(), |_| true, &mut bytes).unwrap();
        bytes
    }

    #[test]
    fn files_keep_their_paths_contents_modes_and_times() {
        let dir = tempfile::tempdir().unwrap();
        let (from, to) = (dir.path().join("from"), dir.path().join("to"));
        fs::create_dir_all(from.join("opt/a/b")).unwrap();
        fs::create_dir(&to).unwrap();
        fs::write(from.join("opt/a/b/run"), "x").unwrap();
        fs::set_permissions(from.join("opt/a/b/run"), fs::Permissions::from_mode(0o4750)).unwrap();
        symlink("/etc/passwd", from.join("opt/a/link")).unwrap();
        let odd = from.join(std::ffi::OsString::from("odd\u{1b}[31m"));
        fs::write(&odd, "odd").unwrap();
        let bytes = packed(&from, &["opt/a", "odd\u{1b}[31m"]);
        let mut seen = Vec::new();
        let copied = unpack_beneath(
            bytes.as_slice(),
            opened(&to).as_fd(),
            None,
            |files, bytes| {
                seen.push((files, bytes));
            },
        );
        let copied = copied.unwrap();
        assert_eq!((copied.files, copied.bytes), (2, 4));
        assert!(seen.is_sorted() && seen.contains(&(0, 1)), "{seen:?}");
        assert_eq!(seen.last(), Some(&(2, 4)));
        let run = fs::metadata(to.join("opt/a/b/run")).unwrap();
        assert_eq!(run.mode() & 0o7777, 0o750);
        let before = fs::metadata(from.join("opt/a/b/run")).unwrap();
        assert_eq!(run.mtime(), before.mtime());
        let link = fs::read_link(to.join("opt/a/link")).unwrap();
        assert_eq!(link, Path::new("/etc/passwd"));
        assert_eq!(fs::read_to_string(to.join("odd\u{1b}[31m")).unwrap(), "odd");
    }

    #[test]
    fn links_in_the_destination_are_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let (from, to, out) = (
            dir.path().join("from"),
            dir.path().join("to"),
            dir.path().join("out"),
        );
        for made in [&from.join("a"), &to, &out] {
            fs::create_dir_all(made).unwrap();
        }
        fs::write(from.join("a/file"), "x").unwrap();
        let bytes = packed(&from, &["a/file"]);
        symlink(&out, to.join("a")).unwrap();
        assert!(unpack_beneath(bytes.as_slice(), opened(&to).as_fd(), None, |_, _| {}).is_err());
        assert!(!out.join("file").exists());
        fs::remove_file(to.join("a")).unwrap();
        fs::create_dir(to.join("a")).unwrap();
        fs::write(out.join("victim"), "safe").unwrap();
        symlink(out.join("victim"), to.join("a/file")).unwrap();
        assert!(unpack_beneath(bytes.as_slice(), opened(&to).as_fd(), None, |_, _| {}).is_err());
        assert_eq!(fs::read_to_string(out.join("victim")).unwrap(), "safe");
    }

    #[test]
    fn a_stream_that_leads_out_or_breaks_off_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let to = dir.path().join("to");
        fs::create_dir(&to).unwrap();
        let mut archive = tar::Builder::new(Vec::new());
        let mut header = tar::Header::new_gnu();
        let name = b"../victim";
        header.as_gnu_mut().unwrap().name[..name.len()].copy_from_slice(name);
        header.set_size(1);
        header.set_cksum();
        archive.append(&header, &b"x"[..]).unwrap();
        let bytes = archive.into_inner().unwrap();
        let error =
            unpack_beneath(bytes.as_slice(), opened(&to).as_fd(), None, |_, _| {}).unwrap_err();
        assert!(error.to_string().contains("leads out"), "{error}");
        assert!(!dir.path().join("victim").exists());
        fs::write(dir.path().join("large"), vec![7; 4096]).unwrap();
        let bytes = packed(dir.path(), &["large"]);
        assert!(unpack_beneath(&bytes[..1024], opened(&to).as_fd(), None, |_, _| {}).is_err());
    }
}
