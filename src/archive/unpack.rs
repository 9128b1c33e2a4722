//! Reads a tar stream into a directory, without trusting it.

use std::{
    fs,
    io::{self, Read},
    path::{Component, Path, PathBuf},
};

use tar::{Entry, EntryType};

use super::Copied;
use crate::{model::resources::Bytes, space::DiskSpace};

/// Where the entries of a stream go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Destination {
    /// An existing directory. Nothing is written outside of it.
    directory: PathBuf,
    /// The new name of the first component of all entries.
    renamed: Option<PathBuf>,
}

impl Destination {
    /// As `cp` has it: into `path` if it is a directory, otherwise as `path` in its directory.
    ///
    /// # Errors
    ///
    /// The directory of `path` doesn't exist.
    pub fn find(path: &Path) -> io::Result<Self> {
        if path.is_dir() {
            let directory = fs::canonicalize(path)?;
            return Ok(Self {
                directory,
                renamed: None,
            });
        }
        let missing = |text: String| io::Error::new(io::ErrorKind::NotFound, text);
        let name = path
            .file_name()
            .filter(|_| !path.as_os_str().to_string_lossy().ends_with('/'))
            .ok_or_else(|| {
                missing(tr_sent!(
                    "the directory {path} doesn't exist",
                    path = path.display()
                ))
            })?;
        let parent = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let directory = fs::canonicalize(parent)
            .map_err(|error| missing(format!("{}: {error}", parent.display())))?;
        Ok(Self {
            directory,
            renamed: Some(PathBuf::from(name)),
        })
    }

    /// The path of an entry. `None` = it leads out of the destination.
    fn path_of(&self, name: &Path) -> Option<PathBuf> {
        let mut path = self.directory.clone();
        let mut parts = name.components().filter(|part| *part != Component::CurDir);
        let mut is_empty = true;
        if let (Some(renamed), Some(Component::Normal(_))) = (&self.renamed, parts.clone().next()) {
            parts.next();
            path.push(renamed);
            is_empty = false;
        }
        for part in parts {
            let Component::Normal(part) = part else {
                return None;
            };
            path.push(part);
            is_empty = false;
        }
        (!is_empty).then_some(path)
    }

    /// Whether a path is in the destination after all links in it are followed.
    fn holds(&self, path: &Path) -> bool {
        fs::canonicalize(path).is_ok_and(|path| path.starts_with(&self.directory))
    }
}

/// Unpacks a stream. Existing files are replaced, directories are merged. Set-user-id bits and owners are dropped.
/// Links that lead out of what is copied are skipped.
///
/// # Errors
///
/// The stream isn't a tar stream or names a path outside of the destination, a file can't be written, or the file system
/// has less space than a file needs.
pub fn unpack(stream: impl Read, destination: &Destination) -> io::Result<Copied> {
    let mut archive = tar::Archive::new(stream);
    let mut copied = Copied::default();
    for entry in archive.entries()? {
        let mut entry = entry?;
        let name = entry.path()?.into_owned();
        let path = destination.path_of(&name).ok_or_else(|| {
            invalid(tr_sent!(
                "'{name}' leads out of the destination",
                name = shown(&name)
            ))
        })?;
        match entry.header().entry_type() {
            EntryType::Directory => make_directory(destination, &path)?,
            EntryType::Regular | EntryType::Continuous => {
                prepare(destination, &path)?;
                check_space(destination, entry.size())?;
                write(&mut entry, &path)?;
                copied.files += 1;
                copied.bytes += entry.size();
            }
            EntryType::Symlink => {
                let target = entry.link_name()?.map(std::borrow::Cow::into_owned);
                if target.is_some_and(|target| stays_inside(&name, &target)) {
                    prepare(destination, &path)?;
                    write(&mut entry, &path)?;
                } else {
                    copied.skip(|| {
                        let name = shown(&name);
                        tr_sent!(
                            "{name}: a link that leads out of the copied directory",
                            name
                        )
                    });
                }
            }
            _ => copied
                .skip(|| tr_sent!("{name}: not a file, directory or link", name = shown(&name))),
        }
    }
    Ok(copied)
}

fn invalid(text: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, text)
}

/// A name of the stream, which may contain anything.
fn shown(name: &Path) -> String {
    crate::model::text::Clean::new(&name.to_string_lossy()).into_string()
}

/// Creates a directory and those above it. Links aren't followed out of the destination.
fn make_directory(destination: &Destination, path: &Path) -> io::Result<()> {
    let Ok(inner) = path.strip_prefix(&destination.directory) else {
        return Err(invalid(tr_sent!(
            "'{path}' leads out of the destination",
            path = shown(path)
        )));
    };
    let mut made = destination.directory.clone();
    for part in inner.components() {
        made.push(part);
        match fs::create_dir(&made) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                if !made.is_dir() {
                    let text =
                        tr_sent!("{made} exists and isn't a directory", made = made.display());
                    return Err(io::Error::new(io::ErrorKind::NotADirectory, text));
                }
                if !destination.holds(&made) {
                    return Err(invalid(tr_sent!(
                        "'{made}' is a link that leads out of the destination",
                        made = shown(&made)
                    )));
                }
            }
            Err(error) => {
                let text = format!("{}: {error}", made.display());
                return Err(io::Error::new(error.kind(), text));
            }
        }
    }
    Ok(())
}

fn prepare(destination: &Destination, path: &Path) -> io::Result<()> {
    make_directory(destination, path.parent().unwrap_or(path))?;
    if fs::symlink_metadata(path).is_ok_and(|there| there.is_dir()) {
        let text = tr_sent!("{path} is a directory", path = path.display());
        return Err(io::Error::new(io::ErrorKind::IsADirectory, text));
    }
    Ok(())
}

fn write(entry: &mut Entry<'_, impl Read>, path: &Path) -> io::Result<()> {
    entry.set_preserve_permissions(false);
    entry.set_unpack_xattrs(false);
    let written = entry.unpack(path).map(drop);
    written.map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))
}

/// A session can announce a file of any size, so a file that can't fit is refused before the disk is full.
fn check_space(destination: &Destination, size: u64) -> io::Result<()> {
    let Ok(space) = DiskSpace::at(&destination.directory) else {
        return Ok(());
    };
    let (needed, free) = (Bytes(size), space.free);
    if needed <= free {
        return Ok(());
    }
    let text = tr_sent!(
        "a file needs {needed}, but only {free} are free",
        needed,
        free
    );
    Err(io::Error::new(io::ErrorKind::StorageFull, text))
}

/// Whether a link at `name` leads to a place inside the copied directory, by its text.
fn stays_inside(name: &Path, target: &Path) -> bool {
    let parent = name.parent().into_iter().flat_map(Path::components);
    let mut depth = parent
        .filter(|part| matches!(part, Component::Normal(_)))
        .count();
    for part in target.components() {
        match part {
            Component::Normal(_) => depth += 1,
            Component::CurDir => {}
            // The first component is what is copied: a link may not leave it.
            Component::ParentDir if depth > 1 => depth -= 1,
            _ => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;
    use crate::archive::pack;

    fn entry(archive: &mut tar::Builder<Vec<u8>>, name: &str, kind: EntryType, target: &str) {
        let mut header = tar::Header::new_gnu();
        let raw = header.as_gnu_mut().unwrap();
        raw.name[..name.len()].copy_from_slice(name.as_bytes());
        raw.linkname[..target.len()].copy_from_slice(target.as_bytes());
        header.set_entry_type(kind);
        header.set_size(if kind == EntryType::Regular { 4 } else { 0 });
        header.set_mode(0o4755);
        header.set_cksum();
        let content: &[u8] = if kind == EntryType::Regular {
            b"evil"
        } else {
            b""
        };
        archive.append(&header, content).unwrap();
    }

    fn stream(entries: &[(&str, EntryType, &str)]) -> Vec<u8> {
        let mut archive = tar::Builder::new(Vec::new());
        for (name, kind, target) in entries {
            entry(&mut archive, name, *kind, target);
        }
        archive.into_inner().unwrap()
    }

    #[test]
    fn a_tree_arrives_as_it_was() {
        let root = tempfile::tempdir().unwrap();
        let tree = root.path().join("tree");
        fs::create_dir_all(tree.join("deep/er")).unwrap();
        fs::write(tree.join("deep/er/파일"), "content").unwrap();
        fs::write(tree.join("run.sh"), "#!/bin/sh").unwrap();
        fs::set_permissions(tree.join("run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
        symlink("deep/er", tree.join("inside")).unwrap();
        symlink("/etc/passwd", tree.join("outside")).unwrap();
        let mut bytes = Vec::new();
        let packed = pack(&tree, &mut bytes).unwrap();
        assert_eq!((packed.files, packed.bytes), (2, 16));
        for (target, at) in [("new", "new"), ("there", "there/tree")] {
            let target = root.path().join(target);
            if at.contains('/') {
                fs::create_dir(&target).unwrap();
            }
            let destination = Destination::find(&target).unwrap();
            let unpacked = unpack(bytes.as_slice(), &destination).unwrap();
            assert_eq!((unpacked.files, unpacked.bytes), (2, 16));
            assert_eq!(unpacked.skipped.len(), 1, "{:?}", unpacked.skipped);
            let at = root.path().join(at);
            assert_eq!(
                fs::read_to_string(at.join("inside/파일")).unwrap(),
                "content"
            );
            let mode = fs::metadata(at.join("run.sh"))
                .unwrap()
                .permissions()
                .mode();
            assert_eq!(mode & 0o777, 0o755);
            assert!(fs::symlink_metadata(at.join("outside")).is_err());
        }
    }

    #[test]
    fn a_file_takes_the_name_of_the_destination() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("one"), "1").unwrap();
        let mut bytes = Vec::new();
        pack(&root.path().join("one"), &mut bytes).unwrap();
        let target = root.path().join("two");
        unpack(bytes.as_slice(), &Destination::find(&target).unwrap()).unwrap();
        assert_eq!(fs::read_to_string(target).unwrap(), "1");
        let error = Destination::find(&root.path().join("no/such")).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        assert!(Destination::find(&root.path().join("new/")).is_err());
    }

    #[test]
    fn nothing_is_written_outside_of_the_destination() {
        use EntryType::{Directory, Link, Regular, Symlink};
        let root = tempfile::tempdir().unwrap();
        let inner = root.path().join("inner");
        let victim = root.path().join("victim");
        let victim_text = victim.to_str().unwrap().to_owned();
        let cases: [&[(&str, EntryType, &str)]; 6] = [
            &[("../victim", Regular, "")],
            &[("a/../../victim", Regular, "")],
            &[(&victim_text, Regular, "")],
            &[("a", Symlink, ".."), ("a/victim", Regular, "")],
            &[
                ("d", Directory, ""),
                ("d/a", Symlink, "../.."),
                ("d/a/victim", Regular, ""),
            ],
            &[("a", Link, &victim_text), ("a", Regular, "")],
        ];
        for entries in cases {
            let _ = fs::remove_dir_all(&inner);
            fs::create_dir(&inner).unwrap();
            fs::write(&victim, "safe").unwrap();
            let destination = Destination::find(&inner).unwrap();
            let _ = unpack(stream(entries).as_slice(), &destination);
            assert_eq!(fs::read_to_string(&victim).unwrap(), "safe", "{entries:?}");
        }
    }

    #[test]
    fn links_that_were_there_before_are_not_followed_out() {
        let root = tempfile::tempdir().unwrap();
        let inner = root.path().join("inner");
        fs::create_dir(&inner).unwrap();
        fs::create_dir(root.path().join("outside")).unwrap();
        symlink("../outside", inner.join("a")).unwrap();
        let destination = Destination::find(&inner).unwrap();
        let bytes = stream(&[("a/file", EntryType::Regular, "")]);
        assert!(unpack(bytes.as_slice(), &destination).is_err());
        assert!(!root.path().join("outside/file").exists());
    }

    #[test]
    fn set_user_id_bits_and_devices_are_dropped() {
        let root = tempfile::tempdir().unwrap();
        let destination = Destination::find(root.path()).unwrap();
        let bytes = stream(&[
            ("su", EntryType::Regular, ""),
            ("null", EntryType::Char, ""),
            ("pipe", EntryType::Fifo, ""),
        ]);
        let copied = unpack(bytes.as_slice(), &destination).unwrap();
        assert_eq!((copied.files, copied.skipped.len()), (1, 2));
        let mode = fs::metadata(root.path().join("su"))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o7000, 0);
    }

    #[test]
    fn a_file_larger_than_the_disk_is_refused_at_once() {
        let root = tempfile::tempdir().unwrap();
        let destination = Destination::find(root.path()).unwrap();
        let mut header = tar::Header::new_gnu();
        header.set_path("huge").unwrap();
        header.set_size(1 << 60);
        header.set_cksum();
        let error = unpack(header.as_bytes().as_slice(), &destination).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    }

    #[test]
    fn a_stream_that_breaks_off_is_an_error() {
        let root = tempfile::tempdir().unwrap();
        let destination = Destination::find(root.path()).unwrap();
        let bytes = stream(&[("one", EntryType::Regular, "")]);
        assert!(unpack(&bytes[..514], &destination).is_err());
        assert!(unpack(&b"not a tar stream at all"[..], &destination).is_err());
    }
}
