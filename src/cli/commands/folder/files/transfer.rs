//! Copies a file or a tree from one side to the other.

use std::path::Component;

use tokio::sync::mpsc;

use super::side::{Pieces, Side, unexpected};
use crate::{
    archive::Copied,
    cli::{
        fail::{Fail, code},
        meter::Meter,
    },
    model::{
        failure::Failure,
        files::{
            FileAnswer, FileEntry, FileKind, FilePath, FileRequest, ListOptions, WriteOptions,
            part_name,
        },
    },
};

/// The entries of one request.
const PAGE: u32 = 1000;
/// The permissions that are copied.
const BITS: u32 = 0o777;

pub(super) struct Transfer {
    from: Side,
    to: Side,
    /// Whether an interrupted transfer continues.
    resume: bool,
    copied: Copied,
    meter: Meter,
}

/// An entry that is copied.
struct Item {
    from: FilePath,
    to: FilePath,
    entry: FileEntry,
}

impl Transfer {
    pub fn new(from: Side, to: Side, resume: bool) -> Self {
        Self {
            from,
            to,
            resume,
            copied: Copied::default(),
            meter: Meter::new(),
        }
    }

    pub async fn run(mut self, from: FilePath, to: FilePath) -> Result<Copied, Fail> {
        let Some(entry) = self.from.entry(&from).await? else {
            let text = format!("'{from}' not found");
            return Err(Fail::new(code::NOT_FOUND, text).hint("list the directory above it"));
        };
        let (top, depth) = (to.clone(), to.as_path().components().count());
        let mut pending = vec![Item { from, to, entry }];
        // The attributes of directories are set after their contents were written.
        let mut directories = Vec::new();
        while let Some(item) = pending.pop() {
            match item.entry.kind {
                FileKind::File => self.file(&item).await?,
                FileKind::Link => self.link(&item, depth, item.to == top).await?,
                FileKind::Directory => {
                    self.directory(&item, &mut pending).await?;
                    directories.push(item);
                }
                FileKind::Special => {
                    let name = item.from.to_string();
                    self.copied
                        .skip(|| format!("{name}: not a file, directory or link"));
                }
            }
        }
        for item in directories.iter().rev().filter(|item| !item.to.is_root()) {
            self.attributes(item).await?;
        }
        Ok(self.copied)
    }

    async fn directory(&mut self, item: &Item, pending: &mut Vec<Item>) -> Result<(), Fail> {
        let path = item.to.clone();
        if !path.is_root() && !self.to.is_directory(&path).await? {
            self.to.ask(FileRequest::CreateDirectory { path }).await?;
        }
        let mut offset = 0;
        loop {
            let request = FileRequest::List {
                path: item.from.clone(),
                options: ListOptions {
                    offset,
                    count: PAGE,
                    ..ListOptions::default()
                },
            };
            let FileAnswer::Listing { listing } = self.from.ask(request).await? else {
                return Err(unexpected());
            };
            if listing.entries.is_empty() {
                return Ok(());
            }
            offset += listing.entries.len() as u64;
            for entry in listing.entries {
                let (from, to) = (item.from.join(&entry.name.0)?, item.to.join(&entry.name.0)?);
                pending.push(Item { from, to, entry });
            }
            if offset >= listing.total {
                return Ok(());
            }
        }
    }

    /// A link that leads out of what is copied is left out: where it arrives, it would lead elsewhere.
    async fn link(&mut self, item: &Item, depth: usize, is_top: bool) -> Result<(), Fail> {
        let target = item.entry.target.clone();
        let target = target.filter(|it| !is_top && stays_inside(&item.to, depth, &it.0));
        let Some(target) = target else {
            let name = item.from.to_string();
            self.copied
                .skip(|| format!("{name}: a link that leads out of the copied directory"));
            return Ok(());
        };
        let path = item.to.clone();
        match self.to.entry(&path).await? {
            Some(there) if there.target.as_ref() == Some(&target) => return Ok(()),
            Some(_) => {
                let text = format!("'{path}' already exists and is another file");
                return Err(Failure::refused(text).hint("delete it first").into());
            }
            None => {}
        }
        self.to
            .ask(FileRequest::CreateLink { path, target })
            .await?;
        Ok(())
    }

    async fn file(&mut self, item: &Item) -> Result<(), Fail> {
        let Item { from, to, entry } = item;
        let mut offset = 0;
        if self.resume {
            let there = self.to.entry(to).await?;
            if there.is_some_and(|it| it.size == entry.size && it.modified == entry.modified) {
                return Ok(());
            }
            offset = self.continued(to, entry).await?;
        }
        let options = WriteOptions {
            size: Some(entry.size),
            offset,
            replace: true,
            mode: entry.mode.map(|mode| mode & BITS),
        };
        let reading = self.from.read(from.clone(), offset);
        let (counted, pieces) = mpsc::channel(2);
        let name = to.name().unwrap_or_default().to_string_lossy().into_owned();
        let counting = count(&mut self.meter, reading, counted, &name, offset, entry.size);
        let writing = self.to.write(to.clone(), options, pieces);
        let ((), written) = tokio::join!(counting, writing);
        written?;
        self.attributes(item).await?;
        self.copied.files += 1;
        self.copied.bytes += entry.size;
        Ok(())
    }

    /// How many bytes an interrupted transfer has. It continues only if the file wasn't changed since then.
    async fn continued(&self, to: &FilePath, entry: &FileEntry) -> Result<u64, Fail> {
        let part = part_name(to.name().unwrap_or_default());
        let directory = to.parent().unwrap_or_default();
        let part = self.to.entry(&directory.join(&part)?).await?;
        Ok(part
            .filter(|part| part.size <= entry.size && part.modified >= entry.modified)
            .map_or(0, |part| part.size))
    }

    async fn attributes(&self, item: &Item) -> Result<(), Fail> {
        let request = FileRequest::SetAttributes {
            path: item.to.clone(),
            mode: item.entry.mode.map(|mode| mode & BITS),
            modified: item.entry.modified,
        };
        match self.to.ask(request).await {
            // Not every place can have them.
            Err(fail) if is_unsupported(&fail) => Ok(()),
            other => other.map(drop),
        }
    }
}

fn is_unsupported(fail: &Fail) -> bool {
    use crate::model::failure::FailureKind::Unsupported;
    fail.failure
        .as_ref()
        .is_some_and(|it| it.kind == Unsupported)
}

/// Passes pieces on and shows the progress.
async fn count(
    meter: &mut Meter,
    mut reading: Pieces,
    counted: mpsc::Sender<Result<bytes::Bytes, Fail>>,
    name: &str,
    offset: u64,
    size: u64,
) {
    let mut done = offset;
    while let Some(piece) = reading.recv().await {
        let length = piece.as_ref().map_or(0, |piece| piece.len() as u64);
        if counted.send(piece).await.is_err() {
            // The writer has failed and says why.
            return;
        }
        done += length;
        meter.add(length, name, done, size);
    }
}

/// Whether a link leads to a place inside what is copied, by its text. `depth` = of what is copied.
fn stays_inside(at: &FilePath, depth: usize, target: &std::ffi::OsStr) -> bool {
    let mut level = at.as_path().components().count().saturating_sub(1);
    for part in std::path::Path::new(target).components() {
        match part {
            Component::Normal(_) => level += 1,
            Component::CurDir => {}
            Component::ParentDir if level > depth => level -= 1,
            _ => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_that_lead_out_are_recognized() {
        let of = |at: &str, target: &str| {
            stays_inside(&FilePath::parse(at.as_ref()).unwrap(), 1, target.as_ref())
        };
        assert!(of("tree/a/link", "../b") && of("tree/link", "x/y"));
        assert!(!of("tree/link", "../x") && !of("tree/a/link", "../../x"));
        assert!(!of("tree/a/link", "/etc/passwd"));
    }
}
