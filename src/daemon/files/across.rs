//! Copies between two places that their engines can't copy between: the daemon reads from one and writes to the other.

use std::{sync::Arc, time::Duration};

use futures_util::{StreamExt as _, stream::unfold};
use tokio::{sync::watch, task::JoinHandle};

use crate::{
    engine::{
        api::Engine,
        files::{FileProgresses, FileRoot, LocalWork},
    },
    model::{
        failure::{Failure, FailureKind},
        files::{
            FileAnswer, FileEntry, FileKind, FileName, FilePath, FileProgress, FileRequest,
            ListOptions, MOST_LISTED, WriteOptions,
        },
        text::Clean,
    },
};

/// The entries of one request for a directory.
const PAGE: u32 = MOST_LISTED;
/// The time between two reports.
const PAUSE: Duration = Duration::from_millis(200);
/// The permissions that are copied.
const BITS: u32 = 0o777;

/// One of the two places.
pub(super) struct End {
    pub engine: Arc<dyn Engine>,
    pub root: FileRoot,
}

impl End {
    async fn ask(&self, request: FileRequest) -> Result<FileAnswer, Failure> {
        self.engine.file_request(&self.root, &request).await
    }

    async fn entry(&self, path: &FilePath) -> Result<FileEntry, Failure> {
        let path = path.clone();
        match self.ask(FileRequest::Stat { path }).await? {
            FileAnswer::Entry { entry } => Ok(entry),
            _ => Err(unexpected()),
        }
    }

    async fn delete(&self, path: &FilePath) -> Result<(), Failure> {
        let paths = vec![path.clone()];
        let root = &self.root;
        let work = LocalWork::Delete { paths };
        let mut deleting = self.engine.file_work(root, root, work).await?;
        while let Some(progress) = deleting.next().await {
            progress?;
        }
        Ok(())
    }
}

fn unexpected() -> Failure {
    Failure::internal(tr_sent!(
        "an unexpected answer about files. Report this error"
    ))
}

/// The task that copies. Dropping the receiver cancels the copy, and the task removes what is unfinished.
struct Copying {
    progress: watch::Receiver<FileProgress>,
    task: JoinHandle<Result<(), Failure>>,
    is_first: bool,
}

/// Copies or moves. What was copied of an unfinished path is deleted.
pub(super) fn copy(from: End, to: End, work: LocalWork) -> Result<FileProgresses, Failure> {
    let LocalWork::Copy {
        paths,
        directory,
        replace,
        moving,
    } = work
    else {
        return Err(unexpected());
    };
    let (newest, progress) = watch::channel(FileProgress::default());
    let task = tokio::spawn(Box::pin(async move {
        let mut copy = Copy {
            from,
            to,
            replace,
            progress: FileProgress::default(),
            newest,
        };
        for path in paths {
            copy.path(&path, &directory).await?;
            if moving {
                copy.from.delete(&path).await?;
            }
        }
        Ok(())
    }));
    let copying = Copying {
        progress,
        task,
        is_first: true,
    };
    Ok(unfold(Some(copying), |copying| async { next(copying?).await }).boxed())
}

async fn next(mut copying: Copying) -> Option<(Result<FileProgress, Failure>, Option<Copying>)> {
    if !std::mem::take(&mut copying.is_first) {
        let mut ended = copying.progress.clone();
        tokio::select! {
            () = tokio::time::sleep(PAUSE) => {}
            () = async { while ended.changed().await.is_ok() {} } => {}
        }
    }
    let is_changed = copying.progress.changed().await.is_ok();
    let now = *copying.progress.borrow_and_update();
    if is_changed && copying.progress.has_changed().is_ok() {
        return Some((Ok(now), Some(copying)));
    }
    let result = match (&mut copying.task).await {
        Ok(result) => result.map(|()| now),
        Err(error) => Err(
            Failure::internal(tr_sent!("the copy broke: {error}", error))
                .hint(tr_sent!("report this error")),
        ),
    };
    Some((result, None))
}

struct Copy {
    from: End,
    to: End,
    replace: bool,
    progress: FileProgress,
    newest: watch::Sender<FileProgress>,
}

impl Copy {
    /// Copies one path into the directory.
    async fn path(&mut self, path: &FilePath, directory: &FilePath) -> Result<(), Failure> {
        let Some(name) = path.name() else {
            return Err(Failure::refused(tr_sent!(
                "the folder or home directory itself can't be copied"
            ))
            .hint(tr_sent!("choose something in it")));
        };
        let target = directory.join(name)?;
        let is_new = match self.to.entry(&target).await {
            Ok(_) if !self.replace => {
                let text = tr_sent!(
                    "'{name}' already exists in that directory",
                    name = Clean::new(&name.to_string_lossy())
                );
                return Err(Failure::refused(text)
                    .hint(tr_sent!("choose another directory, or replace it")));
            }
            Ok(_) => false,
            Err(failure) if failure.is_not_found() => true,
            Err(failure) => return Err(failure),
        };
        let newest = self.newest.clone();
        let copied = tokio::select! {
            copied = self.tree(path.clone(), target.clone()) => copied,
            () = newest.closed() => Err(Failure::refused(tr_sent!("the copy was cancelled")).hint(tr_sent!("start it again"))),
        };
        if copied.is_err() && is_new {
            // Nothing may have been created yet.
            let _ = self.to.delete(&target).await;
        }
        copied
    }

    async fn tree(&mut self, from: FilePath, to: FilePath) -> Result<(), Failure> {
        let mut pending = vec![(from, to)];
        // The attributes of directories are set after their contents were created.
        let mut directories = Vec::new();
        while let Some((from, to)) = pending.pop() {
            let entry = self.from.entry(&from).await?;
            match entry.kind {
                FileKind::File => self.file(&from, &to, &entry).await?,
                FileKind::Link => self.link(&to, entry.target).await?,
                FileKind::Directory => {
                    self.directory(&to).await?;
                    for name in self.names(&from).await? {
                        pending.push((from.join(&name.0)?, to.join(&name.0)?));
                    }
                    directories.push((to, entry));
                }
                FileKind::Special => {
                    let text = tr_sent!(
                        "'{from}' can't be copied: it is a pipe, a socket or a device",
                        from
                    );
                    return Err(
                        Failure::refused(text).hint(tr_sent!("delete it, or select other files"))
                    );
                }
            }
        }
        for (path, entry) in directories.into_iter().rev() {
            self.attributes(path, &entry).await?;
        }
        Ok(())
    }

    async fn names(&self, path: &FilePath) -> Result<Vec<FileName>, Failure> {
        let mut names: Vec<FileName> = Vec::new();
        loop {
            let request = FileRequest::List {
                path: path.clone(),
                options: ListOptions {
                    offset: names.len() as u64,
                    count: PAGE,
                    ..ListOptions::default()
                },
            };
            let FileAnswer::Listing { listing } = self.from.ask(request).await? else {
                return Err(unexpected());
            };
            if listing.entries.is_empty() {
                return Ok(names);
            }
            names.extend(listing.entries.into_iter().map(|entry| entry.name));
        }
    }

    async fn directory(&self, path: &FilePath) -> Result<(), Failure> {
        let path = path.clone();
        let created = self
            .to
            .ask(FileRequest::CreateDirectory { path: path.clone() })
            .await;
        match created {
            Err(failure) if self.replace && failure.kind == FailureKind::Refused => {
                // It is merged with a directory that exists.
                match self.to.entry(&path).await {
                    Ok(entry) if entry.kind == FileKind::Directory => Ok(()),
                    _ => Err(failure),
                }
            }
            other => other.map(drop),
        }
    }

    async fn link(&mut self, path: &FilePath, target: Option<FileName>) -> Result<(), Failure> {
        let Some(target) = target else {
            return Err(
                Failure::refused(tr_sent!("the link '{path}' can't be read", path))
                    .hint(tr_sent!("start the copy again")),
            );
        };
        if self.replace {
            match self.to.entry(path).await {
                Ok(entry) if entry.kind != FileKind::Directory => self.to.delete(path).await?,
                _ => {}
            }
        }
        let path = path.clone();
        self.to
            .ask(FileRequest::CreateLink { path, target })
            .await?;
        self.count(1, 0);
        Ok(())
    }

    async fn file(
        &mut self,
        from: &FilePath,
        to: &FilePath,
        entry: &FileEntry,
    ) -> Result<(), Failure> {
        let options = WriteOptions {
            size: Some(entry.size),
            replace: self.replace,
            mode: entry.mode.map(|mode| mode & BITS),
            ..WriteOptions::default()
        };
        let content = self.from.engine.read_file(&self.from.root, from, 0).await?;
        let (newest, mut progress) = (self.newest.clone(), self.progress);
        let content = content.inspect(move |piece| {
            progress.bytes += piece.as_ref().map_or(0, |piece| piece.len() as u64);
            newest.send_replace(progress);
        });
        let content = content.boxed();
        let target = &self.to;
        target
            .engine
            .write_file(&target.root, to, options, content)
            .await?;
        self.progress.bytes = self.newest.borrow().bytes;
        self.attributes(to.clone(), entry).await?;
        self.count(1, 0);
        Ok(())
    }

    /// Not every place can have them.
    async fn attributes(&self, path: FilePath, entry: &FileEntry) -> Result<(), Failure> {
        let request = FileRequest::SetAttributes {
            path,
            mode: entry.mode.map(|mode| mode & BITS),
            modified: entry.modified,
        };
        match self.to.ask(request).await {
            Err(failure) if failure.kind == FailureKind::Unsupported => Ok(()),
            other => other.map(drop),
        }
    }

    fn count(&mut self, files: u64, bytes: u64) {
        self.progress.files += files;
        self.progress.bytes += bytes;
        self.newest.send_replace(self.progress);
    }
}
