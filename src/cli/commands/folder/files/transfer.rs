//! Copies a file or a tree from one side to the other.

use std::{path::Component, sync::Arc};

use tokio::sync::mpsc;

use super::side::{Pieces, Side, unexpected};
use crate::{
    archive::Copied,
    cli::{
        fail::{Fail, code},
        meter::Meter,
    },
    files::Root,
    model::{
        failure::Failure,
        files::{
            FileAnswer, FileEntry, FileKind, FileName, FilePath, FileRequest, ListOptions,
            MOST_LISTED, SMALL_FILE, WriteOptions, part_name,
        },
    },
    transfer::{
        blocking,
        many::{self, ManyWriter, Sent},
    },
};

/// The entries of one request.
const PAGE: u32 = MOST_LISTED;
/// The permissions that are copied.
const BITS: u32 = 0o777;

pub(super) struct Transfer {
    from: Side,
    to: Side,
    /// Whether an interrupted transfer continues.
    resume: bool,
    many: Many,
    copied: Copied,
    meter: Meter,
}

/// Whether small files share a stream.
enum Many {
    Unknown,
    /// Each file needs a stream of its own.
    Unsupported,
    /// They are written here, and stored at the end.
    Here(Arc<Root>),
    There(ManyWriter),
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
            many: if resume {
                // What is there already is looked at, file by file.
                Many::Unsupported
            } else {
                Many::Unknown
            },
            copied: Copied::default(),
            meter: Meter::new(),
        }
    }

    pub async fn run(mut self, from: FilePath, to: FilePath) -> Result<Copied, Fail> {
        let Some(entry) = self.from.entry(&from).await? else {
            let text = tr!("'{from}' not found", from);
            return Err(Fail::new(code::NOT_FOUND, text).hint(tr!("list the directory above it")));
        };
        let (top, depth) = (to.clone(), to.as_path().components().count());
        let mut pending = vec![Item { from, to, entry }];
        // The attributes of directories are set after their contents were written.
        let mut directories = Vec::new();
        while let Some(item) = pending.pop() {
            if item.entry.kind == FileKind::Directory {
                self.directory(&item, (depth, &top), &mut pending).await?;
                directories.push(item);
            } else {
                self.entry(&item, (depth, &top)).await?;
            }
        }
        match std::mem::replace(&mut self.many, Many::Unsupported) {
            Many::There(writer) => writer.finish().await?,
            Many::Here(root) => blocking(move || root.sync()).await?,
            Many::Unknown | Many::Unsupported => {}
        }
        for item in directories.iter().rev().filter(|item| !item.to.is_root()) {
            self.attributes(item).await?;
        }
        Ok(self.copied)
    }

    /// Copies what isn't a directory. `depth` and `top` are those of what is copied.
    async fn entry(&mut self, item: &Item, (depth, top): (usize, &FilePath)) -> Result<(), Fail> {
        match item.entry.kind {
            FileKind::File => self.file(item).await,
            FileKind::Link => self.link(item, depth, item.to == *top).await,
            FileKind::Directory | FileKind::Special => {
                let name = item.from.to_string();
                self.copied
                    .skip(|| tr!("{name}: not a file, directory or link", name));
                Ok(())
            }
        }
    }

    /// Copies the files of a directory, one page after the other. Its directories become pending.
    async fn directory(
        &mut self,
        item: &Item,
        top: (usize, &FilePath),
        pending: &mut Vec<Item>,
    ) -> Result<(), Fail> {
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
            let mut files = Vec::new();
            for entry in listing.entries {
                match (item.from.join(&entry.name.0), item.to.join(&entry.name.0)) {
                    (Ok(from), Ok(to)) if entry.kind == FileKind::Directory => {
                        pending.push(Item { from, to, entry });
                    }
                    (Ok(from), Ok(to)) => files.push(Item { from, to, entry }),
                    _ => self.skip_long(item, &entry),
                }
            }
            for file in self.small(item, files).await? {
                self.entry(&file, top).await?;
            }
            if offset >= listing.total {
                return Ok(());
            }
        }
    }

    fn skip_long(&mut self, item: &Item, entry: &FileEntry) {
        let start: String = item.from.to_string().chars().take(40).collect();
        let name = entry.name.shown();
        self.copied.skip(|| {
            tr!(
                "{start}…/{name}: its path is longer than 4095 bytes",
                start,
                name
            )
        });
    }

    /// Copies small files of a directory in one stream. Returns the others.
    async fn small(&mut self, directory: &Item, items: Vec<Item>) -> Result<Vec<Item>, Fail> {
        let is_small =
            |item: &Item| item.entry.kind == FileKind::File && item.entry.size <= SMALL_FILE;
        let (small, mut others): (Vec<Item>, Vec<Item>) = items.into_iter().partition(is_small);
        if small.is_empty() {
            return Ok(others);
        }
        let Some(sent) = self.send_small(directory, &small).await? else {
            others.extend(small);
            return Ok(others);
        };
        self.copied.files += sent.files;
        self.copied.bytes += sent.bytes;
        let name = directory.from.to_string();
        self.meter.add(sent.bytes, &name, sent.bytes, sent.bytes);
        others.extend(small.into_iter().filter(|it| sent.left.contains(&it.from)));
        Ok(others)
    }

    /// `None` = each file needs a stream of its own.
    async fn send_small(&mut self, directory: &Item, small: &[Item]) -> Result<Option<Sent>, Fail> {
        if let (Many::Unknown, Side::Here(_)) = (&self.many, &self.from) {
            let writer = match &self.to {
                Side::There { connection, place } => {
                    ManyWriter::open(&connection.client, place).await?
                }
                Side::Here(_) => None,
            };
            self.many = writer.map_or(Many::Unsupported, Many::There);
        }
        match (&self.from, &self.to, &mut self.many) {
            (_, _, Many::Unsupported) => Ok(None),
            (Side::Here(root), _, Many::There(writer)) => {
                let pairs = small.iter().map(|it| (it.from.clone(), it.to.clone()));
                Ok(Some(writer.send(root, pairs.collect()).await?))
            }
            (Side::There { connection, place }, Side::Here(root), _) => {
                let names: Vec<FileName> = small.iter().map(|it| it.entry.name.clone()).collect();
                let to = (root, &directory.to);
                let sent =
                    many::get((&connection.client, place), &directory.from, to, &names).await?;
                self.many = match sent {
                    Some(_) => Many::Here(root.clone()),
                    None => Many::Unsupported,
                };
                Ok(sent)
            }
            _ => Ok(None),
        }
    }

    /// A link that leads out of what is copied is left out: where it arrives, it would lead elsewhere.
    async fn link(&mut self, item: &Item, depth: usize, is_top: bool) -> Result<(), Fail> {
        let target = item.entry.target.clone();
        let target = target.filter(|it| !is_top && stays_inside(&item.to, depth, &it.0));
        let Some(target) = target else {
            let name = item.from.to_string();
            self.copied.skip(|| {
                tr!(
                    "{name}: a link that leads out of the copied directory",
                    name
                )
            });
            return Ok(());
        };
        let path = item.to.clone();
        match self.to.entry(&path).await? {
            Some(there) if there.target.as_ref() == Some(&target) => return Ok(()),
            Some(_) => {
                let text = tr!("'{path}' already exists and is another file", path);
                return Err(Failure::refused(text).hint(tr!("delete it first")).into());
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
