//! Writes a file or a directory tree as a tar stream.

use std::{
    fs::{self, File, Metadata},
    io::{self, Read, Write},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
};

use super::Copied;

/// Writes the file or directory at `path` under its own name. Links are kept as links. What a program can't copy
/// (sockets, devices, unreadable files) is skipped.
///
/// # Errors
///
/// There is nothing at `path`, or `out` can't be written.
pub fn pack(path: &Path, out: impl Write) -> io::Result<Copied> {
    let metadata = fs::symlink_metadata(path)?;
    // A link that is named itself is followed, as `cp` does.
    let path = if metadata.is_symlink() || path.file_name().is_none() {
        fs::canonicalize(path)?
    } else {
        path.to_owned()
    };
    let name = path
        .file_name()
        .map_or_else(|| "root".into(), PathBuf::from);
    pack_as(vec![(path, name)], |_| true, out)
}

/// Writes files and directory trees, each under the name beside it. No link is followed. What `is_wanted` refuses is
/// left out with its contents. It gets the paths as they are read.
///
/// # Errors
///
/// `out` can't be written.
pub fn pack_as(
    mut left: Vec<(PathBuf, PathBuf)>,
    is_wanted: impl Fn(&Path) -> bool,
    out: impl Write,
) -> io::Result<Copied> {
    let mut archive = tar::Builder::new(out);
    let mut copied = Copied::default();
    left.reverse();
    // A stack instead of recursion: trees can be deeper than a thread's stack.
    while let Some((path, name)) = left.pop() {
        if !is_wanted(&path) {
            continue;
        }
        let metadata = match fs::symlink_metadata(&path) {
            Ok(metadata) => metadata,
            Err(error) => {
                copied.skip(|| format!("{}: {error}", name.display()));
                continue;
            }
        };
        if metadata.is_dir() {
            append(
                &mut archive,
                &name,
                &metadata,
                tar::EntryType::Directory,
                io::empty(),
            )?;
            match children(&path, &name) {
                Ok(children) => left.extend(children),
                Err(error) => copied.skip(|| format!("{}: {error}", name.display())),
            }
        } else if metadata.is_symlink() {
            match fs::read_link(&path) {
                Ok(target) => link(&mut archive, &name, &target)?,
                Err(error) => copied.skip(|| format!("{}: {error}", name.display())),
            }
        } else if metadata.is_file() {
            match open(&path) {
                Ok(file) => {
                    copied.files += 1;
                    copied.bytes += metadata.len();
                    let exact = Exact {
                        file,
                        left: metadata.len(),
                    };
                    append(
                        &mut archive,
                        &name,
                        &metadata,
                        tar::EntryType::Regular,
                        exact,
                    )?;
                }
                Err(error) => copied.skip(|| format!("{}: {error}", name.display())),
            }
        } else {
            copied.skip(|| {
                tr_sent!(
                    "{name}: not a file, directory or link",
                    name = name.display()
                )
            });
        }
    }
    archive.into_inner()?.flush()?;
    Ok(copied)
}

/// How many files [`pack_as`] would write, and their bytes.
pub fn measure(mut left: Vec<(PathBuf, PathBuf)>, is_wanted: impl Fn(&Path) -> bool) -> (u64, u64) {
    let (mut files, mut bytes) = (0, 0);
    while let Some((path, name)) = left.pop() {
        if !is_wanted(&path) {
            continue;
        }
        match fs::symlink_metadata(&path) {
            Ok(metadata) if metadata.is_dir() => {
                left.extend(children(&path, &name).unwrap_or_default());
            }
            Ok(metadata) if metadata.is_file() => {
                files += 1;
                bytes += metadata.len();
            }
            _ => {}
        }
    }
    (files, bytes)
}

/// Opens a file that may have been replaced by a link or a pipe meanwhile: neither is followed or waited for.
fn open(path: &Path) -> io::Result<File> {
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    let file = fs::OpenOptions::new()
        .read(true)
        .custom_flags(flags.bits().cast_signed())
        .open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other(tr_sent!(
            "it was replaced while it was read"
        )));
    }
    Ok(file)
}

/// In the order of their names, the first one last.
fn children(path: &Path, name: &Path) -> io::Result<Vec<(PathBuf, PathBuf)>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(path)? {
        names.push(entry?.file_name());
    }
    names.sort_unstable_by(|one, other| other.cmp(one));
    let pair = |one: std::ffi::OsString| (path.join(&one), name.join(&one));
    Ok(names.into_iter().map(pair).collect())
}

fn append(
    archive: &mut tar::Builder<impl Write>,
    name: &Path,
    metadata: &Metadata,
    kind: tar::EntryType,
    content: impl Read,
) -> io::Result<()> {
    let mut header = tar::Header::new_gnu();
    header.set_metadata_in_mode(metadata, tar::HeaderMode::Complete);
    header.set_entry_type(kind);
    header.set_size(if metadata.is_dir() { 0 } else { metadata.len() });
    archive.append_data(&mut header, name, content)
}

fn link(archive: &mut tar::Builder<impl Write>, name: &Path, target: &Path) -> io::Result<()> {
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(tar::EntryType::Symlink);
    header.set_size(0);
    header.set_mode(0o777);
    archive.append_link(&mut header, name, target)
}

/// A file of which exactly the announced number of bytes is read: it may grow or shrink meanwhile.
struct Exact {
    file: File,
    left: u64,
}

impl Read for Exact {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.left).map_or(buffer.len(), |left| left.min(buffer.len()));
        let buffer = &mut buffer[..most];
        let length = match self.file.read(buffer)? {
            0 => {
                buffer.fill(0);
                buffer.len()
            }
            length => length,
        };
        self.left -= length as u64;
        Ok(length)
    }
}
