//! Copies files of a session into a folder that the session doesn't mount: through this daemon and the storage proxy.

use std::collections::BTreeSet;

use futures_util::StreamExt as _;
use serde::Deserialize;
use tokio::sync::watch;

use super::reply;
use crate::{
    engine::{
        api::Result,
        backendai::{BackendAiEngine, files::SessionDirectory},
        files::{FileRoot, Files as _, LocalWork},
    },
    model::{
        failure::Failure,
        files::{FilePath, FileProgress, FileRequest, WriteOptions},
        id::SessionId,
        loss::Rescued,
        resources::Bytes,
        text::Clean,
    },
};

/// A line of the list.
#[derive(Deserialize)]
#[serde(untagged)]
enum Line {
    Entry {
        path: FilePath,
        directory: bool,
        size: u64,
    },
    Skipped {
        skipped: String,
    },
    End {
        #[expect(dead_code, reason = "only its presence counts")]
        end: bool,
    },
}

/// What is copied: directories before their contents.
#[derive(Debug, Default)]
pub(super) struct Entries {
    directories: BTreeSet<FilePath>,
    /// With their sizes.
    files: Vec<(FilePath, u64)>,
    skipped: Vec<Clean>,
}

impl Entries {
    /// Fails for a list without its end.
    pub(super) fn parse(list: &[u8]) -> Result<Self> {
        let mut entries = Self::default();
        for line in list.split(|byte| *byte == b'\n') {
            match reply::parse(line)? {
                Line::Entry {
                    path,
                    directory: true,
                    ..
                } => entries.add_directory(&path),
                Line::Entry { path, size, .. } => {
                    entries.add_directory(&path.parent().unwrap_or_default());
                    entries.files.push((path, size));
                }
                Line::Skipped { skipped } => entries.skipped.push(Clean::new(&skipped)),
                Line::End { .. } => return Ok(entries),
            }
        }
        Err(reply::unreadable())
    }

    /// Adds a directory and those above it.
    fn add_directory(&mut self, path: &FilePath) {
        let mut next = Some(path.clone());
        while let Some(path) = next.filter(|path| !path.is_root()) {
            next = path.parent();
            if !self.directories.insert(path) {
                return;
            }
        }
    }
}

pub(super) async fn copy(
    engine: &BackendAiEngine,
    session: SessionId,
    folder: &str,
    directory: &FilePath,
    entries: Entries,
    progress: &watch::Sender<FileProgress>,
) -> Result<Rescued> {
    let target = Target {
        engine,
        root: FileRoot::Folder(folder.to_owned()),
        directory,
    };
    target.create().await?;
    let copied = target.fill(session, &entries, progress).await;
    if copied.is_err() {
        // The failure of the copy is what is reported.
        let _ = target.remove().await;
    }
    let size = copied?;
    Ok(Rescued {
        files: entries.files.len() as u64,
        size: Bytes(size),
        skipped: entries.skipped,
    })
}

/// The new directory in the folder.
struct Target<'a> {
    engine: &'a BackendAiEngine,
    root: FileRoot,
    directory: &'a FilePath,
}

impl Target<'_> {
    /// Creates it, and the directories above it that don't exist. The manager creates only one at a time.
    async fn create(&self) -> Result<()> {
        let path = self.directory.clone();
        let mut above = Vec::new();
        let mut next = path.parent();
        while let Some(directory) = next.filter(|it| !it.is_root()) {
            next = directory.parent();
            above.push(directory);
        }
        for directory in above.into_iter().rev() {
            if !self.exists(&directory).await? {
                self.make(directory).await?;
            }
        }
        if self.exists(&path).await? {
            let text = tr_sent!("'{path}' already exists in the folder", path);
            return Err(Failure::refused(text).hint(tr_sent!("choose another name")));
        }
        self.make(path).await
    }

    async fn exists(&self, path: &FilePath) -> Result<bool> {
        let stat = FileRequest::Stat { path: path.clone() };
        match self.engine.file_request(&self.root, &stat).await {
            Ok(_) => Ok(true),
            Err(failure) if failure.is_not_found() => Ok(false),
            Err(failure) => Err(failure),
        }
    }

    async fn make(&self, path: FilePath) -> Result<()> {
        let create = FileRequest::CreateDirectory { path };
        let made = self.engine.file_request(&self.root, &create).await;
        made.map(drop)
    }

    /// Returns the size of all files in bytes.
    async fn fill(
        &self,
        session: SessionId,
        entries: &Entries,
        progress: &watch::Sender<FileProgress>,
    ) -> Result<u64> {
        let all = entries.files.iter().map(|(_, size)| size).sum();
        let of = Some((entries.files.len() as u64, all));
        for path in &entries.directories {
            self.make(self.inside(path)?).await?;
        }
        let source = SessionDirectory::root(session);
        let mut total = 0;
        for (path, size) in &entries.files {
            let content = source.read(self.engine, path, 0).await?;
            let options = WriteOptions {
                size: Some(*size),
                ..WriteOptions::default()
            };
            let to = self.inside(path)?;
            self.engine
                .write_file(&self.root, &to, options, content)
                .await?;
            total += size;
            progress.send_modify(|it| {
                it.files += 1;
                (it.bytes, it.of) = (total, of);
            });
        }
        Ok(total)
    }

    fn inside(&self, path: &FilePath) -> Result<FilePath> {
        FilePath::parse(self.directory.as_path().join(path.as_path()).as_os_str())
    }

    async fn remove(&self) -> Result<()> {
        let paths = vec![self.directory.clone()];
        let work = LocalWork::Delete { paths };
        let mut deleting = self.engine.file_work(&self.root, &self.root, work).await?;
        while let Some(step) = deleting.next().await {
            step?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_to_its_end_with_the_directories_above() {
        let list = br#"{"path": "home/work", "directory": true, "size": 0}
{"path": "home/work/a", "directory": false, "size": 7}
{"path": "opt/x/b", "directory": false, "size": 1}
{"skipped": "/opt/link: links can't be stored"}
{"end": true}
"#;
        let entries = Entries::parse(list).unwrap();
        let directories: Vec<String> = entries
            .directories
            .iter()
            .map(FilePath::to_string)
            .collect();
        assert_eq!(directories, ["home", "home/work", "opt", "opt/x"]);
        assert_eq!(entries.files.len(), 2);
        assert_eq!(entries.skipped.len(), 1);
        assert!(Entries::parse(&list[..list.len() - 14]).is_err());
        let outside = br#"{"path": "../x", "directory": false, "size": 1}"#;
        assert!(Entries::parse(outside).is_err());
    }
}
