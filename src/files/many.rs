//! Many small files in one stream. On its own, each would cost a stream and two waits for the disk.
//!
//! The stream is a line of JSON ([`Head`]) for each file, followed by the file's content.

use std::{
    io::{BufRead, Read as _, Write},
    os::unix::fs::{MetadataExt as _, PermissionsExt as _},
};

use jiff::Timestamp;
use rustix::fs::syncfs;
use serde::{Deserialize, Serialize};

use super::{
    Result,
    error::{Verb, failed},
    root::Root,
    write::{PartFile, Storing},
};
use crate::model::{
    failure::Failure,
    files::{FileName, FilePath, SMALL_FILE, WriteOptions},
};

/// The longest head in bytes: a path that isn't text is a list of numbers.
const LONGEST_HEAD: u64 = 32 * 1024;

/// What comes before the content of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    pub path: FilePath,
    /// The bytes that follow, at most [`SMALL_FILE`].
    pub size: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modified: Option<Timestamp>,
}

impl Root {
    /// Reads plain files of a directory into a stream. What isn't a small plain file any more is left out.
    ///
    /// # Errors
    ///
    /// The directory can't be opened, a file can't be read, or `out` takes nothing more.
    pub fn read_many(
        &self,
        directory: &FilePath,
        names: &[FileName],
        out: &mut dyn Write,
    ) -> Result<()> {
        for name in names {
            let path = directory.join(&name.0)?;
            if let Some((head, content)) = self.small_file(&path)? {
                send(out, &head, &content)?;
            }
        }
        out.flush().map_err(|_| stopped())
    }

    /// A small plain file; `None` if it isn't one, or doesn't exist any more.
    pub fn small_file(&self, path: &FilePath) -> Result<Option<(Head, Vec<u8>)>> {
        let file = match self.read(path, 0) {
            Ok(file) => file,
            Err(failure) if failure.is_not_found() => return Ok(None),
            Err(failure) => return Err(failure),
        };
        let unread = |error: &std::io::Error| {
            Failure::refused(tr_sent!("'{path}' can't be read: {error}", path, error))
                .hint(tr_sent!("check the disk"))
        };
        let about = file.metadata().map_err(|error| unread(&error))?;
        let mut content =
            Vec::with_capacity(usize::try_from(about.len()).unwrap_or(0).min(1 << 20));
        let read = file.take(SMALL_FILE + 1).read_to_end(&mut content);
        read.map_err(|error| unread(&error))?;
        if content.len() as u64 > SMALL_FILE {
            return Ok(None);
        }
        let nanoseconds = i32::try_from(about.mtime_nsec()).unwrap_or(0);
        let head = Head {
            path: path.clone(),
            size: content.len() as u64,
            mode: Some(about.permissions().mode() & 0o777),
            modified: Timestamp::new(about.mtime(), nanoseconds).ok(),
        };
        Ok(Some((head, content)))
    }

    /// Writes the files of a stream, and replaces files of the same names. `place` says where each goes, `written` gets its
    /// path and its size. Each appears when it is complete. [`Root::sync`] stores all of them.
    ///
    /// # Errors
    ///
    /// The stream breaks or isn't one of [`Root::read_many`], or a file can't be written. Files before it stay.
    pub fn write_many(
        &self,
        stream: &mut dyn BufRead,
        mut place: impl FnMut(&FilePath) -> Result<FilePath>,
        written: &mut dyn FnMut(&FilePath, u64),
    ) -> Result<()> {
        let (mut line, mut content) = (Vec::new(), Vec::new());
        loop {
            line.clear();
            let read = (&mut *stream)
                .take(LONGEST_HEAD)
                .read_until(b'\n', &mut line);
            read.map_err(|_| interrupted())?;
            if line.is_empty() {
                return Ok(());
            }
            let mut head: Head = serde_json::from_slice(&line).map_err(|_| broken())?;
            if head.size > SMALL_FILE {
                return Err(broken());
            }
            head.path = place(&head.path)?;
            content.clear();
            let read = (&mut *stream).take(head.size).read_to_end(&mut content);
            if !read.is_ok_and(|length| length as u64 == head.size) {
                return Err(interrupted());
            }
            self.write_small(&head, &content)?;
            written(&head.path, head.size);
        }
    }

    fn write_small(&self, head: &Head, content: &[u8]) -> Result<()> {
        let options = WriteOptions {
            size: Some(head.size),
            replace: true,
            mode: head.mode,
            ..WriteOptions::default()
        };
        let mut file = PartFile::open(self, &head.path, options)?;
        file.write(content)?;
        file.finish_as(Storing::Later {
            modified: head.modified,
        })
    }

    /// Waits until everything that was written is on the disk.
    pub fn sync(&self) -> Result<()> {
        let root = FilePath::root();
        let dir = self.directory(&root);
        let synced = dir.and_then(syncfs);
        synced.map_err(|error| failed(&root, Verb::Stored, error))
    }
}

/// Writes a file into a stream.
pub fn send(out: &mut dyn Write, head: &Head, content: &[u8]) -> Result<()> {
    let mut line = serde_json::to_vec(head).map_err(|error| {
        Failure::internal(tr_sent!("a file can't be announced: {error}", error))
            .hint(tr_sent!("report this error"))
    })?;
    line.push(b'\n');
    let sent = out.write_all(&line).and_then(|()| out.write_all(content));
    sent.map_err(|_| stopped())
}

fn stopped() -> Failure {
    Failure::lost(tr_sent!("the transfer was stopped"))
        .hint(tr_sent!("continue it with `--resume`"))
}

fn interrupted() -> Failure {
    Failure::lost(tr_sent!("the transfer was interrupted"))
        .hint(tr_sent!("continue it with `--resume`"))
}

fn broken() -> Failure {
    Failure::usage(tr_sent!("the stream of files can't be read"))
        .hint(tr_sent!("run `workbay daemon stop`, then try again"))
}

#[cfg(test)]
mod tests {
    use std::{ffi::OsStr, fs, os::unix::ffi::OsStrExt as _};

    use super::*;

    fn names(all: &[&[u8]]) -> Vec<FileName> {
        all.iter()
            .map(|name| FileName(OsStr::from_bytes(name).to_owned()))
            .collect()
    }

    #[expect(clippy::unnecessary_wraps, reason = "the type of a place")]
    fn same(path: &FilePath) -> Result<FilePath> {
        Ok(path.clone())
    }

    #[test]
    fn files_arrive_with_their_names_times_and_permissions() {
        let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let source = from.path().join("tree");
        fs::create_dir(&source).unwrap();
        fs::create_dir(to.path().join("tree")).unwrap();
        let odd: &[u8] = b"odd\xff\n\x1b[31m";
        fs::write(source.join(OsStr::from_bytes(odd)), "odd").unwrap();
        fs::write(source.join("empty"), "").unwrap();
        fs::write(source.join("script"), vec![7; 100_000]).unwrap();
        fs::set_permissions(source.join("script"), fs::Permissions::from_mode(0o4750)).unwrap();
        fs::write(source.join("large"), vec![1; SMALL_FILE as usize + 1]).unwrap();
        fs::create_dir(source.join("directory")).unwrap();
        // The old file, replaced.
        fs::write(to.path().join("tree/empty"), "not empty").unwrap();
        let asked = names(&[odd, b"empty", b"script", b"large", b"gone"]);
        let root = |dir: &tempfile::TempDir| Root::open(dir.path(), None).unwrap();
        let directory = FilePath::parse(OsStr::new("tree")).unwrap();
        let mut stream = Vec::new();
        root(&from)
            .read_many(&directory, &asked, &mut stream)
            .unwrap();
        let mut seen = Vec::new();
        root(&to)
            .write_many(&mut &stream[..], same, &mut |path, size| {
                seen.push((path.clone(), size));
            })
            .unwrap();
        assert_eq!(seen.len(), 3);
        assert_eq!(seen[2].1, 100_000);
        for name in [odd, b"empty", b"script"] {
            let name = OsStr::from_bytes(name);
            let (old, new) = (source.join(name), to.path().join("tree").join(name));
            assert_eq!(fs::read(&old).unwrap(), fs::read(&new).unwrap());
            let time = |path| fs::metadata(path).unwrap().modified().unwrap();
            assert_eq!(time(&old), time(&new));
        }
        let script = to.path().join("tree/script").metadata().unwrap();
        assert_eq!(script.permissions().mode() & 0o7777, 0o750);
        assert_eq!(fs::read_dir(to.path().join("tree")).unwrap().count(), 3);
        // What isn't a file is refused as for one file alone.
        let wrong = root(&from).read_many(&directory, &names(&[b"directory"]), &mut Vec::new());
        assert!(wrong.unwrap_err().to_string().contains("directory"));
    }

    #[test]
    fn a_stream_that_breaks_keeps_only_what_is_complete() {
        let to = tempfile::tempdir().unwrap();
        let root = Root::open(to.path(), None).unwrap();
        let head = |name: &str, size| Head {
            path: FilePath::parse(OsStr::new(name)).unwrap(),
            size,
            mode: None,
            modified: None,
        };
        let mut stream = Vec::new();
        send(&mut stream, &head("one", 3), b"one").unwrap();
        send(&mut stream, &head("two", 9), b"half").unwrap();
        let written = root.write_many(&mut &stream[..], same, &mut |_, _| {});
        assert!(written.unwrap_err().is_lost());
        let names: Vec<_> = fs::read_dir(to.path()).unwrap().collect();
        assert_eq!(names.len(), 1);
        assert_eq!(fs::read(to.path().join("one")).unwrap(), b"one");
    }

    #[test]
    fn a_hostile_stream_writes_nothing_elsewhere_and_needs_no_memory() {
        let dir = tempfile::tempdir().unwrap();
        let place = dir.path().join("folder");
        fs::create_dir(&place).unwrap();
        std::os::unix::fs::symlink(dir.path(), place.join("out")).unwrap();
        let root = Root::open(&place, None).unwrap();
        for text in [
            "{\"path\":\"../outside\",\"size\":1}\nx",
            "{\"path\":\"out/outside\",\"size\":1}\nx",
            "{\"path\":\"huge\",\"size\":99999999999}\nx",
            "{\"path\":\"\",\"size\":1}\nx",
            "nonsense\n",
            "no end",
        ] {
            let done = root.write_many(&mut text.as_bytes(), same, &mut |_, _| {});
            assert!(done.is_err(), "{text}");
        }
        let endless = vec![b'x'; 1 << 20];
        let done = root.write_many(&mut &endless[..], same, &mut |_, _| {});
        assert!(done.is_err());
        assert!(!dir.path().join("outside").exists());
        assert_eq!(fs::read_dir(&place).unwrap().count(), 1);
    }
}
