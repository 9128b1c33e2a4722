//! Small files of a directory that is uploaded or downloaded: many of them share a stream.

use std::{
    collections::HashSet,
    ffi::{OsStr, OsString},
    path::Path,
    sync::Arc,
};

use super::task::{Result, Task};
use crate::{
    files::Root,
    model::{
        files::{FileName, FilePath, FilePlace, SMALL_FILE},
        text::Clean,
    },
    transfer::{
        blocking,
        many::{self, ManyWriter, Sent},
    },
};

/// Files that are sent or requested at once. The progress is reported after each group.
const GROUP: usize = 100;

/// A small file on its way.
pub struct SmallFile {
    /// Its path at the source, as [`super::task::Memory`] keeps it.
    pub source: OsString,
    pub from: FilePath,
    pub to: FilePath,
}

/// Whether a file may share a stream. One that is complete, or has another name, needs its own decision.
pub fn is_small(task: &Task, source: &OsStr, size: u64) -> bool {
    let memory = &task.memory;
    size <= SMALL_FILE && !memory.done.contains(source) && !memory.renamed.contains_key(source)
}

/// The upload of small files below one directory of this machine.
pub struct SmallUploads {
    root: Arc<Root>,
    writer: Writer,
}

enum Writer {
    Unknown,
    /// Each file of this place needs a stream of its own.
    Unsupported,
    Open(ManyWriter),
}

impl SmallUploads {
    pub fn new(directory: &Path) -> Result<Self> {
        let root = Root::open(directory, None)?;
        Ok(Self {
            root: Arc::new(root),
            writer: Writer::Unknown,
        })
    }

    /// Sends files of one directory. Returns the indices of those that need a stream of their own.
    pub async fn send(
        &mut self,
        task: &mut Task,
        place: &FilePlace,
        files: &[SmallFile],
    ) -> Result<Vec<usize>> {
        if files.is_empty() {
            return Ok(Vec::new());
        }
        if matches!(self.writer, Writer::Unknown) {
            let writer = ManyWriter::open(task.client()?, place).await?;
            self.writer = writer.map_or(Writer::Unsupported, Writer::Open);
        }
        let Writer::Open(writer) = &mut self.writer else {
            return Ok((0..files.len()).collect());
        };
        let mut left = Vec::new();
        for (number, group) in files.chunks(GROUP).enumerate() {
            begin(task, group).await;
            let pairs = group.iter().map(|it| (it.from.clone(), it.to.clone()));
            let sent = writer.send(&self.root, pairs.collect()).await?;
            let missing = arrived(task, group, &sent).await;
            left.extend(missing.into_iter().map(|at| number * GROUP + at));
        }
        Ok(left)
    }

    /// Waits until everything is stored.
    pub async fn finish(self, task: &mut Task) -> Result<()> {
        if let Writer::Open(writer) = self.writer {
            writer.finish().await?;
            complete(task);
        }
        Ok(())
    }
}

/// The download of small files below one directory of this machine.
pub struct SmallDownloads {
    root: Arc<Root>,
    is_supported: bool,
}

impl SmallDownloads {
    pub fn new(directory: &Path) -> Result<Self> {
        let root = Root::open(directory, None)?;
        Ok(Self {
            root: Arc::new(root),
            is_supported: true,
        })
    }

    /// Gets files of `directory` into `to`. Returns the indices of those that need a stream of their own.
    pub async fn get(
        &mut self,
        task: &mut Task,
        (place, directory): (&FilePlace, &FilePath),
        to: &FilePath,
        files: &[SmallFile],
    ) -> Result<Vec<usize>> {
        let mut left = Vec::new();
        for (number, group) in files.chunks(GROUP).enumerate() {
            let sent = if self.is_supported {
                begin(task, group).await;
                let names: Vec<FileName> = group.iter().filter_map(name).collect();
                let target = (&self.root, to);
                many::get((task.client()?, place), directory, target, &names).await?
            } else {
                None
            };
            self.is_supported = sent.is_some();
            let missing = match sent {
                Some(sent) => arrived(task, group, &sent).await,
                None => (0..group.len()).collect(),
            };
            left.extend(missing.into_iter().map(|at| number * GROUP + at));
        }
        Ok(left)
    }

    /// Waits until everything is on the disk.
    pub async fn finish(self, task: &mut Task) -> Result<()> {
        if !task.memory.unstored.is_empty() {
            blocking(move || self.root.sync()).await?;
            complete(task);
        }
        Ok(())
    }
}

fn name(file: &SmallFile) -> Option<FileName> {
    file.from.name().map(|name| FileName(name.to_owned()))
}

/// From now on, these files may exist at the target. An interrupted transfer sends them again without a question.
async fn begin(task: &mut Task, group: &[SmallFile]) {
    let sources = group.iter().map(|it| it.source.clone());
    task.memory.unstored.extend(sources);
    if let Some(name) = group.first().and_then(|it| it.from.name()) {
        task.begin(Clean::new(&name.to_string_lossy())).await;
    }
}

/// Counts the files that were transferred. Returns the others.
async fn arrived(task: &mut Task, group: &[SmallFile], sent: &Sent) -> Vec<usize> {
    task.progress.files += sent.files;
    task.moved(sent.bytes).await;
    let is_left = |it: &SmallFile| sent.left.contains(&it.from);
    let left = group.iter().enumerate().filter(|(_, it)| is_left(it));
    let left: Vec<usize> = left.map(|(at, _)| at).collect();
    for at in &left {
        task.memory.unstored.remove(&group[*at].source);
    }
    left
}

fn complete(task: &mut Task) {
    let stored: HashSet<OsString> = std::mem::take(&mut task.memory.unstored);
    task.memory.done.extend(stored);
}
